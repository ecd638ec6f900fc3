// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "render/feed.hpp"
#include "serve/delta.hpp"
#include "serve/feed_source.hpp"
#include "serve/negotiate.hpp"
#include "serve/query.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

const render::Format& format_of(const FeedQuery& query, std::string_view accept) {
    if (const auto* named = render::format_named(query.format)) return *named;
    std::vector<std::string_view> media_types;
    for (const auto& format : render::formats()) media_types.push_back(format.media_type);
    return render::formats()[best_of(accept, media_types)];
}

bool is_xml(const render::Format& format) { return format.media_type.ends_with("+xml"); }

Answered<PagePtr> render_document(Workings& workings, const Asking& asking,
                                  const history::Moment& moment) {
    auto loaded = load(workings, asking.query, asking.query.window);
    if (!loaded) return refuse(std::move(loaded.error()));
    const auto& excerpt = loaded->excerpt;
    if (asking.query.is_archive() && excerpt.rows.empty())
        return refuse(404, "This archive has no page before=" +
                               std::to_string(asking.query.window.before) + ".");
    const auto channel = channel_of(workings, asking, loaded->subject);
    auto document = asking.format.render(excerpt, channel, workings.look);
    document.shrink_to_fit();  // what grew by doubling is kept for long
    Page page;
    page.body = std::make_shared<const std::string>(std::move(document));
    page.entity_tag = feed_tag_of(workings, asking, excerpt, channel);
    page.last_modified = render::last_modified(excerpt);
    page.last_modified_text = base::format_http_date(page.last_modified);
    // Switched meanwhile: which of the two builds it shows is not known here.
    page.passing = !loaded->up_to_date || !same_build(moment, workings.desk.moment());
    // Not of a class: rows of a release that is not shown yet come between those that are.
    page.settled = asking.query.is_archive() && asking.query.of != FeedQuery::Of::whole_class &&
                   excerpt.rows.size() == history::archive_page;
    return std::make_shared<const Page>(std::move(page));
}

std::string vary_of(const Asking& asking) {
    std::string vary = "Accept-Encoding";
    if (asking.query.format.empty() || is_xml(asking.format)) vary += ", Accept";
    if (offers_delta(asking.query)) vary += ", A-IM";
    return vary;
}

bool has_it(const Request& request, const Page& page) {
    return is_not_modified(request, {page.entity_tag, page.last_modified});
}

}  // namespace

Answered<Response> answer_feed_query(Workings& workings, const Request& request,
                                     const FeedQuery& query) {
    const auto accept = request.field("accept");
    const auto& format = format_of(query, accept);
    const Asking asking{query, format, is_xml(format) && is_browser(accept, format.media_type)};
    const auto moment = query.is_wide() ? workings.wide_moment() : workings.desk.moment();
    const auto coding = coding_for(request.field("accept-encoding"));
    const auto key = address_of(query) + " " + std::string(asking.format.name);
    const auto found = fetch(
        workings, key, moment, coding, [&] { return render_document(workings, asking, moment); },
        query.is_wide() ? PageCache::Meanwhile::older : PageCache::Meanwhile::wait);
    if (!found) return refuse(found.error());
    const auto vary = vary_of(asking);
    if (offers_delta(query) && wants_delta(request) && !has_it(request, *found->page))
        if (auto newer = newer_items(workings, request, asking, coding, vary))
            return std::move(*newer);
    return answer_with(request, *found, coding,
                       {.content_type = asking.content_type(),
                        .vary = vary,
                        .max_age = workings.settings.max_age,
                        .is_shown = asking.to_browser});
}

Answered<Response> answer_feed(Workings& workings, const Request& request) {
    const auto query = parse_feed_query(request.query, workings.settings.max_items);
    if (!query) return refuse(query.error());
    auto response = answer_feed_query(workings, request, *query);
    if (response && workings.settings.count_hits && query->of == FeedQuery::Of::object)
        workings.desk.note_hit(query->object);
    return response;
}

Answered<Response> answer_archive(Workings& workings, const Request& request) {
    const auto query =
        parse_feed_query(request.query, workings.settings.max_items, Document::archive);
    if (!query) return refuse(query.error());
    return answer_feed_query(workings, request, *query);
}

Answered<Response> answer_release_archive(Workings& workings, const Request& request) {
    const auto version = version_in_path(request.path);
    if (!version) return refuse(version.error());
    const auto query = parse_release_feed_query(*version, request.query,
                                                workings.settings.max_items, Document::archive);
    if (!query) return refuse(query.error());
    return answer_feed_query(workings, request, *query);
}

Answered<Response> answer_old_link(Workings& workings, const Request& request) {
    const auto query = parse_feed_query(request.query, workings.settings.max_items);
    if (!query) return refuse(query.error());
    return refuse({301, "The feed is elsewhere.", workings.url_of(address_of(*query))});
}

Answered<std::string> version_in_path(std::string_view path) {
    constexpr std::string_view before = "/release/", behind = "/archive";
    path.remove_prefix(std::min(before.size(), path.size()));
    if (path.ends_with(behind)) path.remove_suffix(behind.size());
    if (base::is_version(path)) return std::string(path);
    return refuse(404, "There is no release of such a name.");
}

}  // namespace serve
