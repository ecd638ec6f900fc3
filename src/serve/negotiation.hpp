// serve/negotiate.hpp -- what request fields ask of a representation: coding, type, freshness.
// Pure. Fields are hostile bytes: what can't be understood is as if it had not come.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/date.hpp"
#include "serve/http.hpp"

namespace serve {

enum class Coding : unsigned char { identity, gzip };

// RFC 9110 section 12.5.3: gzip when it is accepted and not less welcome than identity.
// Identity when nothing that we have is accepted: a server may disregard the field.
[[nodiscard]] Coding coding_for(std::string_view accept_encoding);

// True when text/html is named by itself and not less welcome than text/plain. Whatever else,
// "*/*" included, gets text: people come with browsers, and these name it.
[[nodiscard]] bool prefers_html(std::string_view accept);

// Index in `media_types` of the one that an Accept field likes best (RFC 9110 section 12.5.1);
// of those liked alike the one that it names most plainly, then the first.
//   media_types  "application/atom+xml"; one of +xml is also application/xml and text/xml, one
//                of +json also application/json, as scripts and old readers ask
//   returns      0 when it likes none: there is always an answer
[[nodiscard]] std::size_t best_of(std::string_view accept,
                                  std::span<const std::string_view> media_types);

// True when text/html is named and `media_type` itself is not: a browser. It shows XML with its
// stylesheet where that is called application/xml, and as plain source by any other name.
[[nodiscard]] bool is_browser(std::string_view accept, std::string_view media_type);

// A-IM (RFC 3229 section 10.5.3): only the newer items of a feed are welcome.
[[nodiscard]] bool accepts_delta(std::string_view a_im);

// Whether a list of entity tags names this one, by weak comparison. "*" names none.
[[nodiscard]] bool names_tag(std::string_view list, std::string_view entity_tag);

// What a representation can be validated by.
struct Validators {
    std::string_view entity_tag;    // quoted, strong
    base::Seconds last_modified{};  // 0: not known, only the tag tells
};

// RFC 9110 section 13.2.2 for GET and HEAD: If-None-Match (a list, "*", weak comparison) beats
// If-Modified-Since. True: answer 304.
[[nodiscard]] bool is_not_modified(const Request& request, const Validators& current);

}  // namespace serve
