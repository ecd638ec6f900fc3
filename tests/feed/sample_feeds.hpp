// feed/sample_feeds.hpp -- small feeds for tests, and their reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "feed/read_feed.hpp"
#include "support/catch.hpp"

namespace sample {

inline const std::string document_url = "http://x.org/feed";

// Returns an RSS feed of these elements of its channel, with the title "T". It declares no prefix.
inline std::string rss(const std::string& elements) {
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel><title>T"
           "</title>" +
           elements + "</channel></rss>";
}

// Returns the reading of a feed that can be read.
inline feed::Feed reading_of(std::string_view bytes, std::string_view content_type = "",
                             const feed::ReadLimits& limits = {}) {
    auto feed = feed::read_feed(bytes, content_type, document_url, limits);
    INFO((feed ? "" : feed.error().text));
    REQUIRE(feed.has_value());
    return *std::move(feed);
}

// Returns the text of the error of a feed that cannot be read; empty: it can.
inline std::string error_of(std::string_view bytes, std::string_view content_type = "") {
    const auto feed = feed::read_feed(bytes, content_type, document_url);
    return feed ? "" : feed.error().text;
}

}  // namespace sample
