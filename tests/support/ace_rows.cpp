// SPDX-License-Identifier: MIT
#include "support/ace_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/ace_commands.hpp"

namespace support {
namespace {

bool is_number(std::string_view word) {
    const auto digits = word.substr(word[0] == '-' ? 1 : 0);
    return !digits.empty() && digits.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_date(std::string_view word) {
    return word.size() >= 7 && word[4] == '-' &&
           word.find_first_not_of("0123456789-_:") == std::string_view::npos;
}

// Returns 15 Mar 1992 10:22:00; unknown parts are the first of their kind.
std::string java_date(std::string_view date) {
    static constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::string whole =
        std::string(date) + std::string("0000-01-01_00:00:00").substr(date.size());
    const auto month = static_cast<std::size_t>(std::atoi(whole.substr(5, 2).c_str()));
    return whole.substr(8, 2) + " " + months.at(month - 1) + " " + whole.substr(0, 4) + " " +
           whole.substr(11);
}

std::string java_float(const std::string& text) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%g", std::strtod(text.c_str(), nullptr));
    return buffer.data();
}

AceCell bare_cell(const std::string& word) {
    if (is_date(word)) return {"date", java_date(word), "", word};
    if (!is_number(word)) return {"tag", word, "", word};
    if (word.find('.') == std::string::npos) return {"int", word, "", word};
    return {"float", java_float(word), "", word};
}

// Reads one cell of a line of a dump, or the option after a cell.
std::string_view raw_cell(std::string_view bytes, std::size_t& at) {
    const auto begin = at;
    if (bytes[at] == '"') {
        ++at;
        (void)ace_unquoted(bytes, at);
    } else {
        at = std::min(bytes.find_first_of(" \t\n", at), bytes.size());
    }
    return bytes.substr(begin, at - begin);
}

std::string unquoted(std::string_view raw) {
    std::size_t at = 1;
    return ace_unquoted(raw, at);
}

// Reads the row whose first cell is at `at`, and moves `at` after its LF.
AceRow row_at(std::string_view bytes, std::size_t& at) {
    AceRow row;
    bool is_comment = false;
    while (at < bytes.size() && bytes[at] != '\n') {
        if (bytes[at] == ' ' || bytes[at] == '\t') {
            ++at;
            continue;
        }
        const std::string raw(raw_cell(bytes, at));
        if (raw == "-O") {
            ++at;
            row.back().stamp = unquoted(raw_cell(bytes, at));
        } else if (raw == "-C") {
            is_comment = true;
        } else if (is_comment) {
            row.push_back({"Comment", java_escaped(unquoted(raw)), "", "-C " + raw});
            is_comment = false;
        } else if (raw[0] == '"') {
            row.push_back({"txt", java_escaped(unquoted(raw)), "", raw});
        } else {
            row.push_back(bare_cell(raw));
        }
    }
    if (at < bytes.size()) ++at;
    return row;
}

// Reads up to the `?` that ends a word of a cell.
std::string java_word(std::string_view text, std::size_t& at) {
    const auto begin = at;
    while (at < text.size() && text[at] != '?') at += text[at] == '\\' ? 2 : 1;
    return std::string(text.substr(begin, at++ - begin));
}

}  // namespace

std::string java_escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == '?') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else {
            result += c;
        }
    }
    return result;
}

std::size_t behind_header(std::string_view bytes) {
    auto at = bytes.find('"') + 1;
    (void)ace_unquoted(bytes, at);
    return bytes.find('\n', at) + 1;
}

std::vector<AceRow> rows_of_dump(std::string_view bytes) {
    std::vector<AceRow> rows;
    for (auto at = behind_header(bytes); at < bytes.size();) rows.push_back(row_at(bytes, at));
    return rows;
}

std::vector<AceRow> rows_of_java(std::string_view reply) {
    std::vector<AceRow> rows;
    for (std::size_t at = 0; at < reply.size() && reply[at] != '\n';) {
        const auto tabs = reply.find_first_not_of('\t', at) - at;
        AceRow row =
            rows.empty() || tabs == 0
                ? AceRow{}
                : AceRow(rows.back().begin(), rows.back().begin() + static_cast<long>(tabs));
        const auto end = reply.find('\n', at);
        at += tabs;
        while (at < end) {
            ++at;
            AceCell cell{java_word(reply, at), java_word(reply, at), "", ""};
            const auto stamp_end = std::min(reply.find_first_of("\t\n", at), end);
            cell.stamp = std::string(reply.substr(at, stamp_end - at));
            row.push_back(std::move(cell));
            at = std::min(stamp_end + 1, end);
        }
        rows.push_back(std::move(row));
        at = end + 1;
    }
    for (auto& row : rows) row.erase(row.begin());
    if (rows.size() == 1 && rows[0].empty()) rows.clear();
    return rows;
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

std::string header_stamp(std::string_view bytes) {
    auto at = bytes.find('"') + 1;
    (void)ace_unquoted(bytes, at);
    if (bytes.substr(at, 5) != " -O \"") return "";
    at += 5;
    return ace_unquoted(bytes, at);
}

}  // namespace support
