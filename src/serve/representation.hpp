// serve/representation.hpp -- from a rendered page to its response: entity tag (a digest of its body),
// content coding, page cache, and the header fields with which clients and proxies cache and validate it.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "serve/context.hpp"
#include "serve/http.hpp"

namespace serve {

// Adds the fields that keep a browser from running or loading anything that a page does not need.
void add_security_fields(Response& response);

// What it takes to render a page. A wide page is made of many objects, or of two whole trees: it takes its turn
// (base/gate.hpp), and a stale page of the same build is sent while another thread renders it.
enum class PageCost : unsigned char { ordinary, wide };

// Returns a response that nobody keeps.
[[nodiscard]] Response uncached(int status, std::string_view content_type, std::string body);

// A page as a route renders it.
struct RenderedPage {
    std::string body;
    bool provisional = false;  // the build or store could not be reached
};
// How a page is kept, and described to clients and caches.
struct CachePolicy {
    std::string key;  // the canonical URL, and what else the bytes depend on
    std::optional<query::ServedBuild> build;  // nullopt: the page depends on none
    PageCost cost = PageCost::ordinary;
    std::string content_type;
    std::string vary;
    long max_age = 0;             // seconds; shorter for a provisional page
    bool is_for_browser = false;  // adds the fields that restrict what the page may load
};
// Returns the response with such a page, from the cache or rendered now, in the coding that the client
// prefers: 200, or 304 when the client has it. Counts hits and misses.
//   render  may throw store::Failure and query::Busy, which become 503
//   error   that of `render`; 503 for a wide page that is not cached, when its turn does not come
//   blocks  a wide page: up to context.settings.wide.wait_at_most
[[nodiscard]] Result<Response> cached_response(
    SiteContext& context, const Request& request, const CachePolicy& policy,
    const std::function<Result<RenderedPage>()>& render);

}  // namespace serve
