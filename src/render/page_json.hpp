// render/page_json.hpp -- what the pages show, as JSON for programs (docs/protocols.md): the history
// of an object, an object as of one release, and what a search found. URLs have the host.
// Pure. Safe from any thread. If the site hides curators, users and opaque timestamps are left out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/pages.hpp"
#include "render/site.hpp"

namespace render {

struct PartOfJson {
    std::string text;      // a document and a line end
    std::size_t part = 1;  // the one that it is: not above the one that was asked for
};

// Writes the rows, newest first, with all that they hold of their changes; only that of view.at if
// it is set. A row is never divided. Every part has the mentions that the history has.
//   most_bytes  of a part that has more than one row
//   cost        O(changes up to the end of that part)
[[nodiscard]] PartOfJson history_json(const HistoryView& view, const Site& site,
                                      std::size_t most_bytes);

// Writes the tree, each node with the release that brought it.
//   most_bytes  of the nodes, about; "left_out" says how many more there are
[[nodiscard]] std::string object_json(
    const query::ObjectAt& object, const Site& site,
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

// Writes the objects that a search found, and the URL of those behind them.
[[nodiscard]] std::string search_json(const HomeView& view, const Site& site);

// Writes the objects that the search field of a page suggests while somebody types.
[[nodiscard]] std::string suggestions_json(std::span<const query::Match> found, const Site& site);

}  // namespace render
