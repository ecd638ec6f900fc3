// JSON Lines of any bytes: splitting into objects, names, reading, writing them again.
// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "fuzz/fuzz.hpp"
#include "source/dump/json_lines.hpp"
#include "tree/outline.hpp"

namespace {

// Objects are legal text, and are the same after writing and reading them.
void read_object(std::string_view line) {
    const auto object = source::dump::parse_json_object(line);
    if (!object) return;
    require_texts(object->nodes);
    require_text(object->id.name + object->stamp);
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

void fuzz(std::string_view bytes) {
    read_object(bytes);
    (void)source::dump::find_name(bytes);
    const source::File file(::memfd_create("lines", 0));
    require(file.is_open() && file.write(bytes).has_value());
    source::dump::JsonLinesReader reader(file, "lines", 1);
    std::uint64_t end = 0;
    for (;;) {
        const auto line = reader.next();
        if (!line || !*line) return;
        const auto& found = **line;
        require(found.offset >= end && found.offset + found.length <= bytes.size());
        end = found.offset + found.length;
        const auto text = bytes.substr(found.offset, found.length);
        require(XXH128_isEqual(found.digest, XXH3_128bits(text.data(), text.size())) != 0);
        require_text(found.id.name + found.id.class_name);
        if (const auto object = source::dump::parse_json_object(text);
            object && !found.id.name.empty())
            require(object->id == found.id && !found.fault);
    }
}
