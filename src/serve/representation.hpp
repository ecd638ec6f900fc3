// serve/representation.hpp -- a page in the coding that was asked for, and its answer with all
// fields that let it be kept and asked for again.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "serve/http.hpp"
#include "serve/negotiate.hpp"
#include "serve/page_cache.hpp"
#include "serve/workings.hpp"

namespace serve {

inline constexpr long passing_max_age = 60;  // seconds; of what may be better in a minute
inline constexpr long settled_max_age = 86400;

// The tag of the same page in another coding: strong, so the coding is part of it (RFC 9110
// section 8.8.3.3).
[[nodiscard]] std::string tag_in(std::string_view entity_tag, Coding coding);

// The page under `key` as of `moment`, made by `make` (in the coding identity) where it is not
// kept; its gzip copy is kept beside it. Counted.
[[nodiscard]] Answered<PageCache::Found> fetch(Workings& workings, const std::string& key,
                                               const history::Moment& moment, Coding coding,
                                               const PageCache::Make& make,
                                               PageCache::Meanwhile meanwhile);

// How a page is sent.
struct Sending {
    std::string content_type;
    std::string vary;
    long max_age = 0;       // seconds, while nothing is out of reach
    bool is_shown = false;  // by a browser, which is told what it may load
};
// "public, max-age=…", shorter while something is out of reach.
[[nodiscard]] std::string cache_control(long max_age, bool passing);

// 200, or 304 to who has it.
[[nodiscard]] Response answer_with(const Request& request, const PageCache::Found& found,
                                   Coding coding, const Sending& sending);

// Names a request field in Vary, once.
void vary_by(Response& response, std::string_view request_field);

// What keeps a browser from running or showing what a page did not mean.
void add_page_fields(Response& response);

}  // namespace serve
