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

namespace serve {

class Query;         // parameters.hpp
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
    release_feed,  // the feed at the address of the page, which is counted as that
    releases,
    releases_feed,  // likewise
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

using AnswerRoute = Result<Response>(SiteContext& context, const Request& request);

AnswerRoute answer_feed, answer_archive, answer_release_archive;
AnswerRoute answer_old_link;  // redirects the links of the first system: /db/rss?name=…;class=…
AnswerRoute answer_home, answer_history, answer_difference, answer_object;
AnswerRoute answer_release, answer_releases;  // a page, or a feed when the client asks for one
AnswerRoute answer_watch;
AnswerRoute answer_kept_watch;  // the page of a list that is kept: /watch/ID
// POST: changes a list by what the form of its page sends, and leads to the page of the new list.
// Nothing is stored, unless a short address is asked for.
//   returns  303, or an error
AnswerRoute take_watch_form;
AnswerRoute answer_opml, answer_suggest;
AnswerRoute answer_sources;  // the source feeds that the harvester polls, or one of them
AnswerRoute answer_hub;      // the WebSub hub, which takes POST alone: 405, or 404 without a hub
// POST: records what a subscriber asks for, before it is verified and whatever comes of that.
//   returns  202, or an error whose text names the parameter
AnswerRoute take_subscription;
AnswerRoute answer_file;    // style sheets and the script of the pages
AnswerRoute answer_robots;  // asks crawlers to stay away from pages that are made for one reader
AnswerRoute answer_health, answer_metrics;

// Returns the error of other methods than POST for the hub.
[[nodiscard]] HttpError no_method_of_hub();

// Returns the feed at an address, in its format or the one that Accept prefers.
[[nodiscard]] Result<Response> answer_with_feed(SiteContext& context, const Request& request,
                                                const Query& feed);

// Returns the version in /release/VERSION and /release/VERSION/archive; 404 when it is not one.
[[nodiscard]] Result<std::string> version_in_path(std::string_view path);

}  // namespace serve
