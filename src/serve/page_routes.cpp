// The routes of pages for people (home, history, differences, releases) and of what scripts and
// browsers load for them (suggestions, OPML, style sheets).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "harvest/feeds.hpp"
#include "query/histories.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/feed.hpp"
#include "render/json.hpp"
#include "render/pages.hpp"
#include "serve/cgi.hpp"
#include "serve/context.hpp"
#include "serve/feeds.hpp"
#include "serve/negotiation.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::size_t most_suggested = 10;  // objects
constexpr std::size_t most_rows = 10'000;   // of an object's history page, which links every row
constexpr std::size_t most_of_difference = 4 << 20;  // bytes of JSON
constexpr std::size_t most_of_tree = 16 << 20;       // bytes of JSON
constexpr long file_max_age = 86400;                 // a new version of Varve keeps their URLs

bool is_json(const Query& query) { return query.get("format") == "json"; }

std::size_t page_in(const Query& query) { return query.number("page", 1); }

// The page with its body, or 404 where there is none.
Result<RenderedPage> page_or_404(std::optional<std::string> body, bool provisional = false) {
    if (!body) return fail(past_the_end());
    return RenderedPage{*std::move(body), provisional};
}

bool is_being_compared(const query::ReleaseList& releases) {
    return !releases.empty() && !releases.front().summary.is_compared;
}

void add_found(render::HomeView& view, SiteContext& context, const Query& query) {
    view.page = page_in(query);
    auto answer = query::find_named(context.history.read_context(), view.class_name, view.text,
                                    {.from = (view.page - 1) * most_found, .most = most_found});
    view.found = std::move(answer.found);
    view.has_more = answer.has_more;
    view.is_complete = answer.is_complete;
    if (view.has_more) view.next_url = query.with("page", std::to_string(view.page + 1)).url();
}

HttpError past_error(const base::Error& error, const tree::ObjectName& object) {
    // These texts are for people: they name the unknown release, or the nearest that are known.
    if (error.kind == base::ErrorKind::absent)
        return {404, error.text + (error.text.ends_with('.') ? "" : ".")};
    return http_error_of(error, wanted_object(object));
}

// Returns the answer with the feed at the URL of a page, if format= or else Accept asks for one; nullopt: the page
// is wanted. A feed names its format in its own URL, because the URL without one is that of the page.
std::optional<Result<Response>> feed_at_page(SiteContext& context, const Request& request,
                                             Route feed_route) {
    const auto named = context.parse(Route::releases_feed, request);
    if (!named) return fail(named.error());
    auto format = named->get("format");
    if (format.empty()) {
        std::vector<std::string_view> media_types = {"text/html"};
        for (const auto& each : render::formats()) media_types.push_back(each.media_type);
        const auto best = preferred_type(request.field("accept"), media_types);
        if (best == 0) return std::nullopt;
        format = render::formats()[best - 1].name;
    }
    const auto feed = context.parse(feed_route, request);
    if (!feed) return fail(feed.error());
    return answer_with_feed(context, request, feed->with("format", format),
                            named->has("format") ? FormatBy::url : FormatBy::accept);
}

// Answers with a file, which changes with the program or its configuration only, and needs neither store nor build.
Result<Response> answer_with_file(SiteContext& context, const Request& request, std::string type,
                                  const std::string& text) {
    const CachePolicy policy{.key = request.path,
                             .build = std::nullopt,
                             .content_type = std::move(type) + "; charset=utf-8",
                             .vary = "Accept-Encoding",
                             .max_age = file_max_age};
    return cached_response(context, request, policy, [&] { return RenderedPage{.body = text}; });
}

}  // namespace

Result<RenderedPage> render_home(SiteContext& context, const Query& query) {
    render::HomeView view;
    view.class_name = query.get("class");
    view.text = query.get("q");
    if (!view.text.empty()) add_found(view, context, query);
    if (is_json(query)) return RenderedPage{.body = render::search_json(view, context.site)};
    view.classes = context.classes();
    view.releases = context.releases();
    view.has_sources = store::perform(context.pool, store::Access::read, harvest::has_feeds);
    return RenderedPage{.body = render::home_page(view, context.page_site, context.templates),
                        .provisional = !context.has_build(),
                        .changes_soon = is_being_compared(*view.releases)};
}

