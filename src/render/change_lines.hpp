// render/change_lines.hpp -- HTML of the changes of a row, a line for each field. Items have the plain
// lines. Pages have the same words with classes, by which the style sheet makes columns and signs of
// them, and with places that links lead to.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "query/history_page.hpp"
#include "render/change_document.hpp"
#include "render/site.hpp"

namespace render {

// What lines need to be those of a page. All outlive the writer.
struct PageLines {
    const tree::ObjectName& object;
    // The releases in which the object has what was removed, and what there is now; may be empty. Their
    // pages have the whole of a value that is too large for a line.
    std::string_view before, after;
};

struct LineStyle {
    const query::People& people;
    const Site& site;
    std::span<const compare::Reference> references = {};  // of the row
    // Timestamps of earlier days are left out: they do not belong to the changes.
    std::optional<base::Date> stamps_since = {};
    bool has_verbs = true;  // "added" and "removed"; false: what became of the object says it
    // Escaped. "WS187": the changes have the places WS187-c1, …, which the lines link to. Empty: none.
    std::string id = {};
    std::string_view row_page =
        {};                    // escaped: the page with these places; empty: that of the lines
    bool has_numbers = false;  // links to that page say which change is meant: it has parts
    std::optional<PageLines> page = {};  // not set: the lines are for an item, without any class
};

// Writes lines such as these, that of a page in full:
//   <li><a href="PAGE#WS187-c1">GO term</a> added: <a href="…">nucleus</a> (GO:0005634). Entered by
//   sylvia, 2008-02-01.</li>
//   <li class="change added" id="WS187-c1"><div class="field"><a href="#WS187-c1">GO term</a><span
//   class="word"> added: </span></div><div class="value"><a href="…">nucleus</a>
//   <small>(GO:0005634)</small><span class="word">.</span></div><div class="who"><span class="word">
//   Entered by </span>sylvia, 2008-02-01<span class="word">.</span></div></li>
class ChangeWriter {
   public:
    explicit ChangeWriter(LineStyle style) : style_(std::move(style)) {}

    // Append <li>…</li>, with 100 nodes of each value. An item has 20 values of a field at most: of more,
    // the first five. A page has all: its caller divides long fields (count_nodes()).
    //   cost  O(the nodes that are written + the values)
    void append(std::string& html, const compare::FieldChange& field);
    void append(std::string& html, const MassChangeLine& line);

    // Appends the line of an item without its element: "GO term added: …".
    void append_words(std::string& html, const compare::FieldChange& field);

    // Returns whether nothing was left out inside of any line so far.
    [[nodiscard]] bool is_whole() const { return whole_; }

   private:
    enum class Side : unsigned char { before, after };

    [[nodiscard]] std::string place_of(std::size_t number) const;
    [[nodiscard]] std::string id_of(std::size_t number);
    void append_page_link(std::string& html, std::size_t number, std::string_view text) const;
    void append_field(std::string& html, const compare::FieldChange& field) const;
    void append_values(std::string& html, const compare::FieldChange& field);
    void append_replaced(std::string& html, const compare::FieldValue& value);
    void append_node(std::string& html, const tree::Node& node, Side side,
                     std::string_view shown_stamp);
    void leave_out(std::string& html, Side side);
    void append_author(std::string& html, std::string_view stamp) const;
    void append_mark(std::string& html, std::string_view words) const;
    void open(std::string& html, std::string_view css_class) const;
    void close(std::string& html) const;

    LineStyle style_;
    std::set<std::size_t> placed_;  // numbers of changes that have their place
    bool whole_ = true;
};

// Returns how many nodes of a value are written at most.
//   cost  O(100)
[[nodiscard]] std::size_t count_nodes(const tree::Node& value);

// Returns what the field is called inside of a sentence: "GO term"; of values in no tag "text" or
// "member".
[[nodiscard]] std::string words_of(const compare::FieldChange& field);

}  // namespace render
