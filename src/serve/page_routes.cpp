// The routes of pages for people (home, history, differences, releases) and of what scripts and
// browsers load for them (suggestions, OPML, style sheets).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "harvest/feeds.hpp"
#include "query/histories.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/change_json.hpp"
#include "render/feed.hpp"
#include "render/mention.hpp"
#include "render/page_json.hpp"
#include "render/pages.hpp"
#include "serve/asked_objects.hpp"
#include "serve/cgi.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/negotiation.hpp"
#include "serve/parameters.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::size_t most_suggested = 10;  // objects
constexpr std::size_t most_rows = 10'000;   // of an object's history page, which links every row
constexpr std::size_t most_of_difference = 4 << 20;  // bytes of JSON
constexpr std::size_t most_of_history = 1 << 20;     // bytes of JSON, of one part
constexpr std::size_t most_of_tree = 16 << 20;       // bytes of JSON
constexpr long suggestions_max_age = 60;             // seconds
constexpr long file_max_age = 86400;                 // a new version of Varve keeps their URLs

Metadata file_metadata(std::string content_type, long max_age) {
    return {
        .content_type = std::move(content_type), .vary = "Accept-Encoding", .max_age = max_age};
}

Metadata metadata_of(PageFormat format, const SiteContext& context) {
    return format == PageFormat::html
               ? html_metadata(context)
               : file_metadata("application/json", context.settings.max_age);
}

// The page with its body, or 404 where the last part is before the one that is asked for.
Result<RenderedPage> with_part(std::size_t asked, std::size_t last, std::string body,
                               RenderedPage page) {
    if (last < asked) return fail(past_the_end());
    page.body = std::move(body);
    return page;
}

void add_found(render::HomeView& view, SiteContext& context, const HomeRequest& request) {
    auto answer = query::find_named(context.history.read_context(), request.class_name,
                                    request.text, {.from = request.from, .most = most_found});
    view.found = std::move(answer.found);
    view.from = request.from;
    view.has_more = answer.has_more;
    view.is_complete = answer.is_complete;
    auto first = request;
    first.from = 0;
    view.search_url = url_of(first);
}

Result<RenderedPage> render_home(SiteContext& context, const HomeRequest& request,
                                 const query::ServedBuild& build) {
    const auto reads = context.history.read_context();
    render::HomeView view;
    view.class_name = request.class_name;
    view.text = request.text;
    if (!request.text.empty()) add_found(view, context, request);
    if (request.format == PageFormat::json)
        return RenderedPage{.body = render::search_json(view, context.site)};
    view.classes = context.classes();
    view.releases = context.releases();
    view.has_sources = store::perform(context.pool, store::Access::read, harvest::has_feeds);
    return RenderedPage{.body = render::home_page(view, context.page_site, context.templates),
                        .provisional = build.version.empty()};
}

Result<RenderedPage> render_history(SiteContext& context, const HistoryRequest& request) {
    const query::PageRequest page_request{
        .most = most_rows,
        .since = "",
        .mentions = request.at.empty() ? render::most_mentions_on_page : 0};
    auto answer = history_for(context, request, page_request, "page");
    if (!answer) return fail(std::move(answer.error()));
    auto& history = answer->history;
    const bool has_release =
        request.at.empty() ||
        std::any_of(history.rows.begin(), history.rows.end(),
                    [&](const auto& row) { return row.release.version == request.at; });
    if (!has_release)
        return fail(404, "No change to " + wanted_object(request.object).what +
                             " was recorded in " + request.at + ".");
    RenderedPage page;
    page.provisional = !answer->up_to_date;
    query::FollowedReleases followed;
    if (request.at.empty())
        followed = query::followed_releases(context.history.read_context(), history);
    const render::HistoryView view{std::move(history), request.at, request.part, request.number,
                                   std::move(followed)};
    if (request.format == PageFormat::json) {
        auto json = render::history_json(view, context.site, most_of_history);
        return with_part(request.part, json.part, std::move(json.text), std::move(page));
    }
    auto shown = render::history_part(view, context.page_site, context.templates);
    const auto part = request.number > 0 ? request.part : shown.part;
    return with_part(request.part, part, std::move(shown.html), std::move(page));
}

Result<RenderedPage> render_release(SiteContext& context, const std::string& version,
                                    const query::ContentsQuery& contents_query) {
    auto contents =
        query::release_contents(context.history.read_context(), version, contents_query);
    if (!contents) return fail(http_error_of(contents.error(), wanted_release(version)));
    if (contents_query.from > 0 && contents_query.from >= contents->matching)
        return fail(past_the_end());
    return RenderedPage{.body = render::release_page({std::move(*contents), contents_query},
                                                     context.page_site, context.templates)};
}

