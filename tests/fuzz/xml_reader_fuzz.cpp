// The XML reader with any bytes: returned objects are legal, whole, no deeper than trees may be,
// the same when the file is cut off after them, and the same after JSON Lines.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sys/mman.h>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/xml_reader.hpp"
#include "tree/outline.hpp"

namespace {

constexpr std::size_t most = 2000;  // small, so that larger objects and values occur

void check(const std::vector<tree::Node>& nodes, std::size_t depth) {
    require(depth <= tree::deepest_node || nodes.empty());
    for (const auto& node : nodes) {
        const auto& cell = node.cell;
        require(cell.class_name.empty() ==
                (cell.kind != tree::CellKind::reference && cell.kind != tree::CellKind::member));
        check(node.children, depth + 1);
    }
}

void check(const source::import::XmlObject& found) {
    const auto& object = found.object;
    require(!object.id.class_name.empty() && !object.id.name.empty() && found.line > 0);
    require_text(object.id.class_name + object.id.name);
    require(found.is_whole || object.nodes.empty());
    require_texts(object.nodes);
    check(object.nodes, 1);
    std::string line;
    source::dump::append_json_line(line, object);
    const auto back = source::dump::parse_json_object(line);
    require(back.has_value() && back->id == object.id);
    require(tree::signature_of(back->nodes) == tree::signature_of(object.nodes));
}

std::vector<source::import::XmlObject> objects_of(std::string_view bytes) {
    const source::File file(::memfd_create("x.xml", MFD_CLOEXEC));
    require(file.is_open() && file.write(bytes).has_value());
    std::vector<source::import::XmlObject> objects;
    const auto done = source::import::read_xml(file, "x.xml", most, [&](auto object) {
        objects.push_back(std::move(object));
        return base::Result<void>();
    });
    if (!done) require_text(done.error().text);
    return objects;
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto whole = objects_of(bytes), half = objects_of(bytes.substr(0, bytes.size() / 2));
    for (const auto& object : whole) check(object);
    require(half.size() <= whole.size());
    for (std::size_t i = 0; i < half.size(); ++i)
        require(half[i].object == whole[i].object && half[i].is_whole == whole[i].is_whole);
}
