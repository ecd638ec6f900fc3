// render/text.hpp -- text as it stands in XML and in HTML, whatever bytes it was.
// Pure. Safe from any thread. All of these make their input legal first (base/utf8).
// Source: the W3C feed validator, whose findings the comments name.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace render {

// One line: runs of blanks are one space, none at the ends; U+FFFD and U+0080 … U+009F become '?'
// (BadCharacters). What pages show, escaped.
[[nodiscard]] std::string one_line(std::string_view text);

// The same as plain text of a feed: where "</" stands, < and > become U+2039 and U+203A, since
// readers and validator would see HTML (ContainsHTML).
[[nodiscard]] std::string plain_line(std::string_view text);

// Appends to XML as the content of an element that holds plain text: & < > as &#x26; &#x3C;
// &#x3E; (as &lt; the validator takes them for HTML: CharacterData).
void append_xml_text(std::string& xml, std::string_view text);

// The same for URLs: & as &amp;, which is what simple readers look for.
void append_xml_url(std::string& xml, std::string_view url);

// Appends to XML as the value of an attribute in quotes; blanks that are no space as references,
// since XML readers make spaces of them.
void append_xml_attribute(std::string& xml, std::string_view text);

// Appends to XML as the content of an element that holds HTML: as CDATA, a third smaller than
// with references, and made in half the time.
void append_xml_of_html(std::string& xml, std::string_view html);

// Appends to HTML as element text or in a quoted attribute.
//   & < > " ' as references; CR as a space; what HTML calls a parse error (U+007F … U+009F,
//   noncharacters) or the validator a bad character (U+FFFD) as &#xFFFD;
void append_html(std::string& html, std::string_view text);

// "30,123"
[[nodiscard]] std::string with_separators(std::uint64_t number);

// The longest prefix of at most `most` bytes that does not end inside a character.
[[nodiscard]] std::string_view cut_at(std::string_view text, std::size_t most);
// The longest suffix of that kind.
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t most);

}  // namespace render
