// RSS 2.0, as the RSS Board's profile and the W3C feed validator want it (tests/support/
// feed_rules.hpp holds their rules). Source: https://www.rssboard.org/rss-specification
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/feed.hpp"
#include "render/text.hpp"
#include "render/xml_writer.hpp"

namespace render {
namespace {

constexpr std::size_t most_bytes = 512 << 10;
constexpr std::string_view tail = "</channel></rss>";
constexpr std::size_t indentation = 8;  // blanks and line ends about the tail

using Rows = std::vector<const history::Row*>;

Rows in_order(const std::vector<history::Row>& rows) {
    Rows sorted;
    for (const auto& row : rows) sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        if (a->release != b->release) return a->release > b->release;
        return a->object < b->object;
    });
    return sorted;
}

struct Pace {
    std::string_view period;
    long seconds;
};

// The shortest period of the syndication module that a page lives in, however short it lives.
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

void write_pace(XmlWriter& xml, long max_age) {
    const long age = std::max(max_age, 60L);  // ttl counts in minutes, and 0 is none
    const auto pace = pace_of(age);
    xml.element("ttl", std::to_string((age + 59) / 60));
    xml.element("sy:updatePeriod", pace.period);
    xml.element("sy:updateFrequency", std::to_string(std::max(pace.seconds / age, 1L)));
}

// True for addresses that the validator takes: letters and the like, a domain with a dot.
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
std::string contact_of(const Site& site) {
    const auto mail = base::trim(site.contact);
    if (!is_mail_address(mail)) return {};
    auto name = plain_line(site.title);
    // What ends or escapes a comment of RFC 822.
    std::erase_if(name, [](char c) { return c == '(' || c == ')' || c == '\\'; });
    return std::string(mail) + " (" + (base::trim(name).empty() ? "Varve" : name) + ")";
}

void start_document(XmlWriter& xml) {
    xml.start("rss");
    xml.attribute("version", "2.0");
    xml.attribute("xmlns:atom", "http://www.w3.org/2005/Atom");
    xml.attribute("xmlns:dc", "http://purl.org/dc/elements/1.1/");
    xml.attribute("xmlns:fh", "http://purl.org/syndication/history/1.0");
    xml.attribute("xmlns:sy", "http://purl.org/rss/1.0/modules/syndication/");
    xml.start("channel");
}

void write_channel(XmlWriter& xml, const history::Excerpt& excerpt, const Channel& channel,
                   const Site& site) {
    xml.element("title", channel.subject.title + channel.narrowing);
    xml.url_element("link", channel.subject.page_url);
    xml.element("description", channel.subject.description);
    xml.element("language", site.language);
    if (const auto contact = contact_of(site); !contact.empty()) {
        xml.element("managingEditor", contact);
        xml.element("webMaster", contact);
    }
    xml.element("lastBuildDate", base::format_http_date(last_modified(excerpt)));
    xml.element("generator", "Varve");
    xml.element("docs", "http://www.rssboard.org/rss-specification");
    write_pace(xml, site.max_age);
    xml.start("atom:link");
    xml.attribute("href", channel.self_url);
    xml.attribute("rel", "self");
    xml.attribute("type", "application/rss+xml");
    xml.end();
}

void write_item(XmlWriter& xml, const history::Row& row, const history::Excerpt& excerpt,
                const Site& site) {
    xml.start("item");
    xml.element("title", title_of(row));
    xml.url_element("link", page_of(row, site));
    xml.html_element("description", content_of(row, excerpt, site));
    const auto curators = curators_of(row, excerpt, site);
    if (!curators.empty()) xml.element("dc:creator", base::join(curators, ", "));
    xml.start("guid");
    xml.attribute("isPermaLink", "false");
    xml.text(guid_of(row, site.authority));
    xml.end();
    xml.element("pubDate", base::format_http_date(row.release.released_on));
    xml.end();
}

struct Document {
    std::string bytes;
    std::size_t items = 0;  // that fit; the bytes are whole when all do
};

// All of `rows`, or how many of them fit.
Document write(const history::Excerpt& excerpt, const Rows& rows, const Channel& channel,
               const Site& site) {
    XmlWriter xml;
    start_document(xml);
    write_channel(xml, excerpt, channel, site);
    // RFC 5005 section 2: all there is stands in this one document.
    if (rows.size() == excerpt.recorded) xml.element("fh:complete", "");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        write_item(xml, *rows[i], excerpt, site);
        if (xml.size() + tail.size() + indentation > most_bytes) return {{}, i};
    }
    xml.end();
    xml.end();
    return {std::move(xml).finish(), rows.size()};
}

}  // namespace

std::string rss(const history::Excerpt& excerpt, const Channel& channel, const Site& site) {
    auto rows = in_order(excerpt.rows);
    auto document = write(excerpt, rows, channel, site);
    // What stands before the items tells whether all are there, so it is written again when it
    // turns out that they don't fit. That is rare; measuring all items first is not.
    while (document.items < rows.size()) {
        rows.resize(document.items);
        document = write(excerpt, rows, channel, site);
    }
    return std::move(document.bytes);
}

}  // namespace render
