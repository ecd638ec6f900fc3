// serve/routes.hpp -- the name and the function of each route; the table that maps paths to them is
// in site.cpp.
// For this room only. Each route answers GET; site.cpp derives HEAD. Some answer POST. Safe from
// any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "hub/topic.hpp"
#include "serve/http.hpp"

namespace serve {

class Query;          // parameters.hpp
struct SiteContext;   // context.hpp
struct RenderedPage;  // responses.hpp

// What was requested.
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
    openapi,
    hub,
    health,
    metrics,
};
// The label `route` of the metrics, in the same order.
inline constexpr auto route_names =
    std::to_array<std::string_view>({"none",    "home",     "feed",
                                     "archive", "history",  "diff",
                                     "object",  "release",  "release_archive",
                                     "release", "releases", "releases",
                                     "watch",   "opml",     "suggest",
                                     "feeds",   "file",     "old_link",
                                     "openapi", "hub",      "healthz",
                                     "metrics"});
inline constexpr std::size_t route_count = route_names.size();
static_assert(route_count == static_cast<std::size_t>(Route::metrics) + 1);

using AnswerRoute = Result<Response>(SiteContext& context, const Request& request, Route route);

AnswerRoute answer_feed;      // also the archives of feeds
AnswerRoute answer_old_link;  // redirects the links of the first system: /db/rss?name=…;class=…
// POST: changes a list by what the form of its page sends, and leads to the page of the new list.
// Nothing is stored, unless a short address is asked for.
//   returns  303, or an error
AnswerRoute take_watch_form;
// POST to the WebSub hub: records what a subscriber asks for, before it is verified and whatever comes of that.
//   returns  202, or an error whose text names the parameter
AnswerRoute take_subscription;
AnswerRoute answer_openapi;  // what the addresses are and take, for programs
AnswerRoute answer_file;     // style sheets and the script of the pages
AnswerRoute answer_robots;   // asks crawlers to stay away from pages that are made for one reader
AnswerRoute answer_health, answer_metrics;

// Renders a page for a query that was parsed.
//   throws  as cached_response() says
using RenderPage = Result<RenderedPage>(SiteContext& context, const Query& query);

RenderPage render_home, render_history, render_difference, render_object;
RenderPage render_release, render_releases;
RenderPage render_watch;  // of a list in its address, or of one that is kept: /watch/ID
RenderPage render_opml, render_suggestions;
RenderPage render_sources;  // the source feeds that the harvester polls, or one of them

struct MediaType {
    static constexpr std::string_view html = "text/html; charset=utf-8";
    static constexpr std::string_view json = "application/json";
    static constexpr std::string_view text = "text/plain; charset=utf-8";
    static constexpr std::string_view opml = "text/x-opml; charset=utf-8";
};
// What answers GET at the address of a page.
struct Page {
    RenderPage* render = nullptr;
    std::string_view type = MediaType::html;          // without format=
    long max_age = std::numeric_limits<long>::max();  // seconds, if the site has no lower one
    Route feed = Route::none;  // at the same address, for clients that prefer one
    // Whether it costs no more than that of one object, with parameters and without any.
    bool is_ordinary = false, is_ordinary_bare = false;
};
[[nodiscard]] Result<Response> answer_page(SiteContext& context, const Request& request,
                                           Route route, const Page& page);

// Returns the feed at an address, in its format or the one that Accept prefers.
//   by  what chose the format, where the URL of the feed has another one than the client asked for
enum class FormatBy : unsigned char { url, accept };
[[nodiscard]] Result<Response> answer_with_feed(SiteContext& context, const Request& request,
                                                const Query& feed, FormatBy by = FormatBy::url);

// Reads what is new, as hub::ReadNews says. RSS and Atom have the new items alone; JSON Feed has all that the
// feed has. Where only some of the rows can be told apart, all of them come again (feed_position.hpp).
//   throws  store::Failure; query::Busy
[[nodiscard]] base::Result<std::optional<hub::FeedNews>> read_news(SiteContext& context,
                                                                   const hub::Topic& topic,
                                                                   std::string_view since);

// Returns the route of the feed at an address; Route::none: it has none.
//   error  404, where the path is no address
[[nodiscard]] Result<Route> feed_route_at(const std::string& path);

// Returns the version in /release/VERSION and /release/VERSION/archive; 404 when it is not one.
[[nodiscard]] Result<std::string> version_in_path(std::string_view path);

}  // namespace serve
