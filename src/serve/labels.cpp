// SPDX-License-Identifier: MIT
#include "serve/labels.hpp"

#include <algorithm>

#include "query/search.hpp"

namespace serve {

namespace {

constexpr std::size_t most_choices = 20;

}  // namespace

std::optional<HttpError> objects_called(
    const SiteContext& context, const tree::ObjectName& asked,
    const std::function<std::string(const tree::ObjectName&)>& url_of) {
    const auto found =
        query::objects_called(context.history.read_context(), asked, most_choices + 1);
    if (found.empty()) return std::nullopt;
    const auto nobody = "There is no " + asked.class_name + " \"" + asked.name + "\". ";
    const auto name_of = [](const tree::ObjectName& object) {
        return object.class_name + " " + object.name;
    };
    if (found.size() == 1) {
        const auto& only = found.front().object;
        return found_elsewhere(nobody + name_of(only) + " has that common name.", url_of(only));
    }
    const auto shown = std::min(found.size(), most_choices);
    HttpError error{300, nobody + (shown < found.size() ? "More than " : "") +
                             std::to_string(shown) + " objects have that common name."};
    for (const auto& [object, vanished] : std::span(found).first(shown))
        error.choices.push_back(
            {name_of(object) + (vanished ? " (not in the current release)" : ""),
             url_of(object)});
    return error;
}

}  // namespace serve
