// render/page_nodes.hpp -- a node and what is below it, as a page shows it.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "history/history.hpp"
#include "render/html.hpp"
#include "render/site.hpp"

namespace render {

// Appends the cell, its stamp, an only child behind it, several in a list:
//   synj-1 (sylvia, 2008-02-01) &gt; Person_evidence<ul><li>…</li></ul>
//   returns  whether all of it is there: not when html is full or lists nest too deep
[[nodiscard]] bool add_node(Html& html, const tree::Node& node, const history::People& people,
                            const Site& site);
// What is below a node, without itself.
[[nodiscard]] bool add_below(Html& html, const tree::Node& node, const history::People& people,
                             const Site& site);

}  // namespace render
