// SPDX-License-Identifier: MIT
#include "render/release_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/page.hpp"
#include "render/release_text.hpp"

namespace render {
namespace {

using query::ListedRelease;
using tables::RowKind;
using Releases = std::span<const ListedRelease>;

constexpr std::size_t most_heat_classes = 12;
// More labels do not fit beside each other on a phone.
constexpr std::size_t labels_of_bars = 7, labels_of_heat_map = 4;
constexpr std::size_t longest_label = 9;      // characters
constexpr std::uint64_t plot_height = 1'000;  // of the inner picture of bars, in its own units
constexpr std::uint64_t cell = 10;            // of the inner pictures, in their own units
constexpr std::size_t heat_levels = 4;

// "12.5%": `tenths` of a percent.
std::string percent(std::size_t part, std::size_t of) {
    const auto tenths = of == 0 ? 0 : part * 1000 / of;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

// Versions below the columns: some of them, so that they fit, the newest always.
void append_release_labels(std::string& svg, Releases newest, int y, std::size_t most) {
    const auto columns = newest.size();
    const auto step = (columns - 1) / most + 1;
    for (std::size_t i = 0; i < columns; i += step) {
        const auto& version = newest[i].summary.release.version;
        if (count_characters(version) > longest_label) continue;
        const auto column = columns - 1 - i;
        const bool at_end = i == 0 && columns > 1;
        const bool at_start = column == 0 && columns > 1;
        svg += "<text y=\"" + std::to_string(y) + "\" x=\"" +
               (at_end     ? "100%"
                : at_start ? "0"
                           : percent(2 * column + 1, 2 * columns)) +
               "\" text-anchor=\"" +
               (at_end     ? "end"
                : at_start ? "start"
                           : "middle") +
               "\">" + as_html(version) + "</text>";
    }
}

// Begins a picture without text that is stretched over the whole width.
std::string stretched(std::uint64_t columns, std::uint64_t rows, std::uint64_t pixels) {
    return "<svg viewBox=\"0 0 " + std::to_string(columns) + " " + std::to_string(rows) +
           "\" preserveAspectRatio=\"none\" width=\"100%\" height=\"" + std::to_string(pixels) +
           "\" aria-hidden=\"true\">";
}

struct Stack {
    std::uint64_t created = 0, changed = 0, vanished = 0;
    [[nodiscard]] std::uint64_t all() const { return created + changed + vanished; }
};

Stack stack_of(const query::ReleaseSummary& summary) {
    return {summary.objects(RowKind::created) + summary.objects(RowKind::reappeared),
            summary.objects(RowKind::changed) + summary.objects(RowKind::withdrawn) +
                summary.objects(RowKind::adopted),
            summary.objects(RowKind::vanished)};
}

class Bars {
   public:
    explicit Bars(Releases newest) : newest_(newest) {
        for (const auto& each : newest) most_ = std::max(most_, stack_of(each.summary).all());
    }

    [[nodiscard]] std::string take(const Site& site) const {
        if (most_ == 0) return {};
        std::string created, changed, vanished, links;
        for (std::size_t i = 0; i < newest_.size(); ++i) {
            const auto column = newest_.size() - 1 - i;
            const auto& summary = newest_[i].summary;
            const auto stack = stack_of(summary);
            auto top = plot_height;
            append_part(changed, column, stack.changed, top);
            append_part(created, column, stack.created, top);
            append_part(vanished, column, stack.vanished, top);
            append_bar_link(links, column, summary, site);
        }
        std::string svg = "<svg class=\"plot\" width=\"100%\" height=\"140\" role=\"group\" "
                          "aria-label=\"Objects "
                          "that each release created, changed or made vanish, " +
                          as_html(newest_.back().summary.release.version) + " to " +
                          as_html(newest_.front().summary.release.version) +
                          ". The table below has the same numbers.\">";
        svg += stretched(newest_.size() * cell, plot_height, 120);
        svg += "<path class=\"changed\" d=\"" + changed + "\"/><path class=\"created\" d=\"" +
               created + "\"/><path class=\"vanished\" d=\"" + vanished + "\"/></svg>";
        svg += "<path class=\"axis\" d=\"M0 120.5h4000\"/>" + links + "<text x=\"0\" y=\"11\">" +
               with_separators(most_) + "</text>";
        append_release_labels(svg, newest_, 135, labels_of_bars);
        return svg + "</svg>\n";
    }

   private:
    // Whatever there is has some height.
    void append_part(std::string& path, std::size_t column, std::uint64_t objects,
                     std::uint64_t& top) const {
        constexpr std::uint64_t lowest = 12;
        if (objects == 0) return;
        const auto share =
            static_cast<double>(objects) / static_cast<double>(most_) * (plot_height - 160);
        const auto height = std::min(top, std::max(lowest, static_cast<std::uint64_t>(share)));
        top -= height;
        path += "M" + std::to_string(column * cell + 1) + " " + std::to_string(top) + "h8v" +
                std::to_string(height) + "h-8z";
    }

    // The table has the same links, so the tab key does not stop at each bar.
    void append_bar_link(std::string& svg, std::size_t column,
                         const query::ReleaseSummary& summary, const Site& site) const {
        const auto columns = newest_.size();
        svg += "<a href=\"" + as_html(release_url(summary.release.version, site)) +
               "\" tabindex=\"-1\"><title>" + as_html(summary.release.version) + ": " +
               words_of(summary) + "</title><rect class=\"hit\" x=\"" + percent(column, columns) +
               "\" width=\"" + percent(1, columns) + "\" height=\"120\"/></a>";
    }

    Releases newest_;
    std::uint64_t most_ = 0;
};

// Numbers of objects by class, the largest class first, "Other classes" last.
struct HeatRow {
    std::string name;
    std::vector<std::uint64_t> objects;  // by release, newest first
};

std::vector<HeatRow> heat_rows(Releases newest) {
    std::map<std::string, HeatRow> by_class;
    for (std::size_t i = 0; i < newest.size(); ++i)
        for (const auto& each : newest[i].details->classes) {
            auto& row = by_class[each.class_name];
            row.objects.resize(newest.size());
            row.objects[i] = each.objects;
        }
    std::vector<std::pair<std::uint64_t, HeatRow>> sorted;
    for (auto& [name, row] : by_class) {
        std::uint64_t all = 0;
        for (const auto objects : row.objects) all += objects;
        sorted.emplace_back(all, HeatRow{name, std::move(row.objects)});
    }
    std::ranges::stable_sort(sorted, std::greater(), [](const auto& each) { return each.first; });
    std::vector<HeatRow> rows;
    for (auto& [all, row] : sorted) {
        // One class more than fits takes the row of the others.
        if (rows.size() < most_heat_classes || sorted.size() == most_heat_classes + 1) {
            rows.push_back(std::move(row));
            continue;
        }
        if (rows.size() == most_heat_classes)
            rows.push_back({"Other classes", std::vector<std::uint64_t>(newest.size())});
        for (std::size_t i = 0; i < newest.size(); ++i) rows.back().objects[i] += row.objects[i];
    }
    return rows;
}

// 1 … heat_levels; logarithmic, because one large release would make all others equal.
std::size_t level_of(std::uint64_t objects, std::uint64_t most) {
    const auto part =
        std::log1p(static_cast<double>(objects)) / std::log1p(static_cast<double>(most));
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(part * heat_levels)), 1,
                                   heat_levels);
}

std::string heat_picture(const std::vector<HeatRow>& rows, Releases newest) {
    constexpr std::uint64_t pixels = 22;  // of a row, as in style.css
    std::uint64_t most = 0;
    for (const auto& row : rows) most = std::max(most, std::ranges::max(row.objects));
    std::array<std::string, heat_levels> paths;
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t i = 0; i < newest.size(); ++i) {
            const auto objects = rows[r].objects[i];
            if (objects == 0) continue;
            paths[level_of(objects, most) - 1] += "M" +
                                                  std::to_string((newest.size() - 1 - i) * cell) +
                                                  " " + std::to_string(r * cell) + "h9v9h-9z";
        }
    const auto height = rows.size() * pixels;
    auto svg = "<svg class=\"plot\" width=\"100%\" height=\"" + std::to_string(height + 20) +
               "\" role=\"img\" aria-label=\"Heat map: objects of each class that each release "
               "touched. The table below has the numbers.\">" +
               stretched(newest.size() * cell, rows.size() * cell, height);
    for (std::size_t level = 0; level < heat_levels; ++level)
        svg += "<path class=\"h" + std::to_string(level + 1) + "\" d=\"" + paths[level] + "\"/>";
    svg += "</svg>";
    append_release_labels(svg, newest, static_cast<int>(height) + 14, labels_of_heat_map);
    return svg + "</svg>";
}

std::string heat_table(const std::vector<HeatRow>& rows, Releases newest) {
    std::string html =
        "<details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" "
        "role=\"region\" aria-label=\"Objects by class and release\"><table>"
        "<caption class=\"unseen\">Objects of each class that each release touched</caption>"
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
    return newest.empty() ? std::string() : Bars(newest).take(site);
}

std::string heat_map(Releases newest) {
    if (newest.empty()) return {};
    const auto rows = heat_rows(newest);
    if (rows.empty()) return {};
    std::string html = "<div class=\"heat\"><ul aria-hidden=\"true\">";
    for (const auto& row : rows) html += "<li>" + as_html(row.name) + "</li>";
    return html + "</ul>" + heat_picture(rows, newest) + "</div>\n" + heat_table(rows, newest);
}

}  // namespace render
