// SPDX-License-Identifier: MIT
#include "render/stacked_bars.hpp"

#include <algorithm>
#include <cmath>

#include "render/display_text.hpp"
#include "render/html.hpp"

namespace render {
namespace {

constexpr std::uint64_t axis = 106;             // pixels from the top
constexpr std::uint64_t highest_bar = 76;       // above it: a number, and what marks a column
constexpr std::uint64_t lowest_part = 3;        // whatever there is can be seen
constexpr std::size_t most_bars_numbered = 30;  // columns wide enough for a number on the bar
constexpr std::size_t most_spread = 30;         // columns wide enough for the widest bars
constexpr std::size_t longest_label = 12;       // characters
constexpr std::size_t characters_of_screen = 130;

constexpr std::array<std::string_view, 4> looks = {"stroke=\"url(#hatch)\"", "class=\"a\"",
                                                   "class=\"p\"", "class=\"r\""};

// Begins something at the middle of a column.
std::string at_middle(std::size_t column, std::size_t columns) {
    return "<svg x=\"" + percent(2 * column + 1, 2 * columns) + "\">";
}

std::string line_up(std::string_view look, std::uint64_t from, std::uint64_t to) {
    return "<path " + std::string(look) + " d=\"M0 " + std::to_string(from) + "V" +
           std::to_string(to) + "\"/>";
}

class BarWriter {
   public:
    explicit BarWriter(const BarPicture& picture) : picture_(picture) {
        for (const auto& each : picture.columns) {
            most_ = std::max(most_, each.all());
            is_hatched_ = is_hatched_ || each.parts[0] > 0;
            is_marked_ = is_marked_ || each.is_marked;
        }
    }

    [[nodiscard]] std::string take() const {
        const auto& columns = picture_.columns;
        if (most_ == 0 && !is_marked_) return {};
        std::string svg = "<svg class=\"stacks";
        if (columns.size() > most_spread) svg += " dense";
        svg += "\" width=\"100%\" height=\"126\" role=\"group\" aria-label=\"" +
               as_html(picture_.label) + "\">";
        if (is_hatched_)
            svg += "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" "
                   "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                   "<rect width=\"2.6\" height=\"5\"/></pattern></defs>";
        append_marks(svg);
        svg += "<line class=\"axis\" x2=\"100%\" y1=\"106.5\" y2=\"106.5\"/>\n";
        std::vector<std::string_view> versions;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            versions.push_back(columns[i].version);
            append_column(svg, i);
        }
        append_release_labels(svg, versions, 121, 48);
        return svg + "</svg>\n";
    }

   private:
    [[nodiscard]] std::uint64_t height_of(std::uint64_t number) const {
        const auto all = static_cast<double>(number), most = static_cast<double>(most_);
        const auto part =
            picture_.is_logarithmic ? std::log1p(all) / std::log1p(most) : all / most;
        return static_cast<std::uint64_t>(part * highest_bar);
    }

    void append_column(std::string& svg, std::size_t at) const {
        const auto& column = picture_.columns[at];
        const auto columns = picture_.columns.size();
        if (column.all() == 0 && !column.is_marked) {
            if (column.has_tick)
                svg += at_middle(at, columns) + line_up("class=\"t\"", axis, axis - 6) + "</svg>";
            return;
        }
        const bool linked = !column.url.empty();
        svg += linked ? "<a href=\"" + as_html(column.url) + "\" tabindex=\"-1\">" : "<g>";
        svg += "<title>" + as_html(column.version) + ": " + as_html(column.words) +
               "</title><rect class=\"hit\" x=\"" + percent(at, columns) + "\" width=\"" +
               percent(1, columns) + "\" height=\"106\"/>" + at_middle(at, columns);
        append_parts(svg, column);
        svg += linked ? "</svg></a>\n" : "</svg></g>\n";
    }

    void append_parts(std::string& svg, const ReleaseColumn& column) const {
        if (column.all() == 0) {
            svg += line_up("class=\"m\"", axis, axis - 18);
            return;
        }
        const auto height = height_of(column.all());
        auto top = axis;
        for (std::size_t i = 0; i < column.parts.size(); ++i) {
            if (column.parts[i] == 0) continue;
            if (top < axis) --top;
            const auto own = std::max(lowest_part, height * column.parts[i] / column.all());
            svg += line_up(looks[i], top, top - own);
            top -= own;
        }
        if (picture_.columns.size() <= most_bars_numbered)
            svg += "<text class=\"wide\" y=\"" + std::to_string(top - 4) + "\">" +
                   with_separators(column.all()) + "</text>";
    }

