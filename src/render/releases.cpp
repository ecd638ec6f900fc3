// SPDX-License-Identifier: MIT
#include "render/releases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/page.hpp"
#include "render/stacked_bars.hpp"

namespace render {
namespace {

using query::ListedRelease;
using tables::RowKind;
using Releases = std::span<const ListedRelease>;

constexpr std::size_t most_heat_classes = 12;
constexpr std::size_t most_numbered = 20;  // releases whose cells are wide enough for numbers
constexpr std::uint64_t cell = 10;         // of the inner picture, in its own units
constexpr std::size_t heat_levels = 4;
constexpr std::uint64_t heat_row_pixels = 22;  // as in style.css

// Begins a picture without text that is stretched over the whole width.
std::string stretched(std::uint64_t columns, std::uint64_t rows, std::uint64_t pixels) {
    return "<svg viewBox=\"0 0 " + std::to_string(columns) + " " + std::to_string(rows) +
           "\" preserveAspectRatio=\"none\" width=\"100%\" height=\"" + std::to_string(pixels) +
           "\" aria-hidden=\"true\">";
}

ReleaseColumn column_of(const query::ReleaseSummary& summary, const Site& site) {
    ReleaseColumn column;
    column.version = summary.release.version;
    column.parts = {summary.reconstructed,
                    summary.objects(RowKind::created) + summary.objects(RowKind::reappeared),
                    summary.objects(RowKind::changed) + summary.objects(RowKind::withdrawn),
                    summary.objects(RowKind::vanished)};
    column.url = release_url(column.version, site);
    column.words = base::format_date(summary.release.released_on) + ", " + words_of(summary);
    return column;
}

// Numbers of objects by class, the largest class first, what has no row of its own last.
struct HeatRow {
    std::string name;
    std::vector<std::uint64_t> objects;  // by release, newest first
};

// The rows, and what is drawn as one.
std::vector<HeatRow> heat_rows(Releases newest, const compare::Ranking& ranking) {
    std::map<std::string, HeatRow> by_class;
    HeatRow rest{"Other classes", std::vector<std::uint64_t>(newest.size())};
    HeatRow helpers{"Helper classes", rest.objects};
    for (std::size_t i = 0; i < newest.size(); ++i)
        for (const auto& each : newest[i].details->classes) {
            if (ranking.is_helper(each.class_name)) {
                helpers.objects[i] += each.objects;
                continue;
            }
            auto& row = by_class[each.class_name];
            row.objects.resize(newest.size());
            row.objects[i] = each.objects;
        }
    const auto all_of = [](const HeatRow& row) {
        return std::accumulate(row.objects.begin(), row.objects.end(), std::uint64_t{0});
    };
    std::vector<HeatRow> rows;
    for (auto& [name, row] : by_class) rows.push_back({name, std::move(row.objects)});
    std::ranges::stable_sort(rows, std::greater(), all_of);
    // One class more than fits takes the row of the others.
    if (rows.size() > most_heat_classes + 1) {
        for (auto i = most_heat_classes; i < rows.size(); ++i)
            for (std::size_t at = 0; at < newest.size(); ++at)
                rest.objects[at] += rows[i].objects[at];
        rows.resize(most_heat_classes);
        rows.push_back(std::move(rest));
    }
    if (all_of(helpers) > 0) rows.push_back(std::move(helpers));
    return rows;
}

std::uint64_t largest_cell(const std::vector<HeatRow>& rows) {
    std::uint64_t most = 1;
    for (const auto& row : rows) most = std::max(most, std::ranges::max(row.objects));
    return most;
}

// 1 … heat_levels; logarithmic, because one large release would make all others equal.
std::size_t level_of(std::uint64_t objects, std::uint64_t most) {
    const auto part =
        std::log1p(static_cast<double>(objects)) / std::log1p(static_cast<double>(most));
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(part * heat_levels)), 1,
                                   heat_levels);
}

// "1", "2 to 5", "6 or more": what each level stands for, those that occur.
std::string heat_key(std::uint64_t most) {
    std::array<std::uint64_t, heat_levels + 1> first;  // number of objects of a level
    for (std::size_t level = 0; level < heat_levels; ++level) {
        const auto above = std::expm1(std::log1p(static_cast<double>(most)) *
                                      static_cast<double>(level) / heat_levels);
        first[level] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(above));
        while (level_of(first[level], most) < level + 1 && first[level] < most) ++first[level];
    }
    first[heat_levels] = most + 1;
    std::string html = "<p class=\"keys\">";
    for (std::size_t level = 0; level < heat_levels; ++level) {
        const auto from = first[level], last = first[level + 1] - 1;
        if (level_of(from, most) != level + 1 || last < from) continue;
        html += "<span class=\"key h" + std::to_string(level + 1) + "\">" +
                with_separators(from) + (last > from ? " to " + with_separators(last) : "") +
                "</span> ";
    }
    return html + "</p>";
}

