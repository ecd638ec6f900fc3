// The objects of a query; feeds and their archives, from a query to the document, in every format of render::formats().
// To add a feed format, add it to that table: negotiation, ?format= and caching follow from it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/release.hpp"
#include "base/text.hpp"
#include "harvest/feeds.hpp"
#include "harvest/versions.hpp"
#include "hub/protocol.hpp"
#include "query/histories.hpp"
#include "query/search.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "serve/context.hpp"
#include "serve/feeds.hpp"
#include "serve/negotiation.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

// ---- objects ----

namespace {

constexpr std::size_t most_choices = 20;

// Returns 302 to the only object of the class that people call so, or 300 with some of several; nullopt: there is
// none. It costs a range of an index, and a look-up in the build for each.
std::optional<HttpError> objects_called(const SiteContext& context, const Query& query) {
    const auto asked = query.object();
    const auto found =
        query::objects_called(context.history.read_context(), asked, most_choices + 1);
    if (found.empty()) return std::nullopt;
    const auto nobody = "There is no " + asked.class_name + " \"" + asked.name + "\". ";
    const auto name_of = [](const tree::ObjectName& object) {
        return object.class_name + " " + object.name;
    };
    if (found.size() == 1) {
        const auto& only = found.front().object;
        return HttpError{302, nobody + name_of(only) + " has that common name.",
                         query.with(only).url()};
    }
    const auto shown = std::min(found.size(), most_choices);
    HttpError error{300, nobody + (shown < found.size() ? "More than " : "") +
                             std::to_string(shown) + " objects have that common name."};
    for (const auto& [object, vanished] : std::span(found).first(shown))
        error.choices.push_back(
            {name_of(object) + (vanished ? " (not in the current release)" : ""),
             query.with(object).url()});
    return error;
}

}  // namespace

Result<query::HistoryService::Answer> history_for(SiteContext& context, const Query& query,
                                                  const query::PageRequest& page_request,
                                                  const std::string& what) {
    const auto object = query.object();
    auto answer = context.history.history_of(object, page_request);
    if (!answer && answer.error().kind == base::ErrorKind::absent)
        if (auto called = objects_called(context, query)) return fail(*std::move(called));
    if (!answer)
        return fail(http_error_of(answer.error(), wanted_object(object), page_request.since));
    if (answer->history.object != object)
        return fail(moved(what, query.with(answer->history.object).url()));
    return *std::move(answer);
}

std::string list_id_of(const Query& query) {
    constexpr std::string_view prefix = "/watch/";
    const std::string_view path = query.path();
    return path.starts_with(prefix) ? std::string(path.substr(prefix.size()))
                                    : query.get("watch");
}

Result<std::vector<tree::ObjectName>> objects_of_list(const SiteContext& context,
                                                      const Query& query) {
    const auto id = list_id_of(query);
    if (id.empty()) return query.objects();
    auto kept = context.history.kept_list(id);
    if (kept) return std::move(*kept);
    if (kept.error().kind != base::ErrorKind::absent)
        return fail(http_error_of(kept.error(), wanted_list()));
    return fail(404,
                "There is no watch list at this short address. The address may be incomplete, or "
                "nobody used the list for a long time. Make the list again at " +
                    context.absolute_url("/watch") + ": the same list has the same address.");
}

void note_use_of_list(SiteContext& context, const Query& query) {
    const auto id = list_id_of(query);
    if (!id.empty() && context.settings.count_hits) context.history.note_use_of_list(id);
}

std::vector<tree::ObjectName> recorded_spellings(std::vector<tree::ObjectName> requested,
                                                 const std::vector<query::Named>& known) {
    for (auto& object : requested) {
        if (std::ranges::binary_search(known, object, {}, &query::Named::object)) continue;
        const auto other = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return base::equal_ignoring_case(each.object.class_name, object.class_name) &&
                   base::equal_ignoring_case(each.object.name, object.name);
        });
        if (other != known.end()) object = other->object;
    }
    std::sort(requested.begin(), requested.end());
    requested.erase(std::unique(requested.begin(), requested.end()), requested.end());
    return requested;
}

// ---- feeds ----

