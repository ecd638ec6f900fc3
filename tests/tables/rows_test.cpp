// Rows of history as they are read from a store.
// SPDX-License-Identifier: MIT
#include "tables/rows.hpp"

#include <array>

#include "support/catch.hpp"
#include "support/stores.hpp"
#include "tables/objects.hpp"
#include "tables/writing.hpp"

using namespace tables;
using tables_tests::Writing;

namespace {

// Records an object with one row, and returns its oid.
std::int64_t record_one(store::Transaction& transaction,
                        const ObjectName& name = {"Gene", "WBGene00006763"},
                        RowKind kind = RowKind::vanished, const std::string& content = {}) {
    record_release(transaction, {"WS187", *base::parse_date("2008-02-15")});
    ObjectRow object;
    object.object = name;
    object.label = "unc-26";
    const auto oid = insert_objects(transaction, std::array<const ObjectRow*, 1>{&object}).at(0);
    Row row;
    row.object = name;
    row.release = {"WS187", *base::parse_date("2008-02-15")};
    row.since = "WS186";
    row.kind = kind;
    row.label = "unc-26";
    row.content = content;
    const auto notes = to_json(row.notes);
    insert_rows(transaction, std::array{NewRow{oid, &row, &notes}});
    return oid;
}

}  // namespace

TEST_CASE_METHOD(
    Writing,
    "A row of unknown kind or date is summarised without it, and its label can be read") {
    const std::string damage = GENERATE("kind = 'mended'", "date = '2010-02-31'", "date = ''");
    const auto oid = record_one(transaction);
    const auto summary = [&] {
        return row_summaries(transaction, std::span(&oid, 1)).at(oid).at(0);
    };
    CHECK(summary().kind == RowKind::vanished);
    CHECK(summary().date.has_value());
    transaction.execute("UPDATE history SET " + damage, {});
    CHECK(summary().kind.has_value() == damage.starts_with("date"));
    CHECK(summary().date.has_value() == damage.starts_with("kind"));
    CHECK(summary().version == "WS187");
    CHECK(summary().label == "unc-26");
}

TEST_CASE_METHOD(Writing, "An object whose date is damaged is read as one without a date") {
    record_one(transaction);
    const ObjectName name{"Gene", "WBGene00006763"};
    transaction.execute("UPDATE objects SET last_modification_date = '2010-02-31'", {});
    const auto objects = objects_named(transaction, std::span(&name, 1));
    const auto* object = objects.find(name);
    REQUIRE(object != nullptr);
    CHECK(base::format_date(object->last_modified) == "2007-01-01");
}

TEST_CASE("A day, time or kind that rows cannot be read with is named, and other texts are not") {
    CHECK(fault_of("history", "date", "2008-02-15").empty());
    CHECK(fault_of("history", "date", "2008-02-30") == "is no day like 2008-02-15");
    CHECK(fault_of("history", "recorded_at", "2008-02-15T09:15:20Z").empty());
    CHECK(fault_of("history", "recorded_at", "") == "is no time like 2008-02-15T09:15:20Z");
    CHECK(fault_of("history", "kind", "withdrawn").empty());
    CHECK(fault_of("history", "kind", "Changed") == "is no kind of row");
    CHECK(fault_of("history", "label", "Changed").empty());
    CHECK(fault_of("releases", "released_on", "soon") == "is no day like 2008-02-15");
    CHECK(fault_of("objects", "last_modification_date", "").empty());
}

TEST_CASE_METHOD(Writing,
                 "A rename is one row that vanished and one other row with the same content") {
    using enum RowKind;
    std::vector<std::int64_t> oids;
    const auto add = [&](const std::string& name, RowKind kind, const std::string& content,
                         const std::string& class_name = "Gene") {
        oids.push_back(record_one(transaction, {class_name, name}, kind, content));
    };
    for (int i = 0; i < 70; ++i) {
        const auto own = std::to_string(i);
        add("old " + own, vanished, own), add("new " + own, i % 2 == 0 ? created : changed, own);
    }
    add("a", vanished, "two came"), add("b", created, "two came"), add("c", created, "two came");
    add("d", vanished, "two went"), add("e", vanished, "two went"), add("f", created, "two went");
    add("g", vanished, "both went"), add("h", vanished, "both went");
    add("i", created, "both came"), add("j", reappeared, "both came");
    add("k", vanished, "another class"), add("l", created, "another class", "Paper");
    add("m", vanished, ""), add("n", created, "");
    std::vector<std::int64_t> sids;
    for (const auto& key : row_keys(transaction, oids)) sids.push_back(key.sid);
    std::vector<Row> rows;
    const auto stored = rows_numbered(transaction, sids, log_unreadable);
    for (const auto& [sid, row] : stored.by_sid) rows.push_back(row);
    find_renames(transaction, rows);
    int renames = 0;
    for (const auto& row : rows) {
        const auto& name = row.object.name;
        INFO(name);
        const auto own = name.substr(name.find(' ') + 1);
        const auto if_so = [&](const char* way, const char* other) {
            return name.starts_with(way) ? std::optional(ObjectName{"Gene", other + own})
                                         : std::nullopt;
        };
        CHECK(row.renamed_to == if_so("old ", "new "));
        CHECK(row.renamed_from == if_so("new ", "old "));
        if (row.renamed_to) ++renames;
    }
    CHECK(renames == 70);
}

TEST_CASE_METHOD(
    Writing,
    "Rows are not read when their notes have more bytes than the caller has memory for") {
    const auto oid = record_one(transaction);
    Notes notes;
    // A character of three bytes each.
    notes.previous = "\u2028\u2028\u2028\u2028\u2028";
    const auto json = to_json(notes);
    transaction.execute("UPDATE history SET notes = ?", {store::Value{json}});
    const auto keys = row_keys(transaction, std::span(&oid, 1));
    // The second has no row, and half of the bytes: the row's are measured.
    const std::array sids{keys.at(0).sid, keys.at(0).sid + 1};
    const auto read = [&](std::size_t most) {
        return rows_numbered(transaction, sids, log_unreadable, {.all = most});
    };
    CHECK(read(2 * json.size()).by_sid.at(sids[0]).notes == notes);
    CHECK(read(json.size()).by_sid.at(sids[0]).notes == notes);
    CHECK_THROWS_AS(read(json.size() - 1), NotesTooLong);
}
