// net/url.hpp -- an absolute http or https URL of which nothing can be misunderstood.
// Stricter than RFC 3986 and what browsers accept: a URL that two programs could read in two ways is
// refused, so what was checked here is what libcurl asks for.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace net {

inline constexpr std::size_t longest_url = 2048;  // bytes

enum class Scheme : unsigned char { http, https };

[[nodiscard]] constexpr std::string_view name_of(Scheme scheme) {
    return scheme == Scheme::http ? "http" : "https";
}
[[nodiscard]] constexpr std::uint16_t default_port(Scheme scheme) {
    return scheme == Scheme::http ? 80 : 443;
}

struct Url {
    std::string text;  // as it was written: printable ASCII without blanks
    Scheme scheme = Scheme::http;
    // In lower case: a name of at most 253 letters, digits, '-', '_' and '.', or an IPv4 address in
    // four decimal numbers without leading zeros.
    std::string host;
    std::uint16_t port = 80;  // 1 to 65535; the default one where none is written
    std::string target;       // path and query as they were written, at least "/"
    bool operator==(const Url&) const = default;
};

// Parses an absolute URL of at most longest_url bytes.
//   error   malformed or too_large; says what is wrong in a sentence that goes on after a name, such as
//           "hub.callback": "must not have a fragment". The sentence never has bytes of the URL.
//           Refused are other schemes, relative references, user names, fragments, IPv6 addresses, other
//           spellings of IPv4 addresses (127.1, 0x7f.0.0.1, 2130706433, 0177.0.0.1; a host whose last part
//           is a number counts as one, as in the URL standard of WHATWG), port 0, an empty port, a dot at
//           the end of a host, every byte that RFC 3986 wants as %XX, and a '%' without two digits.
//   cost    O(length)
//   source  RFC 3986 sections 2 and 3
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);

// Returns "https://example.org:8443": scheme, host and, where it is not the default one, port.
//   source  WHATWG URL section 4.4
[[nodiscard]] std::string origin_of(const Url& url);

// Returns the spelling that all equivalent URLs have in common: scheme and host in lower case, no default
// port, "/" for an empty path, escapes with capital digits and none for unreserved characters. Parts named
// "." and ".." stay, because servers may tell them from what they stand for. A normalized URL can be longer
// than the URL, by the "/" alone.
//   source  RFC 3986 section 6.2.2 and 6.2.3
[[nodiscard]] std::string normalized(const Url& url);

}  // namespace net
