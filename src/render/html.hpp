// render/html.hpp -- pieces of HTML that feeds and pages share: links, dates, cells, timestamps.
// Pure. Safe from any thread. Everything is escaped, long texts are shortened.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "query/history_page.hpp"
#include "render/change_document.hpp"
#include "render/site.hpp"

namespace render {

// Escaped, for element text.
[[nodiscard]] std::string as_html(std::string_view text);
// Escaped, for quoted attributes and where no element can be (append_html_value()).
[[nodiscard]] std::string as_attribute(std::string_view text);

// <a href="…">…</a>
[[nodiscard]] std::string link_html(std::string_view url, std::string_view text);
// The same, for pages that crawlers leave alone: they show less of another page, or two of them.
[[nodiscard]] std::string narrowing_link_html(std::string_view url, std::string_view text);

// <time datetime="2008-02-15">15 February 2008</time>
[[nodiscard]] std::string date_html(base::Date day);
// <time datetime="2026-11-24T09:15:20Z">24 November 2026, 09:15</time>
[[nodiscard]] std::string time_html(base::Seconds time);

// Appends a text. The middle of a long one is left out, and its length is added
// (render/display_text.hpp). An empty text is shown as "".
//   isolation  none: the caller isolates it together with what is beside it
enum class Isolation : unsigned char { if_needed, none };
void append_shortened(std::string& html, std::string_view text,
                      Isolation isolation = Isolation::if_needed);
[[nodiscard]] std::string shortened_html(std::string_view text);

// True for cells that name an object with a history page; false for plain texts.
[[nodiscard]] bool has_page(const tree::Cell& cell);

// How the name of an object follows its label: (GO:0005634), or <small>GO:0005634</small>.
enum class Ids : unsigned char { in_brackets, in_small };

// The cell as text, tags as words; what names an object as a link to the history of it, by its label
// if it has one: <a href="…">nucleus</a> (GO:0005634).
void append_cell(std::string& html, const tree::Cell& cell, const Site& site,
                 std::span<const compare::Reference> references = {}, Ids ids = Ids::in_brackets);

// "sylvia, 2008-02-01", the curator by label and link if known; an opaque timestamp as it is; nothing for
// none. If the site hides curators: "2008-02-01", and nothing for an opaque one.
void append_stamp_words(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site);

}  // namespace render
