// render/document.hpp -- what the formats of a feed have in common: which items a document holds,
// and how it links to the rest of them.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "render/feed.hpp"

namespace render {

// Where a document stands among those that hold all items (RFC 5005). Empty: there is none.
struct Neighbours {
    bool complete = false;  // all items are in this one, which is no page of the archive
    bool archive = false;   // this is a page of the archive
    std::string current;    // of an archive page: the feed itself
    std::string older;      // the archive page to read next, going back
    std::string newer;      // of an archive page: the next one
};
//   shown  items that the document holds, the newest ones
[[nodiscard]] Neighbours neighbours_of(const query::HistoryPage& excerpt, const Channel& channel,
                                       std::size_t shown);

// How a format writes a document: head, the items one by one, tail.
struct Shape {
    void (*append_head)(std::string&, const query::HistoryPage&, const Channel&,
                        const Neighbours&, const Site&);
    void (*append_item)(std::string&, const tables::Row&, const query::HistoryPage&, const Site&);
    std::string_view between;  // two items
    std::string_view tail;
};
// The document: its items newest release first, then by class and name; without the oldest ones
// where it would be above 512 KB, pages of the archive aside.
[[nodiscard]] std::string document_of(const Shape& shape, const query::HistoryPage& excerpt,
                                      const Channel& channel, const Site& site);

// The channel's title: "Gene unc-26 (WBGene00006763) - WormBase changes, since WS186".
[[nodiscard]] std::string title_of(const Channel& channel);

// The channel's description, and that older rows were not looked at where it is so.
[[nodiscard]] std::string description_of(const query::HistoryPage& excerpt,
                                         const Channel& channel);

// "Gene unc-26": an object by what people call it.
[[nodiscard]] std::string shown_name(const query::Named& named);

// The site's title as the name of who publishes: never empty.
[[nodiscard]] std::string publisher_of(const Site& site);

// BASE/feed.css: shows a feed in a browser.
[[nodiscard]] std::string style_sheet_of(const Site& site);

}  // namespace render
