// SPDX-License-Identifier: MIT
#include "tables/mass_changes.hpp"

#include <array>
#include <bit>
#include <map>
#include <set>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace tables {
namespace {

using store::Value;

// A release job counts the places of objects that it finds changed, and of no others.
bool can_have(const Row& row) {
    return row.kind == RowKind::changed && !row.notes.changes.empty();
}

std::string sql_for(std::size_t versions) {
    return "SELECT version, path, objects, of_objects FROM mass_changes"
           " WHERE class = ? AND path <> '' AND version IN (" +
           marks(versions) + ") ORDER BY version, path LIMIT 10000";
}

void append_mass_changes(std::vector<MassChange>& found, store::Transaction& transaction,
                         const std::string& class_name, const std::set<std::string>& versions) {
    std::vector<Value> values{Value{class_name}};
    values.insert(values.end(), versions.begin(), versions.end());
    // Rounded up by naming the last once more: few statements, each prepared once.
    const auto places = std::bit_ceil(versions.size());
    values.resize(places + 1, values.back());
    for (const auto& row : transaction.query(sql_for(places), values))
        found.push_back({row.text(0), class_name, row.text(1),
                         static_cast<std::uint64_t>(row.integer(2)),
                         static_cast<std::uint64_t>(row.integer(3))});
}

}  // namespace

bool has_mass_changes(store::Transaction& transaction) {
    return !transaction.query("SELECT version FROM mass_changes LIMIT 1").empty();
}

std::vector<MassChange> mass_changes_of(store::Transaction& transaction,
                                        const std::vector<Row>& rows) {
    std::map<std::string, std::set<std::string>> versions;  // by class
    for (const auto& row : rows)
        if (can_have(row)) versions[row.object.class_name].insert(row.release.version);
    std::vector<MassChange> found;
    for (const auto& [class_name, of_class] : versions)
        append_mass_changes(found, transaction, class_name, of_class);
    return found;
}

std::vector<MassChange> mass_changes_of(store::Transaction& transaction,
                                        const std::string& class_name,
                                        const std::string& version) {
    std::vector<MassChange> found;
    append_mass_changes(found, transaction, class_name, {version});
    return found;
}

std::vector<MassChange> mass_changes_in(store::Transaction& transaction,
                                        const std::string& version) {
    std::vector<MassChange> found;
    for (const auto& row : transaction.query(
             "SELECT class, path, objects, of_objects FROM mass_changes WHERE version = ? AND"
             " path <> '' ORDER BY class, path LIMIT 10000",
             {Value{version}}))
        found.push_back({version, row.text(0), row.text(1),
                         static_cast<std::uint64_t>(row.integer(2)),
                         static_cast<std::uint64_t>(row.integer(3))});
    return found;
}

ChangedRows changed_rows(store::Transaction& transaction, const std::string& version,
                         const ObjectName& after, std::size_t most,
                         const OnUnreadable& on_unreadable) {
    constexpr std::array<std::string_view, 2> keys{"class", "name"};
    const std::array<Value, 2> names{Value{after.class_name}, Value{after.name}};
    const auto behind = store::behind_key(transaction.engine(), keys);
    std::vector<Value> values{Value{version}};
    for (const auto key : behind.values) values.push_back(names[key]);
    values.emplace_back(static_cast<std::int64_t>(most));
    ChangedRows changed;
    for (const auto& row :
         transaction.query("SELECT class, name, notes FROM history" +
                               store::by_index(transaction.engine(), "history_by_name") +
                               " WHERE version = ? AND " + behind.sql +
                               " AND kind = 'changed' ORDER BY class, name LIMIT ?",
                           values)) {
        changed.last = {row.text(0), row.text(1)};
        if (auto notes = notes_from_json(row.text(2)))
            changed.rows.push_back({row.text(0), std::move(*notes)});
        else
            on_unreadable({*changed.last, version, notes.error().text});
    }
    return changed;
}

void insert_mass_changes(store::Transaction& transaction, std::span<const MassChange> changes) {
    static const store::Insert a_change{"mass_changes",
                                        {"version", "class", "path", "objects", "of_objects"},
                                        {"version", "class", "path"}};
    for (const auto& change : changes) {
        const std::vector<Value> values{Value{change.version}, Value{change.class_name},
                                        Value{change.place},
                                        Value{static_cast<std::int64_t>(change.objects)},
                                        Value{static_cast<std::int64_t>(change.of)}};
        transaction.execute(store::upsert_sql(transaction.engine(), a_change), values);
    }
}

void delete_mass_changes(store::Transaction& transaction, const std::string& version,
                         const std::string& class_name) {
    std::string sql = "DELETE FROM mass_changes WHERE version = ?";
    std::vector<Value> values{Value{version}};
    if (!class_name.empty()) {
        sql += " AND class = ?";
        values.emplace_back(class_name);
    }
    transaction.execute(sql, values);
}

}  // namespace tables
