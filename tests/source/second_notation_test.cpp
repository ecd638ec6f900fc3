// The same objects in AceDB's other notation (`show -k -T`, the Java-style formats) and in
// `show -a -T`: this program reads from the latter what the former contains.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"
#include "source/ace_object.hpp"
#include "source/dumps.hpp"

using tree::CellKind;

namespace {

// The nodes of an object, each as the "class/text/stamp" cells from the first one down to it.
using Paths = std::multiset<std::string>;

// Floats are `%f` in a dump (1.2e-07 is 0.000000: lost for good) and `%g` in the other notation;
// AceDB's are of 32 bits.
std::string short_float(const std::string& text) {
    char fixed[128], out[128];
    std::snprintf(fixed, sizeof fixed, "%f", std::strtod(text.c_str(), nullptr));
    std::snprintf(out, sizeof out, "%g", static_cast<double>(std::strtof(fixed, nullptr)));
    return out;
}

std::string cell_text(const tree::Cell& cell) {
    switch (cell.kind) {
        case CellKind::tag: return "tag/" + cell.text;
        case CellKind::integer: return "#Int/" + cell.text;
        case CellKind::real: return "#Float/" + short_float(cell.text);
        case CellKind::date: return "#Date/" + cell.text;
        case CellKind::text: return "#Text/" + cell.text;
        case CellKind::comment: return "Comment/" + cell.text;
        case CellKind::reference:
        case CellKind::member: return cell.class_name + "/" + cell.text;
    }
    return {};
}

void collect(const std::vector<tree::Node>& nodes, const std::string& left, Paths& into) {
    for (const auto& node : nodes) {
        const auto path = left + "\t" + cell_text(node.cell) + "/" + node.stamp;
        into.insert(path);
        collect(node.children, path, into);
    }
}

// Reads a cell, `?class?name?stamp`, in which `\` escapes `\`, `?`, LF and TAB.
std::vector<std::string> fields(std::string_view cell) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        if (cell[i] == '?') {
            out.emplace_back();
        } else if (cell[i] == '\\' && i + 1 < cell.size()) {
            const char c = cell[++i];
            out.back() += c == 'n' ? '\n' : c == 't' ? '\t' : c;
        } else {
            out.back() += cell[i];
        }
    }
    out.resize(3);
    return out;
}

// Reads objects by "Class name". A row begins with the name, or with a TAB for each cell that it
// shares with the row before.
std::map<std::string, Paths> read_k(const std::string& text) {
    std::map<std::string, Paths> objects;
    Paths* current = nullptr;
    std::vector<std::string> path;
    for (const auto line : base::split(text, '\n')) {
        if (!line.starts_with('?') && !line.starts_with('\t')) continue;
        auto cells = base::split(line, '\t');
        if (!cells[0].empty()) {
            const auto name = fields(cells[0]);
            current = &objects[name[0] + " " + name[1]];
            path.clear();
        }
        std::size_t column = 1;
        while (column < cells.size() && cells[column].empty()) ++column;
        path.resize(column - 1);
        for (; column < cells.size(); ++column) {
            const auto cell = fields(cells[column]);
            const auto text_of_cell = cell[0] == "#Float" ? short_float(cell[1]) : cell[1];
            path.push_back((path.empty() ? "" : path.back()) + "\t" + cell[0] + "/" +
                           text_of_cell + "/" + cell[2]);
            current->insert(path.back());
        }
    }
    return objects;
}

// In the other notation a LongText has a LF after its last line, too.
Paths paths_of(const std::string& bytes, const tree::Models& models) {
    const auto object = source::parse_object(bytes, models);
    REQUIRE(object);
    const auto& class_name = object->id.class_name;
    if (class_name == "LongText") return {"\ttxt/" + object->nodes.at(0).cell.text + "\n/"};
    if (class_name == "DNA") return {"\tdna/" + object->nodes.at(0).cell.text + "/"};
    if (class_name == "Peptide") return {"\tpeptide/" + object->nodes.at(0).cell.text + "/"};
    Paths paths;
    collect(object->nodes, "", paths);
    return paths;
}

const tree::Models& edge_models() {
    // With a tag that only the edge dump has.
    static const auto sample =
        tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm") +
                            "\n?Gene Map_info Interpolated_map_position ?Map Float\n");
    return sample;
}

}  // namespace

TEST_CASE("Each object in formats/ is the same in both notations") {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        auto path = entry.path();
        if (path.extension() != ".kT") continue;
        const auto other = read_k(dumps::read(path.string()));
        REQUIRE(other.size() == 1);
        const auto ours = dumps::objects_in(path.replace_extension(".aT").string());
        REQUIRE(ours.size() == 1);
        INFO(path.string());
        CHECK(paths_of(ours[0], edge_models()) == other.begin()->second);
        ++compared;
    }
    CHECK(compared == 14);
}

TEST_CASE("Each object of the edge dump is the same in both notations") {
    const auto other = read_k(dumps::read("tests/data/edge/show-k.txt"));
    std::size_t compared = 0;
    for (const auto& bytes : dumps::objects_in("tests/data/edge/dump.ace")) {
        const auto header = source::parse_header(bytes);
        REQUIRE(header);
        const auto found = other.find(header->id.class_name + " " + header->id.name);
        if (found == other.end()) continue;
        INFO(bytes);
        CHECK(paths_of(bytes, edge_models()) == found->second);
        ++compared;
    }
    CHECK(compared >= 30);
}
