// feed/charset.hpp -- the bytes of a foreign document as UTF-8.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace feed {

// Returns a document as legal UTF-8 without a byte order mark. Decodes it by its byte order mark, else by the charset of
// the Content-Type, else by its XML declaration, else by what the bytes look like. A charset that is wrong is corrected
// where the bytes show it: UTF-8 that is none is windows-1252; so is ISO-8859-1 and US-ASCII; UTF-16 without a byte order
// mark is known by its zero bytes. UTF-8 that was encoded twice is decoded once more. Charsets without all of ASCII in its
// place count as none, and so do labels with other characters than letters, digits, '-', '_', '.' and ':'.
//   content_type  of HTTP: "text/xml; charset=utf-8"; may be empty
//   source        RFC 7303 section 3; https://encoding.spec.whatwg.org/#names-and-labels
[[nodiscard]] std::string decode_text(std::string_view bytes, std::string_view content_type);

// A character that a text names: "&nbsp;", "&#8217;", "&#x2019;".
struct CharacterReference {
    char32_t character;
    std::size_t size;  // bytes
};
// Returns the reference that a text begins with; nullopt: none. Numbers of control characters mean those of windows-1252,
// as in browsers. Two of the halves of a surrogate pair are one, because programs of Java and .NET write them; a number
// that no character has is U+FFFD.
[[nodiscard]] std::optional<CharacterReference> reference_at(std::string_view text);

// Makes XML of text that claims to be XML and is not: drops what comes before an XML declaration, text outside of elements,
// and characters that XML does not allow; escapes a bare &; replaces names of entities that HTML has by their characters;
// drops declarations, comments, the DOCTYPE with all that it defines, attributes after the first 100 of a tag, and tags
// inside of 200 others; drops end tags of what is not open, and ends what is open inside of what ends.
//   text     UTF-8
//   cost     O(text), at least 500 MB/s where there is little to mend
struct MendedXml {
    std::string text;
    bool is_too_deep = false;  // tags were dropped because of those around them
};
[[nodiscard]] MendedXml mend_xml(std::string_view text);

}  // namespace feed
