// feed/entry_tree.hpp -- an entry as a tree, so that its versions are compared as those of objects are.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "feed/feed.hpp"
#include "tree/object.hpp"

namespace feed {

// Returns the nodes of an entry: tags Title, Link, Author, Published, Updated, Category and Content, each with its
// values; those that the entry lacks are left out. Times are dates of AceDB: 2026-11-24_09:15:20.
//   content  the text that a reader sees, plain_text(entry.content): markup alone is no change
[[nodiscard]] std::vector<tree::Node> tree_of(const Entry& entry, std::string content);

}  // namespace feed
