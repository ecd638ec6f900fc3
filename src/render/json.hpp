// render/json.hpp -- changes, items and pages as JSON, for programs (docs/protocols.md). URLs have the host.
// Pure. Safe from any thread. If the site hides curators, users and opaque timestamps are left out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "compare/change.hpp"
#include "query/history_page.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/item.hpp"
#include "render/pages.hpp"
#include "render/site.hpp"

namespace render {

// -- data of feed items

// Returns {"op":…,"path":[…],"before":[…],"after":[…]}, and "mass":true for a change that most objects of the class share.
[[nodiscard]] std::string change_json(const compare::Change& change, const Site& site,
                                      bool is_shared = false);
struct MostChanges {
    std::size_t changes = std::numeric_limits<std::size_t>::max(), bytes = changes;
};
// The content of an item has them for people.
inline constexpr MostChanges most_of_item = {200, 32 << 10};
// Writes "changes":[…], those that pass the filter, in their order; "left_out", how many of `all` are missing.
void write_changes(base::JsonWriter& json, std::span<const compare::Change> changes,
                   std::size_t all, const query::ChangeFilter& filter, const Site& site,
                   MostChanges most, const query::MassPlaces& shared = {});
// Writes what a release did to an object: class, name, release, since, kind, changes that pass the filter of the page.
void write_row_fields(base::JsonWriter& json, const tables::Row& row,
                      const query::HistoryPage& page, const Site& site);
// Writes the members of a mention: entry, feed, feed_name, title, link, published (if it is known), first_seen,
// authors (with the pages of the persons behind them).
void write_mention_fields(base::JsonWriter& json, const tables::Mention& mention,
                          const Site& site);
// Writes "authors":[{"name":…,"url":…},…].
void write_authors(base::JsonWriter& json, const std::vector<Author>& authors);

// -- pages: a document and a line end each

// Writes two releases of an object compared, for /diff and `varve diff`:
// {"class","name","from","to","kind","changes":[…]}.
//   most_bytes  of the changes; "left_out" says how many more there are
[[nodiscard]] std::string difference_json(
    const query::Difference& difference, const Site& site,
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

// Writes a page of the rows, newest first, with all that they hold of their changes; only that of view.at if
// it is set. Every page has the mentions that the history has.
//   returns  nullopt: there is no such page
[[nodiscard]] std::optional<std::string> history_json(const HistoryView& view, const Site& site);

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