std::string heat_numbers(const std::vector<HeatRow>& rows, Releases newest, std::uint64_t most) {
    std::string svg;
    const auto columns = newest.size();
    for (std::size_t i = 0; i < columns; ++i) {
        svg += "<svg x=\"" + percent(2 * (columns - 1 - i) + 1, 2 * columns) + "\">";
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const auto objects = rows[r].objects[i];
            svg += "<text class=\"wide n" +
                   std::to_string(objects == 0 ? 0 : level_of(objects, most)) + "\" y=\"" +
                   std::to_string(r * heat_row_pixels + 14) + "\">" +
                   (objects == 0 ? "\xC2\xB7" : with_separators(objects)) + "</text>";
        }
        svg += "</svg>";
    }
    return svg;
}

std::string heat_picture(const std::vector<HeatRow>& rows, Releases newest, std::uint64_t most) {
    std::array<std::string, heat_levels> paths;
    std::vector<std::string_view> versions;
    for (auto i = newest.size(); i-- > 0;) versions.push_back(newest[i].summary.release.version);
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t i = 0; i < newest.size(); ++i) {
            const auto objects = rows[r].objects[i];
            if (objects == 0) continue;
            paths[level_of(objects, most) - 1] += "M" +
                                                  std::to_string((newest.size() - 1 - i) * cell) +
                                                  " " + std::to_string(r * cell) + "h9v9h-9z";
        }
    const auto height = rows.size() * heat_row_pixels;
    auto svg = "<svg class=\"heat-map\" width=\"100%\" height=\"" + std::to_string(height + 20) +
               "\" role=\"img\" aria-label=\"Heat map: how many objects of each class changed in "
               "each release. The table below has the numbers.\">" +
               stretched(newest.size() * cell, rows.size() * cell, height);
    for (std::size_t level = 0; level < heat_levels; ++level)
        svg += "<path class=\"h" + std::to_string(level + 1) + "\" d=\"" + paths[level] + "\"/>";
    svg += "</svg>";
    if (newest.size() <= most_numbered) svg += heat_numbers(rows, newest, most);
    append_release_labels(svg, versions, static_cast<int>(height) + 14, 32);
    return svg + "</svg>";
}

std::string heat_table(const std::vector<HeatRow>& classes, Releases newest) {
    std::vector<std::string> headings{"Release"};
    for (const auto& each : classes) headings.push_back(as_html(each.name));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < newest.size(); ++i) {
        auto& row = rows.emplace_back();
        row.push_back(as_html(newest[i].summary.release.version));
        for (const auto& each : classes) row.push_back(with_separators(each.objects[i]));
    }
    return folded_table("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Objects by class and release\">" +
                        number_table("Objects of each class by release", headings, rows) +
                        "</div>");
}

constexpr std::size_t most_listed_classes = 20;

// "first release seen, 15 histories read from timestamps"; empty for most releases.
std::string first_sight_of(const query::ReleaseSummary& summary) {
    std::string text = summary.is_first_seen ? "first release seen" : "";
    if (summary.reconstructed > 0)
        text += (text.empty() ? "" : ", ") +
                counted(summary.reconstructed, "history", "histories") + " read from timestamps";
    return text;
}

//   noun  follows the first number: "objects "
std::string counts_in_words(const std::vector<tables::KindCount>& kinds, bool with_noun) {
    std::string text;
    for (const auto& [kind, objects] : kinds) {
        const bool first = text.empty();
        if (!first) text += ", ";
        text +=
            first && with_noun ? counted(objects, "object", "objects") : with_separators(objects);
        text += " ";
        text += participle_of(kind);
    }
    return text;
}

