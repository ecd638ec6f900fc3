// The page of one object: its releases, newest first, or the changes of one of them.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/page_changes.hpp"
#include "render/pages.hpp"
#include "render/pictures.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

using query::History;
using tables::Row;
using tables::RowKind;

constexpr std::size_t most_options = 100;  // in the list of releases
constexpr std::size_t values_of_row = 50;  // of a row in the list
constexpr std::size_t most_mentions_listed = 20;
constexpr std::size_t longest_title_listed = 160, longest_feed_listed = 80;  // bytes

// Relative to the page, because a page has some hundred of these.
std::string own_url(const Row& row) {
    return "?" + query_of(row.object) + "&at=" + base::percent_encode(row.release.version);
}

std::string own_diff_url(const Row& row) {
    return "diff?" + query_of(row.object) + "&from=" + base::percent_encode(row.since) +
           "&to=" + base::percent_encode(row.release.version);
}

// What the release did, in words; of rows that have none, in numbers: "changed since WS186: 3 added,
// 1 removed". Created, vanished and reappeared objects are not described by their first values.
std::string summary_of(const Row& row) {
    const auto& headline = row.headline.title;
    const bool tells = !headline.empty() && row.kind == RowKind::changed;
    auto html = kind_html(row.kind, tells ? as_html(headline) : std::string(word_of(row.kind)));
    if (skipped_releases(row)) html += (tells ? ", since " : " since ") + as_html(row.since);
    const auto counts = counts_html(tables::count_changes(row.notes));
    return tells || says_enough(row.kind) || counts.empty() ? html : html + ": " + counts;
}

// A row in one line.
std::string stub_of(const Row& row) {
    const auto& headline = row.headline.title;
    const auto counts = counts_text(tables::count_changes(row.notes));
    const bool tells = !headline.empty() && row.kind == RowKind::changed;
    auto words = tells ? headline : std::string(word_of(row.kind));
    if (!tells && !says_enough(row.kind) && !counts.empty()) words += ": " + counts;
    return "<p class=\"stub\" id=\"" + as_attribute(row.release.version) + "\">" +
           link_html(own_url(row), row.release.version) + " " +
           date_html(row.release.released_on) + " " + as_html(words) + "</p>\n";
}

// To the object as of the release, and to what differs from the one it was compared with.
std::string links_of(const Row& row) {
    std::string links;
    const bool has_tree = row.kind != RowKind::vanished;
    if (has_tree)
        links += narrowing_link_html("object?" + query_of(row.object) +
                                         "&release=" + base::percent_encode(row.release.version),
                                     "The object as of " + row.release.version);
    if (has_tree && !row.since.empty()) links += " ";
    if (!row.since.empty())
        links += narrowing_link_html(own_diff_url(row),
                                     "Compare " + row.since + " with " + row.release.version);
    return links.empty() ? links : "<p class=\"links\">" + links + "</p>\n";
}

std::string heading_of(const Row& row, const Site& site) {
    const auto version = as_attribute(row.release.version);
    std::string html = "<article class=\"release\" id=\"" + version + "\">\n<h3>" +
                       link_html(own_url(row), row.release.version) + " " +
                       date_html(row.release.released_on) + "</h3>\n<p class=\"summary\">" +
                       summary_of(row) + "</p>\n";
    html += links_of(row);
    if (!row.notes.is_whole())
        html += "<p>This release changed too much to be shown here: " +
                (row.notes.left_out.all() == 0
                     ? std::string("some changes are")
                     : counted(row.notes.left_out.all(), "change is", "changes are") +
                           " left out, and others are") +
                " without what is below them." +
                (row.since.empty() ? "" : " The comparison has all of them.") + "</p>\n";
    if (const auto successor = successor_of(row, site))
        html += "<p>" + relation_html(successor->words, successor->object, site) + ".</p>\n";
    if (const auto& other = row.renamed_from)
        html += "<p>" + relation_html("Probably renamed from", *other, site) + ".</p>\n";
    return html;
}

LineStyle style_of(const Row& row, const HistoryView& view, const Site& site) {
    return {.people = view.history.people,
            .site = site,
            .references = row.notes.references,
            .stamps_since = row.since_on,
            .id = as_attribute(row.release.version),
            .page = PageLines{row.object, row.since, row.release.version}};
}

// A row of the list with up to `most` values of its changes, and a link to all if there are more. Returns how
// many it has.
std::size_t append_row(std::string& html, const Row& row, const HistoryView& view,
                       std::size_t most, const Site& site) {
    const auto document = field_document(row, view.history, site);
    const auto values = count_values(document);
    html += heading_of(row, site);
    html += changes_html({.document = document,
                          .style = style_of(row, view, site),
                          .heading = 4,
                          .folded = row.kind == RowKind::vanished},
                         0, most);
    if (values > most)
        html += "<p>" + link_html(own_url(row), "All of " + row.release.version) + "</p>\n";
    html += "</article>\n";
    return std::min(values, most);
}

