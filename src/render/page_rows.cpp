// SPDX-License-Identifier: MIT
#include "render/page_rows.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "render/adopted.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/page_parts.hpp"

namespace render {
namespace {

using query::History;
using tables::Row;
using tables::RowKind;

constexpr std::size_t most_of_row = 12'000;  // bytes of one row's changes in the list
constexpr std::size_t least_of_row = 1'000;  // less room than this is not worth a try

// Below the page itself, which is shorter than base_url and stands on it some hundred times.
std::string own_url(const Row& row) {
    return "?" + query_of(row.object) + "&at=" + base::percent_encode(row.release.version);
}

std::string diff_url(const Row& row) {
    return "diff?" + query_of(row.object) + "&from=" + base::percent_encode(row.since) +
           "&to=" + base::percent_encode(row.release.version);
}

// "changed since WS186: 3 added, 1 removed"
std::string summary_of(const Row& row) {
    const auto counts = counts_html(compare::count(row.notes.changes));
    std::string html = "<span class=\"kind ";
    html += tables::name_of(row.kind);
    html += "\">";
    html += word_of(row.kind);
    html += "</span>";
    if (skipped_releases(row)) html += " since " + as_html(row.since);
    return counts.empty() ? html : html + ": " + counts;
}

std::string stub_of(const Row& row) {
    const auto counts = counts_text(compare::count(row.notes.changes));
    return "<p class=\"stub\" id=\"" + as_html(row.release.version) + "\">" +
           link_html(own_url(row), row.release.version) + " " +
           date_html(row.release.released_on) + " " + std::string(word_of(row.kind)) +
           (counts.empty() ? "" : ": " + counts) + "</p>\n";
}

std::string moved(std::string_view words, const tree::ObjectName& other, const Site& site) {
    return "<p>" + as_html(words) + " " +
           link_html(page_of(other, site), other.class_name + " " + other.name) + ".</p>\n";
}

std::string heading_of(const Row& row, const Site& site) {
    const auto version = as_html(row.release.version);
    std::string html = "<article class=\"release\" id=\"" + version + "\">\n<h3>" +
                       link_html(own_url(row), row.release.version) + " " +
                       date_html(row.release.released_on) + "</h3>\n<p class=\"summary\">" +
                       summary_of(row);
    if (!row.since.empty())
        html += ". <a href=\"" + as_html(diff_url(row)) + "\">Compare " + as_html(row.since) +
                " with " + version + "</a>";
    html += "</p>\n";
    if (const auto successor = successor_of(row, site))
        html += moved(successor->words, successor->object, site);
    if (const auto& other = row.notes.renamed_from)
        html += moved("Most likely renamed from", *other, site);
    return html;
}

constexpr std::string_view end_of_row = "</article>\n";

PartOfChanges adopted_of(const Row& row, std::size_t room, const Site& site) {
    Html html(room);
    if (!html.open("p", "<p class=\"adopted\">")) return {{}, 1, true};
    add_adopted(html, row, site);
    const bool cut = html.full();
    html.close();
    return {std::move(html).take(), 1, cut};
}

PartOfChanges changes_of(const Row& row, const History& history, std::size_t room,
                         std::size_t part, const Site& site) {
    if (row.kind == RowKind::adopted) return adopted_of(row, room, site);
    const auto aside = set_aside(row, history);
    return part_of_changes({.changes = row.notes.changes,
                            .aside = aside,
                            .people = history.people,
                            .site = site,
                            .id = row.release.version,
                            .class_name = row.object.class_name,
                            .heading = 4},
                           room, part);
}

// The rows of one part, by their short lines.
PartOfRows span_of(const std::vector<std::string>& stubs, std::size_t room, std::size_t part) {
    PartOfRows span;
    std::size_t size = 0;
    for (std::size_t i = 0; i < stubs.size(); ++i) {
        size += stubs[i].size();
        if (size > room && i > span.from) {
            if (span.part == part) return span;
            span.from = i;
            ++span.part;
            size = stubs[i].size();
        }
        span.end = i + 1;
    }
    return span;
}

// A row with as much of its changes as `room` holds; nullopt: less than is worth it.
std::optional<std::string> opened(const Row& row, const History& history, std::size_t room,
                                  const Site& site) {
    auto rest = "<p>" + link_html(own_url(row), "All of " + row.release.version) + "</p>\n";
    rest += end_of_row;
    if (room < rest.size() + least_of_row) return std::nullopt;
    const auto most = std::min(most_of_row, room - rest.size());
    auto shown = whole_row(row, history, most, 1, site);
    // A piece that is larger than its part, or cut for the page's sake and not its own; but of
    // the newest row something is better than a line.
    const bool cut = shown.more && most < most_of_row && &row != &history.rows.front();
    if (shown.html.size() > most || cut) return std::nullopt;
    if (!shown.more) return std::move(shown.html);
    shown.html.resize(shown.html.size() - end_of_row.size());
    return std::move(shown.html) + rest;
}

}  // namespace

PartOfChanges whole_row(const Row& row, const History& history, std::size_t room,
                        std::size_t part, const Site& site) {
    auto html = heading_of(row, site);
    const auto taken = html.size() + end_of_row.size();
    auto changes = changes_of(row, history, room - std::min(room, taken), part, site);
    changes.html = html.append(changes.html).append(end_of_row);
    return changes;
}

PartOfRows rows_of(const History& history, std::size_t room, std::size_t part, const Site& site) {
    std::vector<std::string> stubs;
    stubs.reserve(history.rows.size());
    for (const auto& row : history.rows) stubs.push_back(stub_of(row));
    auto span = span_of(stubs, room / 6 * 5, part);
    auto left = room;  // beside the short lines of the rows to come
    for (auto i = span.from; i < span.end; ++i) left -= std::min(left, stubs[i].size());
    bool open = true;  // the newest ones, until there is no more room
    for (auto i = span.from; i < span.end; ++i) {
        const auto space = left + stubs[i].size();
        const auto shown = open ? opened(history.rows[i], history, space, site) : std::nullopt;
        open = shown.has_value();
        span.html += shown.value_or(stubs[i]);
        if (open) left = space - shown->size();
    }
    return span;
}

}  // namespace render
