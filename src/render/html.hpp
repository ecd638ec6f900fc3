// render/html.hpp -- pieces of HTML that feeds and pages share: links, dates, cells, timestamps,
// nodes.
// Pure. Safe from any thread. Everything is escaped, long texts are shortened.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "query/history_page.hpp"
#include "render/change_document.hpp"
#include "render/site.hpp"
#include "render/text_difference.hpp"

namespace render {

// Escaped, for element text and quoted attributes.
[[nodiscard]] std::string as_html(std::string_view text);
// Escaped, for the value of a form's field (append_html_value()).
[[nodiscard]] std::string as_html_value(std::string_view text);

// <a href="…">…</a>
void append_link(std::string& html, std::string_view url, std::string_view text);
// The same with an address that is escaped already, because several links have it.
void append_escaped_link(std::string& html, std::string_view url, std::string_view text);
[[nodiscard]] std::string link_html(std::string_view url, std::string_view text);
// The same, for pages that crawlers leave alone: they show less of another page, or two of them.
[[nodiscard]] std::string narrowing_link_html(std::string_view url, std::string_view text);

// <time datetime="2008-02-15">2008-02-15</time>
[[nodiscard]] std::string date_html(base::Date day);

// Appends a text. The middle of a long one is left out, and its length is added
// (render/display_text.hpp). An empty text is shown as "".
void append_shortened(std::string& html, std::string_view text);

// True for cells that name an object with a history page; false for plain texts.
[[nodiscard]] bool has_page(const tree::Cell& cell);

// How the name of an object follows its label: (GO:0005634), or <small>GO:0005634</small>.
enum class Ids : unsigned char { in_brackets, in_small };

// The cell as text, tags as words; what names an object as a link to the history of it, by its label
// if it has one: <a href="…">nucleus</a> (GO:0005634).
void append_cell(std::string& html, const tree::Cell& cell, const Site& site,
                 std::span<const compare::Reference> references = {}, Ids ids = Ids::in_brackets);

// " (sylvia, 2008-02-01)", the curator by label and link if known; an opaque timestamp as it is;
// nothing for none. If the site hides curators: " (2008-02-01)", and nothing for an opaque one.
void append_stamp(std::string& html, std::string_view stamp, const query::People& people,
                  const Site& site);
// "sylvia, 2008-02-01" likewise.
void append_stamp_words(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site);
// " Entered by sylvia, 2008-02-01." likewise.
void append_author(std::string& html, std::string_view stamp, const query::People& people,
                   const Site& site);
// The same as append_stamp() in <small>.
void append_small_stamp(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site);

// How nodes are written.
struct NodeStyle {
    const query::People& people;
    const Site& site;
    std::span<const compare::Reference> references;  // of the row
    bool has_stamps = false;                         // timestamps follow the nodes, in <small>
    std::size_t most_nodes = 0;                      // more nodes are left out
    std::size_t most_levels = 0;                     // of lists; deeper ones are left out
    // Timestamps of earlier days are left out: they do not belong to the change.
    std::optional<base::Date> stamps_since = {};
    std::string_view stamp_shown = {};  // the caller writes it: it is not repeated at the top
    Ids ids = Ids::in_brackets;
};
// Append a node and everything below it, or only what is below it. An only child follows its
// parent on the line, several are a list. An ellipsis marks what is left out. A timestamp that equals
// the one before it is not repeated.
//   synj-1, Person evidence: <a href="…">Cecilia Nakamura</a> (WBPerson1)
//   synj-1, Person evidence<ul><li>…</li></ul>
//   before   markup before the first child
//   returns  whether nothing was left out
[[nodiscard]] bool append_node(std::string& html, const tree::Node& node, const NodeStyle& style);
[[nodiscard]] bool append_below(std::string& html, const tree::Node& node,
                                std::string_view before, const NodeStyle& style);
// Returns the number of nodes that append_node would write; 0 if it would leave some out.
//   cost  O(style.most_nodes)
[[nodiscard]] std::size_t count_within(const tree::Node& node, const NodeStyle& style);

// Writes the runs of a text difference: words as they are, those that differ in <del> and <ins>.
enum class Sides : unsigned char { before, after, both };
void append_runs(std::string& html, const std::vector<TextRun>& runs, Sides sides);

// "PLACE</b>: changed in 30,123 of 45,000 objects of class Gene in this release": the end tag is
// that of the element in which the caller put the place.
void append_mass_change(std::string& html, const tables::MassChange& change,
                        std::string_view end_tag);

// -- what feed items and pages say alike of a field that changed

// Returns the words of the first tag of a group; empty if they say no more than its only line.
[[nodiscard]] std::string heading_of(const FieldDocument::Group& group);

// True for a tag at the top of the object with nothing above or below it: it is the field itself.
[[nodiscard]] bool is_bare_tag(const compare::FieldChange& field);

// Returns what the field is called inside of a sentence: "GO term"; of values in no tag "text" or
// "member".
[[nodiscard]] std::string words_of(const compare::FieldChange& field);

// Appends the value that the field says something about, if there is one: " of GO term <a
// href="…">nucleus</a> (GO:0005634)".
//   most  cells of it; of more, the last ones
void append_owner(std::string& html, const compare::FieldChange& field, const Site& site,
                  std::span<const compare::Reference> references, Ids ids = Ids::in_brackets,
                  std::size_t most = std::numeric_limits<std::size_t>::max());

// Returns how many bytes the row lacks of the values.
[[nodiscard]] std::size_t left_out_of(const compare::FieldChange& field);

// Returns whether the values follow each other on one line: there is only one, or nothing is below any.
[[nodiscard]] bool is_in_line(const compare::FieldChange& field);

// Returns whether the same timestamp stands at all values.
[[nodiscard]] bool has_one_stamp(const compare::FieldChange& field);

// Returns whether what differs between the two values of a field that was replaced is shown word by
// word: whole texts, one of them long or both equal but for white space.
[[nodiscard]] bool is_rewording(const compare::FieldValue& value);

}  // namespace render