std::string run_of(const std::string& releases, std::string_view words) {
    return "<p class=\"run\"><span>" + releases + "</span> <span>" + std::string(words) +
           "</span></p>\n";
}

// What is said before each row, and after the last one: of the releases that have none, and where
// timestamps begin.
std::vector<std::string> lines_between(const HistoryView& view) {
    const auto& rows = view.history.rows;
    const auto& [releases, first_seen] = view.followed;
    std::vector<std::string> lines(rows.size() + 1);
    std::size_t next = 0;
    for (const auto& stretch : stretches_of(rows, releases)) {
        if (stretch.state == Stretch::State::recorded) {
            next = stretch.row + 1;
            continue;
        }
        // Of an object that is gone for good the rows say all.
        if (stretch.state == Stretch::State::absent && next == 0) continue;
        // In the oldest release there was nothing to compare with.
        const bool is_first = stretch.state == Stretch::State::unchanged && next == rows.size() &&
                              stretch.end == releases.size();
        const auto end = stretch.end - (is_first ? 1 : 0);
        if (stretch.from < end)
            lines[next] +=
                run_of(as_html(range_of(releases, stretch.from, end)), word_of(stretch.state));
        if (is_first) lines[next] += run_of(as_html(releases.back().version), "first seen");
    }
    const auto first =
        std::ranges::find(rows, RowKind::reconstructed, [](const Row& row) { return row.kind; });
    const auto seen = std::ranges::find(releases, first_seen, &base::Release::version);
    if (first != rows.end() && seen != releases.end())
        lines[static_cast<std::size_t>(first - rows.begin())] +=
            run_of(as_html(first_seen) + " " + date_html(seen->released_on),
                   "First release seen. The following was read from timestamps, so earlier "
                   "removals are unknown.");
    return lines;
}

// The newest rows with their changes, until the page has as many values as that of one release has, the others
// in one line each.
std::string list_of(std::size_t from, std::size_t end, const HistoryView& view,
                    const Site& site) {
    const auto& rows = view.history.rows;
    const auto between = lines_between(view);
    auto left = values_on_page;
    std::string html;
    for (auto i = from; i < end; ++i) {
        html += between[i];
        if (left > 0)
            left -= append_row(html, rows[i], view, std::min(left, values_of_row), site);
        else
            html += stub_of(rows[i]);
    }
    return end < rows.size() ? html : html + between.back();
}

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
    const auto label = named.label_or_name(history.label);
    add_object(variables, named, label, !history.vanished, site);
    variables.set("current", history.current.version)
        .set("current_url", release_url(history.current.version, site))
        .flag("vanished", history.vanished);
    add_fate(variables, history, site);
}

// "Last changed in WS188: Status Live → Dead."
void add_last(Variables& variables, const HistoryView& view) {
    const auto& rows = view.history.rows;
    if (rows.empty() || view.history.vanished || view.page > 1 ||
        rows.front().kind == RowKind::reconstructed)
        return;
    // That others changed says little of the object.
    const auto own = std::ranges::find_if(
        rows, [](const Row& each) { return each.headline.rank != compare::Rank::echo; });
    const auto& row = own == rows.end() ? rows.front() : *own;
    const auto& headline = row.headline.title;
    const bool tells = row.kind == RowKind::changed && !headline.empty();
    const std::string_view words = row.kind == RowKind::created      ? "Created in"
                                   : row.kind == RowKind::reappeared ? "Reappeared in"
                                                                     : "Last changed in";
    variables.set("last_words", std::string(words))
        .set("last", row.release.version)
        .set("last_url", "#" + row.release.version)
        .set("last_headline", tells ? headline : "");
}

// "7 of 21 releases": those in which the object was there.
std::string count_of(const HistoryView& view) {
    const auto& history = view.history;
    std::size_t releases = 0;
    for (const auto& stretch : stretches_of(history.rows, view.followed.releases))
        if (stretch.state != Stretch::State::absent) releases += stretch.end - stretch.from;
    const auto all = counted(std::max(releases, history.recorded), "release", "releases");
    return releases < history.recorded ? all : with_separators(history.recorded) + " of " + all;
}

// The strip, and how many releases it stands for.
void add_strip(Variables& variables, const HistoryView& view, std::size_t from, std::size_t end) {
    const auto& history = view.history;
    const auto releases = view.followed.releases.size();
    auto strip =
        from == 0 ? history_strip(history.rows, view.followed, from, end) : std::string();
    const bool hatched = std::ranges::any_of(
        history.rows, [](const Row& row) { return row.kind == RowKind::reconstructed; });
    variables.flag("has_stamps", hatched)
        .set("pictured", releases > most_columns && !strip.empty()
                             ? "the newest " + std::to_string(most_columns)
                             : "")
        .set("strip", std::move(strip));
}

