// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace base {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// A table, because every address on a page passes here.
constexpr auto unreserved = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz0123456789-._~"))
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();
constexpr bool is_unreserved(char c) { return unreserved[static_cast<unsigned char>(c)]; }

constexpr int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    const char small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string_view digits_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(at, end - at);
}

int compare_digits(std::string_view a, std::string_view b) {
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
}

// Returns the Damerau-Levenshtein distance in which no letter is changed twice.
std::size_t edits_between(std::string_view a, std::string_view b) {
    // The rows of the letters of `a` before the last one, before this one, and up to this one.
    std::vector<std::size_t> earlier, above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        earlier = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], earlier[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string fold_ascii(std::string_view text) {
    std::string folded(text);
    std::transform(folded.begin(), folded.end(), folded.begin(), lower);
    return folded;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::size_t> nearest_to(std::string_view word,
                                      const std::vector<std::string>& candidates) {
    constexpr std::size_t most_edits = 2, longest_word = 64;
    if (word.empty() || word.size() > longest_word) return std::nullopt;
    std::optional<std::size_t> nearest;
    auto fewest = std::min(most_edits, word.size() / 2) + 1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].size() > word.size() + most_edits) continue;
        const auto edits = edits_between(word, candidates[i]);
        if (edits >= fewest) continue;
        fewest = edits;
        nearest = i;
    }
    if (nearest || word.size() < 2) return nearest;
    const auto begun = std::ranges::find_if(
        candidates, [&](const std::string& each) { return each.starts_with(word); });
    if (begun == candidates.end()) return std::nullopt;
    return static_cast<std::size_t>(begun - candidates.begin());
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string with_separators(std::uint64_t number) {
    auto text = std::to_string(number);
    for (auto at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    const auto number = parse_integer(text);
    if (!number || *number < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

int natural_compare(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const auto x = digits_at(a, i), y = digits_at(b, j);
            if (const int order = compare_digits(x, y); order != 0) return order;
            i += x.size();
            j += y.size();
            continue;
        }
        if (a[i] != b[j])
            return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
        ++i, ++j;
    }
    if (i < a.size() || j < b.size()) return i < a.size() ? 1 : -1;
    return a.compare(b);
}

std::string percent_encode(std::string_view bytes) {
    std::string encoded;
    encoded.reserve(bytes.size());
    append_percent_encoded(encoded, bytes);
    return encoded;
}

void append_percent_encoded(std::string& encoded, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    while (!bytes.empty()) {
        const auto* reserved = std::ranges::find_if_not(bytes, is_unreserved);
        encoded.append(bytes, 0, static_cast<std::size_t>(reserved - bytes.begin()));
        if (reserved == bytes.end()) break;
        const auto byte = static_cast<unsigned char>(*reserved);
        encoded += '%';
        encoded += digits[byte >> 4];
        encoded += digits[byte & 15];
        bytes = {reserved + 1, bytes.end()};
    }
}

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus == Plus::is_space) {
            decoded += ' ';
        } else if (text[i] != '%') {
            decoded += text[i];
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    return decoded;
}

std::string escape_html(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size() + text.size() / 8);
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            case '\'': escaped += "&#39;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

}  // namespace base
