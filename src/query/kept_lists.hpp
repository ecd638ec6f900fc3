// query/kept_lists.hpp -- watch lists under short addresses. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "store/pool.hpp"
#include "tables/watch_lists.hpp"

namespace query {

using tables::is_watch_list_id;

// Returns the objects of a list.
//   error  absent; unavailable (the store cannot be reached)
//   cost   a look-up by key
[[nodiscard]] base::Result<std::vector<tree::ObjectName>> kept_list(store::Pool& pool,
                                                                    const std::string& id);

// Keeps a list, and returns its id, which is made of the objects alone: keeping it again changes
// nothing.
//   objects  sorted, each once
//   error    too_large: the list is longer than tables::longest_watch_list; refused: there are as many
//            lists as may be kept; conflict: another list has this id; unavailable
[[nodiscard]] base::Result<std::string> keep_list(store::Pool& pool,
                                                  std::vector<tree::ObjectName> objects,
                                                  base::Seconds now);

}  // namespace query
