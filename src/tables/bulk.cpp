// SPDX-License-Identifier: MIT
#include "tables/bulk.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/replacement.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

// Rows of one statement that writes, so that few texts serve any number of them.
constexpr std::array<std::size_t, 4> list_sizes{1, 4, 16, 64};

// Newest first: the releases in which the job of this class was finished.
std::vector<std::string> warmed_in(Transaction& transaction, const std::string& class_name,
                                   const Releases& releases) {
    std::vector<std::string> versions;
    for (const auto& row : transaction.query("SELECT version FROM warmed WHERE class IN (?, '')",
                                             {Value{class_name}}))
        if (releases.find(row.text(0)) != nullptr) versions.push_back(row.text(0));
    std::sort(versions.begin(), versions.end(),
              [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    return versions;
}

bool any_failed(Transaction& transaction, const std::string& class_name,
                const std::string& version) {
    return !transaction
                .query("SELECT name FROM failed WHERE version = ? AND class = ? LIMIT 1",
                       {Value{version}, Value{class_name}})
                .empty();
}

const store::Insert an_object{"objects",
                              {"class", "name", "name_key", "label", "signature",
                               "last_modification_date", "ace_version", "label_key"},
                              {}};
const store::Insert a_tree{"trees", {"oid", "version", "tree"}, {}};
const store::Insert a_row{"history",
                          {"oid", "version", "revision", "since", "date", "recorded_at",
                           "signature", "kind", "label", "notes"},
                          {}};

void append(std::vector<Value>& values, const ObjectRow& row) {
    values.insert(values.end(),
                  {Value{row.object.class_name}, Value{row.object.name},
                   Value{base::fold_ascii(row.object.name)}, Value{row.label},
                   Value{row.signature}, Value{base::format_date(row.last_modified)},
                   Value{row.ace_version}, Value{label_key_of(row)}});
}

// One statement of so many rows; their oids.
std::vector<std::int64_t> insert_returning(Transaction& transaction,
                                           std::span<const ObjectRow* const> rows) {
    std::vector<Value> values;
    values.reserve(rows.size() * an_object.columns.size());
    for (const auto* row : rows) append(values, *row);
    const auto written = transaction.query(
        store::insert_sql(an_object, rows.size()) + " RETURNING oid, name", values);
    std::vector<std::int64_t> oids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (written.at(i).text(1) != rows[i]->object.name)
            throw std::logic_error("RETURNING told its rows in another order");
        oids.push_back(written[i].integer(0));
    }
    return oids;
}

// SQLite collects what RETURNING tells in a table of its own, which takes a fifth of the
// insert; the last id is at hand.
std::vector<std::int64_t> insert_one_by_one(Transaction& transaction,
                                            std::span<const ObjectRow* const> rows) {
    static const auto sql = store::insert_sql(an_object);
    std::vector<std::int64_t> oids;
    std::vector<Value> values;
    for (const auto* row : rows) {
        values.clear();
        append(values, *row);
        transaction.execute(sql, values);
        oids.push_back(transaction.query("SELECT last_insert_rowid()").at(0).integer(0));
    }
    return oids;
}

}  // namespace

std::vector<ObjectRow> objects_named(Transaction& transaction,
                                     std::span<const ObjectName> names) {
    std::vector<Value> keys;
    for (const auto& name : names) keys.emplace_back(base::fold_ascii(name.name));
    std::vector<ObjectRow> rows;
    for (const auto& row :
         query_in(transaction, std::string(object_columns) + "WHERE name_key IN", {}, keys))
        rows.push_back(object_from(row));
    // A value that was repeated brings its rows once, one that stands in two lists twice.
    std::ranges::sort(rows, {}, &ObjectRow::oid);
    const auto twice = std::ranges::unique(rows, {}, &ObjectRow::oid);
    rows.erase(twice.begin(), twice.end());
    return rows;
}

