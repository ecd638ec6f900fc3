// SPDX-License-Identifier: MIT
#include "query/history_page.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace query {

bool ChangeFilter::shows(const compare::Change& change) const {
    if (!only.empty() && std::ranges::find(only, change.op) == only.end()) return false;
    return tag.empty() || compare::touches(change, tag);
}

bool ChangeFilter::shows_row(tables::RowKind kind, const tables::Notes& notes,
                             const MassPlaces& places) const {
    const bool shows_any =
        !is_set() ||
        std::ranges::any_of(notes.changes, [this](const auto& change) { return shows(change); });
    return shows_any && (mass || !is_mass_change(kind, notes, places, *this));
}

bool is_mass_change(tables::RowKind kind, const tables::Notes& notes, const MassPlaces& places,
                    const ChangeFilter& filter) {
    if (kind != tables::RowKind::changed || places.empty() || notes.left_out.all() > 0)
        return false;
    bool has_shown = false;
    for (const auto& change : notes.changes) {
        if (!filter.shows(change)) continue;
        has_shown = true;
        if (!compare::has_sides(change) || !places.contains(compare::place_of(change)))
            return false;
    }
    return has_shown;
}

void add_headline(tables::Row& row, const compare::ClassRules& rules, const MassPlaces& places) {
    using tables::RowKind;
    const auto& [changes, previous, references, left_out] = row.notes;
    if (row.kind == RowKind::created || row.kind == RowKind::reappeared)
        row.headline = compare::introduction_of(changes, row.label, references);
    if (row.kind != RowKind::changed && row.kind != RowKind::reconstructed) return;
    const auto is_shared = [&](const compare::Change& change, std::size_t) {
        return row.kind == RowKind::changed && compare::has_sides(change) &&
               places.contains(compare::place_of(change));
    };
    const auto headline_without = [&](const compare::LeavesOut& leaves_out) {
        return compare::headline_of(
            compare::field_changes(changes, rules, references, leaves_out), references,
            left_out.all());
    };
    if (!places.empty()) row.headline = headline_without(is_shared);
    if (!row.headline.title.empty()) return;
    row.headline = headline_without({});
    if (places.empty() || row.headline.title.empty() || left_out.all() > 0) return;
    row.headline.title += ", as in most " + compare::several(row.object.class_name);
    row.headline.rank = compare::Rank::echo;
    row.headline.is_shared = true;
}

void join_renames(std::vector<tables::Row>& rows) {
    std::set<std::pair<std::string, ObjectName>> new_names;
    for (const auto& row : rows)
        if (row.renamed_from) new_names.emplace(row.release.version, row.object);
    std::erase_if(rows, [&](const tables::Row& row) {
        return row.renamed_to && new_names.contains({row.release.version, *row.renamed_to});
    });
}

MassPlaces mass_places(const tables::Row& row, const HistoryPage& page) {
    MassPlaces places;
    if (row.kind != tables::RowKind::changed) return places;
    for (const auto& each : page.mass_changes)
        if (each.version == row.release.version && each.class_name == row.object.class_name)
            places.emplace(each.place, &each);
    return places;
}

Slice slice_of(const PageRequest& request, std::size_t rows) {
    if (request.before == 0) return {0, std::min(request.most, rows)};
    // Row i, counted from the oldest, is row rows - 1 - i from the newest.
    const auto to = rows + archive_page - std::min(request.before, rows + archive_page);
    return {rows - std::min(request.before, rows), std::min(to, rows)};
}

}  // namespace query
