// SPDX-License-Identifier: MIT
#include "source/import/xml_cell.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "tree/number.hpp"

namespace source::import {
namespace {

using tree::Kind;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool are_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// "03" of "Mar".
std::optional<std::string> month_number(std::string_view name) {
    constexpr std::array<std::string_view, 12> names{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
    const auto found = std::find(names.begin(), names.end(), base::fold_ascii(name));
    if (found == names.end()) return std::nullopt;
    const auto number = std::to_string(found - names.begin() + 1);
    return number.size() == 1 ? "0" + number : number;
}

// `15 Mar 1992 10:22:00` as AceDB writes it; nullopt for other shapes.
std::optional<std::string> ace_date(std::string_view text) {
    const auto words = base::split(text, ' ');
    if (words.size() != 4) return std::nullopt;
    const auto day = words[0], month = words[1], year = words[2], time = words[3];
    const auto number = month_number(month);
    if (!number || day.size() > 2 || !are_digits(day) || year.size() != 4 || !are_digits(year) ||
        time.size() != 8)
        return std::nullopt;
    constexpr std::string_view midnight = "00:00:00";
    if (time == midnight && month == "JAN" && day == "01") return std::string(year);
    auto date = std::string(year) + '-' + *number + '-' + (day.size() == 1 ? "0" : "");
    date += day;
    if (time != midnight) (date += '_') += time;
    if (tree::kind_of_bare_word(date) != Kind::date) return std::nullopt;
    return date;
}

// Of a type whose values are written bare in a dump.
tree::Cell bare_cell(std::string_view value) {
    const bool is_word = !value.empty() && value.find_first_of(" \t\n\r") == value.npos;
    const auto kind = is_word ? tree::kind_of_bare_word(value) : Kind::text;
    return {kind, std::string(value), {}};
}

tree::Cell date_cell(std::string_view value) {
    if (auto date = ace_date(value)) return {Kind::date, std::move(*date), {}};
    if (value.size() == 4 && are_digits(value)) return {Kind::date, std::string(value), {}};
    return bare_cell(value);
}

tree::Cell real_cell(std::string_view value) {
    auto cell = bare_cell(value);
    if (cell.kind == Kind::integer) cell.kind = Kind::real;
    return cell;
}

}  // namespace

tree::Cell xml_cell(std::string_view class_name, std::string_view value) {
    if (!class_name.starts_with('#'))
        return {Kind::reference, std::string(value), std::string(class_name)};
    const auto type = class_name.substr(1);
    if (type == "txt") return {Kind::text, std::string(value), {}};
    if (type == "int") return bare_cell(value);
    if (type == "float") return real_cell(value);
    if (type == "date") return date_cell(value);
    if (type == "Comment" || type == "comment") return {Kind::comment, std::string(value), {}};
    if (type == "dna" || type == "peptide" || type == "scalar")
        return {Kind::text, std::string(value), {}};
    return {Kind::reference, std::string(value), std::string(type)};
}

}  // namespace source::import
