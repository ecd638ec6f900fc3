// source/dump_reader.hpp -- the objects of a plain dump file, one after the other.
// Reads in large blocks (read(2) beats a mapping by page faults: 3.5 against 1.9 GB/s) and
// holds one block, or one object where that is larger. One thread at a time.
//
// Where an object ends: a blank line; a LongText, which may hold blank lines, at the line
// ***LongTextEnd***. A quoted value that goes on over several lines leaves no blank one: each
// of its newlines is written as `\n\` LF.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "base/result.hpp"
#include "source/file.hpp"

namespace source::dump {

// Where one object lies.
struct DumpObject {
    std::uint64_t offset = 0;  // of its header, in the file
    std::uint64_t length = 0;  // up to the LF of its last line
    std::uint64_t line = 0;    // of its header, counted from 1
    std::string_view bytes;    // until next() is called again; only its start when !is_whole
    bool is_whole = true;
    XXH128_hash_t digest{};  // XXH3 of its bytes, where digests were asked for
};

enum class Digests { no, yes };

class AceReader {
   public:
    // `file` and `name` (for errors) must outlive the reader. Objects above `most` bytes are
    // passed over without being held: their digest is right, their bytes are the first 64 KiB.
    AceReader(const File& file, std::string_view name, std::size_t most, Digests digests);

    // The next object; nullopt at the end of a whole file.
    //   error  refused, when the file has class banners and does not end in AceDB's trailer,
    //          ends inside a line or a LongText, or holds nothing at all; malformed, when a
    //          line is none of a dump; unavailable
    [[nodiscard]] base::Result<std::optional<DumpObject>> next();

   private:
    using Found = base::Result<std::optional<DumpObject>>;

    [[nodiscard]] std::string_view window() const {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    [[nodiscard]] std::uint64_t offset() const { return read_ - (end_ - begin_); }

    base::Result<bool> fill();            // more bytes, or eof_
    base::Result<bool> skip_to_object();  // false at the end of the file
    [[nodiscard]] bool at_object() const;
    void skip_newlines();
    base::Result<bool> skip_line();
    void note_comment(std::string_view line);
    Found read_object();
    Found pass_over();       // an object above most_
    Found at_end_of_file();  // an object that the end of the file ends
    Found take(std::size_t length);
    // The end of the object in window(), looked for from searched_ on.
    std::optional<std::size_t> find_end() {
        return is_long_text_ ? find_terminator() : find_blank_line();
    }
    std::optional<std::size_t> find_terminator();
    std::optional<std::size_t> find_blank_line();
    [[nodiscard]] tl::unexpected<base::Error> cut_off(const std::string& what) const;
    [[nodiscard]] tl::unexpected<base::Error> broken(const std::string& what) const;

    const File& file_;
    std::string_view name_;
    std::size_t most_;
    Digests digests_;

    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;  // what is read and not yet taken
    std::uint64_t read_ = 0;           // bytes of the file read so far
    bool eof_ = false;
    std::uint64_t line_ = 1;  // of the byte at begin_

    bool is_long_text_ = false;  // the object at begin_
    std::size_t searched_ = 0;   // no end of it begins before begin_ + searched_
    std::uint64_t lines_ = 0;    // of it that end before begin_ + searched_ (no LongText)
    std::string head_;           // start of an object that is passed over

    bool has_objects_ = false, has_banners_ = false, has_trailer_ = false;
};

}  // namespace source::dump
