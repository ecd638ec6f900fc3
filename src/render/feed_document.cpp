// How a document of a feed is put together: which items it has, in which order, and what it links to.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <span>

#include "render/feed.hpp"
#include "render/mention.hpp"
#include "render/releases.hpp"

namespace render {
namespace {

using query::archive_page;

constexpr std::size_t most_feed_bytes = 512 << 10;

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

// Returns the number of the archive page that holds this row, counted from the oldest.
std::size_t page_with(std::size_t number) { return (number / archive_page + 1) * archive_page; }

// Returns the newest archive page with rows that a document of the newest `shown` rows lacks; 0 if
// the document shows all. If pages are numbered by recording, any page may have such rows.
std::size_t page_behind(const query::HistoryPage& page, std::size_t shown) {
    if (shown >= page.recorded) return 0;
    const auto hidden = page.recorded - shown;
    return page_with((page.numbered_by_recording ? page.recorded : hidden) - 1);
}

// An item of the feed of an object or of several: one of the two.
struct Item {
    const tables::Row* row = nullptr;
    const tables::Mention* mention = nullptr;
};

// Returns the rows and mentions of a page, the newest first.
std::vector<Item> items_in_order(const query::HistoryPage& page) {
    std::vector<Item> mentions, merged;
    for (const auto& mention : page.mentions) mentions.push_back({.mention = &mention});
    std::ranges::stable_sort(mentions, std::ranges::greater{},
                             [](const Item& item) { return item.mention->first_seen; });
    auto next = mentions.begin();
    for (const auto* row : in_order(page.rows)) {
        while (next != mentions.end() && next->mention->first_seen >= row->release.released_on)
            merged.push_back(*next++);
        merged.push_back({.row = row});
    }
    merged.insert(merged.end(), next, mentions.end());
    return merged;
}

// The channel's description. It says so if older rows were not searched.
std::string description_of(const query::HistoryPage& page, const Channel& channel) {
    const auto& description = channel.subject.description;
    if (!page.cut) return description;
    return description +
           " This feed covers only some of the items, because there are too many to look at"
           " all of them.";
}

// Returns the links of a document with so many of the newest rows.
Neighbours neighbours_of(const query::HistoryPage& page, const Channel& channel,
                         std::size_t shown) {
    Neighbours links;
    const auto archive_url = [&channel](std::size_t before) {
        if (channel.archive_url.empty() || before == 0) return std::string();
        return channel.archive_url + std::to_string(before);
    };
    links.archive = channel.before > 0;
    if (page.cut) return links;
    if (!links.archive) {
        links.complete = shown >= page.recorded && !channel.is_part;
        // What a part lacks may be newer than what it has.
        links.older = archive_url(page_behind(page, channel.is_part ? 0 : shown));
        return links;
    }
    links.current = channel.current_url;
    links.older = archive_url(channel.before - std::min(channel.before, archive_page));
    if (page.recorded > channel.before) links.newer = archive_url(channel.before + archive_page);
    return links;
}

// Returns the links of a document that shows this many items of our copy of a source feed.
Neighbours neighbours_of(const SourceFeed& feed, const Channel& channel, std::size_t shown) {
    Neighbours links;
    const auto last = shown < feed.items.size() && shown > 0
                          ? std::optional(position_of(feed.items[shown - 1]))
                          : feed.rest;
    links.complete = !last && shown == feed.items.size() && !channel.is_part && !channel.is_older;
    if (last && !channel.is_part) links.next = channel.older_url + text_of(*last);
    return links;
}

struct Items {
    std::string bytes;
    std::vector<std::size_t> ends;  // of each item in `bytes`; shape.between separates them
};

// Returns the first items, `most` bytes at most.
//   append  void(std::string&, const Item&)
template <class List, class Append>
Items items_of(const Shape& shape, const List& list, std::size_t most, Append append) {
    Items items;
    items.bytes.reserve(std::min(list.size() * 2'000, most_feed_bytes));
    for (const auto& each : list) {
        if (!items.ends.empty()) items.bytes += shape.between;
        append(items.bytes, each);
        if (items.bytes.size() > most) break;
        items.ends.push_back(items.bytes.size());
    }
    return items;
}

// Returns the document with as many of the items as fit into `most` bytes. The head says whether all
// are there. It is written again in the rare case that they do not fit after it.
//   links_for  Neighbours(std::size_t): of a document with so many of the items
template <class LinksFor>
std::string with_head(const Shape& shape, const Items& items, const DocumentHead& head,
                      const Channel& channel, const Site& site, std::size_t most,
                      LinksFor links_for) {
    for (auto shown = items.ends.size();; --shown) {
        std::string document;
        const auto size = shown == 0 ? 0 : items.ends[shown - 1];
        document.reserve(size + 4'000);
        shape.append_head(document, head, channel, links_for(shown), site);
        if (shown > 0 && document.size() + size + shape.tail.size() > most) continue;
        document.append(items.bytes, 0, size);
        document += shape.tail;
        return document;
    }
}

}  // namespace

std::string Format::render(const query::HistoryPage& page, const Channel& channel,
                           const Site& site) const {
    const auto most = channel.before > 0 ? std::string::npos : most_feed_bytes;
    std::vector<std::size_t> mentions;  // of the items up to each one, how many are no rows
    const auto items =
        items_of(shape, items_in_order(page), most, [&](std::string& bytes, const Item& item) {
            mentions.push_back((mentions.empty() ? 0 : mentions.back()) +
                               (item.mention != nullptr ? 1 : 0));
            if (item.mention != nullptr)
                shape.append_item(bytes, feed_item_of(*item.mention, site), item.mention, channel,
                                  site);
            else
                shape.append_item(bytes, feed_item_of(*item.row, page, site),
                                  RowOfPage{*item.row, page}, channel, site);
        });
    const auto links_for = [&](std::size_t shown) {
        const auto mentioned = shown == 0 ? 0 : mentions[shown - 1];
        auto links = neighbours_of(page, channel, shown - mentioned);
        links.complete = links.complete && mentioned >= page.mentioned;
        return links;
    };
    return with_head(shape, items, {last_modified(page), description_of(page, channel)}, channel,
                     site, most, links_for);
}

std::string Format::render_releases(const query::ReleaseList& releases, const Channel& channel,
                                    const Site& site) const {
    const std::span newest(releases.data(), std::min(releases.size(), releases_in_feed));
    const auto items =
        items_of(shape, newest, most_feed_bytes, [&](std::string& bytes, const auto& release) {
            shape.append_item(bytes, feed_item_of(release, site), {}, channel, site);
        });
    DocumentHead head{.description = channel.subject.description};
    if (!releases.empty()) head.updated = releases.front().summary.release.released_on;
    return with_head(shape, items, head, channel, site, most_feed_bytes, [&](std::size_t shown) {
        Neighbours links;
        links.complete = shown >= releases.size() && !channel.is_part;
        return links;
    });
}

std::string Format::render_source(const SourceFeed& feed, const Channel& channel,
                                  const Site& site) const {
    const auto items =
        items_of(shape, feed.items, most_feed_bytes, [&](std::string& bytes, const auto& item) {
            shape.append_item(bytes, feed_item_of(item, feed, site), ItemOfSource{item, feed},
                              channel, site);
        });
    return with_head(shape, items, {feed.updated, channel.subject.description}, channel, site,
                     most_feed_bytes,
                     [&](std::size_t shown) { return neighbours_of(feed, channel, shown); });
}

}  // namespace render
