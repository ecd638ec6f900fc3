// SPDX-License-Identifier: MIT
#include "render/display_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utf8.h>

#include "base/utf8.hpp"

namespace render {
namespace {

constexpr std::size_t longest_shown = 500;  // bytes of one text
constexpr std::size_t longest_word = 80;    // more without a blank is a sequence
constexpr std::size_t sequence_head = 40;   // bytes of a sequence that are shown
constexpr std::size_t sequence_tail = 10;
constexpr std::string_view blanks = " \t\r\n";

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Returns whether it is ASCII, one line, and without a tag, as most texts are: nothing has to be done.
bool is_plain_line(std::string_view text) {
    char before = ' ';
    for (const char c : text) {
        if (!base::is_printable(c) || c == '<' || (c == ' ' && before == ' ')) return false;
        before = c;
    }
    return before != ' ' || text.empty();
}

//   text  legal
std::string joined_lines(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        const bool ends_line = c == 0x2028 || c == 0x2029;
        if (ends_line || (c < 0x80 && is_blank(static_cast<char>(c)))) {
            if (!line.empty() && line.back() != ' ') line += ' ';
        } else if (is_bad_character(c)) {
            line += '?';
        } else {
            line.append(from, at);
        }
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

// Replaces < and > in a text with the end of a tag.
std::string without_tags(std::string line) {
    if (line.find("</") == std::string::npos) return line;
    std::string result;
    for (const char c : line) {
        if (c == '<')
            result += "\xE2\x80\xB9";
        else if (c == '>')
            result += "\xE2\x80\xBA";
        else
            result += c;
    }
    return result;
}

}  // namespace

std::string one_line(std::string_view text) {
    if (is_plain_line(text)) return std::string(text);
    return base::is_legal_text(text) ? joined_lines(text) : joined_lines(base::legal_text(text));
}

std::string plain_line(std::string_view text) {
    if (is_plain_line(text)) return std::string(text);
    return without_tags(base::without_directions(one_line(text)));
}

std::string isolated_line(std::string_view value) {
    return is_plain_line(value) ? std::string(value)
                                : base::isolated(base::without_directions(one_line(value)));
}

std::string plain_sentence(std::string_view text) {
    if (is_plain_line(text)) return std::string(text);
    return base::isolated(without_tags(one_line(text)));
}

std::string_view end_of(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    auto from = text.size() - most;
    while (from < text.size() && base::is_continuation(text[from])) ++from;
    return text.substr(from);
}

std::string shortened_to(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    return std::string(base::cut_at(text, most)).append(ellipsis);
}

Shortened shortened(std::string_view text) {
    if (is_sequence(text))
        return {base::cut_at(text, sequence_head), end_of(text, sequence_tail),
                count_characters(text)};
    if (text.size() <= longest_shown) return {text, {}, 0};
    return {base::cut_at(text, longest_shown), {}, count_characters(text)};
}

bool is_sequence(std::string_view text) {
    return text.size() > longest_word &&
           text.substr(0, longest_word).find_first_of(blanks) == std::string_view::npos;
}

std::string date_in_words(base::Date day) {
    static constexpr auto months = std::to_array<std::string_view>(
        {"January", "February", "March", "April", "May", "June", "July", "August", "September",
         "October", "November", "December"});
    const std::chrono::year_month_day parts{day};
    return std::to_string(static_cast<unsigned>(parts.day())) + " " +
           std::string(months.at(static_cast<unsigned>(parts.month()) - 1)) + " " +
           std::to_string(static_cast<int>(parts.year()));
}

std::string time_in_words(base::Seconds time) {
    return date_in_words(std::chrono::floor<std::chrono::days>(time)) + ", " +
           base::format_rfc3339(time).substr(11, 5);
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view several) {
    return with_separators(number) + " " + std::string(number == 1 ? one : several);
}

}  // namespace render
