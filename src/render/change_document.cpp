// SPDX-License-Identifier: MIT
#include "render/set_aside.hpp"

#include <string_view>
#include <unordered_map>

#include "compare/change.hpp"

namespace render {
namespace {

struct Place {
    const tables::MassChange* mass_change;
    bool has_line = false;
};
using Places = std::unordered_map<std::string_view, Place>;

Places places_in(const tables::Row& row, const std::vector<tables::MassChange>& mass_changes) {
    Places places;
    if (row.kind != tables::RowKind::changed) return places;
    for (const auto& each : mass_changes)
        if (each.version == row.release.version && each.class_name == row.object.class_name &&
            !each.place.empty())
            places.try_emplace(each.place, Place{&each});
    return places;
}

// False for what a damaged store may hold, and the list of changes leaves out.
bool has_sides(const compare::Change& change) {
    if (change.op == compare::Op::added) return !change.after.empty();
    if (change.op == compare::Op::removed) return !change.before.empty();
    return !change.before.empty() && !change.after.empty();
}

}  // namespace

SetAside set_aside(const tables::Row& row, const query::HistoryPage& excerpt) {
    SetAside aside;
    auto places = places_in(row, excerpt.mass_changes);
    const bool narrowed = excerpt.narrowing.is_set();
    if (places.empty() && !narrowed) return aside;
    const auto& changes = row.notes.changes;
    aside.which.resize(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (narrowed && !excerpt.narrowing.shows(changes[i])) {
            aside.which[i] = true;
            ++aside.others;
            continue;
        }
        if (places.empty() || !has_sides(changes[i])) continue;
        const auto found = places.find(compare::place_of(changes[i]));
        if (found == places.end()) continue;
        aside.which[i] = true;
        ++aside.changes;
        auto& place = found->second;
        if (!place.has_line) aside.lines.push_back({place.mass_change, i + 1});
        place.has_line = true;
    }
    return aside;
}

}  // namespace render