Result<RenderedPage> render_releases(SiteContext& context, std::size_t from,
                                     const query::ServedBuild& build) {
    auto list = context.releases();
    if (from > 0 && from >= list->size()) return fail(past_the_end());
    return RenderedPage{.body = render::releases_page({std::move(list), from}, context.page_site,
                                                      context.templates),
                        .provisional = build.version.empty()};
}

HttpError past_error(const base::Error& error, const tree::ObjectName& object) {
    // These texts are for people: they name the unknown release, or the nearest that are known.
    if (error.kind == base::ErrorKind::absent)
        return {404, error.text + (error.text.ends_with('.') ? "" : ".")};
    return http_error_of(error, wanted_object(object));
}

Result<RenderedPage> render_difference(SiteContext& context, const DiffRequest& request) {
    // Brings the object up to date, and finds its recorded spelling.
    const auto answer = history_for(context, request, {.most = 1, .since = ""}, "page");
    if (!answer) return fail(answer.error());
    auto difference = query::difference(context.history.read_context(), request.object,
                                        request.from, request.to);
    if (!difference) return fail(past_error(difference.error(), request.object));
    if (difference->to < difference->from) {
        auto swapped = request;
        std::swap(swapped.from, swapped.to);
        return fail({302,
                     "from=" + request.from + " is later than to=" + request.to +
                         ". The earlier release comes first.",
                     url_of(swapped)});
    }
    RenderedPage page;
    page.provisional = !answer->up_to_date;
    if (request.format == PageFormat::json) {
        page.body = render::difference_json(*difference, context.site, most_of_difference);
        return page;
    }
    auto shown = render::diff_part({std::move(*difference), request.part}, context.page_site,
                                   context.templates);
    return with_part(request.part, shown.part, std::move(shown.html), std::move(page));
}

Result<RenderedPage> render_object(SiteContext& context, const ObjectRequest& request) {
    auto answer = history_for(context, request, {.most = most_rows, .since = ""}, "page");
    if (!answer) return fail(std::move(answer.error()));
    RenderedPage page;
    page.provisional = !answer->up_to_date;
    const auto reads = context.history.read_context();
    auto object = query::object_at(reads, std::move(answer->history), request.release);
    if (!object) return fail(past_error(object.error(), request.object));
    if (request.format == PageFormat::json) {
        page.body = render::object_json(*object, context.site, most_of_tree);
        return page;
    }
    render::ObjectView view{std::move(*object), request.part};
    view.references = query::current_references(
        reads, render::objects_in_part(view, context.page_site, context.templates));
    auto shown = render::object_part(view, context.page_site, context.templates);
    return with_part(request.part, shown.part, std::move(shown.html), std::move(page));
}

Result<RenderedPage> render_suggestions(SiteContext& context, const SuggestRequest& request) {
    std::vector<query::Match> found;
    if (!request.text.empty())
        found = query::find_named(context.history.read_context(), request.class_name,
                                  request.text, {.from = 0, .most = most_suggested})
                    .found;
    return RenderedPage{.body = render::suggestions_json(found, context.site)};
}

Result<RenderedPage> render_opml(SiteContext& context, const ListRequest& list) {
    const query::PageRequest page_request{.most = context.settings.max_items, .since = ""};
    const auto objects = objects_of_list(context, list);
    if (!objects) return fail(objects.error());
    const auto listed = context.history.watch_list(*objects, page_request);
    if (!listed) return fail(http_error_of(listed.error(), wanted_list()));
    return RenderedPage{.body = render::opml(listed->list, context.site),
                        .provisional = !listed->up_to_date};
}

// What a client wants at the URL of a release page.
struct WantedFormat {
    std::string name;       // of a feed format; empty: the page
    bool is_named = false;  // by format=, not by Accept
};
Result<WantedFormat> wanted_format(const Request& request) {
    constexpr auto known = std::to_array<std::string_view>({"format"});
    const auto parameters = parse_query(request.query, known);
    if (!parameters) return fail(parameters.error());
    if (const auto* format = parameters->find("format")) return WantedFormat{*format, true};
    std::vector<std::string_view> media_types = {"text/html"};
    for (const auto& format : render::formats()) media_types.push_back(format.media_type);
    const auto best = preferred_type(request.field("accept"), media_types);
    return best == 0 ? WantedFormat{}
                     : WantedFormat{std::string(render::formats()[best - 1].name), false};
}

// Answers with the feed at the URL of a page. It names its format in its own URL, because the URL without
// one is that of the page.
Result<Response> answer_as_feed(SiteContext& context, const Request& request,
                                Result<FeedRequest> feed, const WantedFormat& format) {
    if (!feed) return fail(std::move(feed.error()));
    feed->format = format.name;
    auto response = answer_feed_request(context, request, *feed);
    if (response && !format.is_named) vary_by(*response, "Accept");
    return response;
}

Metadata negotiated_metadata(const SiteContext& context) {
    auto metadata = html_metadata(context);
    metadata.vary += ", Accept";
    return metadata;
}

}  // namespace

