// source/xml_text.hpp -- the words of XML that are read before libxml2 sees them: the encoding
// that a file declares, runs of bytes inside of tags and values, and values written anew.
// Pure. Source: XML 1.0, sections 2.8, 2.11, 3.3.3, 4.3.3.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace source::import {

enum class XmlEncoding { utf8, latin1 };
// Of an XML declaration (`<?xml version="1.0" encoding="…"`); utf8 where it tells none, and for
// US-ASCII; nullopt for any other but ISO-8859-1.
[[nodiscard]] std::optional<XmlEncoding> declared_encoding(std::string_view declaration);

// Appends ISO-8859-1 as UTF-8.
void append_latin1(std::string& out, std::string_view bytes);

// The bytes up to where something else begins.
struct XmlRun {
    std::size_t size = 0;
    std::size_t line_ends = 0;
    bool needs_care = false;  // not all of it is 0x20 … 0x7F
};
// Inside of a tag: up to `<`, `>`, a quote, or the end.
[[nodiscard]] XmlRun tag_run(std::string_view bytes);
// Inside of a value: up to its closing quote, `<`, or the end.
//   needs_care  what is known of the value so far
[[nodiscard]] XmlRun value_run(std::string_view bytes, char quote, bool needs_care);

// Appends what stands between the quotes of a value so that XML keeps its newlines and tabs: as
// character references. CR LF is one newline. References that stand in it stay.
void append_value(std::string& out, std::string_view value);

}  // namespace source::import
