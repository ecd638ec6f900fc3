// app/selection.hpp -- which objects the words of a command mean, and where kept indexes lie.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "app/commands.hpp"
#include "base/result.hpp"
#include "release/prewarm.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace app {

// Sets up a job on a build. The index that was kept of an earlier release is that of the very build
// that was recorded (a release that was published twice has two) or, where there is none, one
// whose digest does not contradict it.
[[nodiscard]] release::ReleaseJob release_job(const Rooms& rooms, history::Context context,
                                              const history::Builds& builds);

//   needs   one of words.all, class_name, list and popular
//   error   refused: the list can't be read, or holds a line that is none; nobody knows the class
//   throws  store::Failure
[[nodiscard]] base::Result<release::Selection> selection_of(const PrewarmWords& words,
                                                            store::Pool& pool,
                                                            const source::Source& build);

}  // namespace app
