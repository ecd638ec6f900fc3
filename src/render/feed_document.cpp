// How a document of a feed is put together: which items it has, in which order, and what it links to.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"

namespace render {
namespace {

using query::archive_page;
using Links = FeedDocument::Links;

constexpr std::size_t most_feed_bytes = 512 << 10;

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
struct Entry {
    const tables::Row* row = nullptr;
    const tables::Mention* mention = nullptr;
};

// Returns the rows and mentions of a page, the newest first.
std::vector<Entry> entries_in_order(const query::HistoryPage& page) {
    std::vector<Entry> entries;
    for (const auto& mention : page.mentions) entries.push_back({.mention = &mention});
    for (const auto& row : page.rows) entries.push_back({.row = &row});
    const auto time_of = [](const Entry& entry) {
        return entry.row != nullptr ? base::Seconds(entry.row->release.released_on)
                                    : entry.mention->first_seen;
    };
    std::ranges::stable_sort(entries, [&](const Entry& a, const Entry& b) {
        if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
        if (a.row == nullptr || b.row == nullptr) return a.row == nullptr && b.row != nullptr;
        if (a.row->release != b.row->release) return a.row->release > b.row->release;
        return a.row->object < b.row->object;
    });
    return entries;
}

// Returns the links of a document with so many of the newest rows.
Links links_of(const query::HistoryPage& page, const Channel& channel, std::size_t shown) {
    Links links;
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

// Returns the language of the channel if it looks like a code that every reader knows, otherwise that of the site.
std::string language_of(const Channel& channel, const Site& site) {
    const auto code = base::fold_ascii(channel.language);
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool is_short = code.size() == 2 || (code.size() == 5 && code[2] == '-');
    if (!is_short || !is_letter(code[0]) || !is_letter(code[1])) return site.language;
    if (code.size() == 5 && !(is_letter(code[3]) && is_letter(code[4]))) return site.language;
    return code;
}

FeedDocument document_of(const Channel& channel, base::Seconds updated, const Site& site) {
    const auto publisher = plain_line(site.title);
    return {.site = site,
            .channel = channel,
            .title = plain_sentence(channel.subject.title + channel.filter_text),
            .description = channel.subject.description,
            .language = language_of(channel, site),
            .publisher = publisher.empty() ? "Varve" : publisher,
            .updated = updated};
}

// Returns the document with as many of the items as fit into `most` bytes.
//   item_at    FeedItem(std::size_t): items are made one at a time, because there may be no room for most of them
//   links_for  Links(std::size_t): of a document with so many of the items
template <class ItemAt, class LinksFor>
std::string written(const Format& format, FeedDocument document, std::size_t count,
                    std::size_t most, ItemAt item_at, LinksFor links_for) {
    std::string items;
    std::vector<std::size_t> ends;  // of each item in `items`
    items.reserve(std::min(count * 2'000, most_feed_bytes));
    while (ends.size() < count) {
        if (!ends.empty()) items += format.between;
        format.append_item(items, item_at(ends.size()), document);
        if (items.size() > most) break;
        ends.push_back(items.size());
    }
    // The head says whether all are there. It is written again in the rare case that they do not fit after it.
    for (auto shown = ends.size();; --shown) {
        std::string text;
        const auto size = shown == 0 ? 0 : ends[shown - 1];
        text.reserve(size + 4'000);
        document.links = links_for(shown);
        format.append_head(text, document);
        if (shown > 0 && text.size() + size + format.tail.size() > most) continue;
        return text.append(items, 0, size).append(format.tail);
    }
}

}  // namespace

std::string Format::render(const query::HistoryPage& page, const Channel& channel,
                           const Site& site) const {
    const auto entries = entries_in_order(page);
    auto document = document_of(channel, last_modified(page), site);
    if (page.cut)
        document.description +=
            " This feed covers only some of the items, because there are too many to look at"
            " all of them.";
    const auto item_at = [&](std::size_t i) {
        const auto& [row, mention] = entries[i];
        return row != nullptr ? item_of(*row, page, site) : item_of(*mention, site);
    };
    const auto links_for = [&](std::size_t shown) {
        const auto rows = static_cast<std::size_t>(
            std::count_if(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(shown),
                          [](const Entry& entry) { return entry.row != nullptr; }));
        auto links = links_of(page, channel, rows);
        links.complete = links.complete && shown - rows >= page.mentioned;
        return links;
    };
    return written(*this, std::move(document), entries.size(),
                   channel.before > 0 ? std::string::npos : most_feed_bytes, item_at, links_for);
}

std::string Format::render(const query::ReleaseList& releases, const Channel& channel,
                           const Site& site) const {
    const auto updated =
        releases.empty() ? base::Date{} : releases.front().summary.release.released_on;
    return written(
        *this, document_of(channel, updated, site), std::min(releases.size(), releases_in_feed),
        most_feed_bytes, [&](std::size_t i) { return item_of(releases[i], site); },
        [&](std::size_t shown) {
            Links links;
            links.complete = shown >= releases.size() && !channel.is_part;
            return links;
        });
}

std::string Format::render(const SourceFeed& feed, const Channel& channel,
                           const Site& site) const {
    const auto links_for = [&](std::size_t shown) {
        Links links;
        const auto last = shown < feed.items.size() && shown > 0
                              ? std::optional(position_of(feed.items[shown - 1]))
                              : feed.rest;
        links.complete =
            !last && shown == feed.items.size() && !channel.is_part && !channel.is_older;
        if (last && !channel.is_part) links.next = channel.older_url + text_of(*last);
        return links;
    };
    return written(
        *this, document_of(channel, feed.updated, site), feed.items.size(), most_feed_bytes,
        [&](std::size_t i) { return item_of(feed.items[i], feed, site); }, links_for);
}

}  // namespace render
