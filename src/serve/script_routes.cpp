// What scripts, readers of lists and browsers load beside the pages.
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "render/feed.hpp"
#include "render/item.hpp"
#include "serve/drafts.hpp"
#include "serve/page_query.hpp"
#include "serve/refusal.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::size_t most_suggested = 10;
constexpr long suggestions_max_age = 60;  // seconds
constexpr long file_max_age = 86400;      // their addresses stay when a new version changes them

using Json = nlohmann::ordered_json;

// Any bytes may stand in a label: replaced, not thrown at.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Answered<Draft> draft_suggestions(Workings& workings, const HomeQuery& query) {
    auto found = Asked<std::vector<history::Named>>();
    if (!query.text.empty())
        found = workings.desk.reading.find_named(query.class_name, query.text, most_suggested);
    if (!found) return refuse(refusal_of(found.error(), wanted_search()));
    auto suggestions = Json::array();
    for (const auto& [object, label] : *found)
        suggestions.push_back({{"class", object.class_name},
                               {"name", object.name},
                               {"label", label},
                               {"url", render::page_of(object, workings.look)}});
    return Draft{.body = text_of(suggestions)};
}

Answered<Draft> draft_opml(Workings& workings, const std::vector<history::ObjectName>& objects) {
    // Labels stand in rows; those of a few newest are better than none.
    const history::Window window{.most = workings.settings.max_items, .since = ""};
    const auto listed = workings.desk.watch_list(objects, window);
    if (!listed) return refuse(refusal_of(listed.error(), wanted_list()));
    return Draft{.body = render::opml(listed->list, workings.look),
                 .passing = !listed->up_to_date};
}

std::string_view media_type_of(std::string_view file) {
    return file.ends_with(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
}

}  // namespace

Answered<Response> answer_suggest(Workings& workings, const Request& request) {
    const auto query = parse_suggest_query(request.query);
    if (!query) return refuse(query.error());
    const Sending sending{.content_type = "application/json",
                          .vary = "Accept-Encoding",
                          .max_age = std::min(suggestions_max_age, workings.settings.max_age)};
    return answer_draft(workings, request,
                        {"/suggest" + address_of(*query), workings.wide_moment(), sending,
                         PageCache::Meanwhile::older},
                        [&] { return draft_suggestions(workings, *query); });
}

Answered<Response> answer_opml(Workings& workings, const Request& request) {
    const auto objects = parse_opml_query(request.query);
    if (!objects) return refuse(objects.error());
    const Sending sending{.content_type = "text/x-opml; charset=utf-8",
                          .vary = "Accept-Encoding",
                          .max_age = workings.settings.max_age};
    return answer_draft(
        workings, request,
        {opml_address_of(*objects), workings.wide_moment(), sending, PageCache::Meanwhile::older},
        [&] { return draft_opml(workings, *objects); });
}

Answered<Response> answer_file(Workings& workings, const Request& request) {
    const auto name = std::string_view(request.path).substr(1);
    const Sending sending{.content_type = std::string(media_type_of(name)),
                          .vary = "Accept-Encoding",
                          .max_age = file_max_age};
    // They change with the program or its configuration only, and are there when store and build
    // are not.
    return answer_draft(workings, request, {request.path, std::nullopt, sending},
                        [&] { return Draft{.body = workings.templates.file(name)}; });
}

}  // namespace serve
