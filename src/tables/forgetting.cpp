// SPDX-License-Identifier: MIT
#include "tables/forgetting.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

std::uint64_t count(Transaction& transaction, std::string_view sql,
                    std::span<const Value> values) {
    return static_cast<std::uint64_t>(transaction.query(sql, values).at(0).integer(0));
}

std::uint64_t delete_in(Transaction& transaction, std::string_view before,
                        const std::vector<Value>& first, std::span<const std::int64_t> oids) {
    return execute_in(transaction, before, first, values_of(oids));
}

}  // namespace

std::uint64_t count_history(Transaction& transaction, const Versions& versions) {
    std::uint64_t rows = 0;
    for (const auto& version : versions)
        rows += count(transaction, "SELECT COUNT(*) FROM history WHERE version = ?",
                      std::vector{Value{version}});
    return rows;
}

Deleted count_only_in(Transaction& transaction, const Versions& versions, const OidRange& range) {
    std::string marks = "?";
    for (std::size_t i = 1; i < versions.size(); ++i) marks += ", ?";
    const auto in_range = [&](int lists) {
        std::vector<Value> values{Value{range.after}, Value{range.to}};
        for (; lists > 0; --lists)
            for (const auto& version : versions) values.emplace_back(version);
        return values;
    };
    const auto exists = [&](const char* table, const char* in) {
        return std::string(" EXISTS (SELECT 1 FROM ") + table +
               " t WHERE t.oid = o.oid AND t.version " + in + " (" + marks + "))";
    };
    Deleted counted;
    counted.trees = count(
        transaction,
        "SELECT COUNT(*) FROM trees WHERE oid > ? AND oid <= ? AND version IN (" + marks + ")",
        in_range(1));
    counted.objects =
        count(transaction,
              "SELECT COUNT(*) FROM objects o WHERE o.oid > ? AND o.oid <= ? AND (" +
                  exists("history", "IN") + " OR" + exists("trees", "IN") + ") AND NOT" +
                  exists("history", "NOT IN") + " AND NOT" + exists("trees", "NOT IN"),
              in_range(4));
    return counted;
}

Deleted count_class(Transaction& transaction, const std::string& class_name) {
    const std::vector<Value> of{Value{class_name}};
    return {count(transaction, "SELECT COUNT(*) FROM objects WHERE class = ?", of),
            count(transaction,
                  "SELECT COUNT(*) FROM objects o JOIN history h ON h.oid = o.oid"
                  " WHERE o.class = ?",
                  of),
            count(transaction,
                  "SELECT COUNT(*) FROM objects o JOIN trees t ON t.oid = o.oid"
                  " WHERE o.class = ?",
                  of)};
}

Deleted count_object(Transaction& transaction, const ObjectName& name) {
    const std::vector<Value> oid{Value{oids_named(transaction, name).at(0)}};
    return {1, count(transaction, "SELECT COUNT(*) FROM history WHERE oid = ?", oid),
            count(transaction, "SELECT COUNT(*) FROM trees WHERE oid = ?", oid)};
}

bool has_traces_of_class(Transaction& transaction, const std::string& class_name) {
    constexpr std::array tables{"objects", "failed", "mass_changes", "warmed"};
    return std::ranges::any_of(tables, [&](const char* table) {
        return !transaction
                    .query("SELECT class FROM " + std::string(table) + " WHERE class = ? LIMIT 1",
                           {Value{class_name}})
                    .empty();
    });
}

std::vector<std::int64_t> oids_named(Transaction& transaction, const ObjectName& name) {
    return oids_of(transaction.query("SELECT oid FROM objects WHERE class = ? AND name = ?",
                                     {Value{name.class_name}, Value{name.name}}));
}

NamePage objects_behind(Transaction& transaction, const ObjectName& last, std::size_t most) {
    NamePage page;
    for (const auto& row :
         transaction.query("SELECT oid, name FROM objects WHERE class = ? AND name > ?"
                           " ORDER BY name LIMIT ?",
                           {Value{last.class_name}, Value{last.name},
                            Value{static_cast<std::int64_t>(most)}})) {
        page.oids.push_back(row.integer(0));
        page.last_name = row.text(1);
    }
    return page;
}

