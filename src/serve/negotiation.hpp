// serve/negotiation.hpp -- content negotiation and conditional requests (RFC 9110): which content
// coding and media type a client prefers, and whether it already has the representation.
// Pure. Header fields come from strangers: invalid ones are treated as absent.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "serve/http.hpp"

namespace serve {

enum class Coding : unsigned char { identity, gzip };

// Returns gzip when Accept-Encoding accepts it with at least the weight of identity (RFC 9110 section 12.5.3).
[[nodiscard]] Coding preferred_coding(std::string_view accept_encoding);

// True when Accept lists text/html itself with at least the weight of text/plain. All other
// clients, also those with "*/*", get plain text: browsers do list text/html.
[[nodiscard]] bool prefers_html(std::string_view accept);

// "application/atom+xml"
[[nodiscard]] bool is_xml(std::string_view media_type);

// Returns the index of the media type that Accept prefers (RFC 9110 section 12.5.1); with equal
// weights the one that it names most specifically, then the first.
//   media_types  "application/atom+xml" and others; a type with +xml also matches application/xml
//                and text/xml, one with +json application/json, as scripts and old readers ask
//   returns      0 when none is acceptable: there is always a response
[[nodiscard]] std::size_t preferred_type(std::string_view accept,
                                         std::span<const std::string_view> media_types);

// True when Accept lists text/html and not `media_type` itself, as browsers do. A browser shows
// XML with its stylesheet when its media type is application/xml, and as source otherwise.
[[nodiscard]] bool is_browser(std::string_view accept, std::string_view media_type);

// The validators of a representation (RFC 9110 section 8.8).
struct Validators {
    std::string_view entity_tag;    // quoted, strong
    base::Seconds last_modified{};  // 0: unknown, only the entity tag counts
};

// True when a GET or HEAD request gets 304 (RFC 9110 section 13.2.2): If-None-Match (a list, "*",
// weak comparison) takes precedence over If-Modified-Since. That has to name Last-Modified exactly:
// the date of a page that another host made, or a clock that is wrong, may be later than a change.
[[nodiscard]] bool is_not_modified(const Request& request, const Validators& current);

}  // namespace serve
