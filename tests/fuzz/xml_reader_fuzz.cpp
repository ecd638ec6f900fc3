// The XML reader with any bytes: returned objects are legal, whole, no deeper than trees may be,
// the same when the file is cut off after them, and the same after JSON Lines.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-xml_reader_fuzz    this one
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

#include "base/utf8.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/xml_reader.hpp"
#include "tree/outline.hpp"

namespace {

constexpr std::size_t most = 2000;  // small, so that larger objects and values occur

void require(bool ok) {
    if (!ok) std::abort();
}

void check(const std::vector<tree::Node>& nodes, std::size_t depth) {
    require(depth <= tree::deepest_node || nodes.empty());
    for (const auto& node : nodes) {
        const auto& cell = node.cell;
        require(base::is_legal_text(cell.text) && base::is_legal_text(cell.class_name));
        require(base::is_legal_text(node.stamp));
        require(cell.class_name.empty() ==
                (cell.kind != tree::CellKind::reference && cell.kind != tree::CellKind::member));
        check(node.children, depth + 1);
    }
}

void check(const source::import::XmlObject& found) {
    const auto& object = found.object;
    require(!object.id.class_name.empty() && !object.id.name.empty() && found.line > 0);
    require(base::is_legal_text(object.id.class_name) && base::is_legal_text(object.id.name));
    require(found.is_whole || object.nodes.empty());
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
    source::import::XmlReader reader(file, "x.xml", most);
    std::vector<source::import::XmlObject> objects;
    for (;;) {
        auto object = reader.next();
        if (!object) require(base::is_legal_text(object.error().text));
        if (!object || !*object) return objects;
        objects.push_back(std::move(**object));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto whole = objects_of(bytes), half = objects_of(bytes.substr(0, size / 2));
    for (const auto& object : whole) check(object);
    require(half.size() <= whole.size());
    for (std::size_t i = 0; i < half.size(); ++i)
        require(half[i].object == whole[i].object && half[i].is_whole == whole[i].is_whole);
    return 0;
}
