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

// The button that takes one object into the list in place of another.
std::string instead_button(const WatchedObject& watched, const query::Named& other) {
    const auto encoded = [](const tree::ObjectName& object) {
        return base::percent_encode(key_of(object));
    };
    return "<button name=\"instead\" value=\"" + encoded(watched.named.object) + " " +
           encoded(other.object) + "\">Watch" + unseen_name(" ", other) + " instead</button>";
}

void append_state(std::string& html, const WatchedObject& watched, const Site& site) {
    if (watched.state == State::present) return;
    html += " <span class=\"gone\">";
    html += watched.state == State::unknown      ? "unknown"
            : watched.state == State::unreadable ? "cannot be read"
                                                 : "vanished";
    html += "</span>";
    if (!watched.vanished_in.empty())
        html += " in " + link_html(release_url(watched.vanished_in, site), watched.vanished_in);
    if (!watched.words.empty()) html += ". " + as_html(watched.words);
    for (const auto& other : watched.instead) {
        html += " ";
        append_named(html, other, site);
        html += " " + instead_button(watched, other);
    }
}

// The objects of the list, each with a box.
std::string watched_of(const WatchView& view, const Site& site) {
    std::string html;
    for (const auto& watched : view.objects) {
        const auto& named = watched.named;
        html += "<li><label><input type=\"checkbox\" checked name=\"object\" value=\"" +
                as_html_value(key_of(named.object)) + "\"> " + unseen_name("Keep ", named) +
                "</label> <span>";
        append_named(html, named, site);
        append_state(html, watched, site);
        html += "</span></li>\n";
    }
    return html;
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
    const query::Named named{row.object, row.label};
    html += "<li>";
    append_named(html, named, page_of_row(row.object, row.release.version, site));
    html += " <span class=\"what\">" +
            what_happened_html(row.kind, row.notes.headline, tables::count_changes(row.notes));
    if (row.kind == tables::RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            html += ". " + as_html(successor->words) + " " +
                    link_html(page_of(successor->object, site),
                              successor->object.class_name + " " + successor->object.name);
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

// Names that mean several objects, with a box for each, and names that mean none.
std::string unclear_of(const WatchView& view, const Site& site) {
    std::string html;
    for (const auto& name : view.unclear) {
        html += "<li><b>";
        append_shortened(html, name.text);
        html += "</b> ";
        if (name.objects.empty()) {
            html += "no object has that name</li>\n";
            continue;
        }
        const auto shown = std::min(name.objects.size(), query::most_meanings);
        html += (shown < name.objects.size() ? "more than " : "") +
                counted(shown, "object:", "objects:") + "\n<ul>\n";
        for (const auto& named : std::span(name.objects).first(shown)) {
            html += "<li><label><input type=\"checkbox\" name=\"object\" value=\"" +
                    as_html_value(key_of(named.object)) + "\"> " + unseen_name("Add ", named) +
                    "</label> <span>";
            append_named(html, named, site);
            html += "</span></li>\n";
        }
        html += "</ul></li>\n";
    }
    return html;
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
    variables.flag("watching", !view.objects.empty())
        .set("count", counted(view.objects.size(), "object", "objects"))
        .set("summary", summary_of_list(view))
        .set("watched", watched_of(view, site))
        .set("short_url", view.id.empty() ? "" : site.link(short_path))
        .set("short_address", view.id.empty() ? "" : site.base_url + short_path)
        .set("unclear", unclear_of(view, site))
        .set("unknown_names", unknown_names_of(view))
        .set("left_out", view.left_out == 0 ? "" : counted(view.left_out, "name", "names"))
        .set("class_options", class_options(view.classes, view.class_name))
        .set("class_name", view.class_name)
        .flag("searched", !view.text.empty())
        .flag("found", !view.found.empty())
        .set("results", search_results(view.found, objects_of(view), site))
        .set("results_count", counted(view.found.size(), "object", "objects"))
        .flag("results_cut", view.has_more);
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
