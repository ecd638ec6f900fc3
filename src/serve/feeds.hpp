// serve/feeds.hpp -- from a parsed request to the objects that it names: one by its name or by what people call it,
// or those of a watch list; and to what a feed has, and the document of that, for readers and for the hub.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "render/feed.hpp"
#include "render/source_feed.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"
#include "serve/parameters.hpp"
#include "serve/responses.hpp"

namespace serve {

// ---- objects ----

// Brings the object that a query names up to date and reads its history.
//   what   "page" or "feed"
//   error  301 to the recorded spelling; of an object that does not exist, 302 to the only one of the class that
//          people call so, 300 with up to 20 of several, or 404; 400 and 503 as http_error_of() says
//   throws store::Failure
[[nodiscard]] Result<query::HistoryService::Answer> history_for(
    SiteContext& context, const Query& query, const query::PageRequest& page_request,
    const std::string& what);

// Returns the id of the short address of a list, of watch= or /watch/ID; empty: the list has its objects.
[[nodiscard]] std::string list_id_of(const Query& query);

// Returns the objects of a list, which the store has if it is under a short address.
//   error  404 with what to do; 503
[[nodiscard]] Result<std::vector<tree::ObjectName>> objects_of_list(const SiteContext& context,
                                                                    const Query& query);

// Notes that a list was asked for, so that it does not give way to others. Does nothing for one that has no short
// address.
void note_use_of_list(SiteContext& context, const Query& query);

// Returns the requested objects, sorted, each once, with known ones in their recorded spelling. Unknown ones
// stay, because a later release may bring them.
//   known  sorted
[[nodiscard]] std::vector<tree::ObjectName> recorded_spellings(
    std::vector<tree::ObjectName> requested, const std::vector<query::Named>& known);

// ---- feeds ----

// A feed in one format.
struct FeedDocument {
    Query query;
    query::PageRequest page;  // as page_request_of() returns it
    const render::Format& format;
    bool is_for_browser = false;   // which shows XML with its stylesheet
    std::string query_token = {};  // of a reader who sent it in the query, or what stands for it
    [[nodiscard]] std::string content_type() const {
        return std::string(is_for_browser ? "application/xml" : format.media_type) +
               "; charset=utf-8";
    }
};

// Returns which rows and mentions a feed has.
//   most_items  serve.max_items
[[nodiscard]] query::PageRequest page_request_of(const Query& query, std::size_t most_items);

// Returns the version of a feed of a release; empty: it is another feed.
[[nodiscard]] std::string version_of(const Query& query);

// Returns what the title of a filtered feed adds to that of the full one: ", since WS186, newest 20".
[[nodiscard]] std::string filter_text_of(const Query& query);

// Returns the format that the query names, or the one that Accept prefers.
[[nodiscard]] const render::Format& format_of(const Query& query, std::string_view accept);

// What a feed has: rows, releases, or what the harvester recorded of a source feed.
struct LoadedFeed {
    std::variant<query::HistoryPage, query::ReleaseList, render::SourceFeed> content;
    render::Subject subject;
    bool up_to_date = true;  // false: some object could not be compared with the current build
};

// Reads a feed.
//   page_request  which rows; the hub needs more than the feed's
//   error   301 to the recorded spelling; 400, 404, 500, 503 as http_error_of() says
//   throws  store::Failure
[[nodiscard]] Result<LoadedFeed> load_feed(SiteContext& context, const Query& query,
                                           const query::PageRequest& page_request);

// Returns the id in feed=; 0: there is none.
[[nodiscard]] std::int64_t source_feed_of(const Query& query);

// The error of a source feed that is not known.
[[nodiscard]] HttpError no_source_feed(std::int64_t feed);

// Reads the newest items of our copy of a source feed.
//   older   a position, behind which the items are; empty: all
//   most    items
//   error   404
//   throws  store::Failure
[[nodiscard]] Result<render::SourceFeed> load_source_feed(const SiteContext& context,
                                                          std::int64_t feed,
                                                          const std::string& older,
                                                          std::size_t most);

// Returns whether the feed can be subscribed to at the hub: not where that looks at thousands of rows each time, as of
// a narrowed class or release, nor with mentions: the hub looks for rows.
[[nodiscard]] bool can_be_topic(const Query& query);

// Returns the URL of the archive pages of a feed in one format, without their number: it ends with "before=".
[[nodiscard]] std::string archive_url_of(const Query& query, std::string_view format);
// Returns the URL of the feed that an archive page belongs to.
[[nodiscard]] std::string current_url_of(const Query& query);

// Returns the document with what was loaded.
//   is_part  that is a part of what it has now
[[nodiscard]] std::string render_feed(const SiteContext& context, const FeedDocument& document,
                                      LoadedFeed feed, bool is_part = false);

}  // namespace serve
