// serve/watch_lists.hpp -- what the page of a watch list, its feeds and its OPML have in common.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "serve/context.hpp"
#include "serve/http.hpp"
#include "serve/requests.hpp"

namespace serve {

// Returns the objects of a list, which the store has if it is under a short address.
//   error  404 with what to do; 503
[[nodiscard]] Result<std::vector<tree::ObjectName>> objects_of_list(const SiteContext& context,
                                                                    const ListRequest& list);

// Notes that a list was asked for, so that it does not give way to others.
//   id  of its short address; empty: it has none
void note_use_of_list(SiteContext& context, const std::string& id);

// Returns the requested objects with known ones in their recorded spelling. Unknown ones stay,
// because a later release may bring them.
//   known    sorted
//   returns  sorted, each once
[[nodiscard]] std::vector<tree::ObjectName> recorded_spellings(
    std::vector<tree::ObjectName> requested, const std::vector<query::Named>& known);

}  // namespace serve
