// SPDX-License-Identifier: MIT
#include "render/release_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/page.hpp"
#include "render/release_text.hpp"
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

std::string heat_table(const std::vector<HeatRow>& rows, Releases newest) {
    std::string html =
        "<details><summary>Show as a table</summary><div class=\"scroll\" tabindex=\"0\" "
        "role=\"region\" aria-label=\"Objects by class and release\"><table class=\"numbers\">"
        "<caption class=\"unseen\">Objects of each class by release</caption>"
        "<thead><tr><th scope=\"col\">Release</th>";
    for (const auto& row : rows) html += "<th scope=\"col\">" + as_html(row.name) + "</th>";
    html += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < newest.size(); ++i) {
        html += "<tr><th scope=\"row\">" + as_html(newest[i].summary.release.version) + "</th>";
        for (const auto& row : rows) html += "<td>" + with_separators(row.objects[i]) + "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody></table></div></details>\n";
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
    std::string html = "<details><summary>Show as a table</summary><table class=\"numbers\">"
                       "<caption class=\"unseen\">Objects in each release</caption><thead><tr>"
                       "<th scope=\"col\">Release</th><th scope=\"col\">Created</th>"
                       "<th scope=\"col\">Changed</th><th scope=\"col\">Vanished</th>"
                       "<th scope=\"col\">Read from timestamps</th></tr></thead><tbody>\n";
    for (const auto& each : newest) {
        const auto& summary = each.summary;
        html += "<tr><th scope=\"row\">" + as_html(summary.release.version) + "</th>";
        for (const auto number :
             {summary.objects(RowKind::created), summary.objects(RowKind::changed),
              summary.objects(RowKind::vanished), summary.reconstructed})
            html += "<td>" + with_separators(number) + "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody></table></details>\n";
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

}  // namespace render
