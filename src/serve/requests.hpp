// serve/requests.hpp -- what each page is asked for: the query of its URL as a value, and back as
// the one canonical URL that links, cache keys and redirections use.
// "URL" is below base_url here: "/rss?class=Gene&name=x".
// Pure. Safe from any thread. Errors: 400 naming the parameter, 414.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/topic.hpp"
#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "render/source_feed.hpp"
#include "serve/http.hpp"

namespace serve {

// A feed, or a page of its archive (RFC 5005).
struct FeedRequest {
    using Subject = hub::Topic::Subject;  // each of them can be subscribed to
    Subject subject = Subject::object;
    tree::ObjectName object;                // of a class: without a name
    std::vector<tree::ObjectName> objects;  // of a watch list: sorted, unique, 1 … 200
    std::string list_id;  // of a watch list with a short address, which has no objects here
    std::string version;  // of a release
    std::int64_t source_feed = 0;                    // its id; 0: another subject
    std::optional<render::ItemPosition> older = {};  // of a source feed: what is behind this item
    query::PageRequest
        page;  // before > 0: a page of the archive; mentions as many, at most 200, or 0
    bool has_count = false;  // n= was given, even as the default: it is part of the URL
    std::string format;      // one of render::formats(); empty: not given
    bool operator==(const FeedRequest&) const = default;

    [[nodiscard]] bool is_archive() const { return page.before > 0; }
    // True for feeds that are made of many rows: they take turns (docs/protocols.md).
    [[nodiscard]] bool is_wide() const { return subject != Subject::object; }
    // True for feeds whose rows are those of thousands of objects. Each value of their parameters is a
    // page that is expensive to render.
    [[nodiscard]] bool is_of_many() const {
        return subject == Subject::whole_class || subject == Subject::release;
    }
};

inline constexpr std::size_t default_items = 50;

enum class Document : unsigned char { feed, archive };

// Parses the query of /rss or /rss/archive.
//   most_items  the largest n that is allowed (serve.max_items)
[[nodiscard]] Result<FeedRequest> parse_feed_request(std::string_view query,
                                                     std::size_t most_items,
                                                     Document document = Document::feed);
// Parses the query of /release/VERSION or /release/VERSION/archive as that of a feed.
[[nodiscard]] Result<FeedRequest> parse_release_feed_request(const std::string& version,
                                                             std::string_view query,
                                                             std::size_t most_items,
                                                             Document document = Document::feed);

// Parses the query of /releases as that of a feed: format= alone.
[[nodiscard]] Result<FeedRequest> parse_releases_feed_request(std::string_view query);

// "/rss?class=…", "/release/WS187/archive?format=rss&before=50"
[[nodiscard]] std::string url_of(const FeedRequest& request);
// The URL of the archive pages in one format, without their number: it ends with "before=".
[[nodiscard]] std::string archive_url_of(FeedRequest request, std::string_view format);
// The URL of what is behind an item of a source feed, without its position: it ends with "older=".
[[nodiscard]] std::string older_url_of(FeedRequest request);
// The URL of the feed that an archive page belongs to.
[[nodiscard]] std::string current_url_of(FeedRequest request);

// What the title of a filtered feed adds to that of the full one: ", since WS186, newest 20".
[[nodiscard]] std::string filter_text_of(const FeedRequest& request);

// Of a page that programs can read too.
enum class PageFormat : unsigned char { html, json };

struct HistoryRequest {
    static constexpr std::string_view path = "/history";
    tree::ObjectName object;
    std::string at;          // a version; empty: all
    std::size_t part = 1;    // of the changes of `at`, or of the rows
    std::size_t number = 0;  // of a change of `at`, instead of the part that has it; 0: none
    PageFormat format = PageFormat::html;
};

struct ObjectRequest {
    static constexpr std::string_view path = "/object";
    tree::ObjectName object;
    std::string release;  // a version; empty: the current one
    std::size_t part = 1;
    PageFormat format = PageFormat::html;
};

struct DiffRequest {
    static constexpr std::string_view path = "/diff";
    tree::ObjectName object;
    std::string from, to;  // versions, both required
    PageFormat format = PageFormat::html;
    std::size_t part = 1;
};

struct HomeRequest {
    static constexpr std::string_view path = "/";
    std::string class_name, text;  // of a search; both may be empty
    std::size_t from = 0;          // of what the search found, the first one shown
    PageFormat format = PageFormat::html;
    bool operator==(const HomeRequest&) const = default;
};

struct SuggestRequest {
    static constexpr std::string_view path = "/suggest";
    std::string class_name, text;  // as above
};

// A watch list: its objects, or the id of its short address.
struct ListRequest {
    static constexpr std::string_view path = "/opml";
    std::vector<tree::ObjectName> objects;  // sorted, unique, at most 200
    std::string id;
    bool operator==(const ListRequest&) const = default;
};

// /watch and /watch/ID
struct WatchRequest {
    ListRequest list;                        // may be empty
    std::string class_name = {}, text = {};  // of a search; both may be empty
    // Names that were pasted and mean no object, or several; most_unclear at most.
    std::vector<std::string> pasted = {};
    std::size_t left_out = 0;  // pasted names that the list or the address has no room for
    bool operator==(const WatchRequest&) const = default;
};
inline constexpr std::size_t most_unclear = 50;

// The source feeds that the harvester polls, or one of them.
struct SourcesRequest {
    static constexpr std::string_view path = "/feeds";
    enum class Format : unsigned char { html, json, opml };
    std::int64_t feed = 0;  // 0: all
    std::string text;       // of a search; may be empty
    std::size_t from = 0;   // of all that were found, the first one shown
    Format format = Format::html;
};

struct ReleasesRequest {
    static constexpr std::string_view path = "/releases";
    std::size_t from = 0;  // releases to skip
};

// Parses the query of a page: of one of the requests above, or query::ContentsQuery of /release/VERSION.
template <class PageRequest>
[[nodiscard]] Result<PageRequest> parse_request(std::string_view query);
template <class PageRequest>
[[nodiscard]] std::string url_of(const PageRequest& request);
[[nodiscard]] std::string url_of(const WatchRequest& request);
[[nodiscard]] std::string release_url_of(const std::string& version,
                                         const query::ContentsQuery& contents);

// Returns the list under a short address: "/watch/ID". Parameters are as above, but for object=.
//   error  404 when the path has no id
[[nodiscard]] Result<WatchRequest> parse_kept_watch_request(std::string_view path,
                                                            std::string_view query);
// Returns the address with as many of the objects, then of the names, as it has room for, in their order; the
// others are counted in left_out.
[[nodiscard]] std::string fitting_url_of(WatchRequest request);

}  // namespace serve
