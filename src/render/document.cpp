// SPDX-License-Identifier: MIT
#include "render/document.hpp"

#include <algorithm>
#include <vector>

#include "render/text.hpp"

namespace render {
namespace {

using query::archive_page;

constexpr std::size_t most_bytes = 512 << 10;

using Rows = std::vector<const tables::Row*>;

Rows in_order(const std::vector<tables::Row>& rows) {
    Rows sorted;
    sorted.reserve(rows.size());
    for (const auto& row : rows) sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        if (a->release != b->release) return a->release > b->release;
        return a->object < b->object;
    });
    return sorted;
}

// The archive page that ends the one which holds row `number`.
std::size_t page_with(std::size_t number) { return (number / archive_page + 1) * archive_page; }

// The newest page that holds what a document of the newest `shown` rows does not: 0 when it
// shows all. By order of recording, any page may.
std::size_t page_behind(const query::HistoryPage& excerpt, std::size_t shown) {
    if (shown >= excerpt.recorded) return 0;
    const auto hidden = excerpt.recorded - shown;
    return page_with((excerpt.numbered_by_recording ? excerpt.recorded : hidden) - 1);
}

struct Items {
    std::string bytes;
    std::vector<std::size_t> ends;  // of each item in `bytes`; between two stands shape.between
};

// Those that can fit: a document is never longer than this, whatever its head takes.
Items items_of(const Shape& shape, const query::HistoryPage& excerpt, const Site& site,
               std::size_t most) {
    Items items;
    items.bytes.reserve(std::min(excerpt.rows.size() * 2'000, most_bytes));
    for (const auto* row : in_order(excerpt.rows)) {
        if (!items.ends.empty()) items.bytes += shape.between;
        shape.append_item(items.bytes, *row, excerpt, site);
        if (items.bytes.size() > most) break;
        items.ends.push_back(items.bytes.size());
    }
    return items;
}

}  // namespace

Neighbours neighbours_of(const query::HistoryPage& excerpt, const Channel& channel,
                         std::size_t shown) {
    Neighbours links;
    const auto page = [&channel](std::size_t before) {
        return channel.archive_url.empty() || before == 0
                   ? std::string()
                   : channel.archive_url + std::to_string(before);
    };
    links.archive = channel.before > 0;
    if (excerpt.cut) return links;
    if (!links.archive) {
        links.complete = shown >= excerpt.recorded;
        links.older = page(page_behind(excerpt, shown));
        return links;
    }
    links.current = channel.current_url;
    links.older = page(channel.before - std::min(channel.before, archive_page));
    if (excerpt.recorded > channel.before) links.newer = page(channel.before + archive_page);
    return links;
}

std::string document_of(const Shape& shape, const query::HistoryPage& excerpt,
                        const Channel& channel, const Site& site) {
    const auto most = channel.before > 0 ? std::string::npos : most_bytes;
    const auto items = items_of(shape, excerpt, site, most);
    // What stands before the items tells whether all are there, so it is written again in the
    // rare case that they don't fit.
    for (auto shown = items.ends.size();; --shown) {
        std::string document;
        const auto size = shown == 0 ? 0 : items.ends[shown - 1];
        document.reserve(size + 4'000);
        shape.append_head(document, excerpt, channel, neighbours_of(excerpt, channel, shown),
                          site);
        if (shown > 0 && document.size() + size + shape.tail.size() > most) continue;
        document.append(items.bytes, 0, size);
        document += shape.tail;
        return document;
    }
}

std::string title_of(const Channel& channel) {
    return plain_line(channel.subject.title + channel.narrowing);
}

std::string description_of(const query::HistoryPage& excerpt, const Channel& channel) {
    const auto& description = channel.subject.description;
    if (!excerpt.cut) return description;
    return description + " Only the newest " + with_separators(query::most_narrowed) +
           " items were looked at.";
}

std::string publisher_of(const Site& site) {
    auto name = plain_line(site.title);
    return name.empty() ? "Varve" : name;
}

std::string style_sheet_of(const Site& site) { return site.base_url + "/feed.css"; }

}  // namespace render