Result<RenderedPage> render_history(SiteContext& context, const Query& query) {
    const auto& at = query.get("at");
    static_assert(render::rows_on_page == query::archive_page);
    std::optional<std::size_t> changes_from;
    if (at.empty()) changes_from = (page_in(query) - 1) * render::rows_on_page;
    const query::PageRequest page_request{.most = most_rows,
                                          .since = "",
                                          .at = at,
                                          .changes_from = changes_from,
                                          .mentions =
                                              at.empty() ? render::most_mentions_on_page : 0};
    auto answer = history_for(context, query, page_request, "page");
    if (!answer) return fail(std::move(answer.error()));
    auto& history = answer->history;
    if (!at.empty() && history.rows.empty())
        return fail(404, "No change to " + wanted_object(query.object()).what +
                             " was recorded in " + at + ".");
    const bool provisional = !answer->up_to_date;
    query::FollowedReleases followed;
    if (at.empty()) followed = query::followed_releases(context.history.read_context(), history);
    const render::HistoryView view{std::move(history), at, page_in(query),
                                   query.number("number", 0), std::move(followed)};
    return page_or_404(is_json(query)
                           ? render::history_json(view, context.site)
                           : render::history_page(view, context.page_site, context.templates),
                       provisional);
}

Result<RenderedPage> render_release(SiteContext& context, const Query& query) {
    const auto version = version_of(query);
    query::ContentsQuery contents_query{query.get("class"), query.get("q")};
    const auto page = page_in(query);
    contents_query.from = (page - 1) * contents_query.most;
    auto contents =
        query::release_contents(context.history.read_context(), version, contents_query);
    if (!contents) return fail(http_error_of(contents.error(), wanted_release(version)));
    const auto& asked = contents_query.class_name;
    const auto is_named = [&](const auto& each) { return each.class_name == asked; };
    if (!asked.empty() && std::ranges::none_of(contents->classes, is_named))
        for (const auto& known : contents->classes)
            if (base::equal_ignoring_case(known.class_name, asked))
                return fail(moved("page", query.with("class", known.class_name).url()));
    if (page > 1 && contents_query.from >= contents->matching) return fail(past_the_end());
    const bool is_compared = contents->summary.is_compared;
    return RenderedPage{.body = render::release_page({std::move(*contents), contents_query, page},
                                                     context.page_site, context.templates),
                        .changes_soon = !is_compared};
}

Result<RenderedPage> render_releases(SiteContext& context, const Query& query) {
    const auto releases = context.releases();
    auto page = page_or_404(
        render::releases_page({releases, page_in(query)}, context.page_site, context.templates),
        !context.has_build());
    if (page) page->changes_soon = is_being_compared(*releases);
    return page;
}

Result<RenderedPage> render_difference(SiteContext& context, const Query& query) {
    // Brings the object up to date, and finds its recorded spelling.
    const auto answer = history_for(context, query, {.most = 1, .since = ""}, "page");
    if (!answer) return fail(answer.error());
    const auto &from = query.get("from"), &to = query.get("to");
    auto difference = query::difference(context.history.read_context(), query.object(), from, to);
    if (!difference) return fail(past_error(difference.error(), query.object()));
    if (difference->to < difference->from)
        return fail(
            {302,
             "from=" + from + " is later than to=" + to + ". The earlier release comes first.",
             query.with("from", to).with("to", from).url()});
    const bool provisional = !answer->up_to_date;
    if (is_json(query))
        return RenderedPage{
            render::difference_json(*difference, context.site, most_of_difference), provisional};
    return page_or_404(render::diff_page({std::move(*difference), page_in(query)},
                                         context.page_site, context.templates),
                       provisional);
}

