// source/index_format.hpp -- the parts of an index file (source/index.hpp) as bytes. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "source/index.hpp"

namespace source::index_format {

// Increase it with every change of the layout, of what is tracked and of how names are read.
inline constexpr std::uint32_t format = 1;

struct Header {
    std::array<char, 8> magic = {'V', 'A', 'R', 'V', 'E', 'I', 'D', 'X'};
    std::uint32_t byte_order = 0x01020304;
    std::uint32_t version = format;
    std::uint64_t records_size = 0;
    std::uint64_t lookups = 0;
    std::uint64_t facts_size = 0;
    std::uint64_t body_digest = 0;  // XXH3-64 of records and lookups
    std::uint64_t facts_digest = 0;
    std::uint64_t header_digest = 0;  // of all above
};
static_assert(sizeof(Header) == 64);

struct Record {
    std::uint64_t digest_high = 0, digest_low = 0;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;
    std::uint16_t file = 0, class_index = 0, name_size = 0, zero = 0;
};
static_assert(sizeof(Record) == 48);

inline constexpr std::size_t lookup_size = 16;

// Returns the XXH3 of the header up to header_digest.
[[nodiscard]] std::uint64_t digest_of(const Header& header);

// Returns the header of an index of this size; nullopt when it is damaged or of another format.
[[nodiscard]] std::optional<Header> parse_header(std::string_view bytes, std::uint64_t file_size);

[[nodiscard]] std::string to_text(const Facts& facts);
[[nodiscard]] std::optional<Facts> parse_facts(std::string_view text);

// A record, and where the next one begins.
struct RecordAt {
    Entry entry;
    std::uint64_t next;
};
[[nodiscard]] std::optional<RecordAt> record_at(std::string_view records, std::uint64_t at);
void append_record(std::string& bytes, const Entry& entry);

// Returns the hash by which an object is looked up. `folded` is scratch memory.
[[nodiscard]] std::uint64_t key_of(std::string_view class_name, std::string_view name,
                                   std::string& folded);

}  // namespace source::index_format
