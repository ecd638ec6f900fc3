// SPDX-License-Identifier: MIT
#include "query/history_page.hpp"

#include <algorithm>

namespace query {

bool ChangeFilter::shows(const compare::Change& change) const {
    if (!only.empty() && std::ranges::find(only, change.op) == only.end()) return false;
    return tag.empty() || compare::touches(change, tag);
}

bool ChangeFilter::shows(const tables::Row& row) const {
    if (!is_set()) return true;
    return std::ranges::any_of(row.notes.changes,
                               [this](const auto& change) { return shows(change); });
}

}  // namespace query
