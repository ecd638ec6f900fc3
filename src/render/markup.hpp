// render/markup.hpp -- text in XML and HTML, escaped, and the elements of XML documents.
// Pure. Safe from any thread. Any bytes give well-formed documents: every function makes its
// input legal first (base/utf8). The comments name the findings of the W3C feed validator.
// XML is written here and not by libxml2's writer, which took a quarter of a feed's time and
// needs legal text nevertheless. The tests read every document with libxml2.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace render {

// Appends to HTML as element text.
//   & < > " ' as references; CR as a space; what HTML calls a parse error (U+007F … U+009F,
//   noncharacters) or the validator a bad character (U+FFFD) as &#xFFFD;. What turns the direction
//   of writing is isolated from what surrounds it (base::isolated), by <bdi>
void append_html(std::string& html, std::string_view text);

// The same where no element can be: in a quoted attribute, in the value of a form's field, in <title> and <option>, in
// <title> and <text> of SVG. Nothing is isolated: browsers send some of them back.
void append_html_value(std::string& html, std::string_view text);

// Elements, one per line. Names of elements and attributes are constants of the caller. A line
// begins with `depth` blanks.

// <?xml version="1.0" encoding="UTF-8"?>
// <?xml-stylesheet type="text/css" href="…"?>
void append_declaration(std::string& xml, std::string_view style_sheet);

struct Attribute {
    std::string_view name, value;
};
using Attributes = std::initializer_list<Attribute>;

void append_start(std::string& xml, std::size_t depth, std::string_view name,
                  Attributes attributes = {});
void append_end(std::string& xml, std::size_t depth, std::string_view name);
void append_empty(std::string& xml, std::size_t depth, std::string_view name,
                  Attributes attributes = {});

// How the content of an element is written.
enum class Content : unsigned char {
    text,   // & < > as &#x26; &#x3C; &#x3E; (the validator takes &lt; for HTML: CharacterData)
    url,    // & as &amp;, which is what simple readers look for
    html,   // in CDATA, which is a third smaller than references and is written in half the time
    xhtml,  // well-formed HTML that this room wrote, as elements: all have an end but br and meta
};
void append_element(std::string& xml, std::size_t depth, std::string_view name,
                    std::string_view text, Attributes attributes = {},
                    Content content = Content::text);
inline constexpr Attribute xhtml_namespace = {"xmlns", "http://www.w3.org/1999/xhtml"};

}  // namespace render