    // Says where what was seen begins, and where the object ends.
    void append_marks(std::string& svg) const {
        const auto columns = picture_.columns.size();
        if (const auto& first = picture_.first_seen) {
            const auto x = percent(*first, columns);
            const bool before = 3 * *first > columns;
            svg += "<line class=\"seen\" x1=\"" + x + "\" x2=\"" + x +
                   "\" y1=\"2\" y2=\"106\"/>"
                   "<text class=\"" +
                   (before ? "end" : "start") + "\" x=\"" + x + "\" dx=\"" +
                   (before ? "-5" : "5") + "\" y=\"11\">first release seen</text>";
        }
        if (const auto& last = picture_.vanished) {
            const bool at_end = columns > 8 && 4 * (*last + 1) > 3 * columns;
            svg += "<text class=\"strong" + std::string(at_end ? " end" : "") + "\" x=\"" +
                   (at_end ? percent(*last + 1, columns) : percent(2 * *last + 1, 2 * columns)) +
                   "\" y=\"11\">vanished</text>";
        }
    }

    const BarPicture& picture_;
    std::uint64_t most_ = 0;
    bool is_hatched_ = false, is_marked_ = false;
};

// Returns what all versions begin with, up to the last character that is no digit.
std::size_t common_beginning(const std::vector<std::string_view>& versions) {
    auto common = versions.front();
    for (const auto version : versions) {
        const auto differs = std::ranges::mismatch(common, version).in1;
        common = common.substr(0, static_cast<std::size_t>(differs - common.begin()));
    }
    while (!common.empty() && common.back() >= '0' && common.back() <= '9')
        common.remove_suffix(1);
    // Every version has something left, and no character is cut.
    const bool is_ascii = std::ranges::all_of(common, [](char c) { return c > ' ' && c < 0x7F; });
    return is_ascii &&
                   common.size() < std::ranges::min(versions, {}, &std::string_view::size).size()
               ? common.size()
               : 0;
}

// Of a long version, what follows one of its separators: "2026-07" of "bookworm-2026-07".
std::string_view short_version(std::string_view version) {
    while (count_characters(version) > longest_label) {
        const auto separator = version.find_first_of("-_.:/ ");
        if (separator == std::string_view::npos) return {};
        version.remove_prefix(separator + 1);
    }
    return version;
}

}  // namespace

std::string percent(std::size_t part, std::size_t of) {
    const auto tenths = of == 0 ? 0 : part * 1000 / of;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

void append_release_labels(std::string& svg, const std::vector<std::string_view>& versions, int y,
                           std::size_t characters_of_phone) {
    if (versions.empty()) return;
    const auto columns = versions.size();
    std::size_t longest = 1;
    for (const auto version : versions)
        longest = std::max(longest, count_characters(short_version(version)));
    const auto step_for = [&](std::size_t characters) {
        return std::max<std::size_t>(1, (columns * (longest + 2) + characters - 1) / characters);
    };
    const auto step = step_for(characters_of_screen);
    const auto step_on_phone = (step_for(characters_of_phone) + step - 1) / step * step;
    const auto beginning = common_beginning(versions);
    for (std::size_t i = 0; i < columns; i += step) {
        const auto column = columns - 1 - i;
        const bool is_wide = i % step_on_phone != 0;
        const auto version =
            short_version(is_wide ? versions[column].substr(beginning) : versions[column]);
        if (version.empty()) continue;
        // In a narrow column it would stand out at the side of the picture.
        const bool at_end = i == 0 && columns > 8, at_start = column == 0 && columns > 8;
        svg += "<text y=\"" + std::to_string(y) + "\" x=\"" +
               (at_end     ? "100%"
                : at_start ? "0"
                           : percent(2 * column + 1, 2 * columns)) +
               "\"";
        if (at_end || at_start || is_wide)
            svg += std::string(" class=\"") +
                   (at_end     ? "end"
                    : at_start ? "start"
                               : "") +
                   (is_wide ? (at_start ? " wide" : "wide") : "") + "\"";
        svg += ">" + as_html(version) + "</text>";
    }
}

std::string number_table(std::string_view caption, const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows) {
    std::string html = "<table class=\"numbers\"><caption class=\"unseen\">";
    html.append(caption) += "</caption><thead><tr>";
    for (const auto& heading : headings) html += "<th scope=\"col\">" + heading + "</th>";
    html += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        html += "<tr><th scope=\"row\">" + row.front() + "</th>";
        for (std::size_t i = 1; i < row.size(); ++i) html += "<td>" + row[i] + "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody></table>";
}

std::string folded_table(const std::string& table) {
    return "<details><summary>Show as a table</summary>" + table + "</details>\n";
}

std::string stacked_bars(const BarPicture& picture) {
    return picture.columns.empty() ? std::string() : BarWriter(picture).take();
}

}  // namespace render
