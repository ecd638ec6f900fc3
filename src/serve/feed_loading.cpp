// SPDX-License-Identifier: MIT
#include "serve/feed_loading.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "query/histories.hpp"
#include "query/search.hpp"
#include "serve/asked_objects.hpp"
#include "serve/negotiation.hpp"

namespace serve {

namespace {

using Subject = FeedRequest::Subject;

Result<LoadedFeed> load_object(SiteContext& context, const FeedRequest& request,
                               const query::PageRequest& page_request) {
    auto answer = history_for(context, request, page_request, "feed");
    if (!answer) return fail(std::move(answer.error()));
    auto subject = render::subject_of(answer->history, context.site);
    query::HistoryPage& page = answer->history;
    return LoadedFeed{std::move(page), std::move(subject), answer->up_to_date};
}

Result<LoadedFeed> load_list(SiteContext& context, const FeedRequest& request,
                             const query::PageRequest& page_request) {
    const auto asked = objects_of_list(context, {request.objects, request.list_id});
    if (!asked) return fail(asked.error());
    auto listed = context.history.watch_list(*asked, page_request);
    if (!listed) return fail(http_error_of(listed.error(), wanted_list(), page_request.since));
    auto objects = recorded_spellings(request.objects, listed->list.objects);
    if (request.list_id.empty() && objects != request.objects) {
        auto recorded = request;
        recorded.objects = std::move(objects);
        return fail(moved("feed", url_of(recorded)));
    }
    const auto page_url =
        request.list_id.empty()
            ? std::string()
            : context.absolute_url(url_of(WatchRequest{.list = {{}, request.list_id}}));
    auto subject = render::subject_of(listed->list, context.site, page_url);
    query::HistoryPage& page = listed->list;
    return LoadedFeed{std::move(page), std::move(subject), listed->up_to_date};
}

// Returns the recorded spelling of a class that differs in case only; empty: there is none.
std::string recorded_class(const SiteContext& context, const std::string& class_name) {
    const auto classes = query::known_classes(context.history.read_context());
    const auto found = std::find_if(classes.begin(), classes.end(), [&](const auto& each) {
        return base::equal_ignoring_case(each, class_name);
    });
    return found == classes.end() || *found == class_name ? std::string() : *found;
}

Result<LoadedFeed> load_class(SiteContext& context, const FeedRequest& request,
                              const query::PageRequest& page_request) {
    const auto& class_name = request.object.class_name;
    auto page = query::class_history(context.history.read_context(), class_name, page_request);
    if (page)
        return LoadedFeed{std::move(*page), render::subject_of_class(class_name, context.site)};
    if (page.error().kind == base::ErrorKind::absent)
        if (auto spelling = recorded_class(context, class_name); !spelling.empty()) {
            auto recorded = request;
            recorded.object.class_name = std::move(spelling);
            return fail(moved("feed", url_of(recorded)));
        }
    return fail(http_error_of(page.error(), wanted_class(class_name), page_request.since));
}

Result<LoadedFeed> load_release(SiteContext& context, const FeedRequest& request,
                                const query::PageRequest& page_request) {
    auto page =
        query::release_history(context.history.read_context(), request.version, page_request);
    if (!page) return fail(http_error_of(page.error(), wanted_release(request.version)));
    const base::Release release = page->rows.empty()
                                      ? base::Release{request.version, page->last_modified}
                                      : page->rows.front().release;
    return LoadedFeed{std::move(*page), render::subject_of_release(release, context.site)};
}

// Returns the request for the document alone, for the hub and for its self link: with format= where content
// negotiation would choose another one. On a site without a hub it stays as it is.
FeedRequest with_own_address(const SiteContext& context, const FeedDocument& document) {
    auto request = document.request;
    if (!context.site.hub_url.empty() && request.format.empty() && !request.is_archive() &&
        &document.format != &render::formats().front())
        request.format = document.format.name;
    return request;
}

}  // namespace

const render::Format& format_of(const FeedRequest& request, std::string_view accept) {
    if (const auto* named = render::format_named(request.format)) return *named;
    std::vector<std::string_view> media_types;
    for (const auto& format : render::formats()) media_types.push_back(format.media_type);
    return render::formats()[preferred_type(accept, media_types)];
}

Result<LoadedFeed> load_feed(SiteContext& context, const FeedRequest& request,
                             const query::PageRequest& page_request) {
    switch (request.subject) {
        case Subject::watch_list: return load_list(context, request, page_request);
        case Subject::whole_class: return load_class(context, request, page_request);
        case Subject::release: return load_release(context, request, page_request);
        case Subject::object:
        case Subject::all_releases: break;  // the latter: render_releases_document()
        case Subject::source_feed: break;   // load_source_feed()
    }
    return load_object(context, request, page_request);
}

std::string with_token(std::string url, const std::string& token) {
    if (token.empty() || url.empty()) return url;
    const auto parameter = "token=" + base::percent_encode(token);
    // The number of an archive page is still to be added to "…before=".
    if (url.ends_with('=')) return url.insert(url.find_last_of("?&") + 1, parameter + "&");
    return url + (url.find('?') == std::string::npos ? "?" : "&") + parameter;
}

bool can_be_topic(const FeedRequest& request) {
    const auto& page = request.page;
    return !request.is_archive() && !request.older && page.mentions == 0 &&
           !(request.is_of_many() && (page.filter.chooses_rows() || !page.since.empty()));
}

std::string topic_url_of(const SiteContext& context, const FeedDocument& document) {
    if (context.site.hub_url.empty() || !can_be_topic(document.request)) return {};
    auto url = context.absolute_url(url_of(with_own_address(context, document)));
    return url.size() > render::longest_topic ? std::string() : url;
}

render::Channel channel_of(const SiteContext& context, const FeedDocument& document,
                           const render::Subject& subject) {
    const auto& request = document.request;
    const auto address = [&](const std::string& url) {
        return with_token(context.absolute_url(url), document.query_token);
    };
    const bool is_source = request.subject == Subject::source_feed;
    auto in_format = request;
    in_format.format = document.format.name;
    return {
        .subject = subject,
        .filter_text = filter_text_of(request),
        .self_url = address(url_of(with_own_address(context, document))),
        .current_url = request.is_archive() ? address(current_url_of(request)) : std::string(),
        .archive_url = request.subject == Subject::all_releases || is_source
                           ? std::string()
                           : address(archive_url_of(request, document.format.name)),
        .before = request.page.before,
        .for_browser = document.is_for_browser,
        .hub_url = topic_url_of(context, document).empty()
                       ? std::string()
                       : with_token(context.site.hub_url, document.query_token),
        .older_url = is_source ? address(older_url_of(in_format)) : std::string(),
        .is_older = request.older.has_value(),
    };
}

}  // namespace serve
