// serve/asked_objects.hpp -- the objects that a request names: one by its name or by what people call it, or
// those of a watch list.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/context.hpp"
#include "serve/http.hpp"
#include "serve/parameters.hpp"
#include "serve/responses.hpp"

namespace serve {

// Brings the object that a query names up to date and reads its history.
//   what   "page" or "feed"
//   error  301 to the recorded spelling; of an object that does not exist, 302 to the only one of the class that
//          people call so, 300 with up to 20 of several, or 404; 400 and 503 as http_error_of() says
//   throws store::Failure
[[nodiscard]] Result<query::HistoryService::Answer> history_for(
    SiteContext& context, const Query& query, const query::PageRequest& page_request,
    const std::string& what);

// Returns the id of the short address of a list, of watch= or /watch/ID; empty: the list has its objects.
[[nodiscard]] std::string list_id_of(const Query& query);

// Returns the objects of a list, which the store has if it is under a short address.
//   error  404 with what to do; 503
[[nodiscard]] Result<std::vector<tree::ObjectName>> objects_of_list(const SiteContext& context,
                                                                    const Query& query);

// Notes that a list was asked for, so that it does not give way to others. Does nothing for one that has no short
// address.
void note_use_of_list(SiteContext& context, const Query& query);

// Returns the requested objects, sorted, each once, with known ones in their recorded spelling. Unknown ones
// stay, because a later release may bring them.
//   known  sorted
[[nodiscard]] std::vector<tree::ObjectName> recorded_spellings(
    std::vector<tree::ObjectName> requested, const std::vector<query::Named>& known);

}  // namespace serve