std::vector<std::int64_t> objects_touched_by(Transaction& transaction, const std::string& version,
                                             const OidRange& range) {
    const Value release{version};
    return oids_of(transaction.query(
        "SELECT o.oid FROM objects o WHERE o.oid > ? AND o.oid <= ? AND"
        " (o.ace_version = ?"
        " OR EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version = ?)"
        " OR EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version = ?)"
        " OR EXISTS (SELECT 1 FROM replacements r WHERE r.version = ? AND"
        " r.oid = o.oid)) ORDER BY o.oid",
        {Value{range.after}, Value{range.to}, release, release, release, release}));
}

const Record::Row* Record::row_of(const std::string& version) const {
    const auto found = std::ranges::find(rows, version, &Row::version);
    return found == rows.end() ? nullptr : &*found;
}

std::vector<Record> lock_records(Transaction& transaction, std::span<const std::int64_t> oids) {
    std::map<std::int64_t, Record> records;
    const auto values = values_of(oids);
    for (const auto& row : query_in(transaction, std::string(object_columns) + "WHERE oid IN", {},
                                    values, store::for_update(transaction.engine())))
        records[row.integer(0)].object = object_from(row);
    // An object that does not exist any more has neither trees nor rows.
    for (const auto& row :
         query_in(transaction, "SELECT oid, version FROM trees WHERE oid IN", {}, values))
        records.at(row.integer(0)).trees.push_back(row.text(1));
    for (const auto& row :
         query_in(transaction,
                  "SELECT oid, version, since, date, label, kind FROM history WHERE oid IN", {},
                  values))
        records.at(row.integer(0))
            .rows.push_back(
                {row.text(1), row.text(2), row.text(3), row.text(4), kind_named(row.text(5))});
    std::vector<Record> all;
    for (auto& [oid, record] : records) all.push_back(std::move(record));
    return all;
}

Deleted delete_objects(Transaction& transaction, std::span<const std::int64_t> oids) {
    // Objects are locked before their rows, as the recorder does: in another order the two would
    // wait for each other.
    const auto objects = query_in(
        transaction, "SELECT class, name, label, other_names, oid FROM objects WHERE oid IN", {},
        values_of(oids), store::for_update(transaction.engine()));
    const auto labels = row_labels(transaction, oids);
    std::vector<SearchedObject> called;
    for (const auto& object : objects) {
        called.push_back({object.text(0), {object.text(1), object.text(2), object.text(3)}});
        const auto rows = labels.find(object.integer(4));
        if (rows == labels.end()) continue;
        for (const auto& row : rows->second)
            called.push_back({object.text(0), {object.text(1), row.label, {}}});
    }
    remove_words(transaction, called);
    Deleted deleted;
    deleted.history = delete_in(transaction, "DELETE FROM history WHERE oid IN", {}, oids);
    deleted.trees = delete_in(transaction, "DELETE FROM trees WHERE oid IN", {}, oids);
    (void)delete_in(transaction, "DELETE FROM replacements WHERE oid IN", {}, oids);
    deleted.objects = delete_in(transaction, "DELETE FROM objects WHERE oid IN", {}, oids);
    return deleted;
}

Deleted delete_rows_of_release(Transaction& transaction, const std::string& version,
                               std::span<const std::int64_t> oids) {
    const std::vector<Value> release{Value{version}};
    (void)delete_in(transaction, "DELETE FROM replacements WHERE version = ? AND oid IN", release,
                    oids);
    Deleted deleted;
    deleted.history =
        delete_in(transaction, "DELETE FROM history WHERE version = ? AND oid IN", release, oids);
    deleted.trees =
        delete_in(transaction, "DELETE FROM trees WHERE version = ? AND oid IN", release, oids);
    return deleted;
}

void delete_notes_on_class(Transaction& transaction, const std::string& class_name) {
    for (const auto* table : {"mass_changes", "failed"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE class = ?",
                            {Value{class_name}});
}

void delete_release(Transaction& transaction, const std::string& version) {
    for (const auto* table : {"failed", "mass_changes", "accepted", "releases"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE version = ?",
                            {Value{version}});
}

}  // namespace tables
