// store/line_reader.hpp -- a stream of bytes, line by line.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/archive.hpp"

namespace store {

class LineReader {
   public:
    //   longest  of a line, in bytes
    //   padding  bytes behind each line that may be read, whatever they are
    LineReader(ReadBytes read, std::size_t longest, std::size_t padding);

    // The next line without its LF; the last one may lack it. nullopt: the end.
    //   lifetime  until the next call
    //   error     too_large, with the line's number; whatever `read` returns
    //   cost      memory: 1 MB, or twice the longest line
    [[nodiscard]] base::Result<std::optional<std::string_view>> next();

    // Of the line that next() gave last, from 1; 0: none yet.
    [[nodiscard]] std::uint64_t number() const { return number_; }

   private:
    [[nodiscard]] base::Result<void> read_more();
    void make_room();

    ReadBytes read_;
    std::size_t longest_, padding_;
    std::string buffer_;                          // its size is what is allocated
    std::size_t begin_ = 0, seen_ = 0, end_ = 0;  // begin <= seen <= end <= size - padding:
                                                  // no LF stands between begin and seen
    bool at_end_ = false;
    std::uint64_t number_ = 0;
};

}  // namespace store
