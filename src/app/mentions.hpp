// app/mentions.hpp -- how a harvester knows the objects of the site: [mentions] of the configuration, and what the
// search finds.
// SPDX-License-Identifier: MIT
#pragma once

#include "app/config.hpp"
#include "base/result.hpp"
#include "harvest/mentions.hpp"
#include "query/history_service.hpp"

namespace app {

// Of objects with the same label, up to this many are mentioned by it; a label of more objects means none of them.
inline constexpr std::size_t most_objects_of_word = 5;

// Returns the rules, ready for use, with a function that finds recorded objects by name or label, as the current
// release calls them, and objects of the build by name, if the service has a build (look_at_build()).
//   history  outlives the result
//   error    refused, with section and key: a rule is too large
//   cost     some milliseconds for each rule
[[nodiscard]] base::Result<harvest::MentionFinder> mention_finder(
    const Config& config, const query::HistoryService& history);

}  // namespace app
