// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/ace_commands.hpp"

namespace support {
namespace {

struct Cell {
    std::string class_name, name, stamp;  // name as `show -j` escapes it
    std::string as_ace;                   // as the dump has it
    [[nodiscard]] bool is_tag() const { return class_name == "tag"; }
    bool operator==(const Cell&) const = default;
};
using Row = std::vector<Cell>;

std::string escaped_java(std::string_view text) {
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

bool is_number(std::string_view word) {
    const auto digits = word.substr(word[0] == '-' ? 1 : 0);
    return !digits.empty() && digits.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_date(std::string_view word) {
    return word.size() >= 7 && word[4] == '-' &&
           word.find_first_not_of("0123456789-_:") == std::string_view::npos;
}

// 15 Mar 1992 10:22:00; what isn't known is the first of its kind.
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

Cell bare_cell(const std::string& word) {
    if (is_date(word)) return {"date", java_date(word), "", word};
    if (!is_number(word)) return {"tag", word, "", word};
    if (word.find('.') == std::string::npos) return {"int", word, "", word};
    return {"float", java_float(word), "", word};
}

// One cell of a line of a dump, or the option behind a cell.
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

std::string text_of(std::string_view raw) {
    std::size_t at = 1;
    return ace_unquoted(raw, at);
}

// The row whose first cell is at `at`; `at` is behind its LF then.
Row row_at(std::string_view bytes, std::size_t& at) {
    Row row;
    bool is_comment = false;
    while (at < bytes.size() && bytes[at] != '\n') {
        if (bytes[at] == ' ' || bytes[at] == '\t') {
            ++at;
            continue;
        }
        const std::string raw(raw_cell(bytes, at));
        if (raw == "-O") {
            ++at;
            row.back().stamp = text_of(raw_cell(bytes, at));
        } else if (raw == "-C") {
            is_comment = true;
        } else if (is_comment) {
            row.push_back({"Comment", escaped_java(text_of(raw)), "", "-C " + raw});
            is_comment = false;
        } else if (raw[0] == '"') {
            row.push_back({"txt", escaped_java(text_of(raw)), "", raw});
        } else {
            row.push_back(bare_cell(raw));
        }
    }
    if (at < bytes.size()) ++at;
    return row;
}

std::size_t behind_header(std::string_view bytes) {
    auto at = bytes.find('"') + 1;
    (void)ace_unquoted(bytes, at);
    return bytes.find('\n', at) + 1;
}

std::vector<Row> rows_of_dump(std::string_view bytes) {
    std::vector<Row> rows;
    for (auto at = behind_header(bytes); at < bytes.size();) rows.push_back(row_at(bytes, at));
    return rows;
}

// Up to the `?` that ends a word of a cell.
std::string java_word(std::string_view text, std::size_t& at) {
    const auto begin = at;
    while (at < text.size() && text[at] != '?') at += text[at] == '\\' ? 2 : 1;
    return std::string(text.substr(begin, at++ - begin));
}

// A recorded reply, its first cell and its differences to the row above made whole.
std::vector<Row> rows_of_java(std::string_view reply) {
    std::vector<Row> rows;
    for (std::size_t at = 0; at < reply.size() && reply[at] != '\n';) {
        const auto tabs = reply.find_first_not_of('\t', at) - at;
        Row row = rows.empty() || tabs == 0
                      ? Row{}
                      : Row(rows.back().begin(), rows.back().begin() + static_cast<long>(tabs));
        const auto end = reply.find('\n', at);
        at += tabs;
        while (at < end) {
            ++at;
            Cell cell{java_word(reply, at), java_word(reply, at), "", ""};
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

bool is_same_tag(const std::string& a, const std::string& b) {
    return matches(a, b) && b.find_first_of("*?") == std::string::npos;
}

// From the cell of `tag` on; those without it go.
void cut_rows(std::vector<Row>& rows, const std::string& tag) {
    if (tag.empty()) return;
    for (auto& row : rows) {
        row.erase(row.begin(), std::find_if(row.begin(), row.end(), [&](const Cell& cell) {
                      return cell.is_tag() && is_same_tag(cell.name, tag);
                  }));
    }
    std::erase_if(rows, [](const Row& row) { return row.empty(); });
}

void strip_stamps(std::vector<Row>& rows) {
    for (auto& row : rows) {
        for (auto& cell : row) cell.stamp.clear();
    }
}

bool is_array(const std::string& class_name) {
    return class_name == "LongText" || class_name == "DNA" || class_name == "Peptide" ||
           class_name == "KeySet";
}

std::string ace_header(const AceContents::Object& object, bool stamped) {
    const auto stamp = stamped ? header_stamp(object.bytes) : "";
    return object.class_name + " : " + ace_quoted(object.name) +
           (stamp.empty() ? "" : " -O \"" + stamp + "\"") + "\n";
}

std::string ace_line(const Row& row) {
    std::string line;
    for (const auto& cell : row) {
        line += (line.empty() ? "" : " ") + cell.as_ace;
        if (&cell == &row.front()) line += '\t';
        if (!cell.stamp.empty()) line += " -O \"" + cell.stamp + "\"";
    }
    return line + "\n";
}

std::string sequence_of(std::string_view body) {
    std::string result(body);
    std::erase_if(result, [](char c) { return c == ' ' || c == '\n'; });
    return result;
}

std::string java_members(std::string_view body) {
    std::string result;
    for (std::size_t at = 0; at < body.size();) {
        const auto colon = body.find(" : \"", at);
        auto name_at = colon + 4;
        result += "\t?" + std::string(body.substr(at, colon - at)) + "?" +
                  escaped_java(ace_unquoted(body, name_at)) + "?\n";
        at = body.find('\n', name_at) + 1;
    }
    return result;
}

std::string java_array(const AceContents::Object& object) {
    const auto body = std::string_view(object.bytes).substr(behind_header(object.bytes));
    const auto name = "?" + escaped_java(object.name) + "?";
    if (object.class_name == "KeySet") return "?Keyset" + name + java_members(body) + "\n\n";
    if (object.class_name == "DNA")
        return "?DNA" + name + "\t?dna?" + sequence_of(body) + "?\n\n";
    if (object.class_name == "Peptide") {
        return "?Peptide" + name + "\t?peptide?" + sequence_of(body) + "?\n\n";
    }
    const auto text = body.substr(0, body.rfind("***LongTextEnd***"));
    return "?LongText" + name + "\t?txt?" + escaped_java(text) + "?\n\n\n";
}

std::string java_rows(const AceContents::Object& object, const std::vector<Row>& rows) {
    std::string result = "?" + object.class_name + "?" + escaped_java(object.name) + "?";
    const Row* above = nullptr;
    for (const auto& row : rows) {
        std::size_t same = 0;
        while (above && same < row.size() && same < above->size() &&
               row[same] == (*above)[same]) {
            ++same;
        }
        if (above) result.append("\n").append(same, '\t');
        for (auto cell = row.begin() + static_cast<long>(same); cell != row.end(); ++cell) {
            result += "\t?" + cell->class_name + "?" + cell->name + "?" + cell->stamp;
        }
        above = &row;
    }
    return result + "\n\n";
}

const std::string* recorded(const std::map<std::string, std::string>& replies,
                            const AceContents::Object& object) {
    const auto found = replies.find(object.class_name + ":" + object.name);
    return found == replies.end() ? nullptr : &found->second;
}

}  // namespace

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

std::string newest_stamp(std::string_view bytes) {
    auto newest = header_stamp(bytes);
    for (const auto& row : rows_of_dump(bytes)) {
        for (const auto& cell : row) newest = std::max(newest, cell.stamp);
    }
    return newest;
}

std::string ace_form(const AceContents& contents, const AceContents::Object& object,
                     const AceForm& form) {
    if (form.tag.empty()) {
        if (form.stamped) return object.bytes + "\n";
        if (const auto* reply = recorded(contents.plain, object)) return *reply;
    }
    auto result = ace_header(object, form.stamped);
    if (is_array(object.class_name)) {
        if (!form.tag.empty()) return "";
        return result + object.bytes.substr(behind_header(object.bytes)) + "\n";
    }
    auto rows = rows_of_dump(object.bytes);
    cut_rows(rows, form.tag);
    if (!form.stamped) strip_stamps(rows);
    if (rows.empty() && !form.tag.empty()) return "";
    for (const auto& row : rows) result += ace_line(row);
    return result + "\n";
}

std::string java_form(const AceContents& contents, const AceContents::Object& object,
                      const AceForm& form) {
    const auto* reply = recorded(contents.java, object);
    if (reply && form.stamped && form.tag.empty()) return *reply;
    if (is_array(object.class_name)) return form.tag.empty() ? java_array(object) : "";
    auto rows = reply ? rows_of_java(*reply) : rows_of_dump(object.bytes);
    cut_rows(rows, form.tag);
    if (!form.stamped) strip_stamps(rows);
    if (rows.empty() && !form.tag.empty()) return "";
    return java_rows(object, rows);
}

}  // namespace support
