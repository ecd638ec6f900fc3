// Lists of feeds of any bytes: each feed once, and what was written is read as it was.
// SPDX-License-Identifier: MIT
#include <set>
#include <string>

#include "base/utf8.hpp"
#include "feed/opml.hpp"
#include "fuzz/fuzz.hpp"

void fuzz(std::string_view bytes) {
    const auto feeds = feed::read_opml(bytes);
    if (!feeds) {
        require(!feeds.error().text.empty() && base::is_legal_text(feeds.error().text));
        return;
    }
    std::set<std::string> urls;
    for (const auto& one : *feeds) {
        require(!one.url.empty() && urls.insert(one.url).second);
        require(base::is_legal_text(one.url) && base::is_legal_text(one.title) &&
                base::is_legal_text(one.home_url));
    }
    // Line breaks in attributes are blanks when they are read, and a feed without a title is shown with its URL.
    const auto again = feed::read_opml(feed::write_opml("feeds", *feeds));
    require(again.has_value() && again->size() <= feeds->size());
    require(feed::read_opml(feed::write_opml("feeds", *again)) == again);
}
