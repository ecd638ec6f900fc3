// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/item.hpp"
#include "render/page_parts.hpp"
#include "render/pages.hpp"
#include "render/text.hpp"

namespace render {
namespace {

// What each list of the page may take; the rest of the page needs some 10 KB.
constexpr std::size_t most_of_options = 12'000;
constexpr std::size_t most_of_releases = 6'000;
constexpr std::size_t most_of_list = 16'000;  // watched objects, or what was found
constexpr std::size_t most_of_addresses = 14'000;  // of the watch list's feeds

// Whole items, until there is no more room.
struct Items {
    std::string html;
    std::size_t left_out = 0;
};
template <class List, class Append>
Items items_of(const List& list, std::size_t room, Append append) {
    Items items;
    for (const auto& each : list) {
        const auto size = items.html.size();
        if (items.left_out == 0) append(items.html, each);
        if (items.html.size() <= room && items.left_out == 0) continue;
        items.html.resize(size);
        ++items.left_out;
    }
    return items;
}

std::string key_of(const history::ObjectName& object) {
    return object.class_name + ":" + object.name;
}

// "unc-26 Gene WBGene00006763": what it is called, then its class and name.
void append_named(std::string& html, const history::Named& named, const Site& site) {
    html += link_html(page_of(named.object, site),
                      named.label.empty() ? named.object.name : named.label);
    html += " <span class=\"id\">";
    append_html(html, named.object.class_name + " " + named.object.name);
    html += "</span>";
}

std::string options_of(const HomeView& view) {
    const auto items = items_of(
        view.classes, most_of_options, [&view](std::string& html, const std::string& name) {
            html += name == view.class_name ? "<option selected>" : "<option>";
            append_html(html, name);
            html += "</option>\n";
        });
    const bool known = std::find(view.classes.begin(), view.classes.end(), view.class_name) !=
                       view.classes.end();
    if (view.class_name.empty() || known) return items.html;
    return items.html + "<option selected>" + as_html(view.class_name) + "</option>\n";
}

Items results_of(const HomeView& view, const Site& site) {
    return items_of(view.found, most_of_list, [&](std::string& html, const history::Named& named) {
        html += "<li><span>";
        append_named(html, named, site);
        html += "</span> " +
                link_html(site.base_url + "/rss?" + query_of(named.object), "feed");
        const bool watched =
            std::any_of(view.watched.begin(), view.watched.end(),
                        [&named](const auto& each) { return each.object == named.object; });
        if (watched)
            html += " <span class=\"id\">watched</span>";
        else
            html += " <button name=\"object\" value=\"" + as_html(key_of(named.object)) +
                    "\">Watch <span class=\"unseen\">" + as_html(cut_at(named.label, 80)) +
                    "</span></button>";
        html += "</li>\n";
    });
}

Items watched_of(const HomeView& view, const Site& site) {
    std::size_t number = 0;
    return items_of(view.watched, most_of_list,
                    [&](std::string& html, const history::Named& named) {
                        const auto id = "watched-" + std::to_string(++number);
                        html += "<li><input type=\"checkbox\" name=\"object\" checked id=\"" + id +
                                "\" value=\"" + as_html(key_of(named.object)) +
                                "\"> <label for=\"" + id + "\"><span class=\"unseen\">Keep " +
                                as_html(cut_at(named.label, 80)) + "</span></label> <span>";
                        append_named(html, named, site);
                        html += "</span></li>\n";
                    });
}

std::string kinds_of(const history::ReleaseSummary& summary) {
    std::string text;
    for (const auto& [kind, objects] : summary.kinds)
        text += (text.empty() ? "" : ", ") + with_separators(objects) + " " +
                std::string(word_of(kind));
    return text.empty() ? "nothing recorded yet" : text;
}

Items releases_of(const HomeView& view, const Site& site) {
    return items_of(view.recent, most_of_releases,
                    [&site](std::string& html, const history::ReleaseSummary& summary) {
                        const auto& release = summary.release;
                        html += "<li>" + link_html(release_url(release.version, site),
                                                   release.version) +
                                " " + date_html(release.released_on) + " <span>" +
                                kinds_of(summary) + "</span></li>\n";
                    });
}

// The feeds of the list, as long as their addresses leave room for the list itself.
void add_watch_list(Variables& variables, Frame& frame, const HomeView& view, const Site& site) {
    const auto items = watched_of(view, site);
    const auto address = query_of(view.watched);
    variables.flag("watching", !view.watched.empty())
        .html("watched", items.html)
        .text("watched_count", counted(view.watched.size(), "object", "objects"));
    // Each address stands on the page twice a format, and once for OPML.
    const auto escaped = as_html(address).size() + site.base_url.size();
    const bool fits = escaped * 7 <= most_of_addresses;
    variables.flag("watched_cut", items.left_out > 0 || (!fits && !view.watched.empty()));
    if (view.watched.empty() || !fits) return;
    frame.feeds = feed_links(site.base_url + "/rss?" + address, "Watch list");
    variables.url("opml_url", site.base_url + "/opml?" + address);
}

}  // namespace

std::string home_page(const HomeView& view, const Site& site, const Templates& templates) {
    const bool searched = !view.text.empty() || !view.class_name.empty();
    const auto results = results_of(view, site);
    Frame frame{.file = "home.mustache",
                .title = view.text.empty() ? "" : "Search for " + view.text,
                .feeds = {},
                .noindex = searched || !view.watched.empty(),
                .search_text = view.text};
    Variables variables;
    variables.html("class_options", options_of(view))
        .text("class_name", view.class_name)
        .flag("searched", searched)
        .html("results", results.html)
        .text("results_count", counted(view.found.size(), "object", "objects"))
        .flag("results_cut", results.left_out > 0)
        .html("releases", releases_of(view, site).html);
    add_watch_list(variables, frame, view, site);
    return framed(frame, variables, site, templates);
}

}  // namespace render
