// source/index/index_format.hpp -- what an index file (source/index/index.hpp) contains, and its
// bytes. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "base/release.hpp"
#include "source/file.hpp"
#include "source/source.hpp"

namespace source {

struct BuildFile {
    std::string name;  // inside the folder
    FileIdentity identity;
    std::uint64_t plain_size = 0;  // of its plain file: itself, unpacked, or converted
    bool operator==(const BuildFile&) const = default;
};

// What an index knows about its build as a whole.
struct Facts {
    base::Release release;
    // Where it came from: its folder, links resolved; or what identifies a running database.
    std::string origin;
    std::string digest;  // Source::digest(); while the index is made, what it begins with
    std::uint64_t untracked = 0;  // objects that cannot be tracked (tree::can_be_tracked)
    std::vector<BuildFile> files;
    std::vector<ClassCount> classes;
    std::string flaw = {};  // where a file is cut off; empty: the build is whole
    // How many lines and headers cannot be read whose objects are not known, and where the first
    // one is: "2, the first at FILE:LINE:COLUMN: what"; empty: there are none.
    std::string unknown_objects = {};
    // Rule C4, if the build was sampled when the index was made; nullopt: sample on demand.
    std::optional<std::vector<std::string>> loading_stamps = std::nullopt;
    // Objects of more than this many bytes were not converted: their plain files have only the names;
    // 0: there are none.
    std::uint64_t largest = 0;
    // One of the files is a dump without stamps, which shortens tag paths.
    bool has_unstamped = false;
    // The digest of models.wrm, if has_unstamped: the models decide where the tags of such objects
    // belong. The text of the models, of a running database. Empty: there are none.
    std::string models = {};
};

// One object. `name` is a view into the index.
struct Entry {
    XXH128_hash_t digest{};
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;         // of its header
    std::uint16_t file = 0;         // in Facts::files
    std::uint16_t class_index = 0;  // in Facts::classes
    std::string_view name;
};

namespace index_format {

// Increase it with every change of the layout, of what is tracked (is_tracked_class) and of how
// names are read.
inline constexpr std::uint32_t format = 4;

struct FileHeader {
    std::array<char, 8> magic = {'V', 'A', 'R', 'V', 'E', 'I', 'D', 'X'};
    std::uint32_t byte_order = 0x01020304;
    std::uint32_t version = format;
    std::uint64_t records = 0;  // their number
    std::uint64_t names_size = 0;
    std::uint64_t facts_size = 0;
    std::uint64_t body_digest = 0;  // XXH3 of records and names, its lower half
    std::uint64_t facts_digest = 0;
    std::uint64_t header_digest = 0;  // of all above
};
static_assert(sizeof(FileHeader) == 64);

struct Record {
    std::uint64_t digest_high = 0, digest_low = 0;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;
    std::uint64_t name_at = 0;  // in the names
    std::uint16_t file = 0, class_index = 0, name_size = 0, zero = 0;
};
static_assert(sizeof(Record) == 56);

// Returns the XXH3 of the header up to header_digest.
[[nodiscard]] std::uint64_t digest_of(const FileHeader& header);

// Returns the header of an index of this size; nullopt when it is damaged or of another format.
[[nodiscard]] std::optional<FileHeader> parse_header(std::string_view bytes,
                                                     std::uint64_t file_size);

[[nodiscard]] std::string to_text(const Facts& facts);
[[nodiscard]] std::optional<Facts> parse_facts(std::string_view text);

[[nodiscard]] inline Entry entry_of(const Record& record, std::string_view name = {}) {
    return {{record.digest_low, record.digest_high},
            record.offset,
            record.length,
            record.line,
            record.file,
            record.class_index,
            name};
}

}  // namespace index_format

}  // namespace source