void settle_all(Transaction& transaction, std::span<ObjectRow*> rows, const Release& current,
                const Releases& releases) {
    struct Finished {
        std::string version;
        bool some_failed = false;
    };
    std::map<std::string, Finished> by_class;
    for (auto* row : rows) {
        row->compared_in = row->ace_version;
        if (!releases.replacing().empty())
            lay_replacement_over(transaction, *row, current, releases);
        if (row->compared_in == current.version) continue;
        const auto& class_name = row->object.class_name;
        auto known = by_class.find(class_name);
        if (known == by_class.end()) {
            const auto versions = warmed_in(transaction, class_name, releases);
            Finished finished;
            if (!versions.empty())
                finished = {versions.front(),
                            any_failed(transaction, class_name, versions.front())};
            known = by_class.emplace(class_name, std::move(finished)).first;
        }
        if (known->second.some_failed)
            settle(transaction, *row, current, releases);
        else if (!known->second.version.empty() &&
                 releases.is_later(known->second.version, row->compared_in))
            row->compared_in = known->second.version;
    }
}

Result<std::map<std::int64_t, KnownTree>> newest_trees(Transaction& transaction,
                                                       std::span<const std::int64_t> oids,
                                                       const Releases& releases) {
    std::map<std::int64_t, std::string> newest;
    for (const auto& row : query_in(transaction, "SELECT oid, version FROM trees WHERE oid IN",
                                    {}, values_of(oids))) {
        auto& version = newest[row.integer(0)];
        if (version.empty() || releases.is_later(row.text(1), version)) version = row.text(1);
    }
    // Most objects of a batch have their newest tree of one and the same release.
    std::map<std::string, std::vector<Value>> by_version;
    for (const auto& [oid, version] : newest) by_version[version].emplace_back(oid);
    std::map<std::int64_t, KnownTree> trees;
    for (const auto& [version, owners] : by_version)
        for (const auto& row :
             query_in(transaction, "SELECT oid, tree FROM trees WHERE version = ? AND oid IN",
                      {Value{version}}, owners)) {
            auto nodes = unpacked_tree(row.blob(1));
            if (!nodes) return base::fail_at("stored tree of " + version, nodes.error());
            trees[row.integer(0)] = {version, std::move(*nodes)};
        }
    return trees;
}

std::map<std::int64_t, std::vector<std::string>> recorded_in(Transaction& transaction,
                                                             std::span<const std::int64_t> oids) {
    std::map<std::int64_t, std::vector<std::string>> versions;
    for (const auto& row : query_in(transaction, "SELECT oid, version FROM history WHERE oid IN",
                                    {}, values_of(oids)))
        versions[row.integer(0)].push_back(row.text(1));
    return versions;
}

std::vector<std::string> known_contents(Transaction& transaction, const std::string& class_name,
                                        std::span<const std::string> signatures) {
    std::vector<std::string> known;
    for (const auto& row :
         query_in(transaction, "SELECT signature FROM objects WHERE class = ? AND signature IN",
                  {Value{class_name}}, std::vector<Value>(signatures.begin(), signatures.end())))
        known.push_back(row.text(0));
    return known;
}

std::vector<std::int64_t> insert_objects(Transaction& transaction,
                                         std::span<const ObjectRow* const> rows) {
    if (transaction.engine() == store::Engine::sqlite)
        return insert_one_by_one(transaction, rows);
    std::vector<std::int64_t> oids;
    while (oids.size() < rows.size()) {
        const auto rest = rows.subspan(oids.size());
        auto size = list_sizes.size();
        while (size > 1 && list_sizes[size - 1] > rest.size()) --size;
        const auto written = insert_returning(transaction, rest.first(list_sizes[size - 1]));
        oids.insert(oids.end(), written.begin(), written.end());
    }
    return oids;
}

void insert_trees(Transaction& transaction, std::span<const NewTree> trees) {
    std::vector<Value> values;
    for (const auto& tree : trees)
        values.insert(values.end(),
                      {Value{tree.oid}, Value{*tree.version}, Value{store::Blob{*tree.packed}}});
    store::insert_many(transaction, a_tree, values);
}

void insert_rows(Transaction& transaction, std::span<const NewRow> rows) {
    std::vector<Value> values;
    for (const auto& [oid, row, notes] : rows)
        values.insert(values.end(),
                      {Value{oid}, Value{row->release.version},
                       Value{std::int64_t{row->revision}}, Value{row->since},
                       Value{base::format_date(row->release.released_on)},
                       Value{base::format_rfc3339(row->recorded_at)}, Value{row->signature},
                       Value{std::string(name_of(row->kind))}, Value{row->label}, Value{*notes}});
    store::insert_many(transaction, a_row, values);
}

}  // namespace tables
