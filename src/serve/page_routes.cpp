// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "base/date.hpp"
#include "render/feed.hpp"
#include "render/pages.hpp"
#include "serve/drafts.hpp"
#include "serve/page_query.hpp"
#include "serve/query.hpp"
#include "serve/refusal.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::size_t most_found = 50;  // objects that a search shows
constexpr std::size_t recent_releases = 10;
constexpr std::size_t most_rows = 10'000;  // of an object: its history page leads to every one
constexpr auto older = PageCache::Meanwhile::older;

Asked<HomeFrame> read_frame(const ReadingDesk& reading) {
    auto classes = reading.known_classes();
    if (!classes) return tl::unexpected(std::move(classes.error()));
    auto recent = reading.newest_releases(recent_releases);
    if (!recent) return tl::unexpected(std::move(recent.error()));
    return HomeFrame{std::move(*classes), std::move(*recent)};
}

Answered<Draft> draft_home(Workings& workings, const HomeQuery& query,
                           const history::Moment& moment) {
    const auto& reading = workings.desk.reading;
    render::HomeView view;
    view.class_name = query.class_name;
    view.text = query.text;
    if (!query.text.empty()) {
        auto found = reading.find_named(query.class_name, query.text, most_found);
        if (!found) return refuse(refusal_of(found.error(), wanted_search()));
        view.found = std::move(*found);
    }
    auto frame = workings.home_frame.of(moment, [&] { return read_frame(reading); });
    if (!frame) return refuse(refusal_of(frame.error(), wanted_search()));
    view.classes = std::move(frame->classes);
    view.recent = std::move(frame->recent);
    if (!query.objects.empty()) {
        auto list = reading.labelled(query.objects);
        if (!list) return refuse(refusal_of(list.error(), wanted_search()));
        view.watched = std::move(*list);
    }
    return Draft{.body = render::home_page(view, workings.look, workings.templates),
                 .passing = moment.version.empty()};
}

Answered<Draft> draft_history(Workings& workings, const HistoryQuery& query) {
    const history::Window window{.most = most_rows, .since = ""};
    auto answer = workings.desk.history_of(query.object, window);
    if (!answer) return refuse(refusal_of(answer.error(), wanted_object(query.object)));
    const auto& past = answer->history;
    if (past.object != query.object) {
        auto recorded = query;
        recorded.object = past.object;
        return refuse({301, "The page is elsewhere.", workings.url_of(address_of(recorded))});
    }
    const bool has_release =
        query.at.empty() || std::any_of(past.rows.begin(), past.rows.end(), [&](const auto& row) {
            return row.release.version == query.at;
        });
    if (!has_release)
        return refuse(404, "No change of " + wanted_object(query.object).what +
                               " is recorded in " + query.at + ".");
    Draft draft;
    draft.passing = !answer->up_to_date;
    draft.last_modified = render::last_modified(past);
    draft.body = render::history_page({std::move(answer->history), query.at, query.part},
                                      workings.look, workings.templates);
    return draft;
}

Answered<Draft> draft_release(Workings& workings, const std::string& version,
                              const history::ContentsQuery& query) {
    auto contents = workings.desk.reading.release_contents(version, query);
    if (!contents) return refuse(refusal_of(contents.error(), wanted_release(version)));
    return Draft{.body = render::release_page({std::move(*contents), query}, workings.look,
                                              workings.templates)};
}

Sending page_sending(const Workings& workings) {
    return {.content_type = "text/html; charset=utf-8",
            .vary = "Accept-Encoding",
            .max_age = workings.settings.max_age,
            .is_shown = true};
}

// Whether a feed is asked for at a page's address: named, or liked better by Accept.
struct Wish {
    std::string format;  // of a feed; empty: the page
    bool is_named = false;
};
Answered<Wish> wish_of(const Request& request) {
    constexpr std::array<std::string_view, 1> known = {"format"};
    const auto parameters = parse_query(request.query, known);
    if (!parameters) return refuse(parameters.error());
    if (const auto* format = parameters->find("format")) return Wish{*format, true};
    std::vector<std::string_view> media_types = {"text/html"};
    for (const auto& format : render::formats()) media_types.push_back(format.media_type);
    const auto best = best_of(request.field("accept"), media_types);
    return best == 0 ? Wish{} : Wish{std::string(render::formats()[best - 1].name), false};
}

Answered<Response> answer_as_feed(Workings& workings, const Request& request,
                                  const std::string& version, const Wish& wish) {
    auto query = parse_release_feed_query(version, request.query, workings.settings.max_items);
    if (!query) return refuse(query.error());
    // At this address alone a reader would be given the page one day: the feed names its own.
    query->format = wish.is_named ? query->format : wish.format;
    auto response = answer_feed_query(workings, request, *query);
    if (!response || wish.is_named) return response;
    vary_by(*response, "Accept");
    return response;
}

}  // namespace

Answered<Response> answer_home(Workings& workings, const Request& request) {
    const auto query = parse_home_query(request.query);
    if (!query) return refuse(query.error());
    const auto moment = workings.wide_moment();
    return answer_draft(workings, request,
                        {address_of(*query), moment, page_sending(workings), older},
                        [&] { return draft_home(workings, *query, moment); });
}

Answered<Response> answer_history(Workings& workings, const Request& request) {
    const auto query = parse_history_query(request.query);
    if (!query) return refuse(query.error());
    return answer_draft(workings, request,
                        {address_of(*query), workings.desk.moment(), page_sending(workings)},
                        [&] { return draft_history(workings, *query); });
}

Answered<Response> answer_release(Workings& workings, const Request& request) {
    const auto version = version_in_path(request.path);
    if (!version) return refuse(version.error());
    const auto wish = wish_of(request);
    if (!wish) return refuse(wish.error());
    if (wish->is_named || !wish->format.empty())
        return answer_as_feed(workings, request, *version, *wish);
    const auto query = parse_contents_query(request.query);
    if (!query) return refuse(query.error());
    auto sending = page_sending(workings);
    sending.vary += ", Accept";
    return answer_draft(workings, request,
                        {contents_address_of(*version, *query), workings.wide_moment(),
                         std::move(sending), older},
                        [&] { return draft_release(workings, *version, *query); });
}

}  // namespace serve
