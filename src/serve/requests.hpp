// serve/feed_query.hpp -- which feed is asked for: of an object, a watch list, a class or a
// release, or a page of its archive.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "serve/http.hpp"

namespace serve {

struct FeedQuery {
    enum class Of : unsigned char { object, watch_list, whole_class, release };
    Of of = Of::object;
    history::ObjectName object;                // of a class: without a name
    std::vector<history::ObjectName> objects;  // of a watch list: sorted, each once, 1 … 200
    std::string version;                       // of a release
    history::Window window;                    // before > 0: a page of the archive
    bool says_most = false;  // n= was given, be it the default: it belongs to the address
    std::string format;      // one of render::formats(); empty: not said
    bool operator==(const FeedQuery&) const = default;

    [[nodiscard]] bool is_archive() const { return window.before > 0; }
    // Of many objects: may be up to a minute old (docs/protocols.md).
    [[nodiscard]] bool is_wide() const { return of != Of::object; }
};

inline constexpr std::size_t default_items = 50;

enum class Document : unsigned char { feed, archive };

// What /rss or /rss/archive is asked for.
//   most_items  the largest n that is allowed (serve.max_items)
//   error       400 naming the parameter; 414
[[nodiscard]] Answered<FeedQuery> parse_feed_query(std::string_view query, std::size_t most_items,
                                                   Document document = Document::feed);

// What /release/VERSION or /release/VERSION/archive is asked for as feed.
[[nodiscard]] Answered<FeedQuery> parse_release_feed_query(const std::string& version,
                                                           std::string_view query,
                                                           std::size_t most_items,
                                                           Document document = Document::feed);

// The same query in the one spelling that links and `self` use: class, name | object …, n,
// since, tag, change, format, before.
[[nodiscard]] std::string to_text(const FeedQuery& query);
// Path and query below base_url: "/rss?class=…", "/release/WS187/archive?format=rss&before=50".
[[nodiscard]] std::string address_of(const FeedQuery& query);
// The address of the pages of its archive in one format, without their number: ends with
// "before=".
[[nodiscard]] std::string archive_address_of(FeedQuery query, std::string_view format);
// The address of the feed that an archive page belongs to.
[[nodiscard]] std::string current_address_of(FeedQuery query);

// What its title says when it shows less than the plain feed: ", since WS186, newest 20".
[[nodiscard]] std::string narrowing_of(const FeedQuery& query);

}  // namespace serve
