// app/selection.hpp -- which objects the options of a command select.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "app/services.hpp"
#include "base/result.hpp"
#include "release/prewarm.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace app {

struct PrewarmOptions {
    std::string build;  // folder; empty: the current build
    std::size_t popular = 0;
    std::string class_name, list;
    std::string replace;  // version of a release that was published again; empty: none
    bool all = false, json = false, dry_run = false;
    std::size_t jobs = 1;
    std::size_t part_objects =
        0;  // 0: the usual number; for tests, so that few objects make many parts
};

// Returns a class as the build spells it, or as it was recorded if it has gone from the build.
//   error   refused: neither knows it
//   throws  store::Failure
[[nodiscard]] base::Result<std::string> class_named(const std::string& class_name,
                                                    store::Pool& pool,
                                                    const source::Source& build);

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
