// Index files of any bytes. Digests would stop most inputs, so they are put right first: what is
// tested is that every position and length is checked before it is used.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <xxhash.h>

#include "fuzz/fuzz.hpp"
#include "source/index/index.hpp"

namespace {

// Writes the digests that belong to the sizes which the header claims, as far as they fit.
void put_digests_right(std::string& bytes) {
    source::index_format::FileHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    const source::index_format::FileHeader sound;
    header.magic = sound.magic;
    header.byte_order = sound.byte_order;
    header.version = sound.version;
    const std::uint64_t left = bytes.size() - sizeof header;
    constexpr auto record = sizeof(source::index_format::Record);
    const auto body = header.records <= left / record && header.names_size <= left
                          ? header.records * record + header.names_size
                          : left;
    const auto body_size = std::min(body, left);
    header.body_digest = XXH3_64bits(bytes.data() + sizeof header, body_size);
    header.facts_digest = XXH3_64bits(bytes.data() + sizeof header + body_size, left - body_size);
    header.header_digest = source::index_format::digest_of(header);
    std::memcpy(bytes.data(), &header, sizeof header);
}

void use(const source::Index& index) {
    const auto seen = [&](const source::Entry& entry) {
        const auto name = index.name_of(entry);
        require(!entry.name.empty() || name.name.empty());
        if (const auto found = index.find_exact(name)) require(index.name_of(*found) == name);
        (void)index.find(name);
        return true;
    };
    const auto places = index.places(7);
    for (std::size_t i = 1; i < places.size(); ++i) index.each(places[i - 1], places[i], seen);
    (void)index.find({"Gene", "WBGene00006763"});
}

}  // namespace

void fuzz(std::string_view given) {
    std::string bytes(given);
    (void)source::index_format::parse_facts(bytes);
    put_digests_right(bytes);
    const source::File file(::memfd_create("index", 0));
    require(file.is_open() && file.write(bytes).has_value());
    const auto path = "/proc/self/fd/" + std::to_string(file.descriptor());
    (void)source::Index::read_facts(path);
    if (const auto index = source::Index::open(path)) use(*index);
}
