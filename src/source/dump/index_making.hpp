// source/index_making.hpp -- makes the index of a build folder, and the plain forms of its files.
// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/dump/dump_index.hpp"

namespace source::dump {

// A pass over the build. The index takes its place when it is whole; the one it takes the place
// of is kept beside it where its content was another.
//   error  as open_index
[[nodiscard]] base::Result<void> make_index(const BuildFolder& folder,
                                            const IndexSettings& settings);

}  // namespace source::dump
