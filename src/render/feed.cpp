// SPDX-License-Identifier: MIT
#include "render/feed.hpp"

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/opml.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

using tree::ObjectName;

constexpr std::size_t most_named = 2;  // objects of a watch list that its title names

//   id  its parts, as of tag_uri()
Subject subject(const std::string& title, const std::string& description, std::string page_url,
                std::initializer_list<std::string_view> id, const Site& site) {
    return {plain_sentence(title + " - " + isolated_line(site.title)),
            plain_sentence(description), std::move(page_url), tag_uri(site.authority, id)};
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
        names += display_name_of(objects[i].object, objects[i].label);
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

}  // namespace

std::span<const Format> formats() {
    // Addresses, Accept, pages and commands follow.
    static const std::array all{rss_format, atom_format, json_format};
    return all;
}

const Format* format_named(std::string_view name) {
    const auto all = formats();
    const auto found = std::ranges::find(all, name, &Format::name);
    return found == all.end() ? nullptr : &*found;
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

std::string display_name_of(const tree::ObjectName& object, const std::string& label) {
    return isolated_line(object.class_name) + " " + isolated_line(object.label_or_name(label));
}

std::string full_name_of(const query::History& history) {
    const auto& named = history.spelling.name.empty() ? history.object : history.spelling;
    const auto label = named.label_or_name(history.label);
    const auto name = display_name_of(named, label);
    return label == named.name ? name : name + " (" + isolated_line(named.name) + ")";
}

Subject subject_of(const query::History& history, const Site& site) {
    auto description = "Changes to " + display_name_of(history.object) + " in each release.";
    // The same in each release, so that nobody fetches the feed again because of it.
    if (history.vanished) description += " This object has vanished.";
    if (const auto successor = successor_in_description(history, site))
        description += " " + isolated_line(successor->words) + " " +
                       display_name_of(successor->object) + ".";
    return subject(full_name_of(history), description, page_of(history.object, site),
                   {history.object.class_name, history.object.name}, site);
}

Subject subject_of(const query::WatchList& list, const Site& site, const std::string& page_url) {
    std::string canonical;
    std::vector<ObjectName> objects;
    for (const auto& named : list.objects) {
        canonical += base::percent_encode(named.object.class_name) + "/" +
                     base::percent_encode(named.object.name) + "\n";
        objects.push_back(named.object);
    }
    const auto names = names_of(list);
    return subject(names, "Changes to " + names + " in each release.",
                   page_url.empty() ? site.link("/watch?") + watch_query_of(objects) : page_url,
                   {"", "list", base::sha256_hex(canonical).substr(0, 32)}, site);
}

Subject subject_of_class(std::string_view class_name, const Site& site) {
    const auto name = isolated_line(class_name);
    return subject("All " + name + " changes",
                   "Changes to objects of class " + name + " in each release.",
                   site.link("/?class=") + base::percent_encode(class_name), {class_name}, site);
}

Subject subject_of_release(const base::Release& release, const Site& site) {
    return subject("Changes in " + release.version,
                   "Changes in release " + release.version + " (" +
                       date_in_words(release.released_on) + "), one item per object.",
                   release_url(release.version, site), {"", "release", release.version}, site);
}

Subject subject_of_releases(const Site& site) {
    return subject("All releases",
                   "What each release changed, one item per release: how many objects of each "
                   "class, and the most important ones.",
                   site.link("/releases"), {"", "releases"}, site);
}

Subject subject_of(const SourceFeed& feed, const Site& site) {
    auto description = "The entries of " + feed.url + " and every later edit of them.";
    if (!feed.description.empty()) description += " " + isolated_line(feed.description);
    return subject(base::isolated(name_of(feed)), description, page_of_feed(feed.id, site),
                   {"", "feed", std::to_string(feed.id)}, site);
}

std::string head_for_browser(const FeedDocument& document) {
    auto html = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><h1>" +
                link_html(document.channel.subject.page_url, document.title) + "</h1><p>" +
                as_html(document.description) + "</p>";
    const auto& links = document.links;
    for (const auto& [url, words] :
         {std::pair(links.current, "Newest items"), std::pair(links.newer, "Newer items"),
          std::pair(links.older, "Older items"), std::pair(links.next, "Older items")})
        if (!url.empty()) html += "<p>" + link_html(url, words) + "</p>";
    return html;
}

std::string item_for_browser(const FeedItem& item) {
    return "<h2>" + link_html(item.url, item.title) + "</h2>" + item.content;
}

std::string opml(const query::WatchList& list, const Site& site) {
    std::vector<feed::ListedFeed> feeds;
    for (const auto& named : list.objects)
        feeds.push_back({site.link("/rss?") + query_of(named.object),
                         plain_sentence(display_name_of(named.object, named.label)),
                         page_of(named.object, site)});
    return feed::write_opml(subject_of(list, site).title, feeds, last_modified(list));
}

}  // namespace render
