// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"
#include "render/page.hpp"
#include "render/page_objects.hpp"
#include "render/pages.hpp"
#include "render/release_text.hpp"

namespace render {
namespace {

// Bytes of the lists of the page.
constexpr std::size_t most_of_releases = 3'000;
constexpr std::size_t most_of_results = 20'000;

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

// The feeds of a class link to the page of the class: this one, without a text to look for.
void add_class(Variables& variables, Frame& frame, const HomeView& view, const Site& site) {
    const bool known = std::find(view.classes.begin(), view.classes.end(), view.class_name) !=
                       view.classes.end();
    if (!known) return;
    const auto address = site.base_url + "/rss?class=" + base::percent_encode(view.class_name);
    variables.set("class_feed_url", address);
    if (!view.text.empty()) return;
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
                .noindex = searched || !view.class_name.empty(),
                .search_text = view.text};
    Variables variables;
    variables.set("class_options", class_options(view.classes, view.class_name))
        .set("class_name", view.class_name)
        .flag("searched", searched)
        .set("results_count", counted(view.found.size(), "object", "objects"))
        .flag("found", !view.found.empty())
        .flag("results_cut", true)  // reserves room for its text
        .set("releases", releases_of(view, site).html);
    add_class(variables, frame, view, site);
    if (frame.feeds.empty() && !frame.noindex)
        frame.feeds = feed_links(site.base_url + "/releases", "All releases", First::named);
    const auto make = [&](std::size_t room, Variables& more) {
        auto results = search_results(view.found, {}, std::min(room, most_of_results), site);
        more.flag("results_cut", results.left_out > 0);
        return std::move(results.html);
    };
    return framed_within(frame, variables, "results", make, site, templates);
}

}  // namespace render
