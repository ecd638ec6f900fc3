// render/successor.hpp -- what an object that is gone has become.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "query/history_page.hpp"
#include "render/site.hpp"

namespace render {

struct Successor {
    std::string words;  // "Merged into", "Probably renamed to": one line
    tree::ObjectName object;
    bool operator==(const Successor&) const = default;
};
// Looks for a rename (C9), or for an object at one of the paths of [successor], in the rows, the
// newest first, back to the one in which the object was created.
[[nodiscard]] std::optional<Successor> successor_of(const query::History& history,
                                                    const Site& site);
// Looks in this row only.
[[nodiscard]] std::optional<Successor> successor_of(const tables::Row& row, const Site& site);

}  // namespace render
