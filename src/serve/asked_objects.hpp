// serve/asked_objects.hpp -- the objects that a request names: one by its name or by what people call it, or
// those of a watch list.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/http.hpp"
#include "serve/requests.hpp"

namespace serve {

// Returns the URL of the same page about another object, below base_url.
using AddressOf = std::function<std::string(const tree::ObjectName&)>;

// Returns 302 to the only object of the class that people call so, or 300 with up to 20 of several.
//   returns  nullopt: there is none
//   throws   store::Failure
//   cost     a range of an index, whatever the size of the store; a look-up in the build for each
[[nodiscard]] std::optional<HttpError> objects_called(const SiteContext& context,
                                                      const tree::ObjectName& asked,
                                                      const AddressOf& address_of);

// Brings the object of a request up to date and reads its history.
//   what   "page" or "feed"
//   error  301 to the recorded spelling; objects_called(), or else 404, of an object that does not exist; 400 and
//          503 as http_error_of() says
template <class ObjectRequest>
[[nodiscard]] Result<query::HistoryService::Answer> history_for(
    SiteContext& context, const ObjectRequest& request, const query::PageRequest& page_request,
    const std::string& what) {
    const auto address_of = [&](const tree::ObjectName& object) {
        auto other = request;
        other.object = object;
        return url_of(other);
    };
    auto answer = context.history.history_of(request.object, page_request);
    if (!answer && answer.error().kind == base::ErrorKind::absent)
        if (auto called = objects_called(context, request.object, address_of))
            return fail(*std::move(called));
    if (!answer)
        return fail(
            http_error_of(answer.error(), wanted_object(request.object), page_request.since));
    if (answer->history.object != request.object)
        return fail(moved(what, address_of(answer->history.object)));
    return *std::move(answer);
}

// Returns the objects of a list, which the store has if it is under a short address.
//   error  404 with what to do; 503
[[nodiscard]] Result<std::vector<tree::ObjectName>> objects_of_list(const SiteContext& context,
                                                                    const ListRequest& list);

// Notes that a list was asked for, so that it does not give way to others.
//   id  of its short address; empty: it has none
void note_use_of_list(SiteContext& context, const std::string& id);

// Returns the requested objects, sorted, each once, with known ones in their recorded spelling. Unknown ones
// stay, because a later release may bring them.
//   known  sorted
[[nodiscard]] std::vector<tree::ObjectName> recorded_spellings(
    std::vector<tree::ObjectName> requested, const std::vector<query::Named>& known);

}  // namespace serve
