// SPDX-License-Identifier: MIT
#include <cctype>

#include "support/ace_commands.hpp"

namespace support {
namespace {

bool is_printable(char c) { return c >= ' ' && c <= '~'; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Cleans a line of input: no comment, no unprintable bytes, a blank for each TAB.
std::string card_of(std::string_view command) {
    std::string card;
    for (std::size_t at = 0; at < command.size(); ++at) {
        const char c = command[at];
        if (c == '/' && command.substr(at, 2) == "//") break;
        if (c == '\\' && at + 1 < command.size()) {
            card += c;
            card += command[++at];
        } else if (c == '\t') {
            card += ' ';
        } else if (is_printable(c)) {
            card += c;
        }
    }
    return card;
}

std::string word_at(const std::string& card, std::size_t& at, bool& has_parameter) {
    const bool in_quotes = card[at] == '"';
    if (in_quotes) ++at;
    std::string word;
    while (at < card.size() && (in_quotes ? card[at] != '"' : card[at] != ' ')) {
        has_parameter = has_parameter || card[at] == '%';
        const bool escapes = card[at] == '\\' && at + 1 < card.size();
        if (escapes) ++at;
        word += escapes && card[at] == 'n' ? '\n' : card[at];
        ++at;
    }
    if (in_quotes) ++at;
    return word;
}

// Returns the number of digits from `at` on without leading zeros, and moves `at` after them.
std::string_view digits_at(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const auto begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
}

int sign(int difference) { return difference < 0 ? -1 : difference > 0 ? 1 : 0; }

}  // namespace

AceWords words_of(std::string_view command) {
    AceWords result;
    const auto card = card_of(command);
    for (std::size_t at = 0; at < card.size();) {
        if (card[at] == ' ') {
            ++at;
        } else {
            result.words.push_back(word_at(card, at, result.has_parameter));
        }
    }
    return result;
}

int compare_names(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const auto left = digits_at(a, i), right = digits_at(b, j);
            if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
            if (left != right) return sign(left.compare(right));
        } else if (lower(a[i]) != lower(b[j])) {
            return lower(a[i]) < lower(b[j]) ? -1 : 1;
        } else {
            ++i;
            ++j;
        }
    }
    return static_cast<int>(i < a.size()) - static_cast<int>(j < b.size());
}

// The usual algorithm: on a mismatch the last star takes one byte more.
bool matches(std::string_view name, std::string_view pattern) {
    std::size_t n = 0, p = 0, star = std::string_view::npos, taken = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = n;
        } else if (p < pattern.size() &&
                   (pattern[p] == '?' || lower(pattern[p]) == lower(name[n]))) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string ace_quoted(std::string_view name) {
    std::string result = "\"";
    for (const char c : name) {
        if (c == '\n') {
            result += "\\n\\\n";
            continue;
        }
        if (std::string_view("\\\"/%;\t").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string ace_unquoted(std::string_view bytes, std::size_t& at) {
    std::string result;
    for (; at < bytes.size() && bytes[at] != '"'; ++at) {
        if (bytes[at] != '\\' || at + 1 == bytes.size()) {
            result += bytes[at];
        } else if (bytes[++at] == '\n') {
            while (at + 1 < bytes.size() && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t')) ++at;
        } else {
            result += bytes[at] == 'n' ? '\n' : bytes[at];
        }
    }
    ++at;
    return result;
}

}  // namespace support
