// SPDX-License-Identifier: MIT
#include "render/difference_json.hpp"
#include "render/pages.hpp"
#include "serve/drafts.hpp"
#include "serve/page_query.hpp"
#include "serve/refusal.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

Refusal refusal_of_releases(const base::Error& error, const DiffQuery& query) {
    const auto wanted = wanted_object(query.object);
    // The history's own sentence names the nearest releases that are known, or the unknown one.
    if (error.kind == base::Kind::absent || error.kind == base::Kind::refused)
        return {404, error.text};
    return refusal_of(error, wanted);
}

struct Compared {
    history::Difference difference;
    bool up_to_date = true;
};

Answered<Compared> compare_releases(Workings& workings, const DiffQuery& query) {
    const auto answer = workings.desk.history_of(query.object, {.most = 1, .since = ""});
    if (!answer) return refuse(refusal_of(answer.error(), wanted_object(query.object)));
    if (answer->history.object != query.object) {
        auto recorded = query;
        recorded.object = answer->history.object;
        return refuse({301, "The page is elsewhere.", workings.url_of(address_of(recorded))});
    }
    auto difference = workings.desk.reading.difference(query.object, query.from, query.to);
    if (!difference) return refuse(refusal_of_releases(difference.error(), query));
    if (difference->to < difference->from)
        return refuse(400, "from=" + query.from + " is later than to=" + query.to +
                               ": the earlier release comes first.");
    return Compared{std::move(*difference), answer->up_to_date};
}

Answered<Draft> draft_difference(Workings& workings, const DiffQuery& query) {
    auto compared = compare_releases(workings, query);
    if (!compared) return refuse(std::move(compared.error()));
    Draft draft;
    draft.passing = !compared->up_to_date;
    draft.body = query.as == DiffQuery::As::json
                     ? render::difference_json(compared->difference, workings.look)
                     : render::diff_page({std::move(compared->difference), query.part},
                                         workings.look, workings.templates);
    return draft;
}

}  // namespace

Answered<Response> answer_difference(Workings& workings, const Request& request) {
    const auto query = parse_diff_query(request.query);
    if (!query) return refuse(query.error());
    const bool is_page = query->as == DiffQuery::As::page;
    const Sending sending{.content_type =
                              is_page ? "text/html; charset=utf-8" : "application/json",
                          .vary = "Accept-Encoding",
                          .max_age = workings.settings.max_age,
                          .is_shown = is_page};
    return answer_draft(workings, request, {address_of(*query), workings.desk.moment(), sending},
                        [&] { return draft_difference(workings, *query); });
}

}  // namespace serve
