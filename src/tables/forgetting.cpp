// SPDX-License-Identifier: MIT
#include "tables/forgetting.hpp"

#include <algorithm>
#include <map>

#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/mentions.hpp"

namespace tables {

using store::Transaction;
using store::Value;

std::vector<std::int64_t> objects_touched_by(Transaction& transaction, const Versions& versions,
                                             std::int64_t after, std::int64_t to) {
    const auto in_list = " IN (" + marks(versions.size()) + ")";
    const auto or_has = [&](const std::string& table) {
        return " OR EXISTS (SELECT 1 FROM " + table + " t WHERE t.oid = o.oid AND t.version" +
               in_list + ")";
    };
    std::vector<Value> values{Value{after}, Value{to}};
    for (int lists = 0; lists < 3; ++lists)
        values.insert(values.end(), versions.begin(), versions.end());
    return oids_of(transaction.query(
        "SELECT oid FROM objects o WHERE oid > ? AND oid <= ? AND (build <> 0 AND build NOT IN"
        " (SELECT number FROM builds WHERE NOT version" +
            in_list + ")" + or_has("history") + or_has("trees") + ") ORDER BY oid",
        values));
}

// An object or, if the name is empty, a class.
static std::pair<std::string, std::vector<Value>> condition_for(const ObjectName& what) {
    const Value class_name{what.class_name};
    if (what.name.empty()) return {" WHERE o.class = ?", {class_name}};
    return {" WHERE o.class = ? AND o.name = ?", {class_name, Value{what.name}}};
}

Deleted count_objects(Transaction& transaction, const ObjectName& what) {
    const auto [condition, values] = condition_for(what);
    const auto count = [&](const std::string& join) {
        const auto rows =
            transaction.query("SELECT COUNT(*) FROM objects o" + join + condition, values);
        return static_cast<std::uint64_t>(rows.at(0).integer(0));
    };
    return {count(""), count(" JOIN history h ON h.oid = o.oid"),
            count(" JOIN trees t ON t.oid = o.oid")};
}

std::vector<std::int64_t> oids_of(Transaction& transaction, const ObjectName& what) {
    const auto [condition, values] = condition_for(what);
    return oids_of(
        transaction.query("SELECT oid FROM objects o" + condition + " LIMIT 4096", values));
}

std::vector<Record::Tree> Record::trees_and_rows() const {
    auto all = trees;
    for (const auto& row : rows) all.push_back({row.version, row.since});
    return all;
}

std::vector<Record> read_records(Transaction& transaction, std::span<const std::int64_t> oids,
                                 std::string_view lock) {
    std::map<std::int64_t, Record> records;
    for (auto& [oid, object] : objects_numbered(transaction, oids, lock))
        records[oid].object = std::move(object);
    // An object that does not exist any more has neither trees nor rows.
    for (const auto& row :
         query_in(transaction, "SELECT oid, version, since FROM trees WHERE oid IN", {},
                  values_of(oids)))
        records.at(row.integer(0)).trees.push_back({row.text(1), row.text(2)});
    for (auto& [oid, rows] : row_summaries(transaction, oids))
        records.at(oid).rows = std::move(rows);
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
    const auto labels = row_summaries(transaction, oids);
    std::vector<SearchedObject> called;
    for (const auto& object : objects) {
        called.push_back({object.text(0), {object.text(1), object.text(2), object.text(3)}});
        const auto rows = labels.find(object.integer(4));
        if (rows == labels.end()) continue;
        for (const auto& row : rows->second)
            called.push_back({object.text(0), {object.text(1), row.label, {}}});
    }
    remove_words(transaction, called);
    delete_mentions(transaction, oids);
    const auto delete_from = [&](const std::string& table) {
        return execute_in(transaction, "DELETE FROM " + table + " WHERE oid IN", {},
                          values_of(oids));
    };
    Deleted deleted;
    deleted.history = delete_from("history");
    deleted.trees = delete_from("trees");
    deleted.objects = delete_from("objects");
    return deleted;
}

void delete_mass_changes_of_class(Transaction& transaction, const std::string& class_name) {
    transaction.execute("DELETE FROM mass_changes WHERE class = ?", {Value{class_name}});
}

void delete_releases(Transaction& transaction, const Versions& versions) {
    const std::vector<Value> values(versions.begin(), versions.end());
    for (const auto* table : {"mass_changes", "accepted", "releases"})
        execute_in(transaction, "DELETE FROM " + std::string(table) + " WHERE version IN", {},
                   values);
}

}  // namespace tables
