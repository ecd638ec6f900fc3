// feed/charset.hpp -- the bytes of a foreign document as UTF-8.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace feed
