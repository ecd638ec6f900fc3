// SPDX-License-Identifier: MIT
#include "app/print.hpp"

#include <cstdint>
#include <iterator>
#include <utf8.h>

#include "base/date.hpp"
#include "base/utf8.hpp"
#include "tree/stamp.hpp"

namespace app {
namespace {

// C0, DEL, C1; and marks, embeddings, overrides and isolates of direction (Unicode UAX 9).
constexpr bool is_unseen(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || base::turns_direction(c);
}

std::string words_of(const tree::Cell& cell) {
    switch (tree::notation_of(cell.kind)) {
        case tree::Notation::bare: return on_one_line(cell.text);
        case tree::Notation::comment: return "// " + on_one_line(cell.text);
        case tree::Notation::quoted:
        case tree::Notation::member: break;
    }
    if (cell.class_name.empty()) return '"' + on_one_line(cell.text) + '"';
    return on_one_line(cell.class_name) + ':' + on_one_line(cell.text);
}

std::string words_of_stamp(const std::string& text) {
    if (text.empty()) return {};
    const auto stamp = tree::parse_stamp(text);
    if (!stamp) return "  (" + on_one_line(text) + ")";
    return "  (" + base::format_date(std::chrono::floor<std::chrono::days>(stamp->at)) + " " +
           on_one_line(std::string(stamp->by)) + ")";
}

void append_tree(std::string& out, const std::vector<tree::Node>& nodes, std::size_t depth) {
    for (const auto& node : nodes) {
        out.append(depth * 2, ' ');
        out += words_of(node.cell) + words_of_stamp(node.stamp) + '\n';
        append_tree(out, node.children, depth + 1);
    }
}

// What a line begins and ends with: "+ " and nothing, or these in a colour.
struct Frame {
    std::string begin, end;
};

Frame frame_of(char sign, compare::Op op, Colour colour) {
    const std::string begin{sign, ' '};
    if (colour == Colour::none) return {begin, ""};
    const auto* code = op == compare::Op::replaced ? "33"
                       : op == compare::Op::added  ? "32"
                                                   : "31";
    return {"\x1b[" + std::string(code) + "m" + begin, "\x1b[m"};
}

void append_lines(std::string& out, const Frame& frame, const std::string& path,
                  const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes) {
        const auto here = path + words_of(node.cell);
        out += frame.begin + here + words_of_stamp(node.stamp) + frame.end + '\n';
        append_lines(out, frame, here + " > ", node.children);
    }
}

}  // namespace

void tell(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

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

std::string tree_text(const std::vector<tree::Node>& nodes) {
    std::string out;
    append_tree(out, nodes, 1);
    return out;
}

bool wants_colour(std::string_view wish, bool is_terminal, const char* no_color,
                  const char* term) {
    if (wish != "auto") return wish == "always";
    const bool is_unwanted = no_color != nullptr && *no_color != '\0';
    return is_terminal && !is_unwanted && (term == nullptr || std::string_view(term) != "dumb");
}

std::string changes_text(const std::vector<compare::Change>& changes, Colour colour) {
    std::string out;
    for (const auto& change : changes) {
        std::string path;
        for (const auto& cell : change.path) path += words_of(cell) + " > ";
        append_lines(out, frame_of('-', change.op, colour), path, change.before);
        append_lines(out, frame_of('+', change.op, colour), path, change.after);
    }
    return out;
}

void print_failures(const std::vector<release::Counters::Failure>& failures) {
    for (const auto& [object, reason] : failures)
        fmt::print("  failed: {} {}: {}\n", on_one_line(object.class_name),
                   on_one_line(object.name), on_one_line(reason));
}

void write_failures(base::JsonWriter& json,
                    const std::vector<release::Counters::Failure>& failures) {
    json.begin_array();
    for (const auto& [object, reason] : failures)
        json.begin_object()
            .field("class", object.class_name)
            .field("name", object.name)
            .field("reason", reason)
            .end_object();
    json.end_array();
}

}  // namespace app
