// source/object_lines.hpp -- the plain form of a file in which an object can't be sought: its
// objects as JSON Lines, in a file that takes its place when it is whole. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index.hpp"
#include "tree/object.hpp"

namespace source::import {

class JsonLinesWriter {
   public:
    //   error  unavailable
    [[nodiscard]] static base::Result<JsonLinesWriter> create(const std::string& path);

    // Where the object's line lies, and its digest.
    //   error  unavailable (a full disk)
    [[nodiscard]] base::Result<Entry> add(const tree::Object& object);

    //   returns  the size of the file
    //   error    unavailable
    [[nodiscard]] base::Result<std::uint64_t> put_in_place();

   private:
    explicit JsonLinesWriter(NewFile file) : file_(std::move(file)) {}
    [[nodiscard]] base::Result<void> flush();

    NewFile file_;
    std::string pending_;        // lines not yet written
    std::uint64_t written_ = 0;  // bytes
};

}  // namespace source::import
