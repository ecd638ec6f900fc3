// SPDX-License-Identifier: MIT
#include "render/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>

#include "base/utf8.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"

namespace render {
namespace {

using base::Release;
using query::ListedRelease;
using tables::Mention;
using tables::Row;
using tables::RowKind;
using Releases = std::span<const ListedRelease>;

// "12.5%": `tenths` of a percent.
std::string percent(std::size_t part, std::size_t of) {
    const auto tenths = of == 0 ? 0 : part * 1000 / of;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

// Returns a table with the numbers of a picture.
//   headings, rows  HTML, of as many cells; the first cell of a row is its heading
using Cells = std::vector<std::string>;
std::string number_table(std::string_view caption, const Cells& headings,
                         const std::vector<Cells>& rows) {
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

std::string folded(const std::string& table) {
    return "<details><summary>Show as a table</summary>" + table + "</details>\n";
}

// -- labels

constexpr std::size_t longest_label = 12;  // characters

// How many characters fit beside each other: on the narrowest screen that is wider than a phone, and on a phone.
struct Room {
    std::size_t screen, phone;
};
constexpr Room room_of_bars{105, 48}, room_of_heat_map{80, 32};

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

// Of a long version, what follows one of its separators: "2026-07" of "bookworm-2026-07"; else its end.
std::string short_version(std::string_view version) {
    const auto whole = version;
    while (count_characters(version) > longest_label) {
        const auto separator = version.find_first_of("-_.:/ ");
        if (separator == std::string_view::npos)
            return std::string(ellipsis).append(end_of(whole, longest_label - 1));
        version.remove_prefix(separator + 1);
    }
    return std::string(version);
}

// Appends versions below columns at the height y: as many as fit, fewer on a phone, the newest always.
// Those between have only what follows their common beginning: "187" beside "WS190". A version that is shortened can be
// seen whole where the pointer rests.
//   versions  the oldest first; at least one
void append_labels(std::string& svg, const std::vector<std::string_view>& versions, int y,
                   Room room) {
    const auto columns = versions.size();
    std::size_t longest = 1;
    for (const auto version : versions)
        longest = std::max(longest, count_characters(short_version(version)));
    const auto step_for = [&](std::size_t characters) {
        return std::max<std::size_t>(1, (columns * (longest + 2) + characters - 1) / characters);
    };
    const auto step = step_for(room.screen);
    const auto step_on_phone = (step_for(room.phone) + step - 1) / step * step;
    const auto beginning = common_beginning(versions);
    // In a narrow column the newest label would stand out at the side of the picture, hence it ends there. Then there may be
    // no room for the one beside it, and none for the oldest ones.
    const bool is_narrow = columns * longest > room.phone;
    const auto has_room = [&](std::size_t i, std::size_t distance, std::size_t characters) {
        if (!is_narrow || i == 0) return true;
        const bool stands_out = longest * columns > (2 * (columns - 1 - i) + 1) * characters;
        const bool touches_newest =
            i == distance && (3 * longest + 4) * columns > (2 * distance + 1) * characters;
        return !stands_out && !touches_newest;
    };
    for (std::size_t i = 0; i < columns; i += step) {
        if (!has_room(i, step, room.screen)) continue;
        const auto column = columns - 1 - i;
        const bool is_wide = i % step_on_phone != 0 || !has_room(i, step_on_phone, room.phone);
        const auto shown = is_wide ? versions[column].substr(beginning) : versions[column];
        const auto version = short_version(shown);
        const bool at_end = i == 0 && is_narrow;
        const std::string_view css_class = at_end ? "end" : is_wide ? "wide" : "";
        svg += "<text y=\"" + std::to_string(y) + "\" x=\"" +
               (at_end ? "100%" : percent(2 * column + 1, 2 * columns));
        if (!css_class.empty()) svg.append("\" class=\"").append(css_class);
        svg += "\">" +
               (version == shown ? "" : "<title>" + as_attribute(versions[column]) + "</title>") +
               as_attribute(version) + "</text>";
    }
}

// -- bars

// What one release did.
struct ReleaseColumn {
    std::string version;
    // From the axis up: read from timestamps (hatched); added or created; replaced or changed; removed
    // or vanished.
    std::array<std::uint64_t, 4> parts{};
    bool is_marked = false;  // it did something that has no numbers
    bool has_tick = true;    // where it did nothing: it was looked at, and the object was there
    std::string url;         // of what it did; empty: none
    std::string words;       // "3 added, 1 removed"
    Cells row = {};          // of the table; empty: none

    [[nodiscard]] std::uint64_t all() const { return parts[0] + parts[1] + parts[2] + parts[3]; }
};

struct BarPicture {
    std::vector<ReleaseColumn> columns;  // the oldest first, at most most_columns
    std::string label;                   // says the whole in words, for those who do not see it
    std::string caption = {};            // of a table with the same numbers
    Cells headings = {};                 // of the table; empty: there is none
    std::optional<std::size_t> first_seen = {};  // the column of the first release seen
    std::optional<std::size_t> vanished = {};  // the column in which the object vanished for good
    // One release that loaded everything would flatten all others.
    bool is_logarithmic = false;
};
constexpr std::uint64_t axis = 106;             // pixels from the top
constexpr std::uint64_t highest_bar = 76;       // above it: a number, and what marks a column
constexpr std::uint64_t lowest_part = 3;        // whatever there is can be seen
constexpr std::size_t most_bars_numbered = 30;  // columns wide enough for a number on the bar
constexpr std::size_t most_spread = 30;         // columns wide enough for the widest bars

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

// The bars, and the table. The whole height of a column links to its address; the tab key does not stop there,
// because another table has the same links.
class BarWriter {
   public:
    explicit BarWriter(const BarPicture& picture) : picture_(picture) {
        for (const auto& each : picture.columns) {
            most_ = std::max(most_, each.all());
            is_hatched_ = is_hatched_ || each.parts[0] > 0;
            is_marked_ = is_marked_ || each.is_marked;
        }
    }

    //   returns  empty if there is no bar; at most 25 KB and the table with addresses of 100 bytes
    [[nodiscard]] std::string take() const {
        const auto& columns = picture_.columns;
        if (most_ == 0 && !is_marked_) return {};
        std::string svg = "<svg class=\"stacks";
        if (columns.size() > most_spread) svg += " dense";
        svg += "\" width=\"100%\" height=\"126\" role=\"group\" aria-label=\"" +
               as_attribute(picture_.label) + "\">";
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
        append_labels(svg, versions, 121, room_of_bars);
        svg += "</svg>\n";
        if (picture_.headings.empty()) return svg;
        std::vector<Cells> rows;
        for (const auto& column : std::views::reverse(columns))
            if (!column.row.empty()) rows.push_back(column.row);
        return svg + folded(number_table(picture_.caption, picture_.headings, rows));
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
        const bool linked = !column.url.empty();
        svg += linked ? "<a href=\"" + as_attribute(column.url) + "\" tabindex=\"-1\">" : "<g>";
        svg += "<title>" + as_attribute(column.version) + ": " + as_attribute(column.words) +
               "</title><rect class=\"hit\" x=\"" + percent(at, columns) + "\" width=\"" +
               percent(1, columns) + "\" height=\"106\"/>" + at_middle(at, columns);
        append_parts(svg, column);
        svg += linked ? "</svg></a>\n" : "</svg></g>\n";
    }

    void append_parts(std::string& svg, const ReleaseColumn& column) const {
        if (column.all() == 0 && !column.is_marked) {
            if (column.has_tick) svg += line_up("class=\"t\"", axis, axis - 6);
            return;
        }
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

// -- releases

std::string words_of_column(const query::ReleaseSummary& summary) {
    return date_in_words(summary.release.released_on) + ", " + words_of(summary);
}

ReleaseColumn column_of(const query::ReleaseSummary& summary, const Site& site) {
    ReleaseColumn column;
    column.version = summary.release.version;
    column.parts = {summary.reconstructed,
                    summary.objects(RowKind::created) + summary.objects(RowKind::reappeared),
                    summary.objects(RowKind::changed) + summary.objects(RowKind::withdrawn),
                    summary.objects(RowKind::vanished)};
    column.url = release_url(column.version, site);
    column.words = words_of_column(summary);
    column.row = {as_html(column.version)};
    for (const auto kind : {RowKind::created, RowKind::changed, RowKind::vanished})
        column.row.push_back(with_separators(summary.objects(kind)));
    column.row.push_back(with_separators(summary.reconstructed));
    return column;
}

constexpr std::size_t most_heat_classes = 12;
constexpr std::size_t most_numbered = 20;  // releases whose cells are wide enough for numbers
constexpr std::uint64_t cell_units = 10;   // of the inner picture
constexpr std::size_t heat_levels = 4;
constexpr std::uint64_t heat_row_pixels = 22;  // as in style.css

// Numbers of objects by class, the largest class first, what has no row of its own last.
struct HeatRow {
    std::string name;
    std::vector<std::uint64_t> objects;  // by release, newest first
};

// The rows, and what is drawn as one.
std::vector<HeatRow> heat_rows(Releases newest, const compare::Ranking& ranking) {
    const std::string helpers = "Helper classes";  // no class has a name with a blank
    std::map<std::string, std::vector<std::uint64_t>> by_name;
    for (std::size_t i = 0; i < newest.size(); ++i)
        for (const auto& each : newest[i].details->classes) {
            auto& objects =
                by_name[ranking.is_helper(each.class_name) ? helpers : each.class_name];
            objects.resize(newest.size());
            objects[i] += each.objects;
        }
    std::vector<HeatRow> rows;
    for (auto& [name, objects] : by_name) rows.push_back({name, std::move(objects)});
    std::ranges::stable_sort(rows, std::greater(), [&](const HeatRow& row) {
        const auto all =
            std::accumulate(row.objects.begin(), row.objects.end(), std::uint64_t{0});
        return std::pair(row.name != helpers, all);
    });
    // One class more than fits takes the row of the others.
    const auto classes = rows.size() - by_name.count(helpers);
    if (classes <= most_heat_classes + 1) return rows;
    auto& others = rows[most_heat_classes];
    others.name = "Other classes";
    for (auto i = most_heat_classes + 1; i < classes; ++i)
        std::ranges::transform(others.objects, rows[i].objects, others.objects.begin(),
                               std::plus());
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(most_heat_classes) + 1;
    rows.erase(first, rows.begin() + static_cast<std::ptrdiff_t>(classes));
    return rows;
}

// 1 … heat_levels; logarithmic, because one large release would make all others equal.
std::size_t level_of(std::uint64_t objects, std::uint64_t most) {
    const auto part =
        std::log1p(static_cast<double>(objects)) / std::log1p(static_cast<double>(most));
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(part * heat_levels)), 1,
                                   heat_levels);
}

// "1", "2 to 5", "6 to 9": what each level stands for, those that occur.
std::string heat_key(std::uint64_t most) {
    // Returns the smallest number of objects of a level, or of one above it.
    const auto first_of_level = [most](std::size_t level) {
        const auto numbers = std::views::iota(std::uint64_t{1}, most + 1);
        return *std::ranges::partition_point(
            numbers, [&](std::uint64_t objects) { return level_of(objects, most) < level; });
    };
    std::string html = "<p class=\"keys\">";
    for (std::size_t level = 1; level <= heat_levels; ++level) {
        const auto from = first_of_level(level), end = first_of_level(level + 1);
        if (from == end) continue;
        html += "<span class=\"key h" + std::to_string(level) + "\">" + with_separators(from) +
                (end - from > 1 ? " to " + with_separators(end - 1) : "") + "</span> ";
    }
    return html + "</p>";
}

std::string heat_numbers(const std::vector<HeatRow>& rows, Releases newest, std::uint64_t most) {
    std::string svg;
    const auto columns = newest.size();
    for (std::size_t i = 0; i < columns; ++i) {
        svg += at_middle(columns - 1 - i, columns);
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
            paths[level_of(objects, most) - 1] +=
                "M" + std::to_string((newest.size() - 1 - i) * cell_units) + " " +
                std::to_string(r * cell_units) + "h9v9h-9z";
        }
    const auto height = rows.size() * heat_row_pixels;
    auto svg = "<svg class=\"heat-map\" width=\"100%\" height=\"" + std::to_string(height + 20) +
               "\" role=\"img\" aria-label=\"Heat map: how many objects of each class changed in "
               "each release. The table below has the numbers.\">" +
               "<svg viewBox=\"0 0 " + std::to_string(newest.size() * cell_units) + " " +
               std::to_string(rows.size() * cell_units) +
               "\" preserveAspectRatio=\"none\" width=\"100%\" height=\"" +
               std::to_string(height) + "\" aria-hidden=\"true\">";
    for (std::size_t level = 0; level < heat_levels; ++level)
        svg += "<path class=\"h" + std::to_string(level + 1) + "\" d=\"" + paths[level] + "\"/>";
    svg += "</svg>";
    if (newest.size() <= most_numbered) svg += heat_numbers(rows, newest, most);
    for (std::size_t i = 0; i < newest.size(); ++i) {
        const auto column = newest.size() - 1 - i;
        svg += "<g><title>" + as_attribute(versions[column]) + ": " +
               words_of_column(newest[i].summary) + "</title><rect class=\"hit\" x=\"" +
               percent(column, newest.size()) + "\" width=\"" + percent(1, newest.size()) +
               "\" height=\"" + std::to_string(height) + "\"/></g>";
    }
    append_labels(svg, versions, static_cast<int>(height) + 14, room_of_heat_map);
    return svg + "</svg>";
}

std::string heat_table(const std::vector<HeatRow>& classes, Releases newest) {
    Cells headings{"Release"};
    for (const auto& each : classes) headings.push_back(as_html(each.name));
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < newest.size(); ++i) {
        auto& row = rows.emplace_back();
        row.push_back(as_html(newest[i].summary.release.version));
        for (const auto& each : classes) row.push_back(with_separators(each.objects[i]));
    }
    return folded("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Objects by class and release\">" +
                  number_table("Objects of each class by release", headings, rows) + "</div>");
}

// -- the history of an object

std::string words_of_row(const Row& row) {
    const auto counts = counts_text(tables::count_changes(row.notes));
    const std::string word(word_of(row.kind));
    if (row.kind == RowKind::changed && !counts.empty()) return counts;
    return counts.empty() ? word : word + ": " + counts;
}

ReleaseColumn column_of(const Row& row, bool is_linked) {
    const auto counts = tables::count_changes(row.notes);
    ReleaseColumn column;
    column.version = row.release.version;
    if (row.kind == RowKind::reconstructed)
        column.parts[0] = counts.added + counts.replaced + counts.removed;
    else
        column.parts = {0, counts.added, counts.replaced, counts.removed};
    column.is_marked = column.all() == 0;
    if (is_linked) column.url = "#" + row.release.version;
    column.words = date_in_words(row.release.released_on) + ", " + words_of_row(row);
    auto heading = as_html(row.release.version);
    if (row.kind != RowKind::changed) heading += ", " + std::string(word_of(row.kind));
    column.row = {heading, with_separators(counts.added), with_separators(counts.replaced),
                  with_separators(counts.removed)};
    return column;
}

// -- mentions of an object

// A picture with more of them has a mark for each release.
constexpr std::size_t most_marks = 30, most_marks_of_column = 3;
constexpr std::size_t longest_url_of_mark = 160, longest_title_of_mark = 60;  // bytes

// The mentions while one release was the newest one, which came last first.
using Column = std::vector<const Mention*>;

// Returns the columns of the picture, the oldest first. What is older than all of them is in the first one.
std::vector<Column> columns_of(const std::vector<Mention>& mentions,
                               const std::vector<base::Release>& releases) {
    const auto shown = std::min(releases.size(), most_columns);
    std::vector<Column> columns(shown);
    for (const auto& mention : mentions) {
        const auto day = day_of(mention);
        const auto pictured = std::span(releases).first(shown);
        const auto at = std::ranges::find_if(
            pictured, [&](const base::Release& release) { return release.released_on <= day; });
        const auto newer = std::min(static_cast<std::size_t>(at - pictured.begin()), shown - 1);
        columns[shown - 1 - newer].push_back(&mention);
    }
    return columns;
}

std::string mark(const std::string& url, const std::string& words, int y, int radius) {
    return "<a href=\"" + as_attribute(url) + "\" tabindex=\"-1\"><title>" + as_attribute(words) +
           "</title><circle cy=\"" + std::to_string(y) + "\" r=\"" + std::to_string(radius) +
           "\"/></a>";
}

std::string mark_of(const Mention& mention, int y) {
    const bool is_linked = is_web_url(mention.link) && mention.link.size() <= longest_url_of_mark;
    return mark(
        is_linked ? mention.link : "#mentions",
        date_in_words(day_of(mention)) + ", " +
            base::isolated(shortened_to(plain_line(mention.feed_name), longest_title_of_mark)) +
            ": " + base::isolated(shortened_to(title_of(mention), longest_title_of_mark)),
        y, 3);
}

std::string marks_of(const Column& column, const std::string& version, bool each) {
    if (!each || column.size() > most_marks_of_column)
        return mark("#mentions", version + ": " + counted(column.size(), "entry", "entries"), 22,
                    5) +
               "<text y=\"12\">" + with_separators(column.size()) + "</text>";
    std::string svg;
    int y = 25;
    for (const auto* mention : column) {
        svg += mark_of(*mention, y);
        y -= 9;
    }
    return svg;
}

// The columns that have mentions, the newest first.
std::string track_table(const std::vector<Column>& columns,
                        const std::vector<base::Release>& releases) {
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (const auto& column = columns[columns.size() - 1 - i]; !column.empty())
            rows.push_back({as_html(releases[i].version), with_separators(column.size())});
    return folded(number_table("Entries that mention it, by the newest release at that time",
                               {"Release", "Entries"}, rows));
}

// -- fetches of a source feed

// Fetches with the minutes since the one before, oldest first.
struct PicturedFetch {
    const FetchEvent* event = nullptr;
    std::uint64_t minutes = 0;
};
std::vector<PicturedFetch> pictured_fetches(const std::vector<FetchEvent>& events) {
    std::vector<PicturedFetch> fetches;
    const FetchEvent* before = nullptr;
    for (const auto& event : std::views::reverse(events)) {
        if (event.outcome == FetchEvent::Outcome::begun) continue;
        if (before != nullptr) {
            const auto passed = std::max(event.at - before->at, std::chrono::seconds(0));
            const auto minutes = (passed.count() + 59) / 60;
            fetches.push_back({&event, static_cast<std::uint64_t>(minutes)});
        }
        before = &event;
    }
    if (fetches.size() > most_columns)
        fetches.erase(fetches.begin(), fetches.end() - static_cast<std::ptrdiff_t>(most_columns));
    return fetches;
}

std::string_view outcome_in_words(FetchEvent::Outcome outcome) {
    switch (outcome) {
        case FetchEvent::Outcome::news: return "something new";
        case FetchEvent::Outcome::nothing_new: return "nothing new";
        case FetchEvent::Outcome::failed: return "failed";
        case FetchEvent::Outcome::begun: break;
    }
    return "begun";
}

ReleaseColumn column_of(const PicturedFetch& fetch) {
    const auto& event = *fetch.event;
    // What was fetched twice within a minute can be seen, too.
    const auto minutes = std::max<std::uint64_t>(1, fetch.minutes);
    ReleaseColumn column;
    const auto at = time_in_words(event.at);
    column.version = at.substr(0, at.find(' ') + 4) + at.substr(at.find(',') + 1);
    column.parts[event.outcome == FetchEvent::Outcome::news          ? 1
                 : event.outcome == FetchEvent::Outcome::nothing_new ? 2
                                                                     : 3] = minutes;
    const std::string outcome(outcome_in_words(event.outcome));
    column.words = counted(minutes, "minute", "minutes") + " after the fetch before, " + outcome;
    column.row = {at, with_separators(minutes), outcome};
    return column;
}

}  // namespace

std::string release_bars(Releases newest, bool has_table, const Site& site) {
    if (newest.empty()) return {};
    BarPicture picture;
    picture.label = "Objects created, changed and vanished in each release, " +
                    newest.back().summary.release.version + " to " +
                    newest.front().summary.release.version +
                    ". The table below has the same numbers.";
    picture.caption = "Objects in each release";
    if (has_table)
        picture.headings = {"Release", "Created", "Changed", "Vanished", "Read from timestamps"};
    for (auto i = newest.size(); i-- > 0;) {
        picture.columns.push_back(column_of(newest[i].summary, site));
        if (newest[i].summary.is_first_seen) picture.first_seen = picture.columns.size() - 1;
    }
    return BarWriter(picture).take();
}

void add_release_pictures(Variables& variables, const query::ReleaseList& releases,
                          std::size_t most, bool has_table, const Site& site) {
    const auto newest = Releases(releases).first(std::min(releases.size(), most));
    const bool has_stamps = std::ranges::any_of(
        newest, [](const ListedRelease& each) { return each.summary.reconstructed > 0; });
    variables.flag("has_stamps", has_stamps)
        .set("bars", release_bars(newest, has_table, site))
        .set("heat_map", heat_map(newest, site.ranking))
        .set("pictured", newest.size() < releases.size()
                             ? "the newest " + std::to_string(newest.size())
                             : "");
}

std::string heat_map(Releases newest, const compare::Ranking& ranking) {
    if (newest.empty()) return {};
    const auto rows = heat_rows(newest, ranking);
    if (rows.empty()) return {};
    std::uint64_t most = 1;
    for (const auto& row : rows) most = std::max(most, std::ranges::max(row.objects));
    auto html = heat_key(most) + "<div class=\"heat\"><ul aria-hidden=\"true\">";
    for (const auto& row : rows)
        html += "<li title=\"" + as_attribute(row.name) + "\">" + as_html(row.name) + "</li>";
    return html + "</ul>" + heat_picture(rows, newest, most) + "</div>\n" +
           heat_table(rows, newest);
}

std::vector<Stretch> stretches_of(const std::vector<Row>& rows,
                                  const std::vector<Release>& releases) {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < releases.size(); ++i) index[releases[i].version] = i;
    std::vector<Stretch> found;
    std::size_t next = 0;
    const auto add = [&](Stretch::State state, std::size_t end, std::size_t row = 0) {
        if (end <= next) return;
        found.push_back({state, row, next, end});
        next = end;
    };
    const Row* newer = nullptr;
    // Adds the releases between two rows, or at an end.
    const auto add_between = [&](std::size_t end, bool is_absent) {
        if (is_absent) return add(Stretch::State::absent, end);
        if (newer != nullptr && !newer->since.empty()) {
            const auto since = index.find(newer->since);
            add(Stretch::State::skipped,
                since == index.end() ? end : std::min(end, since->second));
        }
        add(Stretch::State::unchanged, end);
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = index.find(rows[i].release.version);
        if (at == index.end() || at->second < next) continue;
        add_between(at->second, rows[i].kind == RowKind::vanished);
        add(Stretch::State::recorded, at->second + 1, i);
        newer = &rows[i];
    }
    add_between(releases.size(), false);
    return found;
}

std::string_view word_of(Stretch::State state) {
    switch (state) {
        case Stretch::State::recorded: return "changed";
        case Stretch::State::skipped: return "not compared";
        case Stretch::State::absent: return "vanished";
        case Stretch::State::unchanged: break;
    }
    return "unchanged";
}

std::string range_of(const std::vector<Release>& releases, std::size_t from, std::size_t end) {
    const auto& newest = releases[from].version;
    if (end - from == 1) return newest;
    return releases[end - 1].version + (end - from == 2 ? " and " : " to ") + newest;
}

std::string history_strip(const std::vector<Row>& rows, const query::FollowedReleases& followed,
                          std::size_t from, std::size_t end) {
    const auto& releases = followed.releases;
    if (rows.size() < 2 || releases.size() < 2) return {};
    const auto shown = std::min(releases.size(), most_columns);
    BarPicture picture;
    picture.is_logarithmic = true;
    picture.columns.resize(shown);
    picture.label = "Changes in each release from " + releases[shown - 1].version + " to " +
                    releases.front().version + ". The table below has the same numbers.";
    picture.caption = "Changes in each release";
    picture.headings = {"Release", "Added", "Replaced", "Removed"};
    for (const auto& stretch : stretches_of(rows, releases))
        for (auto i = stretch.from; i < std::min(stretch.end, shown); ++i) {
            auto& column = picture.columns[shown - 1 - i];
            column.version = releases[i].version;
            column.has_tick = stretch.state == Stretch::State::unchanged;
            column.words = date_in_words(releases[i].released_on) + ", ";
            column.words += word_of(stretch.state);
            if (stretch.state != Stretch::State::recorded) continue;
            const auto& row = rows[stretch.row];
            column = column_of(row, stretch.row >= from && stretch.row < end);
            if (stretch.row == 0 && row.kind == RowKind::vanished)
                picture.vanished = shown - 1 - i;
        }
    for (std::size_t i = 0; i < shown; ++i)
        if (releases[i].version == followed.first_seen) picture.first_seen = shown - 1 - i;
    return BarWriter(picture).take();
}

std::string mention_track(const query::History& history,
                          const query::FollowedReleases& followed) {
    const auto& releases = followed.releases;
    if (history.mentions.empty() || releases.empty()) return {};
    const auto columns = columns_of(history.mentions, releases);
    std::string svg = "<svg class=\"track\" width=\"100%\" height=\"30\" role=\"group\" "
                      "aria-label=\"" +
                      counted(history.mentioned, "entry mentions it", "entries mention it") +
                      ". The table below has the same numbers.\">\n";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].empty()) continue;
        svg += at_middle(i, columns.size()) +
               marks_of(columns[i], releases[columns.size() - 1 - i].version,
                        history.mentions.size() <= most_marks) +
               "</svg>\n";
    }
    return svg + "</svg>\n" + track_table(columns, releases);
}

std::string fetch_picture(const std::vector<FetchEvent>& events) {
    const auto fetches = pictured_fetches(events);
    if (fetches.empty()) return {};
    BarPicture picture;
    picture.is_logarithmic = true;
    for (const auto& fetch : fetches) picture.columns.push_back(column_of(fetch));
    const auto count = [&](FetchEvent::Outcome outcome) {
        const auto number = std::ranges::count_if(
            fetches, [&](const auto& fetch) { return fetch.event->outcome == outcome; });
        return with_separators(static_cast<std::uint64_t>(number)) + " " +
               std::string(outcome_in_words(outcome));
    };
    picture.label =
        "Minutes between the fetches from " + time_in_words(fetches.front().event->at) + " to " +
        time_in_words(fetches.back().event->at) + ": " + count(FetchEvent::Outcome::news) + ", " +
        count(FetchEvent::Outcome::nothing_new) + ", " + count(FetchEvent::Outcome::failed) +
        ". The table below has the same numbers.";
    picture.caption = "Minutes between fetches";
    picture.headings = {"Fetch", "Minutes", "Outcome"};
    return BarWriter(picture).take();
}

}  // namespace render
