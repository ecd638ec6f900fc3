// serve/routes.hpp -- the name and the function of each route; the table that maps paths to them is
// in site.cpp.
// For this room only. Each route answers GET; site.cpp derives HEAD. Some answer POST. Safe from
// any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "serve/http.hpp"
#include "serve/requests.hpp"

namespace serve {

struct SiteContext;  // context.hpp

// What was requested; the label `route` of the metrics. The compiler asks for the name of a new one
// (monitoring.cpp).
enum class Route : unsigned char {
    none,  // no page has this path, or the request cannot be parsed
    home,
    feed,
    archive,
    history,
    difference,
    object,
    release,
    release_archive,
    releases,
    watch,
    opml,
    suggest,
    sources,
    file,
    old_link,
    hub,
    health,
    metrics,  // the last one: the counters have room up to here
};
inline constexpr std::size_t route_count = static_cast<std::size_t>(Route::metrics) + 1;
[[nodiscard]] std::string_view name_of(Route route);

[[nodiscard]] Result<Response> answer_feed(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_archive(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_release_archive(SiteContext& context,
                                                      const Request& request);
// Redirects the links of the first system: /db/rss?name=…;class=…
[[nodiscard]] Result<Response> answer_old_link(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_home(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_history(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_difference(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_object(SiteContext& context, const Request& request);
// A page, or a feed when the client asks for one.
[[nodiscard]] Result<Response> answer_release(SiteContext& context, const Request& request);
// A page, or a feed, likewise.
[[nodiscard]] Result<Response> answer_releases(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_watch(SiteContext& context, const Request& request);
// The page of a list that is kept: /watch/ID.
[[nodiscard]] Result<Response> answer_kept_watch(SiteContext& context, const Request& request);
// POST: changes a list by what the form of its page sends, and leads to the page of the new list.
// Nothing is stored, unless a short address is asked for.
//   returns  303, or an error
[[nodiscard]] Result<Response> take_watch_form(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_opml(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_suggest(SiteContext& context, const Request& request);
// The source feeds that the harvester polls, and how that goes; or one of them.
[[nodiscard]] Result<Response> answer_sources(SiteContext& context, const Request& request);
// The WebSub hub, which takes POST alone: 405, or 404 on a site without a hub.
[[nodiscard]] Result<Response> answer_hub(SiteContext& context, const Request& request);
// POST: records what a subscriber asks for, before it is verified and whatever comes of that.
//   returns  202, or an error whose text names the parameter
[[nodiscard]] Result<Response> take_subscription(SiteContext& context, const Request& request);
// Style sheets and the script of the pages.
[[nodiscard]] Result<Response> answer_file(SiteContext& context, const Request& request);
// Asks crawlers to stay away from pages that are made for one reader; from a private site at all.
[[nodiscard]] Result<Response> answer_robots(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_health(SiteContext& context, const Request& request);
[[nodiscard]] Result<Response> answer_metrics(SiteContext& context, const Request& request);

// Returns the error of other methods than POST for the hub.
[[nodiscard]] HttpError no_method_of_hub();

// Returns the feed of a parsed request, in its format or the one that Accept prefers.
[[nodiscard]] Result<Response> answer_feed_request(SiteContext& context, const Request& request,
                                                   const FeedRequest& feed);

// Returns the version in /release/VERSION and /release/VERSION/archive; 404 when it is not one.
[[nodiscard]] Result<std::string> version_in_path(std::string_view path);

}  // namespace serve
