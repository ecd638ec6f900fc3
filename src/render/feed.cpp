// SPDX-License-Identifier: MIT
#include "render/feed.hpp"

#include <algorithm>
#include <array>
#include <concepts>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "feed/opml.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"

namespace render {
namespace {

using query::archive_page;
using tree::ObjectName;

// To add a format: write two functions that call document_of(), declare them in feed.hpp, and add a line
// here. Addresses, Accept, pages and commands follow.
constexpr auto all_formats = std::to_array<Format>(
    {{"rss", "application/rss+xml", "RSS", rss, rss_of_releases, rss_of_source},
     {"atom", "application/atom+xml", "Atom", atom, atom_of_releases, atom_of_source},
     {"json", "application/feed+json", "JSON Feed", json_feed, json_of_releases,
      json_of_source}});

constexpr std::size_t most_named = 2;  // objects of a watch list that its title names

// "CLASS/NAME", percent-encoded as in ids.
std::string path_of(const ObjectName& object) {
    return base::percent_encode(object.class_name) + "/" + base::percent_encode(object.name);
}

Subject subject(const std::string& title, const std::string& description, std::string page_url,
                const std::string& id, const Site& site) {
    return {plain_line(title + " - " + site.title), plain_line(description), std::move(page_url),
            "tag:" + site.authority + ":" + id};
}

// "Gene unc-26, Paper WBPaper00031000 and 3 others"
std::string names_of(const query::WatchList& list) {
    std::string names;
    const auto& objects = list.objects;
    const auto named =
        objects.size() == most_named + 1 ? objects.size() : std::min(objects.size(), most_named);
    for (std::size_t i = 0; i < named; ++i) {
        const bool last = i > 0 && i + 1 == objects.size();
        names += i == 0 ? "" : last ? " and " : ", ";
        names += display_name_of(objects[i]);
    }
    if (named < objects.size())
        names += " and " + std::to_string(objects.size() - named) + " others";
    return names;
}

// Looks in the newest row only, so that the description is the same for any number of rows.
// Narrowed feeds and archive pages may lack that row.
std::optional<Successor> successor_in_description(const query::History& history,
                                                  const Site& site) {
    const bool has_newest = history.vanished && !history.filter.is_set() &&
                            !history.rows.empty() &&
                            history.rows.front().kind == tables::RowKind::vanished;
    return has_newest ? successor_of(history.rows.front(), site) : std::nullopt;
}

// Writes each value with its length before it, so that different values give different texts.
class IdentityText {
   public:
    explicit IdentityText(std::size_t rows) {
        constexpr std::size_t of_channel = 1'000, of_row = 200;
        text_.reserve(of_channel + rows * of_row);
    }

    void add(std::string_view value) {
        text_ += std::to_string(value.size());
        text_ += ':';
        text_ += value;
    }
    void add(std::integral auto value) { add(std::string_view(std::to_string(value))); }
    void add(base::Seconds time) { add(time.time_since_epoch().count()); }
    void add(const base::Release& release) {
        add(release.version);
        add(base::Seconds(release.released_on));
    }
    void add(const tree::ObjectName& object) {
        add(object.class_name);
        add(object.name);
    }
    void add(const std::optional<tree::ObjectName>& object) {
        add(object.has_value());
        if (object) add(*object);
    }

    void add(const Channel& channel) {
        add(channel.subject.title);
        add(channel.subject.description);
        add(channel.subject.page_url);
        add(channel.subject.id);
        add(channel.filter_text);
        add(channel.self_url);
        add(channel.current_url);
        add(channel.archive_url);
        add(channel.before);
        add(channel.for_browser);
        add(channel.hub_url);
        add(channel.older_url);
        add(channel.is_older);
        add(channel.language);
    }

    // Of the notes, only what may change without another revision: so a tag is made without them
    // where it is to be compared alone (query::PageRequest::identities).
    void add(const tables::Row& row) {
        add(row.oid);
        add(row.object);
        add(row.release);
        add(row.of_day);
        add(row.revision);
        add(row.since);
        add(row.since_on ? base::format_date(*row.since_on) : std::string());
        add(row.recorded_at);
        add(row.signature);
        add(static_cast<int>(row.kind));
        add(row.label);
        if (!tables::may_be_renamed(row.kind)) return;
        add(row.notes.renamed_to);
        add(row.notes.renamed_from);
    }

    void add(const tables::MassChange& change) {
        add(change.version);
        add(change.class_name);
        add(change.place);
        add(change.objects);
        add(change.of);
    }

