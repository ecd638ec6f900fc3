// The routes of feeds and their archives, in every format of render::formats().
// To add a feed format, add it to that table: negotiation, ?format= and caching follow from it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "base/log.hpp"
#include "base/release.hpp"
#include "base/text.hpp"
#include "harvest/feeds.hpp"
#include "hub/protocol.hpp"
#include "query/histories.hpp"
#include "render/feed.hpp"
#include "serve/asked_objects.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/feed_loading.hpp"
#include "serve/negotiation.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

using Subject = Query::Subject;

// Returns the tag without case, blanks and underscores: "GO term" and "go_term" are the same word.
std::string word_of(std::string_view tag) {
    auto word = base::fold_ascii(tag);
    std::erase_if(word, [](char c) { return c == '_' || c == ' ' || c == '-'; });
    return word;
}

// Returns 404 for an unknown tag, and names the nearest known tag if one is close.
HttpError no_tag(const std::string& tag, std::string reason,
                 const std::vector<std::string_view>& known) {
    std::vector<std::string> words(known.size());
    std::ranges::transform(known, words.begin(), word_of);
    const auto nearest = base::nearest_to(word_of(tag), words);
    auto text = "tag=" + tag + " is not a tag of " + std::move(reason) + ".";
    if (nearest) text.append(" Did you mean ").append(known[*nearest]).append("?");
    return {404, std::move(text)};
}

// Checks that tag= of a feed of many objects names a tag of the models, in their spelling: anybody could make up
// others, and each would be one more page to render.
//   returns  404; 301 to the right spelling; nullopt: nothing is wrong, or the build has no models
std::optional<HttpError> check_tag(SiteContext& context, const Query& query) {
    const auto& tag = query.get("tag");
    const auto build = context.build.build();
    if (tag.empty() || !is_of_many(query) || !build) return std::nullopt;
    const auto& models = build->models();
    const std::string spelling(models.spelling_of_tag(tag));
    if (spelling == tag || models.class_count() == 0) return std::nullopt;
    if (!spelling.empty()) return moved("feed", query.with("tag", spelling).url());
    std::vector<std::string_view> known;
    for (const auto& each : build->class_counts()) {
        const auto tags = models.tags_of_class(each.class_name);
        known.insert(known.end(), tags.begin(), tags.end());
    }
    return no_tag(tag, "the models", known);
}

// Checks that tag= of a feed of one object names a tag that its class has by the models, or that one
// of its recorded changes has.
//   page     what is recorded of it at the tag
//   returns  404; nullopt: nothing is wrong, or nobody knows what tags the class has
std::optional<HttpError> check_tag_of_object(SiteContext& context, const Query& query,
                                             const query::HistoryPage& page) {
    const auto& tag = query.get("tag");
    if (tag.empty() || query.subject() != Subject::object || page.recorded > 0)
        return std::nullopt;
    const auto build = context.build.build();
    if (!build) return std::nullopt;
    const auto& class_name = query.get("class");
    const auto known = build->models().tags_of_class(class_name);
    const auto is_tag = [&](std::string_view each) {
        return base::equal_ignoring_case(each, tag);
    };
    if (known.empty() || std::ranges::any_of(known, is_tag)) return std::nullopt;
    // since=, change= and mass= may have left out what has the tag.
    const auto at_tag = context.history.history_of(
        query.object(), {.most = 1, .since = "", .filter = {.tag = tag, .only = {}}});
    if (!at_tag || at_tag->history.recorded > 0 || at_tag->history.cut) return std::nullopt;
    return no_tag(tag, "class " + class_name + " or of a recorded change", known);
}

Result<RenderedPage> render_document(SiteContext& context, const FeedDocument& document) {
    const auto& query = document.query;
    auto loaded = load_feed(context, query, document.page);
    if (!loaded) return fail(std::move(loaded.error()));
    if (const auto* page = std::get_if<query::HistoryPage>(&loaded->content)) {
        if (auto wrong = check_tag_of_object(context, query, *page))
            return fail(std::move(*wrong));
        if (query.has("before") && page->rows.empty())
            return fail(404, "This archive has no page before=" + query.get("before") + ".");
    }
    const bool is_provisional = !loaded->up_to_date;
    return RenderedPage{.body = render_feed(context, document, *std::move(loaded)),
                        .provisional = is_provisional};
}

