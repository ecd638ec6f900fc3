// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/pictures.hpp"

namespace render {
namespace {

constexpr std::size_t most_recent = 5;     // releases of the list
constexpr std::size_t most_pictured = 30;  // the pictures of more leave no room for the rest

// "12 objects"; of a search with several pages "Page 2 of the objects".
std::string words_for_found(const HomeView& view) {
    if (view.page == 1 && !view.has_more) return counted(view.found.size(), "object", "objects");
    if (view.found.empty()) return "No more objects";
    return "Page " + with_separators(view.page) + " of the objects";
}

// "WS188 22 March 2008 14 objects changed, …"
std::string recent_of(std::span<const query::ListedRelease> releases, const Site& site) {
    return first_of(releases, most_recent, [&](std::string& html, const auto& each) {
        const auto& release = each.summary.release;
        html += "<li>" + link_html(release_url(release.version, site), release.version) + " " +
                date_html(release.released_on) + " <span>" + words_of(each.summary) +
                "</span></li>\n";
    });
}

// The objects that lead the newest release, a line each.
std::string leading_of(const query::ListedRelease& newest, const Site& site) {
    std::string html;
    for (const auto& entry : newest.details->leading) {
        const auto label = entry.object.label_or_name(entry.label);
        html += "<li><span class=\"class\">" + shortened_html(entry.object.class_name) +
                "</span> <span>" +
                link_html(page_of_row(entry.object, newest.summary.release.version, site), label);
        if (label != entry.object.name)
            html += " <span class=\"id\">" + shortened_html(entry.object.name) + "</span>";
        html += "</span> <span>" + words_of_change(entry, site) + "</span></li>\n";
    }
    return html;
}

// The page without a search has the newest release first, and pictures of those before it.
void add_releases(Variables& variables, const HomeView& view, const Site& site) {
    if (!view.releases || view.releases->empty()) return;
    const std::span<const query::ListedRelease> all(*view.releases);
    const auto& newest = all.front();
    variables.set("releases", recent_of(all, site))
        .set("releases_count", counted(all.size(), "release", "releases"));
    if (!view.class_name.empty() || !view.text.empty()) return;
    const auto& release = newest.summary.release;
    const auto objects = newest.summary.all_objects();
    const auto leading = newest.details->leading.size();
    const bool has_more = objects > leading;
    variables.set("newest", release.version)
        .set("newest_url", release_url(release.version, site))
        .set("newest_date", date_html(release.released_on))
        .set("newest_words", compare::begins_sentence(words_of(newest.summary)) +
                                 (leading == 0 ? "."
                                  : has_more   ? ". The most important:"
                                               : ":"))
        .set("newest_count", has_more ? counted(objects, "object", "objects") : "")
        .set("leading", leading_of(newest, site));
    add_release_pictures(variables, *view.releases, most_pictured, true, site);
}

// The feeds of a class link to the page of the class: this one, without a text to look for.
void add_class(Variables& variables, Frame& frame, const HomeView& view, const Site& site) {
    const bool known = std::find(view.classes.begin(), view.classes.end(), view.class_name) !=
                       view.classes.end();
    if (!known) return;
    const auto feed = "/rss?class=" + base::percent_encode(view.class_name);
    variables.set("class_feed_url", site.link(feed));
    if (!view.text.empty()) return;
    frame.title = "All " + isolated_line(view.class_name) + " changes";
    frame.feeds = feed_links(feed, frame.title, site);
    variables.flag("class_alone", true);
}

}  // namespace

std::string home_page(const HomeView& view, const PageSite& site, const Templates& templates) {
    const bool searched = !view.text.empty();
    Frame frame{.file = "home.mustache",
                .title = view.text.empty() ? "" : "Search for " + isolated_line(view.text),
                .noindex = searched || !view.class_name.empty(),
                .search_text = view.text};
    Variables variables;
    variables.set("class_options", class_options(view.classes, view.class_name))
        .set("class_name", view.class_name)
        .flag("searched", searched)
        .set("results_count", words_for_found(view))
        .flag("nothing_found", view.found.empty() && view.page == 1)
        .flag("results_cut", !view.is_complete)
        .set("more_url", view.has_more ? site.link(view.next_url) : "");
    add_results(variables, view.found, {}, site);
    if (view.has_sources) variables.set("sources_url", site.link("/feeds"));
    add_releases(variables, view, site);
    add_class(variables, frame, view, site);
    const bool of_releases = frame.feeds.empty() && !frame.noindex;
    variables.flag("of_releases", of_releases);
    if (of_releases) frame.feeds = feed_links("/releases", "All releases", site, First::named);
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
