// query/labelled.hpp -- what people call some objects that are named already.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "query/history_page.hpp"
#include "query/query.hpp"

namespace query {

// Each object in its recorded spelling with its label, in the order of asking; one that is not
// recorded as the build has it; one that is in neither as it was asked for, called by its name.
//   throws  store::Failure
//   cost    a query for 64 objects by an index, and a look-up of each in the build, of which at
//           most 8 are loaded for their labels
[[nodiscard]] std::vector<Named> labelled(const ReadContext& reading,
                                          std::span<const ObjectName> objects);

}  // namespace query