namespace {

using Subject = Query::Subject;
constexpr std::size_t most_mentions = 200;
constexpr std::string_view archive_suffix = "/archive";

Result<LoadedFeed> load_object(SiteContext& context, const Query& query,
                               const query::PageRequest& page_request) {
    auto answer = history_for(context, query, page_request, "feed");
    if (!answer) return fail(std::move(answer.error()));
    auto subject = render::subject_of(answer->history, context.site);
    query::HistoryPage& page = answer->history;
    return LoadedFeed{std::move(page), std::move(subject), answer->up_to_date};
}

Result<LoadedFeed> load_list(SiteContext& context, const Query& query,
                             const query::PageRequest& page_request) {
    const auto asked = objects_of_list(context, query);
    if (!asked) return fail(asked.error());
    auto listed = context.history.watch_list(*asked, page_request);
    if (!listed) return fail(http_error_of(listed.error(), wanted_list(), page_request.since));
    const auto id = list_id_of(query);
    if (id.empty())
        if (const auto objects = recorded_spellings(*asked, listed->list.objects);
            objects != *asked)
            return fail(moved("feed", query.with(objects).url()));
    const auto page_url = id.empty() ? std::string() : context.absolute_url("/watch/" + id);
    auto subject = render::subject_of(listed->list, context.site, page_url);
    query::HistoryPage& page = listed->list;
    return LoadedFeed{std::move(page), std::move(subject), listed->up_to_date};
}

Result<LoadedFeed> load_class(SiteContext& context, const Query& query,
                              const query::PageRequest& page_request) {
    const auto& class_name = query.get("class");
    auto page = query::class_history(context.history.read_context(), class_name, page_request);
    if (page)
        return LoadedFeed{std::move(*page), render::subject_of_class(class_name, context.site)};
    if (page.error().kind == base::ErrorKind::absent) {
        const auto classes = query::known_classes(context.history.read_context());
        const auto found = std::ranges::find_if(classes, [&](const auto& each) {
            return base::equal_ignoring_case(each, class_name);
        });
        if (found != classes.end() && *found != class_name)
            return fail(moved("feed", query.with("class", *found).url()));
    }
    return fail(
        http_error_of(page.error(), wanted_object({"class", class_name}), page_request.since));
}

Result<LoadedFeed> load_release(SiteContext& context, const Query& query,
                                const query::PageRequest& page_request) {
    const auto version = version_of(query);
    auto page = query::release_history(context.history.read_context(), version, page_request);
    if (!page) return fail(http_error_of(page.error(), wanted_release(version)));
    const base::Release release = page->rows.empty() ? base::Release{version, page->last_modified}
                                                     : page->rows.front().release;
    return LoadedFeed{std::move(*page), render::subject_of_release(release, context.site)};
}

Result<LoadedFeed> load_copy(const SiteContext& context, const Query& query,
                             const query::PageRequest& page_request) {
    auto feed =
        load_source_feed(context, source_feed_of(query), query.get("older"), page_request.most);
    if (!feed) return fail(std::move(feed.error()));
    auto subject = render::subject_of(*feed, context.site);
    return LoadedFeed{*std::move(feed), std::move(subject)};
}

// Returns the texts of a field of an entry, as feed::tree_of() writes them.
std::vector<std::string> texts_at(const std::vector<tree::Node>& nodes, std::string_view tag) {
    std::vector<std::string> texts;
    for (const auto& node : nodes)
        if (node.cell.kind == tree::CellKind::tag && node.cell.text == tag)
            for (const auto& value : node.children) texts.push_back(value.cell.text);
    return texts;
}

render::SourceItem item_of(harvest::EntryVersion version) {
    auto& entry = version.entry;
    const bool is_edit = version.revision > 0;
    const auto published =
        std::min(version.published.value_or(entry.first_seen), entry.first_seen);
    return {.entry = entry.id,
            .revision = version.revision,
            .recorded_at = version.recorded_at,
            .published = is_edit ? std::nullopt : version.published,
            .entry_day = std::chrono::floor<std::chrono::days>(published),
            .title = std::move(version.title),
            .link = entry.link,
            .authors = texts_at(entry.tree, "Author"),
            .categories = texts_at(entry.tree, "Category"),
            .content = is_edit ? std::string() : std::move(entry.content),
            .changes = std::move(version.changes)};
}

// Returns the address of the document alone, for the hub and for its self link: with format= where content
// negotiation would choose another one. On a site without a hub it stays as it is.
std::string own_url_of(const SiteContext& context, const FeedDocument& document) {
    const auto& query = document.query;
    const bool needs_format = !context.site.hub_url.empty() && !query.has("format") &&
                              !query.has("before") &&
                              &document.format != &render::formats().front();
    return needs_format ? query.with("format", std::string(document.format.name)).url()
                        : query.url();
}

// True for feeds whose rows are those of thousands of objects. Each value of their parameters is a page that is
// expensive to render.
bool is_of_many(const Query& query) {
    return query.subject() == Subject::whole_class || query.subject() == Subject::release;
}

// Returns the URL with token= for a reader who needs it there.
std::string with_token(std::string url, const std::string& token) {
    if (token.empty() || url.empty()) return url;
    const auto parameter = "token=" + base::percent_encode(token);
    // The number of an archive page is still to be added to "…before=".
    if (url.ends_with('=')) return url.insert(url.find_last_of("?&") + 1, parameter + "&");
    return url + (url.find('?') == std::string::npos ? "?" : "&") + parameter;
}

// Returns the topic that the document belongs to, its absolute URL without a token; empty: it is none, or the
// site has no hub.
std::string topic_url_of(const SiteContext& context, const FeedDocument& document) {
    if (context.site.hub_url.empty() || !can_be_topic(document.query)) return {};
    auto url = context.absolute_url(own_url_of(context, document));
    return url.size() > render::longest_topic ? std::string() : url;
}

}  // namespace

