// SPDX-License-Identifier: MIT
#include "render/page_changes.hpp"

#include <algorithm>
#include <set>

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::Rank;

constexpr std::size_t most_nodes_of_line = 40;  // unless it has a single value
constexpr std::size_t most_named = 5;           // fields that the line of minor changes names
constexpr std::size_t longest_of_named = 60;    // bytes of each

constexpr std::string_view start_of_lines = "<ul class=\"changes\">\n", end_of_lines = "</ul>\n";
constexpr std::string_view end_of_fold = "</details>\n";

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
        names += named.size() > most_named ? std::string(ellipsis) : base::isolated(name);
    }
    return counted(numbers.size(), "minor change", "minor changes") + ": " + names;
}

std::string words_for_echoes(const std::vector<FieldChange>& fields) {
    std::size_t values = 0;
    for (const auto& field : fields) values += field.values.size();
    return counted(values, "reference changed because another object did",
                   "references changed because other objects did");
}

std::string words_for_held(const FieldDocument& document) {
    return "Content when it was last seen: " + counted(count_values(document), "value", "values");
}

std::string start_of_fold(std::string_view css_class, std::string_view words) {
    std::string html = "<details class=\"";
    html.append(css_class) += "\"><summary>";
    append_html(html, words);
    return html + "</summary>\n";
}

// Returns the number of the change of each value, in the order of the page.
std::vector<std::size_t> change_numbers_of(const FieldDocument& document) {
    std::vector<std::size_t> numbers;
    for (const auto& section : document.sections)
        for (const auto& field : section.fields)
            for (const auto& value : field.values) numbers.push_back(value.number);
    for (const auto& line : document.mass_changes) numbers.push_back(line.number);
    return numbers;
}

// Writes the values of a document that are on a page.
class PageWriter {
   public:
    PageWriter(const ChangesView& view, std::size_t from, std::size_t most)
        : view_(view), from_(from), end_(from + most), lines_(view.style) {}

    [[nodiscard]] std::string write() {
        const auto& document = view_.document;
        for (const auto& section : document.sections) write(section);
        std::string lines;
        for (const auto& line : document.mass_changes)
            if (is_next_shown()) append(lines, line);
        if (!lines.empty()) html_.append(start_of_lines).append(lines) += end_of_lines;
        return std::move(html_);
    }

   private:
    // Returns whether the page has the next value.
    bool is_next_shown() {
        const auto at = at_++;
        return from_ <= at && at < end_;
    }

    template <class Line>
    void append(std::string& html, const Line& line) {
        lines_.append(html, line);
        html += '\n';
    }

    // Writes what is on the page of a section, if there is any.
    void write(const FieldDocument::Section& section) {
        std::string lines;
        for (const auto& field : section.fields) append_field(lines, field);
        if (lines.empty()) return;
        const bool is_folded = section.rank != Rank::ordinary;
        if (is_folded) {
            html_ += start_of_fold("group", section.rank == Rank::minor
                                                ? words_for_minor(section.fields)
                                                : words_for_echoes(section.fields));
        } else if (!section.tag.empty()) {
            const auto level = "h" + std::to_string(view_.heading);
            html_ += "<" + level + " class=\"group\">" +
                     shortened_html(compare::words_of_tag(section.tag)) + "</" + level + ">";
        }
        html_.append(start_of_lines)
            .append(lines)
            .append(is_folded ? "</ul></details>\n" : end_of_lines);
    }

    // A field with many values takes several lines.
    void append_field(std::string& html, const FieldChange& field) {
        FieldChange line{field.rank, field.op, field.path, field.telling, {}};
        std::size_t nodes = 0;
        for (const auto& value : field.values) {
            if (!is_next_shown()) continue;
            const auto more = count_nodes(value.node());
            if (nodes > 0 && nodes + more > most_nodes_of_line) {
                append(html, line);
                line.values.clear();
                nodes = 0;
            }
            line.values.push_back(value);
            nodes += more;
        }
        if (!line.values.empty()) append(html, line);
    }

    const ChangesView& view_;
    const std::size_t from_, end_;
    ChangeWriter lines_;
    std::string html_;
    std::size_t at_ = 0;  // values before the next one
};

}  // namespace

std::size_t count_values(const FieldDocument& document) {
    return change_numbers_of(document).size();
}

std::size_t page_of_change(const FieldDocument& document, std::size_t number) {
    const auto numbers = change_numbers_of(document);
    const auto found = std::ranges::find(numbers, number);
    if (found == numbers.end()) return 1;
    return static_cast<std::size_t>(found - numbers.begin()) / values_on_page + 1;
}

std::string changes_html(const ChangesView& view, std::size_t from, std::size_t most) {
    auto html = PageWriter(view, from, most).write();
    if (!view.folded || html.empty()) return html;
    return start_of_fold("held", words_for_held(view.document)) + html + std::string(end_of_fold);
}

}  // namespace render
