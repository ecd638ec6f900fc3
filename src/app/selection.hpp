// app/selection.hpp -- which objects the options of a command select.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "app/commands.hpp"
#include "base/result.hpp"
#include "release/prewarm.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace app {

// Returns the objects listed in a file, sorted, each once. Its lines are class, TAB, name; empty lines,
// and those that begin with #, say nothing.
//   error  refused: it cannot be read, or has a malformed line
[[nodiscard]] base::Result<release::Objects> objects_in(const std::string& path);

// Returns the objects that a release job records.
//   needs   one of options.all, class_name, list and popular
//   error   refused: the list cannot be read or has a malformed line, or the class is unknown
//   throws  store::Failure
[[nodiscard]] base::Result<release::Selection> selection_of(const PrewarmOptions& options,
                                                            store::Pool& pool,
                                                            const source::Source& build);

}  // namespace app
