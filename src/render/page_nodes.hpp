// render/page_nodes.hpp -- a node and what is below it, as a page shows it.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "query/history_page.hpp"
#include "render/html.hpp"
#include "render/site.hpp"

namespace render {

// Appends the cell, its stamp, an only child behind it, several in a list:
//   synj-1<small> (sylvia, 2008-02-01)</small> &gt; Person_evidence<ul><li>…</li></ul>
//   returns  whether all of it is there: not when html is full or lists nest too deep
[[nodiscard]] bool add_node(Html& html, const tree::Node& node, const query::People& people,
                            const Site& site);
// What is below a node, without itself.
[[nodiscard]] bool add_below(Html& html, const tree::Node& node, const query::People& people,
                             const Site& site);

// append_stamp (render/cells.hpp) in smaller letters; nothing where there is nothing to tell.
void append_small_stamp(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site);

}  // namespace render
