// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/item.hpp"
#include "render/page_parts.hpp"
#include "render/page_rows.hpp"
#include "render/pages.hpp"
#include "render/timeline.hpp"

namespace render {
namespace {

using tables::Row;

constexpr std::size_t most_options = 100;  // of the list to choose releases from

const Row* row_at(const HistoryView& view) {
    const auto& rows = view.history.rows;
    const auto found = std::find_if(rows.begin(), rows.end(), [&view](const Row& row) {
        return row.release.version == view.at;
    });
    return view.at.empty() || found == rows.end() ? nullptr : &*found;
}

void add_names(Variables& variables, const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    const auto& named = history.spelling.name.empty() ? history.object : history.spelling;
    const auto label = history.label.empty() ? named.name : history.label;
    variables.text("class_name", named.class_name)
        .text("name", named.name)
        .text("label", label)
        .text("other_name", label == named.name ? "" : named.name)
        .url("object_url", history.vanished ? "" : object_url_of(named, site))
        .text("current", history.current.version)
        .url("current_url", release_url(history.current.version, site))
        .flag("vanished", history.vanished);
    const auto successor = successor_of(history, site);
    if (!successor) return;
    const auto& other = successor->object;
    variables.text("successor", other.class_name + " " + other.name)
        .text("successor_words", successor->words)
        .url("successor_url", page_of(other, site));
}

void add_watching(Variables& variables, const HistoryView& view, const Site& site) {
    const query::Named watched{view.history.object, view.history.label};
    variables.url("watch_url", site.base_url + "/?" + query_of(std::span(&watched, 1)))
        .text("watch_name", watched.object.class_name + ":" + watched.object.name);
}

// Releases that can be compared: those of the rows and those they were compared with.
void add_comparing(Variables& variables, const HistoryView& view, const Site& site) {
    const auto& rows = view.history.rows;
    if (rows.empty()) return;
    std::string options;
    for (std::size_t i = 0; i < std::min(rows.size(), most_options); ++i)
        options += "<option value=\"" + as_html(rows[i].release.version) + "\"></option>\n";
    const auto& oldest =
        rows.back().since.empty() ? rows.back().release.version : rows.back().since;
    variables.html("release_options", options)
        .url("form_url", site.base_url + "/diff")
        .text("diff_from", oldest)
        .text("diff_to", rows.front().release.version);
}

Frame frame_of(const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    const auto own = full_name_of(history);
    const auto title = view.at.empty() ? own : own + " in " + view.at;
    return {.file = "history.mustache",
            .title = title,
            .feeds = feed_links(site.base_url + "/rss?" + query_of(history.object), own),
            .noindex = false,
            .search_text = {}};
}

}  // namespace

std::string history_page(const HistoryView& view, const Site& site, const Templates& templates) {
    const auto& history = view.history;
    const auto page = page_of(history.object, site);
    const auto* row = row_at(view);
    Variables variables;
    add_names(variables, view, site);
    add_watching(variables, view, site);
    variables.url("all_url", page).text("one_release", view.at);
    if (view.at.empty()) {
        add_comparing(variables, view, site);
        variables.html("timeline", timeline_of(history.rows, 0, history.rows.size()))
            .text("count", counted(history.recorded, "release", "releases"))
            .flag("older", history.recorded > history.rows.size());
    }
    const auto base = row ? page + "&at=" + base::percent_encode(view.at) : page;
    const auto make = [&](std::size_t room, Variables& more) {
        if (!view.at.empty() && !row) return std::string();
        room -= std::min(room, size_of_parts(base));
        if (row) {
            auto shown = whole_row(*row, history, room, view.part, site);
            add_parts(more, base, shown.part, shown.more);
            return std::move(shown.html);
        }
        auto shown = rows_of(history, room, view.part, site);
        add_parts(more, base, shown.part, shown.end < history.rows.size());
        more.html("timeline", timeline_of(history.rows, shown.from, shown.end));
        return std::move(shown.html);
    };
    return framed_within(frame_of(view, site), variables, "rows", make, site, templates);
}

}  // namespace render
