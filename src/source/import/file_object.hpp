// source/file_object.hpp -- an object as a reader hands it over whose file can't be sought in.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/object.hpp"

namespace source::import {

struct FileObject {
    tree::Object object;     // duplicates merged
    std::uint64_t line = 0;  // where it begins in its file, counted from 1
    std::size_t file = 0;    // in which of several files that is, in the order they were loaded
    bool is_whole = true;    // false: above the limit, known by name alone; without nodes
};

}  // namespace source::import
