// JSON Lines of any bytes: splitting into objects, names, reading, writing them again.
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-json_lines_fuzz
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#include "base/utf8.hpp"
#include "source/dump/json_lines.hpp"
#include "tree/outline.hpp"

namespace {

void require(bool ok) {
    if (!ok) std::abort();
}

bool is_legal(const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes)
        if (!base::is_legal_text(node.cell.text) || !base::is_legal_text(node.cell.class_name) ||
            !base::is_legal_text(node.stamp) || !is_legal(node.children))
            return false;
    return true;
}

// Objects are legal text, and are the same after writing and reading them.
void read_object(std::string_view line) {
    const auto object = source::dump::parse_json_object(line);
    if (!object) return;
    require(is_legal(object->nodes) && base::is_legal_text(object->id.name) &&
            base::is_legal_text(object->stamp));
    std::string written;
    source::dump::append_json_line(written, *object);
    require(written.find('\n') == written.size() - 1);
    const auto again = source::dump::parse_json_object(written);
    require(again && again->id == object->id);
    require(tree::signature_of(again->nodes) == tree::signature_of(object->nodes));
    std::string twice;
    source::dump::append_json_line(twice, *again);
    require(twice == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    read_object(bytes);
    (void)source::dump::find_name(bytes);
    const source::File file(::memfd_create("lines", 0));
    require(file.is_open() && file.write(bytes).has_value());
    source::dump::JsonLinesReader reader(file, "lines", 1);
    std::uint64_t end = 0;
    for (;;) {
        const auto line = reader.next();
        if (!line || !*line) return 0;
        const auto& found = **line;
        require(found.offset >= end && found.offset + found.length <= size);
        end = found.offset + found.length;
        const auto text = bytes.substr(found.offset, found.length);
        require(XXH128_isEqual(found.digest, XXH3_128bits(text.data(), text.size())) != 0);
        require(base::is_legal_text(found.id.name) && base::is_legal_text(found.id.class_name));
        if (const auto object = source::dump::parse_json_object(text); object && found.is_whole)
            require(object->id == found.id);
    }
}
