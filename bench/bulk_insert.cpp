// bench/bulk_insert.cpp -- what the release job is measured against: the same rows of objects,
// trees and history by a bare prepared bulk insert, into an empty store of the same schema.
//   bulk_insert FROM_URL TO_URL [ROWS_A_TRANSACTION]
// TO_URL has the schema (varve init) and no rows. Prints rows and seconds of inserting alone:
// reading goes on between and is not counted.
// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "store/dialect.hpp"
#include "store/store.hpp"

namespace {

using store::Value;

struct Table {
    store::Insert insert;
    const char* select;  // for oids above ? and up to ?
};

const std::vector<Table> tables{
    {{"objects",
      {"oid", "class", "name", "name_key", "label", "signature", "last_modification_date",
       "build", "bytes"},
      {}},
     "SELECT oid, class, name, name_key, label, signature, last_modification_date, build,"
     " bytes FROM objects WHERE oid > ? AND oid <= ? ORDER BY oid"},
    {{"trees", {"oid", "version", "since", "tree"}, {}},
     "SELECT oid, version, since, tree FROM trees WHERE oid > ? AND oid <= ? ORDER BY oid, "
     "version"},
    {{"history",
      {"oid", "version", "revision", "since", "date", "recorded_at", "signature", "kind", "label",
       "notes", "class", "name"},
      {}},
     "SELECT oid, version, revision, since, date, recorded_at, signature, kind, label, notes,"
     " class, name FROM history WHERE oid > ? AND oid <= ? ORDER BY oid, version"}};

std::unique_ptr<store::Connection> open(const char* url) {
    const auto parsed = store::parse_url(url);
    if (!parsed) {
        std::fprintf(stderr, "bulk_insert: %s\n", parsed.error().text.c_str());
        std::exit(2);
    }
    return store::connector(*parsed, "", store::IfMissing::fail)();
}

std::vector<Value> values_of(const store::Rows& rows, const std::vector<bool>& is_blob) {
    std::vector<Value> values;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (is_blob[i])
                values.emplace_back(store::Blob{row.blob(i)});
            else
                values.push_back(row.value(i));
        }
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("use: bulk_insert FROM_URL TO_URL [ROWS_A_TRANSACTION]\n", stderr);
        return 2;
    }
    const auto from = open(argv[1]), to = open(argv[2]);
    const std::int64_t together = argc > 3 ? std::atoll(argv[3]) : 1000;
    const std::vector<Value> none;
    const auto last = from->query("SELECT MAX(oid) FROM objects", none).at(0).integer(0);
    // Rows of the others refer to these.
    store::Transaction releases(*to, store::Access::write);
    for (const auto& row : from->query("SELECT version, released_on FROM releases", none))
        releases.execute("INSERT INTO releases (version, released_on) VALUES (?, ?)",
                         {row.value(0), row.value(1)});
    releases.commit();
    std::size_t rows = 0;
    double seconds = 0;
    for (std::int64_t oid = 0; oid < last; oid += together) {
        std::vector<std::pair<const Table*, std::vector<Value>>> work;
        for (const auto& table : tables) {
            const std::vector<Value> range{oid, oid + together};
            const auto read = from->query(table.select, range);
            rows += read.size();
            std::vector<bool> is_blob(table.insert.columns.size(), false);
            if (table.insert.table == "trees") is_blob[3] = true;
            work.emplace_back(&table, values_of(read, is_blob));
        }
        const auto begin = std::chrono::steady_clock::now();
        store::Transaction transaction(*to, store::Access::write);
        for (const auto& [table, values] : work)
            store::insert_many(transaction, table->insert, values);
        transaction.commit();
        seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    std::printf("%zu rows in %.2f s: %.0f rows/s\n", rows, seconds,
                static_cast<double>(rows) / seconds);
    return 0;
}
