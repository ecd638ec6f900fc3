// Reads dump files for tests, divides them, and writes objects as AceDB's dumper does.
// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <string>
#include <string_view>
#include <vector>

#include "source/dump/ace_reader.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "tree/object.hpp"

namespace dumps {

inline const std::vector<std::string> sample_files = {
    "examples/builds/WS186/dump_2008-02-01_A.1.ace",
    "examples/builds/WS187/dump_2008-02-15_A.1.ace",
    "examples/builds/WS188/dump_2008-03-22_A.1.ace"};
inline const std::string trailer = " // End of this dump file \n\n";

inline std::string read(const std::string& path) { return support::read_file(path); }

// Returns the bytes of each object of a dump file; above `most` bytes only their start.
inline base::Result<std::vector<std::string>> try_objects_in(const std::string& path,
                                                             std::size_t most = 64 << 20) {
    const auto file = source::open_file(AT_FDCWD, path);
    if (!file) return tl::unexpected(file.error());
    source::dump::AceReader reader(*file, path, most);
    std::vector<std::string> objects;
    for (;;) {
        const auto object = reader.next();
        if (!object) return tl::unexpected(object.error());
        if (!*object) return objects;
        objects.emplace_back((*object)->bytes);
    }
}
inline std::vector<std::string> objects_in(const std::string& path) {
    const auto objects = try_objects_in(path);
    INFO((objects ? "" : objects.error().text));
    REQUIRE(objects);
    return *objects;
}

inline std::string in_quotes(std::string_view text) {
    constexpr std::string_view special = "\\\"/%;\t";
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n\\\n";
            continue;
        }
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out + '"';
}

inline void write_lines(std::string& out, const std::vector<tree::Node>& nodes,
                        const std::string& left) {
    for (const auto& node : nodes) {
        std::string path = left;
        const auto& text = node.cell.text;
        switch (tree::notation_of(node.cell.kind)) {
            case tree::Notation::bare: path += text; break;
            case tree::Notation::comment: path += "-C " + in_quotes(text); break;
            case tree::Notation::quoted:
            case tree::Notation::member: path += in_quotes(text); break;
        }
        if (left.empty()) path += '\t';
        if (!node.stamp.empty()) path += " -O " + in_quotes(node.stamp);
        if (node.children.empty()) out += path + '\n';
        write_lines(out, node.children, path + ' ');
    }
}

// Writes an object as `dump -T` does, without the blank line after it.
inline std::string written(const tree::Object& object) {
    std::string out = object.id.class_name + " : " + in_quotes(object.id.name);
    if (!object.stamp.empty()) out += " -O " + in_quotes(object.stamp);
    out += '\n';
    write_lines(out, object.nodes, "");
    return out;
}

}  // namespace dumps