query::PageRequest page_request_of(const Query& query, std::size_t most_items) {
    query::PageRequest page;
    page.most = query.number("n", std::min(default_items, most_items));
    page.since = query.get("since");
    page.filter.tag = query.get("tag");
    const auto changes = base::split(query.get("change"), ',');
    for (const auto op : {compare::Op::added, compare::Op::removed, compare::Op::replaced})
        if (std::ranges::find(changes, compare::name_of(op)) != changes.end())
            page.filter.only.push_back(op);
    page.filter.mass = !query.has("mass");
    page.mentions = query.has("include") ? std::min(page.most, most_mentions) : 0;
    page.before = query.number("before", 0);
    return page;
}

std::string version_of(const Query& query) {
    return query.subject() == Subject::release ? version_in_path(query.path()).value_or("")
                                               : std::string();
}

std::string filter_text_of(const Query& query) {
    std::string text;
    if (query.has("since")) text += ", since " + query.get("since");
    if (query.has("tag")) text += ", at " + render::isolated_line(query.get("tag"));
    const auto changes = base::split(query.get("change"), ',');
    if (query.has("change"))
        text += ", only what was " + base::join({changes.begin(), changes.end()}, " or ");
    if (query.has("mass")) text += ", without mass changes";
    if (query.has("include")) text += ", with mentions";
    const auto count = query.number("n", default_items);
    if (count != default_items) text += ", newest " + std::to_string(count);
    return text;
}

const render::Format& format_of(const Query& query, std::string_view accept) {
    if (const auto* named = render::format_named(query.get("format"))) return *named;
    std::vector<std::string_view> media_types;
    for (const auto& format : render::formats()) media_types.push_back(format.media_type);
    return render::formats()[preferred_type(accept, media_types)];
}

Result<LoadedFeed> load_feed(SiteContext& context, const Query& query,
                             const query::PageRequest& page_request) {
    switch (query.subject()) {
        case Subject::watch_list: return load_list(context, query, page_request);
        case Subject::whole_class: return load_class(context, query, page_request);
        case Subject::release: return load_release(context, query, page_request);
        case Subject::all_releases:
            return LoadedFeed{query::compared_releases(*context.releases()),
                              render::subject_of_releases(context.site), context.has_build()};
        case Subject::source_feed: return load_copy(context, query, page_request);
        case Subject::object: break;
    }
    return load_object(context, query, page_request);
}

std::int64_t source_feed_of(const Query& query) {
    return static_cast<std::int64_t>(query.number("feed", 0));
}

