// SPDX-License-Identifier: MIT
#include "app/print.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <utf8.h>

#include "app/commands.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace app {
namespace {

// C0, DEL, C1; and marks, embeddings, overrides and isolates of direction (Unicode UAX 9).
constexpr bool is_unseen(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || base::turns_direction(c);
}

// Returns a member that is text, as one line; empty: there is none.
std::string text_in(const Json& object, std::string_view key) {
    std::string_view text;
    return object[key].get(text) == simdjson::SUCCESS ? on_one_line(text) : std::string();
}

std::string words_of(const Json& cell) {
    std::int64_t number = 0;
    if (cell["int"].get(number) == simdjson::SUCCESS) return std::to_string(number);
    if (!cell["class"].error()) return text_in(cell, "class") + ':' + text_in(cell, "name");
    if (!cell["text"].error()) return '"' + text_in(cell, "text") + '"';
    if (!cell["comment"].error()) return "// " + text_in(cell, "comment");
    return text_in(cell, "tag") + text_in(cell, "float") + text_in(cell, "date");
}

// Returns "  (2008-02-01 sylvia)"; of a timestamp that is opaque, its text.
std::string words_of_stamp(const Json& node) {
    constexpr std::size_t day = std::string_view("2008-02-01").size();
    if (!node["at"].error())
        return "  (" + text_in(node, "at").substr(0, day) + " " + text_in(node, "by") + ")";
    const auto opaque = text_in(node, "stamp");
    return opaque.empty() ? opaque : "  (" + opaque + ")";
}

// Calls use(each) for each element of a member that is an array, if there is one.
template <class Use>
void for_each_in(const Json& object, std::string_view key, Use use) {
    simdjson::dom::array elements;
    if (object[key].get(elements) != simdjson::SUCCESS) return;
    for (const auto each : elements) use(each);
}

void append_node(std::string& out, const Json& node, std::size_t depth) {
    out.append(depth * 2, ' ');
    out += words_of(node) + words_of_stamp(node) + '\n';
    for_each_in(node, "children", [&](const Json& child) { append_node(out, child, depth + 1); });
}

// What a line begins and ends with: "+ " and nothing, or these in a colour.
struct Frame {
    std::string begin, end;
};

Frame frame_of(char sign, std::string_view op, Colour colour) {
    const std::string begin{sign, ' '};
    if (colour == Colour::none) return {begin, ""};
    const auto* code = op == "replaced" ? "33" : op == "added" ? "32" : "31";
    return {"\x1b[" + std::string(code) + "m" + begin, "\x1b[m"};
}

void append_lines(std::string& out, const Frame& frame, const std::string& path,
                  const Json& node) {
    const auto here = path + words_of(node);
    out += frame.begin + here + words_of_stamp(node) + frame.end + '\n';
    for_each_in(node, "children",
                [&](const Json& child) { append_lines(out, frame, here + " > ", child); });
}

// ---- reports ----

bool is_nested(const Json& value) { return value.is_array() || value.is_object(); }

// Returns "last fetch" for "last_fetch".
std::string words_of_name(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

// Returns a value that is not nested; empty: it says nothing.
std::string text_of_value(const Json& value) {
    bool truth = false;
    std::string_view text;
    double number = 0;
    if (value.get(text) == simdjson::SUCCESS) return on_one_line(text);
    if (value.get(truth) == simdjson::SUCCESS) return truth ? "yes" : "no";
    if (value.type() == simdjson::dom::element_type::DOUBLE &&
        value.get(number) == simdjson::SUCCESS)
        return fmt::format("{:.1f}", number);
    return value.is_null() ? "" : simdjson::minify(value);
}

using Rows = std::vector<std::vector<std::string>>;

// Adds the values of an object to rows that begin with the names of its members.
//   returns  false: it has other members, or nested ones
bool add_row(Rows& rows, const Json& element, std::string_view name) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return false;
    std::vector<std::string> names, values;
    if (!name.empty()) names.emplace_back(), values.push_back(on_one_line(name));
    for (const auto [member, value] : object) {
        if (is_nested(value)) return false;
        names.push_back(words_of_name(member));
        values.push_back(text_of_value(value));
    }
    if (rows.empty()) rows.push_back(names);
    rows.push_back(std::move(values));
    return rows.front() == names;
}

// Returns a table of the objects in an array, or in an object, whose members name them; nothing if they have
// different members, or nested ones.
Rows rows_of(const Json& value) {
    Rows rows;
    bool fits = true;
    simdjson::dom::array elements;
    simdjson::dom::object members;
    if (value.get(elements) == simdjson::SUCCESS)
        for (const auto each : elements) fits = fits && add_row(rows, each, "");
    if (value.get(members) == simdjson::SUCCESS)
        for (const auto [name, each] : members) fits = fits && add_row(rows, each, name);
    return fits ? rows : Rows();
}

// Appends a table; returns false where it would be wider than a terminal.
bool append_table(std::string& out, const Rows& rows, const std::string& indent) {
    constexpr std::size_t widest = 100;
    if (rows.empty()) return false;
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    if (std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) > widest) return false;
    for (const auto& row : rows) {
        auto line = indent;
        for (std::size_t i = 0; i < widths.size(); ++i)
            line += fmt::format("{:<{}}", row[i], widths[i] + 2);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return true;
}

void append_members(std::string& out, const Json& object, const std::string& indent);

// Appends a table, or else a block for each object.
void append_objects(std::string& out, const Json& value, const std::string& indent) {
    if (append_table(out, rows_of(value), indent)) return;
    simdjson::dom::array elements;
    if (value.get(elements) != simdjson::SUCCESS) return append_members(out, value, indent);
    for (const auto each : elements) {
        append_members(out, each, indent);
        out += '\n';
    }
}

void append_members(std::string& out, const Json& object, const std::string& indent) {
    const simdjson::dom::object members = object;
    std::size_t width = 0;
    for (const auto [name, value] : members)
        if (!is_nested(value) && !text_of_value(value).empty())
            width = std::max(width, name.size());
    for (const auto [name, value] : members) {
        const auto words = words_of_name(name);
        if (is_nested(value)) {
            std::string below;
            append_objects(below, value, indent + "  ");
            if (!below.empty()) out += indent + words + ":\n" + below;
        } else if (const auto text = text_of_value(value); !text.empty()) {
            out += fmt::format("{}{:<{}}  {}\n", indent, words, width, text);
        }
    }
}

}  // namespace

