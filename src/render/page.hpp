// render/page.hpp -- what several pages have in common: the layout around a page, the parts of long
// lists, feed links, words.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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
#include "tables/rows.hpp"

namespace render {

struct PageOfPart;  // render/pages.hpp

// The size of a list on a page, or of one part of it (bytes, before compression), whatever surrounds it.
inline constexpr std::size_t most_of_list = 45'000;

// Returns the variable `feeds`: the same items in each format, with the link (feed_url) and what readers copy
// (feed_address, with the host).
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
// "14 changed, 8 created, 3 vanished"
[[nodiscard]] std::string words_of(const std::vector<tables::KindCount>& kinds);
// "14 objects changed, 8 created, 3 vanished"; "first release seen, …"; "no change recorded"; before a
// job has compared all objects, "14 objects changed so far" or "not compared yet".
[[nodiscard]] std::string words_of(const query::ReleaseSummary& summary);

// What a release did to one object, as HTML: "Status Live → Dead, 3 more changes"; in numbers
// where no words are known.
[[nodiscard]] std::string words_of_change(const query::ReleaseContents::Entry& entry,
                                          const Site& site);

// Whole items of a list, as many as `room` bytes hold.
struct ListedItems {
    std::string html;
    std::size_t left_out = 0;
};
//   append  void(std::string&, const Item&): appends the HTML of one item
template <class List, class Append>
[[nodiscard]] ListedItems items_within(std::size_t room, const List& list, Append append) {
    ListedItems items;
    for (const auto& each : list) {
        const auto size = items.html.size();
        if (items.left_out == 0) append(items.html, each);
        if (items.html.size() <= room && items.left_out == 0) continue;
        items.html.resize(size);
        ++items.left_out;
    }
    return items;
}

// Lists of objects with what people do to them, on the pages of the search and of a watch list.

// "Gene:WBGene00006763", as object= has it.
[[nodiscard]] std::string key_of(const tree::ObjectName& object);

// "Gene unc-26 WBGene00006763", with a link to the history.
void append_named(std::string& html, const query::Named& named, const Site& site);
// The same with a link to another page.
void append_named(std::string& html, const query::Named& named, std::string_view url);
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

// One page: a template inside of the layout.
struct Frame {
    std::string_view file;  // "history.mustache"
    std::string title;      // of the page, without the site's
    std::vector<Variables> feeds = {};
    bool noindex = false;
    std::string search_text = {};  // in the search field
};
[[nodiscard]] std::string framed(const Frame& frame, const Variables& variables,
                                 const PageSite& site, const Templates& templates);

// Sets class_name, name, label, other_name (the name beside a label) and, of an object that is there, object_url.
void add_object(Variables& variables, const tree::ObjectName& object, const std::string& label,
                bool is_there, const Site& site);
// Sets in which release an object vanished (vanished_in, …_url, …_on) if its newest row says so, and
// what became of it (successor, …_id, …_words, …_url).
void add_fate(Variables& variables, const query::History& history, const Site& site);

// -- the parts of a long list

struct PartOfPage {
    std::string html;  // whole elements; empty if there is nothing
    std::size_t part = 1;
    bool more = false;  // a part follows
};

// Collects pieces until the wanted part is full. A part that begins inside of a group repeats the
// group's beginning.
class PartCollector {
   public:
    //   room  bytes of a part
    PartCollector(std::size_t room, std::size_t wanted) : room_(room), wanted_(wanted) {}

    // Puts the pieces that follow into an element. It is left out if there are none.
    //   end  a constant of the caller
    void begin(std::string start, std::string_view end) {
        close();
        start_ = std::move(start);
        end_ = end;
    }

    // Returns false if the wanted part is full: this piece belongs to the next one.
    //   size  that counts; the piece itself may be larger
    bool take(const std::string& piece, std::size_t size) {
        const auto needed = (open_ ? 0 : start_.size()) + size;
        if (!html_.empty() && bytes_ + needed + end_.size() > room_) {
            if (part_ == wanted_) return false;
            html_.clear();
            bytes_ = 0;
            open_ = false;
            ++part_;
            return take(piece, size);
        }
        if (!open_) html_ += start_;
        open_ = true;
        html_ += piece;
        bytes_ += needed;
        return true;
    }

    // The part of the last piece, which has not been left yet, becomes the wanted one.
    void want_this() { wanted_ = part_; }

    // Returns whether the last piece that was taken belongs to the wanted part.
    [[nodiscard]] bool is_in_wanted() const { return part_ == wanted_; }

    PartOfPage finish(bool more) && {
        close();
        return {std::move(html_), part_, more};
    }

   private:
    void close() {
        if (open_) html_ += end_;
        if (open_) bytes_ += end_.size();
        open_ = false;
    }

    std::size_t room_, wanted_, part_ = 1;
    std::size_t bytes_ = 0;  // of the part
    std::string html_, start_;
    std::string_view end_;
    bool open_ = false;
};

// Returns a page with one part of a list, and links to the parts beside it.
//   name  the variable that gets the part
//   base  the link to the first part; with a query
[[nodiscard]] PageOfPart framed_part(const Frame& frame, Variables variables,
                                     std::string_view name, const std::string& base,
                                     PartOfPage part, const PageSite& site,
                                     const Templates& templates);

}  // namespace render
