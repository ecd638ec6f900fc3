// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/release_text.hpp"

#include "base/utf8.hpp"
namespace render {
namespace {

// Bytes of the lists of the page. They hold 200 objects with usual names, and some results; the rest
// of the page takes some 4 KB.
constexpr std::size_t most_of_options = 6'000;
constexpr std::size_t most_of_releases = 3'000;
constexpr std::size_t most_of_results = 20'000;
constexpr std::size_t most_of_watched = 27'000;
constexpr std::size_t most_of_addresses = 21'000;  // of the watch list's feeds
constexpr std::size_t most_with_links = 80;        // watched objects

std::string key_of(const tree::ObjectName& object) {
    return object.class_name + ":" + object.name;
}

// "Gene unc-26 WBGene00006763": objects of several classes may have the same label.
void append_named(std::string& html, const query::Named& named, const Site& site) {
    const auto label = named.object.label_or_name(named.label);
    html += "<span class=\"class\">" + as_html(named.object.class_name) + "</span> ";
    html += link_html(page_of(named.object, site), label);
    if (label != named.object.name)
        html += " <span class=\"id\">" + as_html(named.object.name) + "</span>";
}

// For screen readers, which list links and buttons without their lines.
std::string unseen(std::string_view words, const query::Named& named) {
    constexpr std::size_t longest = 80;
    const auto name = named.object.label_or_name(named.label);
    return "<span class=\"unseen\">" + std::string(words) + as_html(base::cut_at(name, longest)) +
           "</span>";
}

std::string options_of(const HomeView& view) {
    const auto items = items_within(
        most_of_options, view.classes, [&view](std::string& html, const std::string& name) {
            html += name == view.class_name ? "<option selected>" : "<option>";
            append_html(html, name);
            html += "</option>\n";
        });
    // If there are too many to choose from, the page has a text field instead.
    if (items.left_out > 0) return {};
    const bool known = std::find(view.classes.begin(), view.classes.end(), view.class_name) !=
                       view.classes.end();
    if (view.class_name.empty() || known) return items.html;
    return items.html + "<option selected>" + as_html(view.class_name) + "</option>\n";
}

ListedItems results_of(const HomeView& view, std::size_t room, const Site& site) {
    return items_within(room, view.found, [&](std::string& html, const query::Named& named) {
        html += "<li><span>";
        append_named(html, named, site);
        html += "</span> <a href=\"" + as_html(site.base_url + "/rss?" + query_of(named.object)) +
                "\">Feed" + unseen(" of ", named) + "</a>";
        const bool watched =
            std::any_of(view.watched.begin(), view.watched.end(),
                        [&named](const auto& each) { return each.object == named.object; });
        if (watched)
            html += " <span class=\"id\">on watch list</span>";
        else
            html += " <button name=\"object\" value=\"" + as_html(key_of(named.object)) +
                    "\">Watch" + unseen(" ", named) + "</button>";
        html += "</li>\n";
    });
}

ListedItems watched_of(const HomeView& view, const Site& site) {
    const bool linked = view.watched.size() <= most_with_links;
    return items_within(
        most_of_watched, view.watched, [&](std::string& html, const query::Named& named) {
            html += "<li><label><input type=\"checkbox\" name=\"object\" checked value=\"" +
                    as_html(key_of(named.object)) + "\"> ";
            if (linked) {
                html += unseen("Keep ", named) + "</label> <span>";
                append_named(html, named, site);
                html += "</span></li>\n";
            } else {
                append_html(html, named.object.class_name + " " + named.label);
                if (named.label != named.object.name) append_html(html, " " + named.object.name);
                html += "</label></li>\n";
            }
        });
}

std::string kinds_of(const query::ReleaseSummary& summary) {
    auto text = first_sight_of(summary);
    for (const auto& [kind, objects] : summary.kinds)
        text += (text.empty() ? "" : ", ") + with_separators(objects) + " " +
                std::string(word_of(kind));
    return text.empty() ? "no changes recorded" : text;
}

ListedItems releases_of(const HomeView& view, const Site& site) {
    return items_within(most_of_releases, view.recent,
                        [&site](std::string& html, const query::ReleaseSummary& summary) {
                            const auto& release = summary.release;
                            html +=
                                "<li>" +
                                link_html(release_url(release.version, site), release.version) +
                                " " + date_html(release.released_on) + " <span>" +
                                kinds_of(summary) + "</span></li>\n";
                        });
}

// Sets the watch list and its feeds, unless their addresses leave no room for the list itself.
void add_watch_list(Variables& variables, Frame& frame, const HomeView& view, const Site& site) {
    const auto items = watched_of(view, site);
    const auto address = query_of(view.watched);
    variables.flag("watching", !view.watched.empty())
        .set("watched", items.html)
        .set("watched_count", counted(view.watched.size(), "object", "objects"));
    if (view.watched.empty()) return;
    // The page has the address twice for each format, and once for OPML. If that is too much, it
    // has the first format only.
    const auto size = as_html(address).size() + site.base_url.size();
    frame.feeds = feed_links(site.base_url + "/rss?" + address, "Watch list");
    if (size * (2 * frame.feeds.size() + 1) > most_of_addresses) frame.feeds.resize(1);
    const bool fits = size * (2 * frame.feeds.size() + 1) <= most_of_addresses;
    variables.flag("watched_cut", items.left_out > 0 || !fits);
    if (!fits)
        frame.feeds.clear();
    else
        variables.set("opml_url", site.base_url + "/opml?" + address);
}

// The feeds of a class link to the page of the class: this one, without a text to look for.
void add_class(Variables& variables, Frame& frame, const HomeView& view, const Site& site) {
    const bool known = std::find(view.classes.begin(), view.classes.end(), view.class_name) !=
                       view.classes.end();
    if (!known) return;
    const auto address = site.base_url + "/rss?class=" + base::percent_encode(view.class_name);
    variables.set("class_feed_url", address);
    if (!view.text.empty() || !view.watched.empty()) return;
    frame.title = "All " + view.class_name + " changes";
    frame.feeds = feed_links(address, frame.title);
    variables.flag("class_alone", true);
}

}  // namespace

std::string home_page(const HomeView& view, const Site& site, const Templates& templates) {
    const bool searched = !view.text.empty();
    Frame frame{.file = "home.mustache",
                .title = view.text.empty() ? "" : "Search for " + view.text,
                .feeds = {},
                .noindex = searched || !view.class_name.empty() || !view.watched.empty(),
                .search_text = view.text};
    Variables variables;
    variables.set("class_options", options_of(view))
        .set("class_name", view.class_name)
        .flag("searched", searched)
        .set("results_count", counted(view.found.size(), "object", "objects"))
        .flag("found", !view.found.empty())
        .flag("results_cut", true)  // reserves room for its text
        .set("releases", releases_of(view, site).html);
    add_watch_list(variables, frame, view, site);
    add_class(variables, frame, view, site);
    if (frame.feeds.empty() && !frame.noindex)
        frame.feeds = feed_links(site.base_url + "/releases", "All releases", First::named);
    const auto make = [&](std::size_t room, Variables& more) {
        auto results = results_of(view, std::min(room, most_of_results), site);
        more.flag("results_cut", results.left_out > 0);
        return std::move(results.html);
    };
    return framed_within(frame, variables, "results", make, site, templates);
}

}  // namespace render