std::string content_of_release(const query::ListedRelease& release, const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    const auto& classes = release.details->classes;
    const auto& leading = release.details->leading;
    std::string html = "<p>" + as_html(version) + ", released on " +
                       base::format_date(released_on) + ": " + words_of(release.summary) +
                       ".</p>";
    if (!classes.empty()) {
        html += "<p><b>Objects by class</b></p><ul>";
        const auto listed = std::min(classes.size(), most_listed_classes);
        for (std::size_t i = 0; i < listed; ++i)
            html += "<li>" + as_html(classes[i].class_name) + ": " +
                    counts_in_words(classes[i].kinds, false) + "</li>";
        if (listed < classes.size())
            html +=
                "<li>" + counted(classes.size() - listed, "more class", "more classes") + "</li>";
        html += "</ul>";
    }
    if (!leading.empty()) {
        html += "<p><b>Most important</b></p><ul>";
        for (const auto& entry : leading) {
            html +=
                "<li>" + as_html(entry.object.class_name) + " <a href=\"" +
                as_html(page_of(entry.object, site) + "&at=" + base::percent_encode(version)) +
                "\">";
            append_shortened(html, entry.object.label_or_name(entry.label));
            html += "</a></li>";
        }
        html += "</ul>";
    }
    return html + "<p>" + link_html(release_url(version, site), "All changes in " + version) +
           "</p>";
}

}  // namespace

std::string release_bars(Releases newest, const Site& site) {
    if (newest.empty()) return {};
    BarPicture picture;
    picture.label = "Objects created, changed and vanished in each release, " +
                    newest.back().summary.release.version + " to " +
                    newest.front().summary.release.version +
                    ". The table below has the same numbers.";
    for (auto i = newest.size(); i-- > 0;) {
        picture.columns.push_back(column_of(newest[i].summary, site));
        if (newest[i].summary.is_first_seen) picture.first_seen = picture.columns.size() - 1;
    }
    return stacked_bars(picture);
}

bool has_stamps(Releases newest) {
    return std::ranges::any_of(
        newest, [](const ListedRelease& each) { return each.summary.reconstructed > 0; });
}

std::string release_table(Releases newest) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [summary, of_day, details] : newest)
        rows.push_back({as_html(summary.release.version),
                        with_separators(summary.objects(RowKind::created)),
                        with_separators(summary.objects(RowKind::changed)),
                        with_separators(summary.objects(RowKind::vanished)),
                        with_separators(summary.reconstructed)});
    return folded_table(number_table(
        "Objects in each release",
        {"Release", "Created", "Changed", "Vanished", "Read from timestamps"}, rows));
}

std::string heat_map(Releases newest, const compare::Ranking& ranking) {
    if (newest.empty()) return {};
    const auto rows = heat_rows(newest, ranking);
    if (rows.empty()) return {};
    const auto most = largest_cell(rows);
    auto html = heat_key(most) + "<div class=\"heat\"><ul aria-hidden=\"true\">";
    for (const auto& row : rows) html += "<li>" + as_html(row.name) + "</li>";
    return html + "</ul>" + heat_picture(rows, newest, most) + "</div>\n" +
           heat_table(rows, newest);
}

std::string words_of(const query::ReleaseSummary& summary) {
    const auto counts = counts_in_words(summary.kinds, true);
    const auto first = first_sight_of(summary);
    if (counts.empty() && first.empty())
        return summary.is_compared ? "no change recorded" : "not compared yet";
    const std::string_view so_far = counts.empty() || summary.is_compared ? "" : " so far";
    return counts + std::string(so_far) + (counts.empty() || first.empty() ? "" : ", ") + first;
}

std::string words_of_change(const query::ReleaseContents::Entry& entry, const Site& site) {
    const auto renamed = [&](std::string_view words, const tree::ObjectName& other) {
        auto html = kind_html(entry.kind);
        html.append(", probably renamed ").append(words) += ' ';
        html += "<a href=\"" + as_html(page_of(other, site)) + "\">";
        append_shortened(html, other.name);
        return html + "</a>";
    };
    if (entry.renamed_from) return renamed("from", *entry.renamed_from);
    if (entry.renamed_to) return renamed("to", *entry.renamed_to);
    return what_happened_html(entry.kind, entry.headline, entry.counts);
}

FeedItem feed_item_of(const query::ListedRelease& release, const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    const auto time =
        base::format_rfc3339(base::Seconds(released_on) + std::chrono::seconds(release.of_day));
    return {.guid = "tag:" + site.authority + ":/releases/" + base::percent_encode(version),
            .url = release_url(version, site),
            .title = plain_line(version + ": " + words_of(release.summary)),
            .content = content_of_release(release, site),
            .published = released_on,
            .atom_published = time,
            .atom_updated = time};
}

}  // namespace render
