// The page of a watch list: the newest changes of its objects, the list, and what is added to it.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

using State = WatchedObject::State;

constexpr std::size_t most_changes = 50;      // that are listed
constexpr std::size_t most_of_names = 2'000;  // bytes of those that are to be corrected
// Of the address of the list's feeds: the page has a longer one for the first format alone.
constexpr std::size_t longest_query = 2'000;  // bytes

std::vector<tree::ObjectName> objects_of(const WatchView& view) {
    std::vector<tree::ObjectName> objects;
    for (const auto& each : view.objects) objects.push_back(each.named.object);
    return objects;
}

// The objects of the list. What may be watched instead of one takes its place by a button.
std::vector<Variables> watched_of(const WatchView& view, const Site& site) {
    const auto encoded = [](const tree::ObjectName& object) {
        return base::percent_encode(key_of(object));
    };
    std::vector<Variables> watched;
    for (const auto& [named, state, vanished_in, words, instead] : view.objects) {
        std::vector<Variables> others;
        for (const auto& other : instead)
            others.push_back(
                variables_of(other, site)
                    .set("in_place", encoded(named.object) + " " + encoded(other.object)));
        watched.push_back(variables_of(named, site)
                              .set("state", state == State::present      ? ""
                                            : state == State::unknown    ? "unknown"
                                            : state == State::unreadable ? "cannot be read"
                                                                         : "vanished")
                              .set("gone_in", vanished_in)
                              .set("gone_in_url", release_url(vanished_in, site))
                              .set("instead_words", words)
                              .list("instead", others));
    }
    return watched;
}

// "2 vanished, 1 unknown"
std::string states_of(const WatchView& view) {
    const auto count = [&](State state) {
        return static_cast<std::size_t>(
            std::ranges::count(view.objects, state, &WatchedObject::state));
    };
    std::vector<std::string> words;
    if (const auto vanished = count(State::vanished); vanished > 0)
        words.push_back(with_separators(vanished) + " vanished");
    if (const auto unknown = count(State::unknown); unknown > 0)
        words.push_back(with_separators(unknown) + " unknown");
    return base::join(words, ", ");
}

// "In the newest release, WS188, 3 of them changed. In all, 2 vanished."
std::string summary_of_list(const WatchView& view) {
    const auto& current = view.changes.current;
    const auto& rows = view.changes.rows;
    if (current.version.empty()) return {};
    const auto changed = std::ranges::count_if(
        rows, [&](const auto& row) { return row.release.version == current.version; });
    auto text = "In the newest release, " + current.version + ", " +
                (changed == 0 ? "none" : with_separators(static_cast<std::size_t>(changed))) +
                " of them changed.";
    if (const auto states = states_of(view); !states.empty()) text += " In all, " + states + ".";
    return text;
}

// One line of the newest changes.
void append_change(std::string& html, const tables::Row& row, const Site& site) {
    html +=
        "<li>" +
        named_html({row.object, row.label}, page_of_row(row.object, row.release.version, site)) +
        " <span class=\"what\">" +
        what_happened_html(row.kind, row.headline.title, tables::count_changes(row.notes));
    if (row.kind == tables::RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            html += ". " + relation_html(successor->words, successor->object, site);
    html += "</span></li>\n";
}

// Sets the newest changes, a list for each release.
void add_changes(Variables& variables, const WatchView& view, const Site& site) {
    constexpr std::string_view end = "</ul>\n</section>\n";
    const base::Release* open = nullptr;
    const auto append = [&](std::string& html, const tables::Row& row) {
        if (open == nullptr || row.release != *open) {
            if (open != nullptr) html += end;
            open = &row.release;
            html += "<section>\n<h3>" +
                    link_html(release_url(row.release.version, site), row.release.version) + " " +
                    date_html(row.release.released_on) + "</h3>\n<ul class=\"newest\">\n";
        }
        append_change(html, row, site);
    };
    auto html = first_of(view.changes.rows, most_changes, append);
    if (open != nullptr) html += end;
    variables.set("changes", html)
        .flag("older", std::min(view.changes.rows.size(), most_changes) < view.changes.recorded);
}

// Names that mean several objects, and names that mean none.
std::vector<Variables> unclear_of(const WatchView& view, const Site& site) {
    std::vector<Variables> unclear;
    for (const auto& [text, objects] : view.unclear) {
        const auto shown = std::min(objects.size(), query::most_meanings);
        std::vector<Variables> meanings;
        for (const auto& named : std::span(objects).first(shown))
            meanings.push_back(variables_of(named, site));
        unclear.emplace_back()
            .set("text", shortened_html(text))
            .set("meanings_count", shown == 0 ? ""
                                              : (shown < objects.size() ? "more than " : "") +
                                                    counted(shown, "object", "objects"))
            .list("meanings", meanings);
    }
    return unclear;
}

// The names that nobody has, to be corrected.
std::string unknown_names_of(const WatchView& view) {
    std::string names;
    for (const auto& name : view.unclear)
        if (name.objects.empty() && as_html(names + name.text).size() < most_of_names)
            names += name.text + "\n";
    return names;
}

// Sets the feeds of the list.
void add_feeds(Variables& variables, Frame& frame, const WatchView& view, const Site& site) {
    if (view.objects.empty()) return;
    const auto query = view.id.empty() ? watch_query_of(objects_of(view)) : "watch=" + view.id;
    frame.feeds = feed_links("/rss?" + query, "Watch list", site);
    if (query.size() > longest_query) frame.feeds.resize(1);
    variables.set("opml_url", site.link("/opml?") + query);
}

}  // namespace

std::string watch_page(const WatchView& view, const PageSite& site, const Templates& templates) {
    Frame frame{.file = "watch.mustache",
                .title = "Watch list",
                .noindex = true,
                .search_text = view.text};
    const auto short_path = "/watch/" + view.id;
    Variables variables;
    add_feeds(variables, frame, view, site);
    add_changes(variables, view, site);
    add_results(variables, view.found, objects_of(view), site);
    variables.flag("watching", !view.objects.empty())
        .set("count", counted(view.objects.size(), "object", "objects"))
        .set("summary", summary_of_list(view))
        .list("watched", watched_of(view, site))
        .set("short_url", view.id.empty() ? "" : site.link(short_path))
        .set("short_address", view.id.empty() ? "" : site.base_url + short_path)
        .flag("has_unclear", !view.unclear.empty())
        .list("unclear", unclear_of(view, site))
        .set("unknown_names", unknown_names_of(view))
        .set("left_out", view.left_out == 0 ? "" : counted(view.left_out, "name", "names"))
        .set("class_options", class_options(view.classes, view.class_name))
        .set("class_name", view.class_name)
        .flag("searched", !view.text.empty())
        .set("results_count", counted(view.found.size(), "object", "objects"))
        .flag("results_cut", view.has_more);
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
