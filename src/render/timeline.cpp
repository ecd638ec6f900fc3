// SPDX-License-Identifier: MIT
#include "render/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "render/display_text.hpp"
#include "render/html.hpp"

namespace render {
namespace {

constexpr int width = 720, left = 12, right = 708;
constexpr int highest = 56, lowest = 8;  // of a bar
constexpr int slots = 100;
constexpr int most_labels = 9;

// Releases of one slot.
struct Bar {
    int x = 0;
    const tables::Row* newest = nullptr;
    const tables::Row* oldest = nullptr;
    bool linked = false;
    std::size_t changes = 0;
};

std::size_t changes_of(const tables::Row& row) { return row.notes.changes.size(); }

class Timeline {
   public:
    Timeline(const std::vector<tables::Row>& rows, std::size_t from, std::size_t end)
        : first_(rows.back().release.released_on), last_(rows.front().release.released_on) {
        for (auto i = rows.size(); i-- > 0;) add(rows[i], i >= from && i < end);
        for (const auto& bar : bars_) most_ = std::max(most_, bar.changes);
    }

    std::string take() const {
        std::string svg =
            "<svg class=\"timeline\" viewBox=\"0 0 720 100\" role=\"group\" "
            "aria-labelledby=\"timeline-title timeline-text\">"
            "<title id=\"timeline-title\">Timeline</title><desc id=\"timeline-text\">"
            "Bar chart with " +
            counted(bars_.size(), "bar", "bars") + " from " + base::format_date(first_) + " to " +
            base::format_date(last_) +
            ". The height of a bar shows the number of changes. The list below has the same "
            "information.</desc>"
            "<path class=\"axis\" d=\"M0 74.5H720\"/>\n";
        append_years(svg);
        for (const auto& bar : bars_) append(svg, bar);
        return svg + "</svg>\n";
    }

   private:
    [[nodiscard]] int x_of(base::Date day) const {
        const auto span = (last_ - first_).count();
        if (span <= 0) return (left + right) / 2;
        const auto slot = (day - first_).count() * (slots - 1) / span;
        return left + static_cast<int>(slot * (right - left) / (slots - 1));
    }

    void add(const tables::Row& row, bool linked) {
        const auto x = x_of(row.release.released_on);
        if (bars_.empty() || bars_.back().x != x) bars_.push_back({x, &row, &row, linked, 0});
        bars_.back().newest = &row;
        bars_.back().linked = linked;
        bars_.back().changes += changes_of(row);
    }

    // Logarithmic: one release that loaded everything again would flatten all others.
    [[nodiscard]] int height_of(std::size_t changes) const {
        if (most_ == 0) return lowest;
        const auto part =
            std::log1p(static_cast<double>(changes)) / std::log1p(static_cast<double>(most_));
        return lowest + static_cast<int>(part * (highest - lowest));
    }

    // The list below has the same links, so the tab key does not stop at each bar.
    void append(std::string& svg, const Bar& bar) const {
        const auto& version = bar.newest->release.version;
        svg += bar.linked ? "<a href=\"#" + as_html(version) + "\" tabindex=\"-1\">" : "<g>";
        svg += "<title>";
        if (bar.oldest != bar.newest) svg += as_html(bar.oldest->release.version) + " to ";
        svg += as_html(version) + ": " + counted(bar.changes, "change", "changes") + "</title>";
        svg += "<path class=\"bar " + std::string(tables::name_of(bar.newest->kind)) +
               "\" d=\"M" + std::to_string(bar.x) + " 74v-" +
               std::to_string(height_of(bar.changes)) +
               (bar.linked ? "\"/></a>\n" : "\"/></g>\n");
    }

    void append_years(std::string& svg) const {
        const auto year = [](base::Date day) {
            return static_cast<int>(std::chrono::year_month_day(day).year());
        };
        const int from = year(first_), to = year(last_);
        const int step = (to - from) / most_labels + 1;
        bool any = false;
        for (int y = from + 1; y <= to; y += step, any = true)
            append_label(svg, std::chrono::sys_days{std::chrono::year{y} / 1 / 1},
                         std::to_string(y));
        if (any) return;
        append_label(svg, first_, base::format_date(first_));
        if (last_ > first_) append_label(svg, last_, base::format_date(last_));
    }

    void append_label(std::string& svg, base::Date day, const std::string& text) const {
        const auto x = x_of(day);
        const std::string_view anchor = x < 60 ? "start" : x > width - 60 ? "end" : "middle";
        svg += "<path class=\"tick\" d=\"M" + std::to_string(x) + " 74v5\"/><text x=\"" +
               std::to_string(x) + "\" y=\"93\" text-anchor=\"" + std::string(anchor) + "\">" +
               text + "</text>\n";
    }

    base::Date first_, last_;
    std::size_t most_ = 0;
    std::vector<Bar> bars_;
};

}  // namespace

std::string timeline_of(const std::vector<tables::Row>& rows, std::size_t from, std::size_t end) {
    return rows.empty() ? std::string() : Timeline(rows, from, end).take();
}

}  // namespace render
