// serve/routes.hpp -- what answers each address: a function for each; site.cpp has the table.
// For this room only. Each answers GET; HEAD is made of it in one place. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "serve/feed_query.hpp"
#include "serve/http.hpp"
#include "serve/workings.hpp"

namespace serve {

[[nodiscard]] Answered<Response> answer_feed(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_archive(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_release_archive(Workings& workings,
                                                        const Request& request);
// The old site's links: /db/rss?name=…;class=…
[[nodiscard]] Answered<Response> answer_old_link(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_home(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_history(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_difference(Workings& workings, const Request& request);
// A page, or a feed where one is asked for.
[[nodiscard]] Answered<Response> answer_release(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_opml(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_suggest(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_file(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_health(Workings& workings, const Request& request);
[[nodiscard]] Answered<Response> answer_metrics(Workings& workings, const Request& request);

// The document that a query names, in its format or the one that Accept likes best.
[[nodiscard]] Answered<Response> answer_feed_query(Workings& workings, const Request& request,
                                                   const FeedQuery& query);

// The version in /release/VERSION and /release/VERSION/archive; 404 when it can't be one.
[[nodiscard]] Answered<std::string> version_in_path(std::string_view path);

}  // namespace serve
