// app/suggestion.hpp -- what somebody probably meant who misspelled a command, an option, a key, a
// section, a class or a tag.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/source.hpp"

namespace app {

// Returns "; did you mean Gene?" for the candidate that is nearest to a word (base::nearest_to), in
// any case; empty when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

// Returns "there is no class Gen in WS188; did you mean Gene?" where the build has no class of this
// name in any case; empty where it has one.
[[nodiscard]] std::string complaint_of_class(const source::Source& build,
                                             std::string_view class_name);

}  // namespace app
