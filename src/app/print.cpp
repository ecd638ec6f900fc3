// SPDX-License-Identifier: MIT
#include "app/print.hpp"

#include "base/date.hpp"
#include "tree/stamp.hpp"

namespace app {
namespace {

std::string on_one_line(const std::string& text) {
    std::string line;
    for (const char c : text) {
        if (c == '\n')
            line += "\\n";
        else if (c == '\t')
            line += "\\t";
        else
            line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return line;
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

void append_lines(std::string& out, char sign, const std::string& path,
                  const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes) {
        const auto here = path + words_of(node.cell);
        out += sign;
        out += ' ' + here + words_of_stamp(node.stamp) + '\n';
        append_lines(out, sign, here + " > ", node.children);
    }
}

}  // namespace

std::string tree_text(const std::vector<tree::Node>& nodes) {
    std::string out;
    append_tree(out, nodes, 1);
    return out;
}

std::string changes_text(const std::vector<compare::Change>& changes) {
    std::string out;
    for (const auto& change : changes) {
        std::string path;
        for (const auto& cell : change.path) path += words_of(cell) + " > ";
        append_lines(out, '-', path, change.before);
        append_lines(out, '+', path, change.after);
    }
    return out;
}

}  // namespace app
