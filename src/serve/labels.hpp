// serve/labels.hpp -- what is answered about an object that does not exist: people often ask for one
// by what they call it, and then the answer leads to the object.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "serve/context.hpp"
#include "serve/errors.hpp"

namespace serve {

// Returns 302 to the only object of the class that people call so, or 300 with up to 20 of several.
//   url_of   the absolute URL of the same page about another object
//   returns  nullopt: there is none
//   throws   store::Failure
//   cost     a range of an index, whatever the size of the store; a look-up in the build for each
[[nodiscard]] std::optional<HttpError> objects_called(
    const SiteContext& context, const tree::ObjectName& asked,
    const std::function<std::string(const tree::ObjectName&)>& url_of);

// Returns the answer when the object of a request cannot be read. If it does not exist, that is
// objects_called() or 404.
template <class ObjectRequest>
[[nodiscard]] HttpError object_error_of(const base::Error& error, const SiteContext& context,
                                        const ObjectRequest& request,
                                        const std::string& since = {}) {
    const auto same_page = [&](const tree::ObjectName& object) {
        auto other = request;
        other.object = object;
        return context.absolute_url(url_of(other));
    };
    if (error.kind == base::ErrorKind::absent)
        if (auto called = objects_called(context, request.object, same_page)) return *called;
    return http_error_of(error, wanted_object(request.object), since);
}

}  // namespace serve