Result<Response> answer_home(SiteContext& context, const Request& request) {
    const auto home = parse_request<HomeRequest>(request.query);
    if (!home) return fail(home.error());
    const auto build = context.history.served_build();
    // The page without a search is one key, and what it shows is kept in memory.
    const auto cost = *home == HomeRequest{} ? PageCost::ordinary : PageCost::wide;
    return cached_response(context, request,
                           {url_of(*home), build, metadata_of(home->format, context), cost},
                           [&] { return render_home(context, *home, build); });
}

Result<Response> answer_history(SiteContext& context, const Request& request) {
    const auto history = parse_request<HistoryRequest>(request.query);
    if (!history) return fail(history.error());
    return cached_response(
        context, request,
        {url_of(*history), context.history.served_build(), metadata_of(history->format, context)},
        [&] { return render_history(context, *history); });
}

Result<Response> answer_difference(SiteContext& context, const Request& request) {
    const auto diff = parse_request<DiffRequest>(request.query);
    if (!diff) return fail(diff.error());
    return cached_response(context, request,
                           {url_of(*diff), context.history.served_build(),
                            metadata_of(diff->format, context), PageCost::wide},
                           [&] { return render_difference(context, *diff); });
}

Result<Response> answer_object(SiteContext& context, const Request& request) {
    const auto object = parse_request<ObjectRequest>(request.query);
    if (!object) return fail(object.error());
    return cached_response(context, request,
                           {url_of(*object), context.history.served_build(),
                            metadata_of(object->format, context), PageCost::wide},
                           [&] { return render_object(context, *object); });
}

Result<Response> answer_release(SiteContext& context, const Request& request) {
    const auto version = version_in_path(request.path);
    if (!version) return fail(version.error());
    const auto format = wanted_format(request);
    if (!format) return fail(format.error());
    if (format->is_named || !format->name.empty())
        return answer_as_feed(
            context, request,
            parse_release_feed_request(*version, request.query, context.settings.max_items),
            *format);
    const auto contents = parse_request<query::ContentsQuery>(request.query);
    if (!contents) return fail(contents.error());
    return cached_response(context, request,
                           {release_url_of(*version, *contents), context.history.served_build(),
                            negotiated_metadata(context), PageCost::wide},
                           [&] { return render_release(context, *version, *contents); });
}

Result<Response> answer_releases(SiteContext& context, const Request& request) {
    const auto format = wanted_format(request);
    if (!format) return fail(format.error());
    if (format->is_named || !format->name.empty())
        return answer_as_feed(context, request, parse_releases_feed_request(request.query),
                              *format);
    const auto releases = parse_request<ReleasesRequest>(request.query);
    if (!releases) return fail(releases.error());
    const auto build = context.history.served_build();
    return cached_response(
        context, request,
        {url_of(*releases), build, negotiated_metadata(context), PageCost::wide},
        [&] { return render_releases(context, releases->from, build); });
}

Result<Response> answer_suggest(SiteContext& context, const Request& request) {
    const auto search = parse_request<SuggestRequest>(request.query);
    if (!search) return fail(search.error());
    const auto metadata = file_metadata("application/json",
                                        std::min(suggestions_max_age, context.settings.max_age));
    return cached_response(
        context, request,
        {url_of(*search), context.history.served_build(), metadata, PageCost::wide},
        [&] { return render_suggestions(context, *search); });
}

Result<Response> answer_opml(SiteContext& context, const Request& request) {
    const auto list = parse_request<ListRequest>(request.query);
    if (!list) return fail(list.error());
    const auto metadata = file_metadata("text/x-opml; charset=utf-8", context.settings.max_age);
    auto response =
        cached_response(context, request,
                        {url_of(*list), context.history.served_build(), metadata, PageCost::wide},
                        [&] { return render_opml(context, *list); });
    if (response) note_use_of_list(context, list->id);
    return response;
}

Result<Response> answer_file(SiteContext& context, const Request& request) {
    const auto name = std::string_view(request.path).substr(1);
    const auto metadata = file_metadata(name.ends_with(".css")  ? "text/css; charset=utf-8"
                                        : name.ends_with(".js") ? "text/javascript; charset=utf-8"
                                                                : "text/plain; charset=utf-8",
                                        file_max_age);
    // Files change with the program or its configuration only, and need neither store nor build.
    return cached_response(context, request, {request.path, std::nullopt, metadata},
                           [&] { return RenderedPage{.body = context.templates.file(name)}; });
}

Result<Response> answer_robots(SiteContext& context, const Request& request) {
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
              "/*include=", "/*object=", "/*q=", "/*part=", "/*number=", "/*from="})
            disallow(path);
    const auto metadata = file_metadata("text/plain; charset=utf-8", file_max_age);
    return cached_response(context, request, {request.path, std::nullopt, metadata},
                           [&] { return RenderedPage{.body = text}; });
}

}  // namespace serve
