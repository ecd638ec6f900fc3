// render/object_lists.hpp -- lists of objects with what people do to them, on the pages of the search
// and of a watch list.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "query/search.hpp"
#include "render/page.hpp"
#include "render/site.hpp"

namespace render {

// "Gene:WBGene00006763", as object= has it.
[[nodiscard]] std::string key_of(const tree::ObjectName& object);

// "Gene unc-26 WBGene00006763", with a link to the history.
void append_named(std::string& html, const query::Named& named, const Site& site);
// The same without a link or an element, in a third of the bytes.
void append_named_text(std::string& html, const query::Named& named);

// Words and the name, for screen readers, which list links and buttons without their lines.
[[nodiscard]] std::string unseen_name(std::string_view words, const query::Named& named);

// One <option> for each class; empty if there are too many to choose from.
//   chosen  is among the options even if it is no class
[[nodiscard]] std::string class_options(const std::vector<std::string>& classes,
                                        const std::string& chosen);

// One <li> for each object that was found, with its feed and a button that adds it to the watch list.
//   watched  sorted: these are marked instead
[[nodiscard]] ListedItems search_results(std::span<const query::Match> found,
                                         std::span<const tree::ObjectName> watched,
                                         std::size_t room, const Site& site);

}  // namespace render