void tell(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

void print_bytes(std::string_view bytes) {
    (void)std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

std::string on_one_line(std::string_view text) {
    const auto legal = base::legal_text(text);
    std::string line;
    for (auto at = legal.begin(); at != legal.end();) {
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        if (c == '\n')
            line += "\\n";
        else if (c == '\t')
            line += "\\t";
        else
            utf8::append(static_cast<std::uint32_t>(is_unseen(c) ? U'?' : c),
                         std::back_inserter(line));
    }
    return line;
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
        return std::string(text);
    std::string word = "'";
    for (const char c : text)
        if (c == '\'')
            word += "'\\''";
        else
            word += c;
    return word + '\'';
}

int complain(std::string_view text, int status) {
    // Word by word of what was asked for, which may be anything; line breaks are ours.
    std::string lines;
    for (const auto line : base::split(text, '\n'))
        lines += (lines.empty() ? "" : "\n") + on_one_line(line);
    tell(fmt::format("varve: {}\n", lines));
    return status;
}

int status_of(const base::Error& error) {
    return error.kind == base::ErrorKind::refused ? wrong_use : failed;
}

int complain(const base::Error& error) { return complain(error.text, status_of(error)); }

std::string tree_text(const Json& nodes) {
    std::string out;
    for (const auto node : simdjson::dom::array(nodes)) append_node(out, node, 1);
    return out;
}

bool wants_colour(std::string_view wish, bool is_terminal, const char* no_color,
                  const char* term) {
    if (wish != "auto") return wish == "always";
    const bool is_unwanted = no_color != nullptr && *no_color != '\0';
    return is_terminal && !is_unwanted && (term == nullptr || std::string_view(term) != "dumb");
}

std::string changes_text(const Json& changes, Colour colour) {
    std::string out;
    for (const auto change : simdjson::dom::array(changes)) {
        std::string path;
        for_each_in(change, "path", [&](const Json& cell) { path += words_of(cell) + " > "; });
        const auto add = [&](char sign, std::string_view side) {
            const auto frame = frame_of(sign, text_in(change, "op"), colour);
            for_each_in(change, side,
                        [&](const Json& node) { append_lines(out, frame, path, node); });
        };
        add('-', "before");
        add('+', "after");
    }
    return out;
}

void warn_of_rest(const Json& document, std::string_view what) {
    std::uint64_t left_out = 0;
    if (document["left_out"].get(left_out) == simdjson::SUCCESS)
        tell(fmt::format("varve: {} more {} are left out\n", left_out, what));
}

std::string report_text(const Json& document) {
    std::string out;
    append_members(out, document, "");
    return out;
}

}  // namespace app
