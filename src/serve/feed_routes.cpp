// The routes of feeds and their archives, in every format of render::formats().
// To add a feed format, add it to that table: negotiation, ?format= and caching follow from it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/text.hpp"
#include "hub/protocol.hpp"
#include "query/class_history.hpp"
#include "render/feed.hpp"
#include "serve/asked_objects.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/feed_loading.hpp"
#include "serve/negotiation.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"
#include "serve/source_feeds.hpp"

namespace serve {

namespace {

using tree::ObjectName;
using Subject = FeedRequest::Subject;

// How long after its row was recorded the transaction may end that recorded it.
constexpr std::chrono::minutes rows_come_within{1};

// Returns the name under which the cache keeps the tags of a class or a release.
std::string key_of_tags(const FeedRequest& request) {
    // No URL begins like this.
    return request.subject == Subject::whole_class ? "tags of class " + request.object.class_name
                                                   : "tags of " + request.version;
}

// Returns the tags in the recorded changes of a class or a release, kept as a page is: computed once
// for all requests of a minute, by callers who have their turn.
//   error  what the feed itself would be answered with
Result<Body> recorded_tags(SiteContext& context, const FeedRequest& request,
                           const query::CacheVersion& version) {
    const bool is_class = request.subject == Subject::whole_class;
    const auto& class_name = request.object.class_name;
    const auto render = [&]() -> Result<RenderedPage> {
        const auto reads = context.history.read_context();
        const auto tags = is_class ? query::class_tags(reads, class_name)
                                   : query::release_tags(reads, request.version);
        if (!tags) return fail(http_error_of(tags.error(), wanted_class(class_name)));
        RenderedPage page;
        for (const auto& tag : *tags) page.body.append(tag) += '\n';
        return page;
    };
    return cached_response(context, {}, {key_of_tags(request), version, {}}, render)
        .map([](Response response) { return response.body; });
}

// Returns the spelling of a tag in a text with one tag a line; empty: it is not in the text.
std::string_view spelling_in(std::string_view lines, std::string_view tag) {
    std::string_view other_case;
    for (const auto line : base::split(lines, '\n')) {
        if (line == tag) return line;
        if (base::equal_ignoring_case(line, tag)) other_case = line;
    }
    return other_case;
}

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

// Where check_tag() looks for the tags of recorded changes. It computes them for callers only who
// have their turn.
enum class RecordedTags : unsigned char { cached, computed };

// Checks that tag= of a feed of many objects names a tag of the models or of any recorded change, in
// its spelling: anybody could make up others, and each would be one more page to render.
//   returns  404; 301 to the right spelling; 503 while that cannot be found out; nullopt: nothing
//            is wrong, or the feed itself has another error, or the tags are not in the cache
std::optional<HttpError> check_tag(SiteContext& context, const FeedRequest& request,
                                   const query::CacheVersion& version, RecordedTags where) {
    const auto& tag = request.page.filter.tag;
    if (tag.empty() || !request.is_of_many()) return std::nullopt;
    const auto build = context.build.build();
    std::string spelling(build ? build->models().spelling_of_tag(tag) : "");
    if (spelling.empty()) {
        if (where == RecordedTags::cached && !context.pages.find(key_of_tags(request), version))
            return std::nullopt;
        const auto recorded = recorded_tags(context, request, version);
        if (!recorded && recorded.error().status == 503) return recorded.error();
        if (!recorded) return std::nullopt;
        spelling = spelling_in(**recorded, tag);
        if (spelling.empty())
            return no_tag(tag, "the models or of any recorded change",
                          base::split(**recorded, '\n'));
    }
    if (spelling == tag) return std::nullopt;
    auto spelled = request;
    spelled.page.filter.tag = std::move(spelling);
    return moved("feed", url_of(spelled));
}

// Checks that tag= of a feed of one object names a tag that its class has by the models, or that one
// of its recorded changes has.
//   page     what is recorded of it at the tag
//   returns  404; nullopt: nothing is wrong, or nobody knows what tags the class has
std::optional<HttpError> check_tag_of_object(SiteContext& context, const FeedRequest& request,
                                             const query::HistoryPage& page) {
    const auto& tag = request.page.filter.tag;
    if (tag.empty() || request.subject != Subject::object || page.recorded > 0)
        return std::nullopt;
    const auto build = context.build.build();
    if (!build) return std::nullopt;
    const auto& class_name = request.object.class_name;
    const auto known = build->models().tags_of_class(class_name);
    const auto is_tag = [&](std::string_view each) {
        return base::equal_ignoring_case(each, tag);
    };
    if (known.empty() || std::ranges::any_of(known, is_tag)) return std::nullopt;
    // since=, change= and mass= may have left out what has the tag.
    const auto at_tag = context.history.history_of(
        request.object, {.most = 1, .since = "", .filter = {.tag = tag, .only = {}}});
    if (!at_tag || at_tag->history.recorded > 0 || at_tag->history.cut) return std::nullopt;
    return no_tag(tag, "class " + class_name + " or of a recorded change", known);
}

// Returns the entity tag of the feed with a reader's token in its addresses; empty: without one.
std::string tag_for_reader(const SiteContext& context, const std::string& entity_tag,
                           const std::string& query_token) {
    return query_token.empty() ? entity_tag
                               : context.entity_tag_of({"token", entity_tag, query_token});
}

// Returns the entity tag of a feed without a reader's token, in the coding identity. It is a digest of
// what identifies the rows, not of the bytes, so that it is known without rendering the feed.
std::string shared_tag_of(const SiteContext& context, const FeedDocument& document,
                          const query::HistoryPage& page, const render::Channel& channel) {
    const auto tag_with = [&](const render::Channel& shared) {
        return context.entity_tag_of(
            {document.format.name, render::entity_tag_parts(page, shared)});
    };
    if (document.query_token.empty()) return tag_with(channel);
    const FeedDocument shared{document.request, document.format, document.is_for_browser};
    return tag_with(channel_of(context, shared, channel.subject));
}

// Returns the time for Last-Modified; 0: unknown.
//   shown_since       asked before the rows were read
//   newest_recording  of the rows shown
base::Seconds date_of(const SiteContext& context, const FeedRequest& request,
                      std::optional<base::Seconds> shown_since, base::Seconds newest_recording) {
    // A mention may go without leaving anything that is newer.
    if (!shown_since || request.page.mentions > 0) return {};
    // Rows of several objects come in any order of their times, as their transactions end.
    if (request.is_wide() && context.settings.clock() < newest_recording + rows_come_within)
        return {};
    return std::max(*shown_since, newest_recording);
}

// Returns a feed without its bytes. Its entity tag is that of the feed without a token.
//   shown_since  asked before the rows were read
Representation description_of(SiteContext& context, const FeedDocument& document,
                              const query::CacheVersion& version, const LoadedFeed& loaded,
                              const render::Channel& channel,
                              std::optional<base::Seconds> shown_since) {
    const auto& request = document.request;
    Representation feed;
    feed.entity_tag = shared_tag_of(context, document, loaded.page, channel);
    // When the build was switched meanwhile, the page may show either of the two.
    feed.provisional =
        !loaded.up_to_date || !same_build(version, context.history.cache_version());
    if (!feed.provisional)
        feed.last_modified =
            date_of(context, request, shown_since, query::newest_recording(loaded.page));
    // Not so for a class: rows of a release that is not shown yet may come between its rows.
    feed.permanent = request.is_archive() && request.subject != Subject::whole_class &&
                     loaded.page.rows.size() == query::archive_page;
    return feed;
}

// Renders a feed.
Result<RepresentationPtr> render_document(SiteContext& context, const FeedDocument& document,
                                          const query::CacheVersion& version) {
    const auto& request = document.request;
    const auto shown_since = context.shown_since();
    auto loaded = load_feed(context, request, request.page);
    if (!loaded) return fail(std::move(loaded.error()));
    if (auto wrong = check_tag_of_object(context, request, loaded->page))
        return fail(std::move(*wrong));
    if (request.is_archive() && loaded->page.rows.empty())
        return fail(
            404, "This archive has no page before=" + std::to_string(request.page.before) + ".");
    const auto channel = channel_of(context, document, loaded->subject);
    auto body = document.format.render(loaded->page, channel, context.site);
    body.shrink_to_fit();  // the page may stay in the cache for long
    auto feed = description_of(context, document, version, *loaded, channel, shown_since);
    feed.body = std::make_shared<const std::string>(std::move(body));
    return std::make_shared<const Representation>(std::move(feed));
}

std::string replaced(const std::string& text, std::string_view old, std::string_view by) {
    std::string result;
    std::size_t begin = 0;
    for (auto at = text.find(old); at != std::string::npos; at = text.find(old, begin)) {
        result.append(text, begin, at - begin).append(by);
        begin = at + old.size();
    }
    return result.append(text, begin);
}

// Returns a document whose entity tag is a digest of its bytes, without the place for a reader's token: every process
// has another one.
Representation digested(const SiteContext& context, std::string_view kind, std::string body) {
    Representation page;
    page.entity_tag = context.entity_tag_of({kind, replaced(body, context.token_place, "")});
    body.shrink_to_fit();  // the page may stay in the cache for long
    page.body = std::make_shared<const std::string>(std::move(body));
    return page;
}

// Renders our copy of a source feed, which depends on no build. It has no Last-Modified: entries are dropped, come from
// archives, and change their markup, without leaving anything that is newer.
Result<RepresentationPtr> render_source_document(SiteContext& context,
                                                 const FeedDocument& document) {
    const auto feed = load_source_feed(context, document.request);
    if (!feed) return fail(feed.error());
    auto channel = channel_of(context, document, render::subject_of(*feed, context.site));
    channel.language = feed->language;
    return std::make_shared<const Representation>(digested(
        context, "source feed", document.format.render_source(*feed, channel, context.site)));
}

// Renders the feed of all releases. Its entity tag is a digest of its bytes.
Result<RepresentationPtr> render_releases_document(SiteContext& context,
                                                   const FeedDocument& document,
                                                   const query::CacheVersion& version) {
    const auto list = context.releases(version);
    if (!list) return fail(http_error_of(list.error(), wanted_search()));
    const auto channel = channel_of(context, document, render::subject_of_releases(context.site));
    auto page = digested(
        context, "releases",
        document.format.render_releases(query::compared_releases(**list), channel, context.site));
    page.provisional =
        version.version.empty() || !same_build(version, context.history.cache_version());
    return std::make_shared<const Representation>(std::move(page));
}

// True when a 304 may follow from which rows the feed has, without their notes: a filter looks into
// these, and of many objects it would have to wait for its turn.
bool may_be_known_by_rows(const Request& request, const FeedRequest& feed) {
    return feed.subject == Subject::object && !feed.page.filter.chooses_rows() &&
           is_conditional(request);
}

// Returns the feed without its bytes, if its rows show that the client has it; nullopt: it has another
// one, or that cannot be told without rendering.
std::optional<PageCache::Found> known_by_rows(SiteContext& context, const Request& request,
                                              const FeedDocument& document, Coding coding,
                                              const query::CacheVersion& version) {
    auto identities = document.request.page;
    identities.identities = true;
    const auto shown_since = context.shown_since();
    const auto loaded = load_feed(context, document.request, identities);
    if (!loaded || (document.request.is_archive() && loaded->page.rows.empty()))
        return std::nullopt;
    const auto channel = channel_of(context, document, loaded->subject);
    auto feed = description_of(context, document, version, *loaded, channel, shown_since);
    auto sent =
        tag_in_coding(tag_for_reader(context, feed.entity_tag, request.query_token), coding);
    auto validators = validators_of(context, feed);
    validators.entity_tag = sent;
    if (!is_not_modified(request, validators)) return std::nullopt;
    if (request.query_token.empty()) feed.entity_tag = std::move(sent);
    context.metrics.count_page(false);
    return PageCache::Found{.page = std::make_shared<const Representation>(std::move(feed)),
                            .stale = !version.store_reachable};
}

// Returns the feed from the cache, or renders it, unless its rows show that the client has it. What is
// kept for readers who send their token in the query is kept for all of them, in the coding identity
// and with context.token_place where the token belongs.
Result<PageCache::Found> cached_feed(SiteContext& context, const Request& request,
                                     FeedDocument document, Coding coding,
                                     const query::CacheVersion& version) {
    const auto kept_in = request.query_token.empty() ? coding : Coding::identity;
    const auto& feed = document.request;
    auto key = url_of(feed) + " " + std::string(document.format.name);
    if (document.is_for_browser) key += " for browsers";
    if (!document.query_token.empty()) {
        key += " with a token";
        document.query_token = context.token_place;
    }
    if (may_be_known_by_rows(request, feed)) {
        if (auto kept = kept_page(context, key, version, kept_in)) return *std::move(kept);
        if (auto known = known_by_rows(context, request, document, coding, version))
            return *std::move(known);
    }
    return cached_page(
        context, key, version, kept_in,
        [&]() -> Result<RepresentationPtr> {
            if (auto wrong = check_tag(context, feed, version, RecordedTags::computed))
                return fail(std::move(*wrong));
            if (feed.subject == Subject::source_feed)
                return render_source_document(context, document);
            return feed.subject == Subject::all_releases
                       ? render_releases_document(context, document, version)
                       : render_document(context, document, version);
        },
        feed.is_wide() ? PageCost::wide : PageCost::ordinary);
}

// Returns the feed as a reader gets it who sent a token in the query: it is put into the addresses.
//   shared  in the coding identity, as cached_feed() returns it
PageCache::Found feed_with_token(SiteContext& context, const Request& request,
                                 PageCache::Found shared, Coding coding) {
    Representation own = *shared.page;
    own.entity_tag =
        tag_in_coding(tag_for_reader(context, own.entity_tag, request.query_token), coding);
    if (!is_not_modified(request, validators_of(context, own))) {
        auto body =
            replaced(*own.body, context.token_place, base::percent_encode(request.query_token));
        if (coding == Coding::gzip) body = gzip(body);
        own.body = std::make_shared<const std::string>(std::move(body));
    }
    shared.page = std::make_shared<const Representation>(std::move(own));
    return shared;
}

std::string vary_of(const FeedDocument& document) {
    std::string vary = "Accept-Encoding";
    if (document.request.format.empty() || is_xml(document.format.media_type)) vary += ", Accept";
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

// Returns the version of what a feed shows.
//   error  404: there is no source feed with this number
Result<query::CacheVersion> version_for(SiteContext& context, const FeedRequest& feed) {
    if (feed.subject == Subject::source_feed) return version_of_copy(context, feed.source_feed);
    return feed.is_wide() ? context.wide_version() : context.history.cache_version();
}

}  // namespace

Result<Response> answer_feed_request(SiteContext& context, const Request& request,
                                     const FeedRequest& feed) {
    const auto accept = request.field("accept");
    const auto& format = format_of(feed, accept);
    const FeedDocument document{
        feed, format, is_xml(format.media_type) && is_browser(accept, format.media_type),
        request.query_token};
    const auto found_version = version_for(context, feed);
    if (!found_version) return fail(found_version.error());
    const auto& version = *found_version;
    // A tag that is known to be none needs no turn.
    if (auto wrong = check_tag(context, feed, version, RecordedTags::cached))
        return fail(std::move(*wrong));
    const auto coding = preferred_coding(request.field("accept-encoding"));
    const bool has_token = !request.query_token.empty();
    auto found = cached_feed(context, request, document, coding, version);
    if (found && has_token) found = feed_with_token(context, request, *std::move(found), coding);
    if (!found) return fail(found.error());
    auto response = page_response(context, request, *found,
                                  {.content_type = document.content_type(),
                                   .coding = coding,
                                   .vary = vary_of(document),
                                   .max_age = context.settings.max_age,
                                   .is_for_browser = document.is_for_browser});
    if (response.status == 200) add_hub_link(context, document, response);
    return response;
}

Result<Response> answer_feed(SiteContext& context, const Request& request) {
    const auto feed = parse_feed_request(request.query, context.settings.max_items);
    if (!feed) return fail(feed.error());
    auto response = answer_feed_request(context, request, *feed);
    if (response && context.settings.count_hits && feed->subject == Subject::object)
        context.history.note_hit(feed->object);
    if (response) note_use_of_list(context, feed->list_id);
    if (response && feed->subject == Subject::source_feed)
        note_reader(context, feed->source_feed);
    return response;
}

Result<Response> answer_archive(SiteContext& context, const Request& request) {
    const auto feed =
        parse_feed_request(request.query, context.settings.max_items, Document::archive);
    if (!feed) return fail(feed.error());
    return answer_feed_request(context, request, *feed);
}

Result<Response> answer_release_archive(SiteContext& context, const Request& request) {
    const auto version = version_in_path(request.path);
    if (!version) return fail(version.error());
    const auto feed = parse_release_feed_request(*version, request.query,
                                                 context.settings.max_items, Document::archive);
    if (!feed) return fail(feed.error());
    return answer_feed_request(context, request, *feed);
}

Result<Response> answer_old_link(SiteContext& context, const Request& request) {
    const auto feed = parse_feed_request(request.query, context.settings.max_items);
    if (!feed) return fail(feed.error());
    return fail(moved("feed", url_of(*feed)));
}

Result<std::string> version_in_path(std::string_view path) {
    constexpr std::string_view prefix = "/release/", suffix = "/archive";
    path.remove_prefix(std::min(prefix.size(), path.size()));
    if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
    if (base::is_version(path)) return std::string(path);
    return fail(404, "There is no release with that name.");
}

}  // namespace serve
