// render/page.hpp -- what several pages have in common: the layout around a page, the pages of long
// lists, feed links, words.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/change.hpp"
#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "render/variables.hpp"
#include "tables/rows.hpp"

namespace render {

// Returns the variable `feeds`: the same items in each format, with the link (feed_url), what readers copy
// (feed_address, with the host; copied_address, unless it is too long to be shown) and what subscribers of a hub ask for
// (topic_url, if there is one).
//   path   of the feed, "/rss?class=…&name=…"
//   first  named: the address of the first format has format= too, because the address alone is
//          that of a page
enum class First { plain, named };
[[nodiscard]] std::vector<Variables> feed_links(const std::string& path, std::string_view title,
                                                const Site& site, First first = First::plain);

// Returns the numbers that are not 0, and what they count: {3, "added"}, {1, "removed"}.
[[nodiscard]] std::vector<std::pair<std::size_t, std::string_view>> numbers_of(
    const compare::Counts& counts);
// "3 added, 1 replaced, 1 removed", each in an element of its class; empty if there are none.
[[nodiscard]] std::string counts_html(const compare::Counts& counts);
// "3 added, 1 replaced, 1 removed"
[[nodiscard]] std::string counts_text(const compare::Counts& counts);
// What became of an object: "created", "changed".
[[nodiscard]] std::string_view participle_of(tables::RowKind kind);
// The same of one row: "read from timestamps" of a history that begins with it.
[[nodiscard]] std::string_view word_of(tables::RowKind kind);
// True if the kind suffices and counts add nothing: created, vanished, reappeared.
[[nodiscard]] bool says_enough(tables::RowKind kind);
// Words in the element of a kind.
//   words  HTML
[[nodiscard]] std::string kind_html(tables::RowKind kind, std::string_view words);
// "Status Live → Dead, 3 more changes", "created: 7 added"; in numbers where no words are known.
[[nodiscard]] std::string what_happened_html(tables::RowKind kind, const std::string& headline,
                                             const compare::Counts& counts);
// "14 changed (2 only because others did), 8 created, 3 vanished"
//   quiet  of those that changed
[[nodiscard]] std::string words_of(const std::vector<tables::KindCount>& kinds,
                                   const tables::QuietCount& quiet);
// "14 objects changed, 8 created, 3 vanished"; "first release seen, …"; "no change recorded"; before a
// job has compared all objects, "14 objects changed so far" or "not compared yet".
[[nodiscard]] std::string words_of(const query::ReleaseSummary& summary);

// What a release did to one object, as HTML: "Status Live → Dead, 3 more changes"; in numbers
// where no words are known.
[[nodiscard]] std::string words_of_change(const query::ReleaseContents::Entry& entry,
                                          const Site& site);

// Returns the HTML of the first `most` items of a list.
//   append  void(std::string&, const Item&): appends that of one item
template <class List, class Append>
[[nodiscard]] std::string first_of(const List& list, std::size_t most, Append append) {
    std::string html;
    for (const auto& each : std::span(list).first(std::min(most, std::size(list))))
        append(html, each);
    return html;
}

// Lists of objects with what people do to them, on the pages of the search and of a watch list.

// "Gene:WBGene00006763", as object= has it.
[[nodiscard]] std::string key_of(const tree::ObjectName& object);

// "Gene unc-26 WBGene00006763", with a link.
[[nodiscard]] std::string named_html(const query::Named& named, std::string_view url);
// Returns object, the same with a link to the history; object_key (key_of()); short_name, for screen readers, which list
// links and buttons without their lines.
[[nodiscard]] Variables variables_of(const query::Named& named, const Site& site);

// One <option> for each class; empty if there are too many to choose from.
//   chosen  is among the options even if it is no class
[[nodiscard]] std::string class_options(const std::vector<std::string>& classes,
                                        const std::string& chosen);

// Sets found, if anything was, and results: object, object_key, short_name, object_feed; gone, gone_in, of an object that
// vanished; is_watched.
//   watched  sorted: these are on the watch list
void add_results(Variables& variables, std::span<const query::Match> found,
                 std::span<const tree::ObjectName> watched, const Site& site);

// One page: a template inside of the layout.
struct Frame {
    std::string_view file;  // "history.mustache"
    std::string title;      // of the page, without the site's
    std::vector<Variables> feeds = {};
    bool noindex = false;
    std::string search_text = {};  // in the search field
};
[[nodiscard]] std::string framed(const Frame& frame, Variables variables, const PageSite& site,
                                 const Templates& templates);

// "Merged into <a href="…">Gene WBGene00000002</a>"
[[nodiscard]] std::string relation_html(std::string_view words, const tree::ObjectName& other,
                                        const Site& site);
// Sets class_name, name, label, other_name (the name beside a label) and, of an object that is there, object_url.
void add_object(Variables& variables, const tree::ObjectName& object, const std::string& label,
                bool is_there, const Site& site);
// Sets in which release an object vanished (vanished_in, …_url, …_on) if its newest row says so, and
// what became of it (successor, …_id, …_words, …_url).
void add_fate(Variables& variables, const query::History& history, const Site& site);

// -- the pages of a long list

// Returns how many pages it takes, at least one.
[[nodiscard]] constexpr std::size_t pages_of(std::size_t items, std::size_t on_page) {
    return items == 0 ? 1 : (items - 1) / on_page + 1;
}
// Sets page ("Page 2 of 3"), previous_url and next_url; nothing if there is one page.
//   base  the link to the first page
void add_pager(Variables& variables, const std::string& base, std::size_t page,
               std::size_t pages);

}  // namespace render
