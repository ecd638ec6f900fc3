// SPDX-License-Identifier: MIT
#include "tables/mass_changes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace tables {
namespace {

using store::Value;

// Behind a condition.
constexpr std::string_view in_order = " ORDER BY version, class, path LIMIT 10000";

// SELECT … WHERE …, to which a condition is added.
const std::string select =
    "SELECT version, class, path, objects, of_objects FROM mass_changes WHERE path <> '' AND ";

// Returns a condition and its values.
//   class_name  empty: any
std::pair<std::string, std::vector<Value>> of_release(const std::string& version,
                                                      const std::string& class_name) {
    if (class_name.empty()) return {"version = ?", {Value{version}}};
    return {"version = ? AND class = ?", {Value{version}, Value{class_name}}};
}

std::vector<MassChange> mass_changes_from(const store::Rows& rows) {
    std::vector<MassChange> found;
    for (const auto& row : rows)
        found.push_back({row.text(0), row.text(1), row.text(2),
                         static_cast<std::uint64_t>(row.integer(3)),
                         static_cast<std::uint64_t>(row.integer(4))});
    return found;
}

constexpr std::array<std::string_view, 3> quiet_names{"", "mass", "echo"};

}  // namespace

std::string_view name_of(Quiet quiet) { return quiet_names.at(static_cast<std::size_t>(quiet)); }

Quiet quiet_named(std::string_view name) {
    const auto found = std::ranges::find(quiet_names, name);
    return found == quiet_names.end() ? Quiet::no
                                      : static_cast<Quiet>(found - quiet_names.begin());
}

bool has_mass_changes(store::Transaction& transaction) {
    return !transaction.query("SELECT version FROM mass_changes LIMIT 1").empty();
}

std::vector<MassChange> mass_changes_of(store::Transaction& transaction,
                                        const std::vector<Row>& rows) {
    std::map<std::string, std::set<std::string>> versions;  // by class
    for (const auto& row : rows)
        // A release job counts the places of objects that it finds changed, and of no others.
        if (row.kind == RowKind::changed && !row.notes.changes.empty())
            versions[row.object.class_name].insert(row.release.version);
    std::vector<MassChange> found;
    for (const auto& [class_name, of_class] : versions)
        std::ranges::move(
            mass_changes_from(
                query_in(transaction, select + "class = ? AND version IN", {Value{class_name}},
                         std::vector<Value>(of_class.begin(), of_class.end()), in_order)),
            std::back_inserter(found));
    return found;
}

std::vector<MassChange> mass_changes_in(store::Transaction& transaction,
                                        const std::string& version,
                                        const std::string& class_name) {
    const auto [condition, values] = of_release(version, class_name);
    return mass_changes_from(
        transaction.query(select + condition + std::string(in_order), values));
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
         transaction.query("SELECT class, name, notes, sid, quiet FROM history" +
                               store::by_index(transaction.engine(), "history_by_name") +
                               " WHERE version = ? AND " + behind.sql +
                               " AND kind = 'changed' ORDER BY class, name LIMIT ?",
                           values)) {
        changed.last = {row.text(0), row.text(1)};
        if (auto notes = notes_from_json(row.text(2)))
            changed.rows.push_back(
                {row.integer(3), row.text(0), std::move(*notes), quiet_named(row.text(4))});
        else
            on_unreadable({*changed.last, version, notes.error().text});
    }
    return changed;
}

void set_quiet(store::Transaction& transaction, Quiet quiet, std::span<const std::int64_t> sids) {
    (void)execute_in(transaction, "UPDATE history SET quiet = ? WHERE sid IN",
                     {Value{std::string(name_of(quiet))}},
                     std::vector<Value>(sids.begin(), sids.end()));
}

void replace_mass_changes(store::Transaction& transaction, const std::string& version,
                          const std::string& class_name, std::span<const MassChange> changes) {
    static const store::Insert a_change{"mass_changes",
                                        {"version", "class", "path", "objects", "of_objects"},
                                        {"version", "class", "path"}};
    const auto [condition, values] = of_release(version, class_name);
    transaction.execute("DELETE FROM mass_changes WHERE " + condition, values);
    std::vector<Value> rows;
    for (const auto& change : changes)
        rows.insert(rows.end(),
                    {Value{change.version}, Value{change.class_name}, Value{change.place},
                     Value{static_cast<std::int64_t>(change.objects)},
                     Value{static_cast<std::int64_t>(change.of)}});
    // Another job may have committed the same ones since they were deleted here.
    store::insert_missing(transaction, a_change, rows);
}

}  // namespace tables
