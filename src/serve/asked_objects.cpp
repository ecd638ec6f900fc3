// SPDX-License-Identifier: MIT
#include "serve/asked_objects.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "query/search.hpp"

namespace serve {

namespace {

using tree::ObjectName;

constexpr std::size_t most_choices = 20;

bool equal_but_for_case(const ObjectName& a, const ObjectName& b) {
    return base::equal_ignoring_case(a.class_name, b.class_name) &&
           base::equal_ignoring_case(a.name, b.name);
}

// Returns 302 to the only object of the class that people call so, or 300 with some of several; nullopt: there is
// none. It costs a range of an index, and a look-up in the build for each.
std::optional<HttpError> objects_called(const SiteContext& context, const Query& query) {
    const auto asked = query.object();
    const auto found =
        query::objects_called(context.history.read_context(), asked, most_choices + 1);
    if (found.empty()) return std::nullopt;
    const auto nobody = "There is no " + asked.class_name + " \"" + asked.name + "\". ";
    const auto name_of = [](const ObjectName& object) {
        return object.class_name + " " + object.name;
    };
    if (found.size() == 1) {
        const auto& only = found.front().object;
        return HttpError{302, nobody + name_of(only) + " has that common name.",
                         query.with(only).url()};
    }
    const auto shown = std::min(found.size(), most_choices);
    HttpError error{300, nobody + (shown < found.size() ? "More than " : "") +
                             std::to_string(shown) + " objects have that common name."};
    for (const auto& [object, vanished] : std::span(found).first(shown))
        error.choices.push_back(
            {name_of(object) + (vanished ? " (not in the current release)" : ""),
             query.with(object).url()});
    return error;
}

}  // namespace

Result<query::HistoryService::Answer> history_for(SiteContext& context, const Query& query,
                                                  const query::PageRequest& page_request,
                                                  const std::string& what) {
    const auto object = query.object();
    auto answer = context.history.history_of(object, page_request);
    if (!answer && answer.error().kind == base::ErrorKind::absent)
        if (auto called = objects_called(context, query)) return fail(*std::move(called));
    if (!answer)
        return fail(http_error_of(answer.error(), wanted_object(object), page_request.since));
    if (answer->history.object != object)
        return fail(moved(what, query.with(answer->history.object).url()));
    return *std::move(answer);
}

std::string list_id_of(const Query& query) {
    constexpr std::string_view prefix = "/watch/";
    const std::string_view path = query.path();
    return path.starts_with(prefix) ? std::string(path.substr(prefix.size()))
                                    : query.get("watch");
}

Result<std::vector<ObjectName>> objects_of_list(const SiteContext& context, const Query& query) {
    const auto id = list_id_of(query);
    if (id.empty()) return query.objects();
    auto kept = context.history.kept_list(id);
    if (kept) return std::move(*kept);
    if (kept.error().kind != base::ErrorKind::absent)
        return fail(http_error_of(kept.error(), wanted_list()));
    return fail(404,
                "There is no watch list at this short address. The address may be incomplete, or "
                "nobody used the list for a long time. Make the list again at " +
                    context.absolute_url("/watch") + ": the same list has the same address.");
}

void note_use_of_list(SiteContext& context, const Query& query) {
    const auto id = list_id_of(query);
    if (!id.empty() && context.settings.count_hits) context.history.note_use_of_list(id);
}

std::vector<ObjectName> recorded_spellings(std::vector<ObjectName> requested,
                                           const std::vector<query::Named>& known) {
    for (auto& object : requested) {
        if (std::ranges::binary_search(known, object, {}, &query::Named::object)) continue;
        const auto other = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return equal_but_for_case(each.object, object);
        });
        if (other != known.end()) object = other->object;
    }
    std::sort(requested.begin(), requested.end());
    requested.erase(std::unique(requested.begin(), requested.end()), requested.end());
    return requested;
}

}  // namespace serve
