// The dump parser with any bytes: splitting into objects, reading them.
// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.hpp"
#include "source/ace_object.hpp"
#include "source/dump/ace_reader.hpp"

namespace {

// Any bytes are read as legal text.
void read_object(std::string_view bytes) {
    static const auto models =
        tree::Models::parse("?Gene Remark ?Text #E\n      Map Float\n#E At DateType\n");
    const auto object = source::parse_object(bytes, models);
    if (!object) return;
    require_texts(object->nodes);
    require_text(object->id.name);
}

}  // namespace

void fuzz(std::string_view bytes) {
    read_object(bytes);
    const source::File file(::memfd_create("dump", 0));
    require(file.is_open() && file.write(bytes).has_value());
    source::dump::AceReader reader(file, "dump", 1 << 20);
    std::uint64_t end = 0;
    for (;;) {
        const auto object = reader.next();
        if (!object || !*object) return;
        require((*object)->offset >= end &&
                (*object)->bytes == bytes.substr((*object)->offset, (*object)->length));
        end = (*object)->offset + (*object)->length;
        read_object((*object)->bytes);
    }
}