HttpError no_source_feed(std::int64_t feed) {
    return {404, "There is no source feed with the number " + std::to_string(feed) + "."};
}

Result<render::SourceFeed> load_source_feed(const SiteContext& context, std::int64_t id,
                                            const std::string& older, std::size_t most) {
    std::optional<harvest::FeedRow> row;
    harvest::EntryVersions found;
    std::optional<harvest::VersionPosition> before;
    if (const auto position = render::parse_position(older))
        before = {position->recorded_at, position->entry, position->revision};
    store::perform(context.pool, store::Access::read, [&](store::Transaction& transaction) {
        row = harvest::load_feed(transaction, id, harvest::Audience::everyone);
        if (row) found = harvest::load_versions(transaction, row->id, before, most);
    });
    if (!row) return fail(no_source_feed(id));
    render::SourceFeed feed{.id = row->id,
                            .name = row->display_name(),
                            .url = row->url,
                            .description = row->description,
                            .language = row->language,
                            .updated = row->created_at};
    for (auto& version : found.versions) feed.items.push_back(item_of(std::move(version)));
    if (!feed.items.empty()) feed.updated = feed.items.front().recorded_at;
    if (found.rest)
        feed.rest = {found.rest->recorded_at, found.rest->entry, found.rest->revision};
    return feed;
}

bool can_be_topic(const Query& query) {
    const bool is_narrowed =
        query.has("since") || query.has("tag") || query.has("change") || query.has("mass");
    return !query.has("before") && !query.has("older") && !query.has("include") &&
           !(is_of_many(query) && is_narrowed);
}

std::string archive_url_of(const Query& query, std::string_view format) {
    const auto& path = query.path();
    return query.at(path.ends_with(archive_suffix) ? path : path + std::string(archive_suffix))
        .without("n")
        .without("include")
        .with("format", std::string(format))
        .url_up_to("before");
}

std::string current_url_of(const Query& query) {
    const auto& path = query.path();
    return query.at(path.substr(0, path.size() - archive_suffix.size())).without("before").url();
}

std::string render_feed(const SiteContext& context, const FeedDocument& document, LoadedFeed feed,
                        bool is_part) {
    const auto& query = document.query;
    const auto address = [&](const std::string& url) {
        return with_token(context.absolute_url(url), document.query_token);
    };
    const std::string format(document.format.name);
    const auto* source = std::get_if<render::SourceFeed>(&feed.content);
    const render::Channel channel{
        .subject = std::move(feed.subject),
        .filter_text = filter_text_of(query),
        .self_url = address(own_url_of(context, document)),
        .current_url = query.has("before") ? address(current_url_of(query)) : std::string(),
        .archive_url = query.subject() == Subject::all_releases || source != nullptr
                           ? std::string()
                           : address(archive_url_of(query, format)),
        .before = document.page.before,
        .for_browser = document.is_for_browser,
        .hub_url = topic_url_of(context, document).empty()
                       ? std::string()
                       : with_token(context.site.hub_url, document.query_token),
        .is_part = is_part,
        .older_url = source != nullptr ? address(query.with("format", format).url_up_to("older"))
                                       : std::string(),
        .is_older = query.has("older"),
        .language = source != nullptr ? source->language : std::string(),
    };
    return std::visit(
        [&](const auto& content) {
            return document.format.render(content, channel, context.site);
        },
        feed.content);
}

// ---- the routes ----

