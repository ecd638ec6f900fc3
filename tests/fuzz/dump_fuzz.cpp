// The dump parser with any bytes: splitting into objects, reading them.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-dump_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.hpp"
#include "source/ace_object.hpp"
#include "source/dump/ace_reader.hpp"

namespace {

void require(bool ok) {
    if (!ok) std::abort();
}

bool is_legal(const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes)
        if (!base::is_legal_text(node.cell.text) || !base::is_legal_text(node.stamp) ||
            !is_legal(node.children))
            return false;
    return true;
}

// Any bytes are read as legal text.
void read_object(std::string_view bytes) {
    static const auto models =
        tree::Models::parse("?Gene Remark ?Text #E\n      Map Float\n#E At DateType\n");
    const auto object = source::parse_object(bytes, models);
    if (!object) return;
    require(is_legal(object->nodes) && base::is_legal_text(object->id.name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    read_object(bytes);
    const source::File file(::memfd_create("dump", 0));
    require(file.is_open() && file.write(bytes).has_value());
    source::dump::AceReader reader(file, "dump", 1 << 20);
    std::uint64_t end = 0;
    for (;;) {
        const auto object = reader.next();
        if (!object || !*object) return 0;
        require((*object)->offset >= end &&
                (*object)->bytes == bytes.substr((*object)->offset, (*object)->length));
        end = (*object)->offset + (*object)->length;
        read_object((*object)->bytes);
    }
}