    void add(const tables::Mention& mention) {
        add(mention.object);
        add(mention.entry);
        add(mention.title);
        add(mention.link);
        add(mention.feed);
        add(mention.feed_name);
        add(mention.authors.size());
        for (const auto& author : mention.authors) add(author);
        add(mention.happened_at());
        add(mention.first_seen);
    }

    void add(const query::ChangeFilter& filter) {
        add(filter.tag);
        add(filter.only.size());
        for (const auto op : filter.only) add(compare::name_of(op));
        add(filter.mass);
    }

    template <class Values>
    void add_each(const Values& values) {
        add(values.size());
        for (const auto& value : values) add(value);
    }

    std::string take() && { return std::move(text_); }

   private:
    std::string text_;
};

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

// Returns the links of a document with so many of the items of our copy of a source feed.
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

std::span<const Format> formats() { return all_formats; }

const Format* format_named(std::string_view name) {
    const auto* found = std::ranges::find(all_formats, name, &Format::name);
    return found == all_formats.end() ? nullptr : found;
}

base::Seconds last_modified(const query::HistoryPage& page) {
    if (page.rows.empty() && page.mentions.empty()) return page.last_modified;
    base::Seconds newest = page.rows.empty() ? base::Seconds(page.last_modified)
                                             : page.rows.front().release.released_on;
    for (const auto& row : page.rows)
        newest = std::max({newest, base::Seconds(row.release.released_on), row.recorded_at});
    for (const auto& mention : page.mentions)
        newest = std::max({newest, mention.first_seen, mention.mentioned_at});
    return newest;
}

std::string display_name_of(const query::Named& named) {
    return base::without_directions(named.object.class_name + " " +
                                    named.object.label_or_name(named.label));
}

std::string full_name_of(const query::History& history) {
    const auto& named = history.spelling.name.empty() ? history.object : history.spelling;
    const auto label = named.label_or_name(history.label);
    const auto name = named.class_name + " " + label;
    return base::without_directions(label == named.name ? name : name + " (" + named.name + ")");
}

Subject subject_of(const query::History& history, const Site& site) {
    auto description = "Changes to " + history.object.class_name + " " + history.object.name +
                       " in each release.";
    if (history.vanished)
        description += " This object is no longer in " + history.current.version + ".";
    if (const auto successor = successor_in_description(history, site))
        description += " " + successor->words + " " + successor->object.class_name + " " +
                       successor->object.name + ".";
    return subject(full_name_of(history), description, page_of(history.object, site),
                   path_of(history.object), site);
}

Subject subject_of(const query::WatchList& list, const Site& site, const std::string& page_url) {
    std::string canonical;
    std::vector<ObjectName> objects;
    for (const auto& named : list.objects) {
        canonical += path_of(named.object) + "\n";
        objects.push_back(named.object);
    }
    const auto names = names_of(list);
    return subject(names, "Changes to " + names + " in each release.",
                   page_url.empty() ? site.base_url + "/watch?" + watch_query_of(objects)
                                    : page_url,
                   "/list/" + base::sha256_hex(canonical).substr(0, 32), site);
}

Subject subject_of_class(std::string_view class_name, const Site& site) {
    const std::string name(class_name);
    const auto encoded = base::percent_encode(class_name);
    return subject("All " + name + " changes",
                   "Changes to objects of class " + name + " in each release.",
                   site.base_url + "/?class=" + encoded, encoded, site);
}

Subject subject_of_release(const base::Release& release, const Site& site) {
    const auto encoded = base::percent_encode(release.version);
    return subject("Changes in " + release.version,
                   "Changes in release " + release.version + " (" +
                       base::format_date(release.released_on) + "), one item per object.",
                   site.base_url + "/release/" + encoded, "/release/" + encoded, site);
}

Subject subject_of_releases(const Site& site) {
    return subject("All releases",
                   "What each release changed, one item per release: how many objects of each "
                   "class, and the most important ones.",
                   site.base_url + "/releases", "/releases", site);
}

Subject subject_of(const SourceFeed& feed, const Site& site) {
    auto description = "The entries of " + feed.url + " and every later edit of them.";
    if (!feed.description.empty()) description += " " + feed.description;
    return subject(name_of(feed), description, page_of_feed(feed.id, site),
                   "/feed/" + std::to_string(feed.id), site);
}

std::string language_of(const Channel& channel, const Site& site) {
    const auto code = base::fold_ascii(channel.language);
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool is_short = code.size() == 2 || (code.size() == 5 && code[2] == '-');
    if (!is_short || !is_letter(code[0]) || !is_letter(code[1])) return site.language;
    if (code.size() == 5 && !(is_letter(code[3]) && is_letter(code[4]))) return site.language;
    return code;
}

std::string watch_query_of(const std::vector<tree::ObjectName>& objects) {
    std::string query;
    for (const auto& object : objects) {
        query += query.empty() ? "object=" : "&object=";
        query +=
            base::percent_encode(object.class_name) + ":" + base::percent_encode(object.name);
    }
    return query;
}

std::string entity_tag_parts(const query::HistoryPage& page, const Channel& channel) {
    IdentityText text(page.rows.size());
    text.add(channel);
    // An archive page stays the same while newer rows are recorded.
    text.add(channel.before > 0 ? std::size_t{page.recorded > channel.before} : page.recorded);
    text.add(page.cut);
    text.add(page.numbered_by_recording);
    text.add(last_modified(page));
    text.add_each(page.rows);
    text.add_each(page.mass_changes);
    text.add(page.people.size());
    for (const auto& [user, person] : page.people) {
        text.add(user);
        text.add(person.object);
        text.add(person.label);
    }
    text.add(page.filter);
    // Without mentions, tags stay as they were.
    if (page.mentioned > 0) {
        text.add(page.mentioned);
        text.add_each(page.mentions);
    }
    return std::move(text).take();
}

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

std::string document_of(const Shape& shape, const query::HistoryPage& page,
                        const Channel& channel, const Site& site) {
    const auto most = channel.before > 0 ? std::string::npos : most_feed_bytes;
    std::vector<std::size_t> mentions;  // of the items up to each one, how many are no rows
    const auto items =
        items_of(shape, items_in_order(page), most, [&](std::string& bytes, const Item& item) {
            mentions.push_back((mentions.empty() ? 0 : mentions.back()) +
                               (item.mention != nullptr ? 1 : 0));
            if (item.mention != nullptr)
                shape.append_mention(bytes, *item.mention, channel, site);
            else
                shape.append_item(bytes, *item.row, page, channel, site);
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

std::string document_of(const Shape& shape, const query::ReleaseList& releases,
                        const Channel& channel, const Site& site) {
    const std::span newest(releases.data(), std::min(releases.size(), releases_in_feed));
    const auto items =
        items_of(shape, newest, most_feed_bytes, [&](std::string& bytes, const auto& release) {
            shape.append_release(bytes, release, channel, site);
        });
    DocumentHead head{.description = channel.subject.description};
    if (!releases.empty()) head.updated = releases.front().summary.release.released_on;
    return with_head(shape, items, head, channel, site, most_feed_bytes, [&](std::size_t shown) {
        Neighbours links;
        links.complete = shown >= releases.size() && !channel.is_part;
        return links;
    });
}

std::string document_of(const Shape& shape, const SourceFeed& feed, const Channel& channel,
                        const Site& site) {
    const auto items =
        items_of(shape, feed.items, most_feed_bytes, [&](std::string& bytes, const auto& item) {
            shape.append_source_item(bytes, item, feed, channel, site);
        });
    return with_head(shape, items, {feed.updated, channel.subject.description}, channel, site,
                     most_feed_bytes,
                     [&](std::size_t shown) { return neighbours_of(feed, channel, shown); });
}

std::string channel_title_of(const Channel& channel) {
    return plain_line(channel.subject.title + channel.filter_text);
}

std::string publisher_of(const Site& site) {
    auto name = plain_line(site.title);
    return name.empty() ? "Varve" : name;
}

std::string head_for_browser(const DocumentHead& head, const Channel& channel,
                             const Neighbours& links) {
    std::string html = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                       "<h1>";
    append_link(html, channel.subject.page_url, channel_title_of(channel));
    html += "</h1><p>" + as_html(head.description) + "</p>";
    for (const auto& [url, words] :
         {std::pair(links.current, "Newest items"), std::pair(links.newer, "Newer items"),
          std::pair(links.older, "Older items"), std::pair(links.next, "Older items")}) {
        if (url.empty()) continue;
        html += "<p>";
        append_link(html, url, words);
        html += "</p>";
    }
    return html;
}

std::string item_for_browser(std::string_view title, std::string_view url,
                             std::string_view content) {
    std::string html = "<h2>";
    append_link(html, url, title);
    return html.append("</h2>").append(content);
}

std::string style_sheet_of(const Site& site) { return site.base_url + "/feed.css"; }

std::string opml(const query::WatchList& list, const Site& site) {
    std::vector<feed::ListedFeed> feeds;
    for (const auto& named : list.objects) {
        const auto& object = named.object;
        feeds.push_back({site.base_url + "/rss?class=" + base::percent_encode(object.class_name) +
                             "&name=" + base::percent_encode(object.name),
                         plain_line(display_name_of(named)), page_of(object, site)});
    }
    return feed::write_opml(subject_of(list, site).title, feeds, last_modified(list));
}

}  // namespace render
