// app/selection.hpp -- which objects the words of a command mean, and where kept indexes lie.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "app/commands.hpp"
#include "base/result.hpp"
#include "release/warm.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace app {

// The kept index of a release as it was recorded; a release that was published twice has two.
// One of the other sort (of a server, of files) where there is none of this very digest.
// nullptr: there is none.
[[nodiscard]] source::Build kept_index(const std::string& folder, const std::string& version,
                                       const std::string& digest);

//   needs   one of words.all, class_name, list and popular
//   error   refused: the list can't be read, or holds a line that is none; nobody knows the class
//   throws  store::Failure
[[nodiscard]] base::Result<release::Selection> selection_of(const PrewarmWords& words,
                                                            store::Pool& pool,
                                                            const source::Source& build);

}  // namespace app
