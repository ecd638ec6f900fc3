// Lists of feeds of any bytes: each feed once, and what was written is read as it was.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-opml_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "feed/opml.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto feeds = feed::read_opml(bytes);
    if (!feeds) {
        require(!feeds.error().text.empty() && base::is_legal_text(feeds.error().text));
        return 0;
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
    return 0;
}
