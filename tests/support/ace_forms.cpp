// SPDX-License-Identifier: MIT
#include <algorithm>

#include "support/ace_commands.hpp"
#include "support/ace_rows.hpp"

namespace support {
namespace {

bool is_same_tag(const std::string& a, const std::string& b) {
    return matches(a, b) && b.find_first_of("*?") == std::string::npos;
}

// Returns the lines from the cell of `tag` on, without those that lack it.
void cut_rows(std::vector<AceRow>& rows, const std::string& tag) {
    if (tag.empty()) return;
    for (auto& row : rows) {
        row.erase(row.begin(), std::find_if(row.begin(), row.end(), [&](const AceCell& cell) {
                      return cell.is_tag() && is_same_tag(cell.name, tag);
                  }));
    }
    std::erase_if(rows, [](const AceRow& row) { return row.empty(); });
}

void strip_stamps(std::vector<AceRow>& rows) {
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

std::string ace_line(const AceRow& row) {
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
                  java_escaped(ace_unquoted(body, name_at)) + "?\n";
        at = body.find('\n', name_at) + 1;
    }
    return result;
}

std::string java_array(const AceContents::Object& object) {
    const auto body = std::string_view(object.bytes).substr(behind_header(object.bytes));
    const auto name = "?" + java_escaped(object.name) + "?";
    if (object.class_name == "KeySet") return "?Keyset" + name + java_members(body) + "\n\n";
    if (object.class_name == "DNA")
        return "?DNA" + name + "\t?dna?" + sequence_of(body) + "?\n\n";
    if (object.class_name == "Peptide") {
        return "?Peptide" + name + "\t?peptide?" + sequence_of(body) + "?\n\n";
    }
    const auto text = body.substr(0, body.rfind("***LongTextEnd***"));
    return "?LongText" + name + "\t?txt?" + java_escaped(text) + "?\n\n\n";
}

std::string java_rows(const AceContents::Object& object, const std::vector<AceRow>& rows) {
    std::string result = "?" + object.class_name + "?" + java_escaped(object.name) + "?";
    const AceRow* above = nullptr;
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
