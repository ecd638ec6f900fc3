// SPDX-License-Identifier: MIT
#include "query/history_page.hpp"

#include <algorithm>

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

Slice slice_of(const PageRequest& request, std::size_t rows) {
    if (request.before == 0) return {0, std::min(request.most, rows)};
    // Row i, counted from the oldest, is row rows - 1 - i from the newest.
    const auto to = rows + archive_page - std::min(request.before, rows + archive_page);
    return {rows - std::min(request.before, rows), std::min(to, rows)};
}

}  // namespace query
