// feed/charset.hpp -- the bytes of a foreign document as UTF-8.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace feed {

struct DecodedText {
    std::string text;          // legal UTF-8 without a byte order mark
    std::string charset;       // that was used: "utf-8", "windows-1252", "utf-16le", …
    std::size_t replaced = 0;  // bytes or characters that became U+FFFD
};

// Decodes a document: by its byte order mark, else by the charset of the Content-Type, else by its XML
// declaration, else by what the bytes look like. A charset that is wrong is corrected where the bytes show
// it: UTF-8 that is none is windows-1252; so is ISO-8859-1 and US-ASCII; UTF-16 without a byte order mark is told
// by its zero bytes. UTF-8 that was encoded twice is decoded once more. Names that no browser knows count as none.
//   content_type  of HTTP: "text/xml; charset=utf-8"; may be empty
//   source        RFC 7303 section 3; https://encoding.spec.whatwg.org/#names-and-labels
[[nodiscard]] DecodedText decode_text(std::string_view bytes, std::string_view content_type);

// Makes XML of text that claims to be XML and is not: drops what comes before the first element or
// declaration, and characters that XML does not allow; escapes a bare &; replaces names of entities that HTML has
// by their characters; drops declarations, comments, and the DOCTYPE with all that it defines, and tags with more than
// 100 attributes or inside of 200 others; drops end tags of what is not open, and ends what is open inside of what ends.
//   text     UTF-8
//   returns  is_mended: more than declarations and comments had to be changed; is_too_deep: tags were dropped because of
//            those around them
//   cost     O(text), at least 500 MB/s where there is little to mend
struct MendedXml {
    std::string text;
    bool is_mended = false, is_too_deep = false;
};
[[nodiscard]] MendedXml mend_xml(std::string_view text);

}  // namespace feed
