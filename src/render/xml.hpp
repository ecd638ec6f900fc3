// render/xml.hpp -- elements of an XML document, appended to its text line by line.
// Pure. Safe from any thread. Any bytes give well-formed XML: they are made legal and escaped
// here. By hand and not by libxml2's writer, which took a quarter of a feed's time and must be
// given legal text all the same; the tests read every document with libxml2.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace render {

// Names of elements and attributes are ours, and legal. `depth` is that of the element: the
// line begins with as many blanks.

// <?xml version="1.0" encoding="UTF-8"?>
// <?xml-stylesheet type="text/css" href="…"?>    where there is a style sheet
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

// Elements with plain text, with a URL, with HTML (render/text.hpp tells how each is written).
void append_element(std::string& xml, std::size_t depth, std::string_view name,
                    std::string_view text, Attributes attributes = {});
void append_url_element(std::string& xml, std::size_t depth, std::string_view name,
                        std::string_view url);
void append_html_element(std::string& xml, std::size_t depth, std::string_view name,
                         std::string_view html, Attributes attributes = {});

}  // namespace render
