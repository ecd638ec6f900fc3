// serve/responses.hpp -- from a rendered page, or from an error, to the response.
// A page: entity tag (a digest of its body), content coding, page cache, and the header fields with which
// clients and proxies cache and validate it. An error: the one table from the kinds of base::Error to HTTP
// statuses, and the short pages that explain them.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "query/history_page.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"

namespace serve {

// ---- pages ----

// Returns a response that nobody keeps.
[[nodiscard]] Response uncached(int status, std::string_view content_type, std::string body);

// A page as a route renders it.
struct RenderedPage {
    std::string body;
    bool provisional = false;   // the build or store could not be reached
    bool changes_soon = false;  // it counts what a job is still comparing
};
// How a page is kept, and described to clients and caches.
struct CachePolicy {
    std::string key;  // the canonical URL, and what else the bytes depend on
    std::optional<query::ServedBuild> build;  // nullopt: the page depends on none
    PageCost cost = PageCost::ordinary;
    std::string content_type;
    std::string vary;
    long max_age = 0;  // seconds; shorter for a page that is provisional or changes soon
    bool is_for_browser = false;  // adds the fields that restrict what the page may load
};
// Returns the response with such a page, from the cache or rendered now, in the coding that the client
// prefers: 200, or 304 when the client has it. Counts hits and misses.
//   render  may throw store::Failure and query::Busy, which become 503
//   error   that of `render`; 503 for a wide page that is not cached, when its turn does not come
//   blocks  a wide page: up to context.settings.wide.wait_at_most
[[nodiscard]] Result<Response> cached_response(
    SiteContext& context, const Request& request, CachePolicy policy,
    const std::function<Result<RenderedPage>()>& render);

// ---- errors ----

// What was requested, for the texts of errors.
struct Wanted {
    std::string what;       // "Gene unc-26": "The history of … is not available right now."
    std::string if_absent;  // the text of 404
};
[[nodiscard]] Wanted wanted_object(const tree::ObjectName& object);
[[nodiscard]] Wanted wanted_release(const std::string& version);
[[nodiscard]] Wanted wanted_list();

// Returns the answer to the client for an error that occurred while `wanted` was read. The
// error's own text goes to the log only, because it may contain files, hosts and SQL.
//   since  the release of since=; base::ErrorKind::refused then means that it is unknown
[[nodiscard]] HttpError http_error_of(const base::Error& error, const Wanted& wanted,
                                      const std::string& since = {});

// Returns the redirection to the URL with the spelling that is recorded.
//   what  "page" or "feed"
//   url   below base_url
[[nodiscard]] HttpError moved(const std::string& what, std::string url);

// Returns 404 for a page past the last one. A later release may bring further pages.
[[nodiscard]] HttpError past_the_end();

// Returns 429 for a client that has to wait.
//   text  a sentence that says why
[[nodiscard]] HttpError too_many(std::string text, std::chrono::seconds wait);

// Returns 503 for a page of many objects that cannot have its turn.
[[nodiscard]] HttpError no_turn();

// When a client may ask again after 503.
inline constexpr long retry_after = 30;  // seconds

// Returns the response to an error: JSON for who asks for it, HTML for browsers, plain text for all other clients. With
// Retry-After (429, 503), Allow (405), Location (301, 302, 303; by path, as pages link) or WWW-Authenticate (401), and a
// Cache-Control that fits the status. Pure.
//   site, templates  of the pages that error pages look like
[[nodiscard]] Response error_response(const HttpError& error, const Request& request,
                                      const render::PageSite& site,
                                      const render::Templates& templates);

}  // namespace serve
