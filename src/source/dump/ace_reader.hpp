// source/dump/ace_reader.hpp -- the objects of a plain AceDB dump, one after the other.
// Reads in large blocks (read(2) at 3.5 GB/s beats a mapping with its page faults at 1.9 GB/s)
// and holds one block, or one object where that is larger. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "base/result.hpp"
#include "source/ace_text.hpp"
#include "source/dump/window.hpp"
#include "source/file.hpp"

namespace source::dump {

// Where one object is, and its bytes.
struct AceObject {
    std::uint64_t offset = 0;  // of its header, in the file
    std::uint64_t length = 0;  // up to the LF of its last line
    std::uint64_t line = 0;    // of its header, counted from 1
    std::string_view bytes;    // valid until next(); only the first 64 KiB when !is_whole
    bool is_whole = true;
    XXH128_hash_t digest{};  // XXH3 of all its bytes
};

// A place between two objects, and what precedes it in the file.
struct AcePlace {
    std::uint64_t offset = 0;
    std::uint64_t line = 1;
    bool has_objects = false, has_banners = false, has_trailer = false;
};

class AceReader {
   public:
    // `file` and `name` (for errors) must outlive the reader. It skips objects above `most` bytes
    // without holding them.
    AceReader(const File& file, std::string_view name, std::size_t most);

    // Goes on at a place. next() then returns nullopt where an object begins at `end` or later, and
    // refuses an object above `most` of the constructor that has not ended at `last`.
    void go_to(const AcePlace& place, std::uint64_t end = UINT64_MAX,
               std::uint64_t last = UINT64_MAX);
    // Returns where it is between two calls of next().
    [[nodiscard]] AcePlace place() const;
    // Whether it has seen the end of the file: what it returned last may depend on what precedes.
    [[nodiscard]] bool has_seen_end() const { return window_.is_end(); }

    // Returns the next object; nullopt at the end of a whole file.
    //   error  refused, when the file has class banners and does not end in AceDB's trailer,
    //          ends inside a line or a LongText, or holds nothing at all; malformed, when a
    //          line does not belong into a dump; unavailable
    [[nodiscard]] base::Result<std::optional<AceObject>> next();

   private:
    [[nodiscard]] std::string_view window() const { return window_.bytes(); }

    base::Result<bool> skip_to_object();  // false at the end of the file
    [[nodiscard]] bool at_object() const;
    void skip_newlines();
    base::Result<void> skip_line();
    void note_comment(std::string_view line);
    base::Result<std::optional<AceObject>> read_object();
    base::Result<std::optional<AceObject>> skip_large_object();
    base::Result<std::optional<AceObject>> take_last_object();
    base::Result<std::optional<AceObject>> take(std::size_t length);
    [[nodiscard]] std::optional<std::size_t> find_end() {
        return object_end_.find(window(), window_.is_end());
    }
    [[nodiscard]] tl::unexpected<base::Error> cut_off(const std::string& what) const;
    [[nodiscard]] tl::unexpected<base::Error> broken(const std::string& what) const;

    std::string_view name_;
    std::size_t most_;

    Window window_;         // begins where nothing is taken yet
    AcePlace at_;           // of its first byte, without the offset
    ObjectEnd object_end_;  // of the object at the start of the window
    std::string head_;      // start of an object that is skipped

    std::uint64_t end_ = UINT64_MAX;   // of what is asked for
    std::uint64_t last_ = UINT64_MAX;  // where an object must have ended
};

// Returns places in a dump of `size` bytes, about `part` bytes apart, where an object most likely
// begins: after an empty line, and with a header. The first one is 0. A line of a LongText may look
// like that, too.
[[nodiscard]] std::vector<std::uint64_t> likely_cuts(const File& file, std::uint64_t size,
                                                     std::uint64_t part);

}  // namespace source::dump
