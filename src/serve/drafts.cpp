// SPDX-License-Identifier: MIT
#include "serve/drafts.hpp"

#include "serve/negotiate.hpp"

namespace serve {

namespace {

PagePtr page_of(Workings& workings, const std::optional<history::Moment>& moment, Draft draft) {
    Page page;
    draft.body.shrink_to_fit();  // what grew by doubling is kept for long
    page.entity_tag = workings.entity_tag_of({"page", draft.body});
    page.body = std::make_shared<const std::string>(std::move(draft.body));
    page.last_modified = draft.last_modified;
    if (draft.last_modified != base::Seconds{})
        page.last_modified_text = base::format_http_date(draft.last_modified);
    // Switched meanwhile: which of the two builds it shows is not known here.
    page.passing = draft.passing || (moment && !same_build(*moment, workings.desk.moment()));
    return std::make_shared<const Page>(std::move(page));
}

}  // namespace

Answered<Response> answer_draft(Workings& workings, const Request& request,
                                const Placing& placing,
                                const std::function<Answered<Draft>()>& make) {
    const auto coding = coding_for(request.field("accept-encoding"));
    const auto make_page = [&]() -> Answered<PagePtr> {
        auto draft = make();
        if (!draft) return refuse(std::move(draft.error()));
        return page_of(workings, placing.moment, std::move(*draft));
    };
    const auto found = fetch(workings, placing.key, placing.moment.value_or(history::Moment{}),
                             coding, make_page, placing.meanwhile);
    if (!found) return refuse(found.error());
    return answer_with(request, *found, coding, placing.sending);
}

}  // namespace serve