// The releases that a reader can compare: those of the rows, and the one before the oldest row.
void add_comparing(Variables& variables, const HistoryView& view, const Site& site) {
    const auto& rows = view.history.rows;
    if (rows.empty()) return;
    std::string options;
    for (std::size_t i = 0; i < std::min(rows.size(), most_options); ++i)
        options += "<option value=\"" + as_attribute(rows[i].release.version) + "\"></option>\n";
    const auto& oldest =
        rows.back().since.empty() ? rows.back().release.version : rows.back().since;
    variables.set("release_options", options)
        .set("form_url", site.link("/diff"))
        .set("diff_from", oldest)
        .set("diff_to", rows.front().release.version);
}

void append_mention(std::string& html, const tables::Mention& mention, const Site& site) {
    const auto title = as_html(shortened_to(title_of(mention), longest_title_listed));
    html += "<li>";
    html += is_web_url(mention.link) ? "<a rel=\"nofollow noopener noreferrer\" href=\"" +
                                           as_attribute(mention.link) + "\">" + title + "</a>"
                                     : title;
    html += " <small>" +
            as_html(shortened_to(plain_line(mention.feed_name), longest_feed_listed)) + ", " +
            date_html(day_of(mention)) + authors_html(authors_of(mention, site)) +
            "</small></li>\n";
}

// The list of mentions, and the track below the strip.
void add_mentions(Variables& variables, const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    if (history.mentions.empty() || view.page > 1 || !view.at.empty()) return;
    variables
        .set("mentions", first_of(history.mentions, most_mentions_listed,
                                  [&](std::string& html, const auto& each) {
                                      append_mention(html, each, site);
                                  }))
        .set("mentioned", counted(history.mentioned, "entry", "entries"))
        .flag("mentioned_more",
              history.mentioned > std::min(history.mentions.size(), most_mentions_listed))
        .set("mentions_feed_url",
             site.link("/rss?") + query_of(history.object) + "&include=mentions");
    if (history.rows.size() > 1 && view.followed.releases.size() > 1)
        variables.set("track", mention_track(history, view.followed));
}

Frame frame_of(const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    const auto own = full_name_of(history);
    const auto title = view.at.empty() ? own : own + " in " + view.at;
    return {.file = "history.mustache",
            .title = title,
            .feeds = feed_links("/rss?" + query_of(history.object), own, site)};
}

// Sets the changes of one release, a page of them. Returns false if there is no such page.
bool add_row(Variables& variables, const Row& row, const HistoryView& view, const Site& site) {
    const auto document = field_document(row, view.history, site);
    const auto pages = pages_of(count_values(document), values_on_page);
    const auto page = view.number > 0 ? page_of_change(document, view.number) : view.page;
    if (page > pages) return false;
    const auto changes =
        changes_html({.document = document, .style = style_of(row, view, site), .heading = 4},
                     (page - 1) * values_on_page);
    variables.set("rows", heading_of(row, site) + changes + "</article>\n");
    add_pager(variables, page_of_row(row.object, row.release.version, site), page, pages);
    return true;
}

// Sets a page of all rows, and what surrounds them.
bool add_list(Variables& variables, const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    const auto pages = pages_of(history.rows.size(), rows_on_page);
    if (view.page > pages) return false;
    const auto from = (view.page - 1) * rows_on_page;
    const auto end = std::min(from + rows_on_page, history.rows.size());
    add_comparing(variables, view, site);
    add_last(variables, view);
    add_strip(variables, view, from, end);
    add_pager(variables, page_of(history.object, site), view.page, pages);
    variables.set("count", count_of(view))
        .set("rows", list_of(from, end, view, site))
        .flag("older", view.page == pages && history.recorded > history.rows.size());
    return true;
}

}  // namespace

std::optional<std::string> history_page(const HistoryView& view, const PageSite& site,
                                        const Templates& templates) {
    const auto& history = view.history;
    Variables variables;
    add_names(variables, view, site);
    add_mentions(variables, view, site);
    variables.set("watch_url", site.link("/watch?") + watch_query_of({history.object}))
        .set("all_url", page_of(history.object, site))
        .set("one_release", view.at);
    const auto* row = row_at(view);
    const bool is_there = row != nullptr    ? add_row(variables, *row, view, site)
                          : view.at.empty() ? add_list(variables, view, site)
                                            : view.page == 1;
    if (!is_there) return std::nullopt;
    return framed(frame_of(view, site), std::move(variables), site, templates);
}

}  // namespace render
