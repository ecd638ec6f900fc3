// render/page_parts.hpp -- what several pages have in common: addresses, feed links, words,
// and the frame around a page.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/change.hpp"
#include "query/history_page.hpp"
#include "query/query.hpp"
#include "render/html.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "render/variables.hpp"
#include "tables/rows.hpp"

namespace render {

// No page takes more (bytes, before compression).
inline constexpr std::size_t most_of_page = 60'000;

// Escaped, for element text and quoted attributes.
[[nodiscard]] std::string as_html(std::string_view text);

// "class=Gene&name=WBGene00006763"; "object=Gene%3AWBGene00006763&object=…".
[[nodiscard]] std::string query_of(const tree::ObjectName& object);
[[nodiscard]] std::string query_of(std::span<const query::Named> watched);
[[nodiscard]] std::string release_url(std::string_view version, const Site& site);

// The variable `feeds`: the same items in each format.
//   address  of the feed, "https://x.org/rss?class=…&name=…"
//   first    whether the first format needs its name: where the address alone is that of a page
enum class First { plain, named };
[[nodiscard]] std::vector<Variables> feed_links(const std::string& address,
                                                std::string_view title,
                                                First first = First::plain);

// "3 added, 1 replaced, 1 removed", each in an element of its class; empty for none.
[[nodiscard]] std::string counts_html(const compare::Counts& counts);
// "3 added, 1 replaced, 1 removed"
[[nodiscard]] std::string counts_text(const compare::Counts& counts);
// What happened to an object, or to objects, by the kind of a row: "changed", "new".
[[nodiscard]] std::string_view word_of(tables::RowKind kind);
// "1 change", "3,000 changes"
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view several);
// <time datetime="2008-02-15">2008-02-15</time>
[[nodiscard]] std::string date_html(base::Date day);

// <a href="…">…</a>
[[nodiscard]] std::string link_html(std::string_view url, std::string_view text);

// One page: a template inside of the layout.
struct Frame {
    std::string_view file;  // "history.mustache"
    std::string title;      // of the document, without the site's
    std::vector<Variables> feeds;
    bool noindex = false;
    std::string search_text;  // stands in the search field
};
[[nodiscard]] std::string framed(const Frame& frame, const Variables& variables, const Site& site,
                                 const Templates& templates);

// The same with one more variable, HTML, which takes what the others leave of most_of_page.
//   make  gets the bytes there are, 0 when the rest is too large already, and may set further
//         variables, which it has to keep room for
using MakeWithin = std::function<std::string(std::size_t room, Variables& variables)>;
[[nodiscard]] std::string framed_within(const Frame& frame, Variables variables,
                                        std::string_view name, const MakeWithin& make,
                                        const Site& site, const Templates& templates);

// Sets previous_url, next_url and part: the parts of one list.
//   base  the address of the first part; with a query
void add_parts(Variables& variables, const std::string& base, std::size_t part, bool more);
// Bytes that these take at most.
[[nodiscard]] std::size_t size_of_parts(const std::string& base);

}  // namespace render