// Returns the key of a document. The addresses in it repeat the token of its reader.
std::string key_of(const FeedDocument& document) {
    auto key = document.query.url() + " " + std::string(document.format.name);
    if (document.is_for_browser) key += " for browsers";
    if (!document.query_token.empty()) key += " with the token " + document.query_token;
    return key;
}

std::string vary_of(const FeedDocument& document) {
    std::string vary = "Accept-Encoding";
    if (!document.query.has("format") || is_xml(document.format.media_type)) vary += ", Accept";
    return vary;
}

// Adds the field that names the hub and the topic (WebSub section 4). The topic has no token, because the hub
// stores it and names it in deliveries; the hub's address has that of the reader, who subscribes with it.
void add_hub_link(const SiteContext& context, const FeedDocument& document, Response& response) {
    const auto topic = topic_url_of(context, document);
    if (topic.empty()) return;
    response.fields.emplace_back(
        "Link", hub::link_field(with_token(context.site.hub_url, document.query_token), topic));
}

// Notes that somebody asked for our copy of a source feed: those without readers are fetched once a day. It writes to
// the store at most once a day; if it cannot be reached, at the next request.
void note_reader(SiteContext& context, std::int64_t feed) {
    const auto today = std::chrono::floor<std::chrono::days>(context.settings.clock());
    if (!context.noted_readers.note(feed, today)) return;
    try {
        // A program that is started for one request looks first, and need not wait for those who write.
        const bool is_noted = store::perform(
            context.pool, store::Access::read, [&](store::Transaction& transaction) {
                const auto row = harvest::load_feed(transaction, feed);
                return !row || row->last_read >= today;
            });
        if (is_noted) return;
        store::perform(context.pool, store::Access::write, harvest::note_read, feed, today);
    } catch (const store::Failure& failure) {
        context.noted_readers.forget(feed);
        base::log::warning("cannot record that a feed has readers", {{"reason", failure.what()}});
    }
}

}  // namespace

Result<Response> answer_with_feed(SiteContext& context, const Request& request,
                                  const Query& feed) {
    const auto accept = request.field("accept");
    const auto& format = format_of(feed, accept);
    const FeedDocument document{
        feed, page_request_of(feed, context.settings.max_items), format,
        is_xml(format.media_type) && is_browser(accept, format.media_type), request.query_token};
    const auto build = context.history.served_build();
    if (auto wrong = check_tag(context, feed)) return fail(std::move(*wrong));
    const Metadata metadata{.content_type = document.content_type(),
                            .vary = vary_of(document),
                            .max_age = context.settings.max_age,
                            .is_for_browser = document.is_for_browser};
    // Feeds that are made of many rows take turns (docs/protocols.md).
    const auto cost = feed.subject() == Subject::object ? PageCost::ordinary : PageCost::wide;
    auto response = cached_response(context, request, {key_of(document), build, metadata, cost},
                                    [&] { return render_document(context, document); });
    if (response && response->status == 200) add_hub_link(context, document, *response);
    return response;
}

Result<Response> answer_feed(SiteContext& context, const Request& request, Route route) {
    const auto feed = context.parse(route, request);
    if (!feed) return fail(feed.error());
    auto response = answer_with_feed(context, request, *feed);
    if (response && context.settings.count_hits && feed->subject() == Subject::object)
        context.history.note_hit(feed->object());
    if (response) note_use_of_list(context, *feed);
    if (response && feed->subject() == Subject::source_feed)
        note_reader(context, source_feed_of(*feed));
    return response;
}

Result<Response> answer_archive(SiteContext& context, const Request& request, Route route) {
    const auto feed = context.parse(route, request);
    if (!feed) return fail(feed.error());
    return answer_with_feed(context, request, *feed);
}

Result<Response> answer_old_link(SiteContext& context, const Request& request, Route) {
    const auto feed = context.parse(Route::feed, request);
    if (!feed) return fail(feed.error());
    return fail(moved("feed", feed->at("/rss").url()));
}

Result<std::string> version_in_path(std::string_view path) {
    constexpr std::string_view prefix = "/release/", suffix = "/archive";
    path.remove_prefix(std::min(prefix.size(), path.size()));
    if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
    if (base::is_version(path)) return std::string(path);
    return fail(404, "There is no release with that name.");
}

}  // namespace serve
