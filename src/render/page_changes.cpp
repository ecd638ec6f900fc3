// SPDX-License-Identifier: MIT
#include "render/page_changes.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

using compare::FieldChange;

constexpr std::size_t most_nodes_of_line = 40;  // unless it has a single value
constexpr std::size_t most_named = 5;           // fields that the line of minor changes names
constexpr std::size_t longest_of_named = 60;    // bytes of each

constexpr std::string_view start_of_lines = "<ul class=\"changes\">\n", end_of_lines = "</ul>\n";
constexpr std::string_view end_of_fold = "</details>\n",
                           end_of_folded_lines = "</ul></details>\n";

std::size_t count_values(const std::vector<FieldChange>& fields) {
    std::size_t values = 0;
    for (const auto& field : fields) values += field.values.size();
    return values;
}

// "2 minor changes: version, method"
std::string words_for_minor(const std::vector<FieldChange>& fields) {
    std::set<std::size_t> numbers;
    std::set<std::string> named;
    std::string names;
    for (const auto& field : fields) {
        for (const auto& value : field.values) numbers.insert(value.number);
        if (named.size() > most_named) continue;
        const auto words = one_line(words_of(field));
        const auto name = std::string(base::cut_at(words, longest_of_named));
        if (!named.insert(name).second) continue;
        names += named.size() > 1 ? ", " : "";
        names += named.size() > most_named ? ellipsis : name;
    }
    return counted(numbers.size(), "minor change", "minor changes") + ": " + names;
}

std::string words_for_echoes(const std::vector<FieldChange>& fields) {
    return counted(count_values(fields), "reference changed because another object did",
                   "references changed because other objects did");
}

std::string words_for_held(const FieldDocument& document) {
    std::size_t values = count_values(document.minor) + count_values(document.echoes);
    for (const auto& group : document.groups) values += count_values(group.fields);
    return "Content when it was last seen: " + counted(values, "value", "values");
}

std::string start_of_fold(std::string_view css_class, std::string_view words) {
    std::string html = "<details class=\"";
    html.append(css_class) += "\"><summary>";
    append_html(html, words);
    return html + "</summary>\n";
}

// Writes the lines of a document one after the other, until the wanted part is full.
class PageWriter {
   public:
    PageWriter(const ChangesView& view, PartCollector& parts)
        : view_(view), parts_(parts), lines_(view.style) {}

    // Returns false if some lines remain. So do all functions below that write lines.
    bool write() {
        const auto& document = view_.document;
        has_headings_ = std::ranges::any_of(
            document.groups, [](const auto& group) { return !heading_of(group).empty(); });
        for (const auto& group : document.groups) {
            parts_.begin(start_of(group), end_of_lines);
            if (!write_fields(group.fields)) return false;
        }
        if (!write_folded(document.minor, words_for_minor) ||
            !write_folded(document.echoes, words_for_echoes))
            return false;
        parts_.begin(std::string(start_of_lines), end_of_lines);
        return std::ranges::all_of(document.mass_changes,
                                   [this](const auto& line) { return take(line); });
    }

    // Returns whether the change of view.number was written.
    [[nodiscard]] bool found() const { return found_; }

   private:
    template <class Line>
    bool take(const Line& line) {
        std::string html;
        lines_.append(html, line);
        html += '\n';
        const bool taken = parts_.take(html, html.size());
        if (!found_ && lines_.has_placed(view_.number)) {
            found_ = true;
            parts_.want_this();
        }
        return taken;
    }

    [[nodiscard]] std::string start_of(const FieldDocument::Group& group) const {
        std::string html;
        // Without one, what follows another group would seem to be part of it.
        if (has_headings_ && !group.tag.empty()) {
            const auto level = "h" + std::to_string(view_.heading);
            html += "<" + level + " class=\"group\">";
            append_shortened(html, compare::words_of_tag(group.tag));
            html += "</" + level + ">";
        }
        return html.append(start_of_lines);
    }

    bool write_folded(const std::vector<FieldChange>& fields,
                      std::string (*words)(const std::vector<FieldChange>&)) {
        if (fields.empty()) return true;
        parts_.begin(start_of_fold("group", words(fields)).append(start_of_lines),
                     end_of_folded_lines);
        return write_fields(fields);
    }

    bool write_fields(const std::vector<FieldChange>& fields) {
        return std::ranges::all_of(fields,
                                   [this](const auto& field) { return write_field(field); });
    }

    bool write_field(const FieldChange& field) {
        FieldChange line{field.rank, field.op, field.path, {}};
        std::size_t nodes = 0;
        for (const auto& value : field.values) {
            const auto more = count_nodes(value.node());
            if (nodes > 0 && nodes + more > most_nodes_of_line) {
                if (!take(line)) return false;
                line.values.clear();
                nodes = 0;
            }
            line.values.push_back(value);
            nodes += more;
        }
        return take(line);
    }

    const ChangesView& view_;
    PartCollector& parts_;
    ChangeWriter lines_;
    bool has_headings_ = false;
    bool found_ = false;
};

}  // namespace

PartOfPage part_of_changes(const ChangesView& view, std::size_t room, std::size_t part) {
    constexpr auto no_part = std::numeric_limits<std::size_t>::max();
    const auto fold =
        view.folded ? start_of_fold("held", words_for_held(view.document)) : std::string();
    const auto taken = view.folded ? fold.size() + end_of_fold.size() : 0;
    const bool by_number = view.number > 0;
    PartCollector parts(room - std::min(room, taken),
                        by_number ? no_part : std::max<std::size_t>(part, 1));
    PageWriter writer(view, parts);
    const bool more = !writer.write();
    if (by_number && !writer.found()) {
        auto first = view;
        first.number = 0;
        return part_of_changes(first, room, 1);
    }
    auto shown = std::move(parts).finish(more);
    if (view.folded && !shown.html.empty())
        shown.html = fold + shown.html + std::string(end_of_fold);
    return shown;
}

}  // namespace render