Result<RenderedPage> render_object(SiteContext& context, const Query& query) {
    auto answer = history_for(context, query, {.most = most_rows, .since = ""}, "page");
    if (!answer) return fail(std::move(answer.error()));
    const bool provisional = !answer->up_to_date;
    const auto reads = context.history.read_context();
    auto object = query::object_at(reads, std::move(answer->history), query.get("release"));
    if (!object) return fail(past_error(object.error(), query.object()));
    if (is_json(query))
        return RenderedPage{render::object_json(*object, context.site, most_of_tree),
                            provisional};
    render::ObjectView view{std::move(*object), page_in(query)};
    view.references = query::current_references(reads, render::objects_on_page(view));
    return page_or_404(render::object_page(view, context.page_site, context.templates),
                       provisional);
}

Result<RenderedPage> render_suggestions(SiteContext& context, const Query& query) {
    std::vector<query::Match> found;
    if (query.has("q"))
        found = query::find_named(context.history.read_context(), query.get("class"),
                                  query.get("q"), {.from = 0, .most = most_suggested})
                    .found;
    return RenderedPage{.body = render::suggestions_json(found, context.site)};
}

Result<RenderedPage> render_opml(SiteContext& context, const Query& query) {
    const query::PageRequest page_request{.most = context.settings.max_items, .since = ""};
    const auto objects = objects_of_list(context, query);
    if (!objects) return fail(objects.error());
    const auto listed = context.history.watch_list(*objects, page_request);
    if (!listed) return fail(http_error_of(listed.error(), wanted_list()));
    return RenderedPage{.body = render::opml(listed->list, context.site),
                        .provisional = !listed->up_to_date};
}

Result<Response> answer_page(SiteContext& context, const Request& request, Route route,
                             const Page& page) {
    if (page.feed != Route::none)
        if (auto feed = feed_at_page(context, request, page.feed)) return *std::move(feed);
    const auto query = context.parse(route, request);
    if (!query) return fail(query.error());
    const auto type = !query->has("format") ? page.type
                      : is_json(*query)     ? MediaType::json
                                            : MediaType::opml;
    const bool is_ordinary =
        query->canonical().empty() ? page.is_ordinary_bare : page.is_ordinary;
    const CachePolicy policy{.key = query->url(),
                             .build = context.history.served_build(),
                             .cost = is_ordinary ? PageCost::ordinary : PageCost::wide,
                             .content_type = std::string(type),
                             .vary = page.feed == Route::none ? "Accept-Encoding"
                                                              : "Accept-Encoding, Accept",
                             .max_age = std::min(page.max_age, context.settings.max_age),
                             .is_for_browser = type == MediaType::html};
    auto response =
        cached_response(context, request, policy, [&] { return page.render(context, *query); });
    if (response) note_use_of_list(context, *query);
    return response;
}

Result<Response> answer_file(SiteContext& context, const Request& request, Route) {
    const auto name = std::string_view(request.path).substr(1);
    return answer_with_file(context, request,
                            name.ends_with(".css")  ? "text/css"
                            : name.ends_with(".js") ? "text/javascript"
                                                    : "text/plain",
                            context.templates.file(name));
}

Result<Response> answer_robots(SiteContext& context, const Request& request, Route) {
    const auto base = base_path_of(context.site.base_url);
    std::string text = "User-agent: *\n";
    const auto disallow = [&](std::string_view path) {
        text.append("Disallow: ").append(base).append(path) += '\n';
    };
    if (context.settings.private_site)
        disallow("/");
    else
        for (const auto path :
             {"/diff", "/object", "/suggest", "/opml", "/watch", "/feeds", "/rss/archive",
              "/release/*/archive", "/*feed=", "/*tag=", "/*change=", "/*mass=", "/*since=",
              "/*include=", "/*object=", "/*q=", "/*page=", "/*number="})
            disallow(path);
    return answer_with_file(context, request, "text/plain", text);
}

}  // namespace serve
