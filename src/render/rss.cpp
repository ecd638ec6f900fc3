// RSS 2.0, following the RSS Board's profile and the W3C feed validator (their rules:
// tests/support/feed_rules.hpp). Source: https://www.rssboard.org/rss-specification
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/feed.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

struct Pace {
    std::string_view period;
    long seconds;
};

// Returns the shortest period of the syndication module that is no shorter than max_age.
Pace pace_of(long max_age) {
    constexpr std::array<Pace, 5> paces = {{{"hourly", 3600},
                                            {"daily", 86400},
                                            {"weekly", 7 * 86400},
                                            {"monthly", 30 * 86400},
                                            {"yearly", 365 * 86400}}};
    const auto* fits = std::find_if(paces.begin(), paces.end(), [max_age](const Pace& pace) {
        return pace.seconds >= max_age;
    });
    return fits == paces.end() ? paces.back() : *fits;
}

void append_pace(std::string& xml, long max_age) {
    const long age = std::max(max_age, 60L);  // ttl counts in minutes and may not be 0
    const auto pace = pace_of(age);
    append_element(xml, 2, "ttl", std::to_string((age + 59) / 60));
    append_element(xml, 2, "sy:updatePeriod", pace.period);
    append_element(xml, 2, "sy:updateFrequency",
                   std::to_string(std::max(pace.seconds / age, 1L)));
}

// True for addresses that the validator accepts: plain characters, a domain with a dot.
bool is_mail_address(std::string_view text) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    const auto at = text.find('@');
    if (at == 0 || at == std::string_view::npos) return false;
    const auto local = text.substr(0, at);
    if (local.find_first_not_of(std::string(letters) + "_+.'") != std::string_view::npos)
        return false;
    const auto labels = base::split(text.substr(at + 1), '.');
    return labels.size() > 1 && std::none_of(labels.begin(), labels.end(), [&](auto label) {
               return label.empty() || label.front() == '-' ||
                      label.find_first_not_of(letters) != std::string_view::npos;
           });
}

// "help@x.org (Title)": the only form without a finding (EmailFormat, MissingRealName).
std::string contact_of(const Site& site, const std::string& publisher) {
    const auto mail = base::trim(site.contact);
    if (!is_mail_address(mail)) return {};
    auto name = publisher;
    // Characters that end or escape a comment of RFC 822.
    std::erase_if(name, [](char c) { return c == '(' || c == ')' || c == '\\'; });
    return std::string(mail) + " (" + (base::trim(name).empty() ? "Varve" : name) + ")";
}

void append_atom_link(std::string& xml, std::string_view rel, std::string_view url) {
    if (url.empty()) return;
    append_empty(xml, 2, "atom:link",
                 {{"href", url}, {"rel", rel}, {"type", "application/rss+xml"}});
}

void append_channel_links(std::string& xml, const FeedDocument& feed) {
    append_atom_link(xml, "self", feed.channel.self_url);
    if (!feed.channel.hub_url.empty())
        append_empty(xml, 2, "atom:link", {{"href", feed.channel.hub_url}, {"rel", "hub"}});
    append_atom_link(xml, "current", feed.links.current);
    append_atom_link(xml, "prev-archive", feed.links.older);
    append_atom_link(xml, "next-archive", feed.links.newer);
    append_atom_link(xml, "next", feed.links.next);
    if (feed.links.complete) append_empty(xml, 2, "fh:complete");
    if (feed.links.archive) append_empty(xml, 2, "fh:archive");
}

void append_channel(std::string& xml, const FeedDocument& feed) {
    append_declaration(xml, feed.site.base_url + "/feed.css");
    append_start(xml, 0, "rss",
                 {{"version", "2.0"},
                  {"xmlns:atom", "http://www.w3.org/2005/Atom"},
                  {"xmlns:dc", "http://purl.org/dc/elements/1.1/"},
                  {"xmlns:fh", "http://purl.org/syndication/history/1.0"},
                  {"xmlns:sy", "http://purl.org/rss/1.0/modules/syndication/"}});
    append_start(xml, 1, "channel");
    append_element(xml, 2, "title", feed.title);
    append_element(xml, 2, "link", feed.channel.subject.page_url, {}, Content::url);
    append_element(xml, 2, "description", feed.description);
    append_element(xml, 2, "language", feed.language);
    if (const auto contact = contact_of(feed.site, feed.publisher); !contact.empty()) {
        append_element(xml, 2, "managingEditor", contact);
        append_element(xml, 2, "webMaster", contact);
    }
    append_element(xml, 2, "lastBuildDate", base::format_http_date(feed.updated));
    append_element(xml, 2, "generator", "Varve");
    append_element(xml, 2, "docs", "http://www.rssboard.org/rss-specification");
    append_pace(xml, feed.site.max_age);
    append_channel_links(xml, feed);
    if (feed.channel.for_browser)
        append_element(xml, 2, "div", head_for_browser(feed), {xhtml_namespace}, Content::xhtml);
}

// "sylvia, Juan Huerta"
std::string names_of(const std::vector<Author>& authors) {
    std::string names;
    for (const auto& author : authors) names += (names.empty() ? "" : ", ") + author.name;
    return names;
}

void append_item(std::string& xml, const FeedItem& item, const FeedDocument& feed) {
    append_start(xml, 2, "item");
    append_element(xml, 3, "title", item.title);
    append_element(xml, 3, "link", item.url, {}, Content::url);
    append_element(xml, 3, "description", item.content, {}, Content::html);
    // Of XHTML, validators accept nothing else in an item.
    if (feed.channel.for_browser)
        append_element(xml, 3, "body", item_for_browser(item), {xhtml_namespace}, Content::xhtml);
    if (const auto creator = names_of(item.authors); !creator.empty())
        append_element(xml, 3, "dc:creator", creator);
    for (const auto& category : item.categories) append_element(xml, 3, "category", category);
    append_element(xml, 3, "guid", item.id, {{"isPermaLink", "false"}});
    append_element(xml, 3, "pubDate", base::format_http_date(item.published));
    append_end(xml, 2, "item");
}

}  // namespace

constexpr Format rss_format{"rss", "application/rss+xml",  "RSS", append_channel, append_item,
                            "",    " </channel>\n</rss>\n"};

}  // namespace render
