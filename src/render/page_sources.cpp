// The pages of source feeds: the list of all, and one with its fetches.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/pictures.hpp"

namespace render {
namespace {

constexpr std::size_t most_events = 40;  // of the table

std::string state_of(const SourceStatus& feed) {
    auto state = feed.status.empty() ? std::string("never fetched") : plain_line(feed.status);
    if (!feed.is_enabled) state += ", disabled";
    if (feed.is_queued) state += ", being fetched";
    if (feed.held_until)
        state += ", server on hold until " + time_in_words(*feed.held_until) + " UTC";
    return state;
}

Variables row_of(const SourceStatus& feed, const Site& site) {
    const auto time = [](const std::optional<base::Seconds>& at) {
        return at ? time_html(*at) : std::string();
    };
    return Variables()
        .set("feed_page", page_of_feed(feed.id, site))
        .set("name", feed.name)
        .set("address", feed.name == feed.url ? "" : shortened_html(feed.url))
        .set("state", shortened_html(state_of(feed)))
        .set("last_fetch", time(feed.last_fetch))
        .set("next_fetch", time(feed.next_fetch))
        .set("last_news", time(feed.last_news))
        .set("failures", feed.failures == "0" ? "" : feed.failures)
        .set("minutes", feed.poll_minutes > 0 ? std::to_string(feed.poll_minutes) : "");
}

std::string sources_url(const SourcesView& view, std::string_view format, const Site& site) {
    auto url = site.link("/feeds");
    if (!view.text.empty()) url += "?q=" + base::percent_encode(view.text);
    if (!format.empty()) url.append(view.text.empty() ? "?format=" : "&format=").append(format);
    return url;
}

// ---- the page of one ----

std::string row_of(const FetchEvent& event) {
    return "<tr><th scope=\"row\">" + time_html(event.at) + "</th><td>" + as_html(event.name) +
           "</td><td>" + as_html(event.note) + "</td></tr>\n";
}

std::string line_of(const SourceItem& item, const SourceFeed& feed, const Site& site) {
    return "<li>" + narrowing_link_html(url_of(item, feed, site), title_of(item)) + " " +
           time_html(published_of(item)) + "</li>\n";
}

// "Working. Last fetched 24 November 2026, 09:15 UTC, failures since the last success: 2.5."
std::string sentence_of(const SourceStatus& feed) {
    if (!feed.last_fetch) return "It has not been fetched yet.";
    auto text =
        plain_line(feed.status) + ". Last fetched " + time_in_words(*feed.last_fetch) + " UTC";
    if (feed.failures != "0") text += ", failures since the last success: " + feed.failures;
    return text + ".";
}

std::string next_fetch_of(const SourceStatus& feed) {
    if (feed.is_queued) return "It is being fetched now.";
    if (!feed.next_fetch) return "It is disabled and will not be fetched.";
    auto text = "Next fetch: " + time_in_words(*feed.next_fetch) + " UTC";
    if (feed.poll_minutes > 0)
        text += ", " +
                counted(static_cast<std::uint64_t>(feed.poll_minutes), "minute", "minutes") +
                " after the last one";
    text += feed.is_enabled ? "." : ". It has failed too often and is tried only once a week.";
    if (feed.held_until)
        text += " Its server asked for a pause: none of its feeds is fetched before " +
                time_in_words(*feed.held_until) + " UTC.";
    return text;
}

}  // namespace

std::string sources_page(const SourcesView& view, const PageSite& site,
                         const Templates& templates) {
    Variables variables;
    variables.set("count", counted(view.count, "feed", "feeds"))
        .flag("narrowed", !view.text.empty())
        .set("text", view.text)
        .set("form_url", site.link("/feeds"))
        .set("opml_url", sources_url(view, "opml", site))
        .set("json_url", sources_url(view, "json", site));
    std::vector<Variables> rows;
    for (const auto& feed : view.feeds) rows.push_back(row_of(feed, site));
    variables.flag("has_rows", !rows.empty()).list("rows", rows);
    add_pager(variables, sources_url(view, "", site), view.page,
              pages_of(view.count, sources_on_page));
    const Frame frame{.file = "feeds.mustache", .title = "Source feeds", .noindex = true};
    return framed(frame, std::move(variables), site, templates);
}

std::string source_page(const SourceView& view, const PageSite& site,
                        const Templates& templates) {
    const auto& feed = view.status;
    const auto name = name_of(view.copy);
    Variables variables;
    variables.set("name", name)
        .set("state", sentence_of(feed))
        .set("description", one_line(feed.description))
        .set("home_page_url", is_web_url(feed.home_url) ? feed.home_url : "")
        .set("source_url", feed.is_url_cut ? "" : feed.url)
        .set("list_url", site.link("/feeds"))
        .set("json_url", page_of_feed(feed.id, site) + "&format=json")
        .set("next_fetch", next_fetch_of(feed))
        .set("picture", fetch_picture(view.events));
    std::string entries;
    for (const auto& item : view.copy.items) entries += line_of(item, view.copy, site);
    variables.set("entries", entries)
        .set("events",
             first_of(view.events, most_events,
                      [](std::string& html, const FetchEvent& each) { html += row_of(each); }));
    const Frame frame{.file = "feed.mustache",
                      .title = name,
                      .feeds = feed_links("/rss?feed=" + std::to_string(feed.id), name, site),
                      .noindex = true};
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
