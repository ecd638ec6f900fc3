// serve/negotiate.hpp -- what request fields ask of a representation: coding, type, freshness.
// Pure. Fields are hostile bytes: what can't be understood is as if it had not come.
// SPDX-License-Identifier: MIT
#pragma once

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

// What a representation can be validated by.
struct Validators {
    std::string_view entity_tag;  // quoted, strong
    base::Seconds last_modified{};
};

// RFC 9110 section 13.2.2 for GET and HEAD: If-None-Match (a list, "*", weak comparison) beats
// If-Modified-Since. True: answer 304.
[[nodiscard]] bool is_not_modified(const Request& request, const Validators& current);

}  // namespace serve
