// serve/routes.hpp -- the function of each route; the table that maps paths to them is in site.cpp.
// For this room only. Each route answers GET; site.cpp derives HEAD. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "serve/context.hpp"
#include "serve/http.hpp"
#include "serve/requests.hpp"

namespace serve {

[[nodiscard]] Result<Response> answer_feed(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_archive(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_release_archive(SiteContext& site, const Request& request);
// Redirects the links of the first system: /db/rss?name=…;class=…
[[nodiscard]] Result<Response> answer_old_link(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_home(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_history(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_difference(SiteContext& site, const Request& request);
// A page, or a feed when the client asks for one.
[[nodiscard]] Result<Response> answer_release(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_opml(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_suggest(SiteContext& site, const Request& request);
// Style sheets and the script of the pages.
[[nodiscard]] Result<Response> answer_file(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_health(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_metrics(SiteContext& site, const Request& request);

// Returns the feed of a parsed request, in its format or the one that Accept prefers.
[[nodiscard]] Result<Response> answer_feed_request(SiteContext& site, const Request& request,
                                                   const FeedRequest& feed);

// Returns the version in /release/VERSION and /release/VERSION/archive; 404 when it is not one.
[[nodiscard]] Result<std::string> version_in_path(std::string_view path);

}  // namespace serve