namespace {

// Returns the tag without case, blanks and underscores: "GO term" and "go_term" are the same word.
std::string word_of(std::string_view tag) {
    auto word = base::fold_ascii(tag);
    std::erase_if(word, [](char c) { return c == '_' || c == ' ' || c == '-'; });
    return word;
}

// Checks that tag= names a tag of the models, or of the class where there is one, in their spelling: anybody could
// make up others, and each would be one more page to render. Where there are no models, nothing is checked.
//   returns  404 with the nearest tag; 301 to the right spelling; nullopt: nothing is wrong
std::optional<HttpError> check_tag(SiteContext& context, const Query& query) {
    const auto& tag = query.get("tag");
    const auto build = context.build.build();
    if (tag.empty() || !build) return std::nullopt;
    const auto& class_name = query.get("class");
    const auto known =
        class_name.empty() ? build->models().tags() : build->models().tags_of_class(class_name);
    if (known.empty() || std::ranges::find(known, tag) != known.end()) return std::nullopt;
    const auto same = std::ranges::find_if(
        known, [&](auto each) { return base::equal_ignoring_case(each, tag); });
    if (same != known.end()) return moved("feed", query.with("tag", std::string(*same)).url());
    std::vector<std::string> words(known.size());
    std::ranges::transform(known, words.begin(), word_of);
    auto text = "tag=" + tag + " is not a tag of " +
                (class_name.empty() ? "the models" : "class " + class_name) + ".";
    if (const auto nearest = base::nearest_to(word_of(tag), words))
        text.append(" Did you mean ").append(known[*nearest]).append("?");
    return HttpError{404, std::move(text)};
}

// Notes that somebody asked for our copy of a source feed: those without readers are fetched once a day. It writes to
// the store once a day; if that fails, when the feed is rendered next.
void note_reader(const SiteContext& context, std::int64_t feed) {
    const auto today = std::chrono::floor<std::chrono::days>(context.settings.clock());
    try {
        // Most look only, and need not wait for those who write.
        const bool is_noted = store::perform(
            context.pool, store::Access::read, [&](store::Transaction& transaction) {
                const auto row =
                    harvest::load_feed(transaction, feed, harvest::Audience::everyone);
                return !row || row->last_read >= today;
            });
        if (is_noted) return;
        store::perform(context.pool, store::Access::write, harvest::note_read, feed, today);
    } catch (const store::Failure& failure) {
        base::log::warning("cannot record that a feed has readers", {{"reason", failure.what()}});
    }
}

Result<RenderedPage> render_document(SiteContext& context, const FeedDocument& document) {
    const auto& query = document.query;
    auto loaded = load_feed(context, query, document.page);
    if (!loaded) return fail(std::move(loaded.error()));
    if (query.subject() == Subject::source_feed) note_reader(context, source_feed_of(query));
    const auto* page = std::get_if<query::HistoryPage>(&loaded->content);
    if (page != nullptr && query.has("before") && page->rows.empty())
        return fail(404, "This archive has no page before=" + query.get("before") + ".");
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

}  // namespace

Result<Response> answer_with_feed(SiteContext& context, const Request& request, const Query& feed,
                                  FormatBy by) {
    const auto accept = request.field("accept");
    const auto& format = format_of(feed, accept);
    const FeedDocument document{
        feed, page_request_of(feed, context.settings.max_items), format,
        is_xml(format.media_type) && is_browser(accept, format.media_type), request.query_token};
    const auto build = context.history.served_build();
    if (auto wrong = check_tag(context, feed)) return fail(std::move(*wrong));
    const bool depends_on_accept =
        by == FormatBy::accept || !feed.has("format") || is_xml(format.media_type);
    const CachePolicy policy{
        .key = key_of(document),
        .build = build,
        // Feeds that are made of many rows take turns (docs/protocols.md).
        .cost = feed.subject() == Subject::object ? PageCost::ordinary : PageCost::wide,
        .content_type = document.content_type(),
        .vary = depends_on_accept ? "Accept-Encoding, Accept" : "Accept-Encoding",
        .max_age = context.settings.max_age,
        .is_for_browser = document.is_for_browser};
    auto response = cached_response(context, request, policy,
                                    [&] { return render_document(context, document); });
    // The topic has no token, because the hub stores it and names it in deliveries; the hub's address has that of
    // the reader, who subscribes with it (WebSub section 4).
    if (const auto topic = topic_url_of(context, document);
        response && response->status == 200 && !topic.empty())
        response->fields.emplace_back(
            "Link",
            hub::link_field(with_token(context.site.hub_url, document.query_token), topic));
    return response;
}

Result<Response> answer_feed(SiteContext& context, const Request& request, Route route) {
    const auto feed = context.parse(route, request);
    if (!feed) return fail(feed.error());
    auto response = answer_with_feed(context, request, *feed);
    if (!response || route != Route::feed) return response;
    if (context.settings.count_hits && feed->subject() == Subject::object)
        context.history.note_hit(feed->object());
    note_use_of_list(context, *feed);
    return response;
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
