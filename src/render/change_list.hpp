// render/change_list.hpp -- changes as a list for people, path by path.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include "render/html.hpp"
#include "render/item.hpp"
#include "render/set_aside.hpp"

namespace render {

// Changes of one item that are listed; the rest is on the history page.
inline constexpr std::size_t most_changes = 200;

// Appends the changes of a row, grouped under their first tag:
//   <p><b>Identity</b></p><ul><li>added <a href="PAGE#WS187-c1">Name &gt; Other_name</a>: synj-1
//   (sylvia, 2008-02-01) &gt; Person_evidence &gt; <a href="…">WBPerson1</a></li>…</ul>
// An only child stands behind its parent, several in a nested list. Behind them stands a line
// for each mass change, instead of the changes that are set aside for it:
//   <ul><li><a href="PAGE#WS187-c2">Identity &gt; Checked</a>: changed in this release in
//   30,123 of the 45,000 objects of class Gene</li></ul>
//   people   whom stamps name (query::HistoryPage)
//   returns  whether all that are to be listed are there, whole
[[nodiscard]] bool add_changes(Html& html, const tables::Row& row, const SetAside& aside,
                               const query::People& people, const Site& site);

}  // namespace render
