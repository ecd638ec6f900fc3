// SPDX-License-Identifier: MIT
#include "serve/hub_topics.hpp"

#include <algorithm>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "harvest/versions.hpp"
#include "query/context.hpp"
#include "render/feed.hpp"
#include "serve/asked_objects.hpp"
#include "serve/feed_loading.hpp"
#include "serve/feed_position.hpp"
#include "serve/negotiation.hpp"
#include "serve/routes.hpp"

namespace serve {

static_assert(render::longest_topic == hub::longest_topic);

namespace {

using base::ErrorKind;
using News = base::Result<std::optional<hub::FeedNews>>;
using Subject = Query::Subject;

tl::unexpected<HttpError> no_topic(std::string_view what) {
    return fail(400, "hub.topic " + std::string(what));
}

// Returns the path below base_url and the query of a URL; nullopt: it is one of another site.
std::optional<std::string> target_below(const std::string& base_url, const net::Url& url) {
    const auto base = net::parse_url(base_url);
    if (!base || base->scheme != url.scheme || base->host != url.host || base->port != url.port)
        return std::nullopt;
    auto path = base->target;
    while (path.ends_with('/')) path.pop_back();
    if (!url.target.starts_with(path + "/")) return std::nullopt;
    return url.target.substr(path.size());
}

Result<Query> parse_feed_address(const SiteContext& context, std::string path,
                                 std::string query) {
    constexpr std::string_view release = "/release/", archive = "/archive";
    const bool is_release = path.starts_with(release) && !path.ends_with(archive);
    if (path != "/rss" && path != "/releases" && !is_release)
        return no_topic("is not the address of a feed of this site.");
    if (is_release)
        if (const auto version = version_in_path(path); !version) return fail(version.error());
    const auto route = is_release            ? Route::release_feed
                       : path == "/releases" ? Route::releases_feed
                                             : Route::feed;
    Request request;
    request.path = std::move(path);
    request.query = std::move(query);
    return context.parse(route, request);
}

// True when the store knows a later release than the one that is served: the site was rolled back, or a build
// is recorded before it is served.
bool knows_later_release(const SiteContext& context) {
    return query::read(context.history.read_context(), [](const query::ReadView& now) {
        return std::ranges::any_of(now.releases().all(),
                                   [&](const auto& release) { return now.current < release; });
    });
}

// Returns what the hub needs to know of an error: whether the feed is gone. What only a later release has comes
// back with it.
base::Error hub_error_of(const SiteContext& context, const HttpError& error) {
    const bool is_gone =
        error.status < 500 && !(error.status == 404 && knows_later_release(context));
    return {is_gone ? ErrorKind::absent : ErrorKind::unavailable, error.text};
}

hub::FeedNews position_alone(const FeedDocument& document, std::string position) {
    return {document.content_type(), {}, std::move(position)};
}

// Returns the news with the document of what is new, or of all.
hub::FeedNews news_with(const SiteContext& context, const FeedDocument& document,
                        LoadedFeed content, bool is_all, std::string position) {
    return {document.content_type(), render_feed(context, document, std::move(content), !is_all),
            std::move(position)};
}

// Returns the page with the new rows alone; `recorded` stays that of the feed.
query::HistoryPage part_of(query::HistoryPage page, const NewRows& news, std::size_t most) {
    if (news.all) {
        page.rows.resize(std::min(most, page.rows.size()));
        return page;
    }
    std::vector<tables::Row> rows;
    for (const auto index : news.rows) rows.push_back(std::move(page.rows[index]));
    page.rows = std::move(rows);
    return page;
}

// JSON Feed has no partial documents (WebSub section 7).
NewRows in_format(NewRows news, const FeedDocument& document) {
    if (!is_xml(document.format.media_type)) news.all = true;
    return news;
}

News news_of_rows(SiteContext& context, const FeedDocument& document, std::string_view since) {
    const auto most = document.page.most;
    auto page_request = document.page;
    page_request.most = 2 * most;  // to know the earlier document
    auto loaded = load_feed(context, document.query, page_request);
    if (!loaded) return tl::unexpected(hub_error_of(context, loaded.error()));
    auto& page = std::get<query::HistoryPage>(loaded->content);
    auto position = position_of(page, most);
    if (since.empty()) return position_alone(document, std::move(position));
    auto news = rows_since(page, most, since);
    if (!news && !loaded->up_to_date)
        return base::fail(ErrorKind::unavailable,
                          "an object cannot be compared with the current build right now");
    if (!news) return std::nullopt;
    news = in_format(*std::move(news), document);
    page = part_of(std::move(page), *news, most);
    return news_with(context, document, *std::move(loaded), news->all, std::move(position));
}

// Returns the releases as rows, of which positions are made.
query::HistoryPage rows_of(const query::ReleaseList& releases) {
    query::HistoryPage page;
    page.recorded = releases.size();
    for (const auto& each : releases) page.rows.emplace_back().release = each.summary.release;
    return page;
}

News news_of_releases(SiteContext& context, const FeedDocument& document,
                      std::string_view since) {
    auto releases =
        query::compared_releases(context.release_details.get(context.history.read_context()));
    const auto rows = rows_of(releases);
    auto position = position_of(rows, render::releases_in_feed);
    if (since.empty()) return position_alone(document, std::move(position));
    auto news = rows_since(rows, render::releases_in_feed, since);
    if (!news) return std::nullopt;
    news = in_format(*std::move(news), document);
    query::ReleaseList part;
    for (const auto index : news->rows) part.push_back(releases[index]);
    LoadedFeed content{news->all ? std::move(releases) : std::move(part),
                       render::subject_of_releases(context.site)};
    return news_with(context, document, std::move(content), news->all, std::move(position));
}

using Versions = std::vector<harvest::VersionPosition>;  // of entries, those recorded last first

// A position of a copy of a source feed says up to when its subscribers have what was recorded, and which versions
// were recorded in the hour before that. Transactions may end in another order than the times that they write, though
// not an hour later; and entries that are dropped are older.
std::string position_at(const Versions& versions, base::Seconds time, std::size_t most) {
    constexpr std::chrono::hours window{1};
    std::string recent;
    std::size_t number = 0;
    for (const auto& [recorded_at, entry, revision] : versions) {
        if (recorded_at > time) continue;
        if (recorded_at + window <= time || ++number > most) break;
        recent += std::to_string(entry) + '/' + std::to_string(revision) + ' ';
    }
    return std::to_string(time.time_since_epoch().count()) + ',' + base::md5_hex(recent);
}

// Returns what was recorded since, as rows_since() does of rows.
std::optional<NewRows> versions_since(const Versions& versions, std::size_t most,
                                      std::string_view since) {
    const auto seconds = base::parse_count(since.substr(0, since.find(',')));
    if (!seconds) return NewRows{.all = true};
    const base::Seconds time{std::chrono::seconds(*seconds)};
    NewRows found;
    while (found.rows.size() < versions.size() && versions[found.rows.size()].recorded_at > time)
        found.rows.push_back(found.rows.size());
    if (found.rows.size() >= most || position_at(versions, time, most) != since)
        return NewRows{.all = true};
    if (found.rows.empty()) return std::nullopt;
    return found;
}

News news_of_source(SiteContext& context, const FeedDocument& document, std::string_view since) {
    const auto id = source_feed_of(document.query);
    const auto most = document.page.most;
    Versions versions;
    const bool is_there =
        store::perform(context.pool, store::Access::read, [&](store::Transaction& transaction) {
            // More than the document has, to know which of them it had earlier.
            versions = harvest::version_positions(transaction, id, {}, 2 * most);
            return harvest::load_feed(transaction, id).has_value();
        });
    if (!is_there) return base::fail(ErrorKind::absent, no_source_feed(id).text);
    auto position = position_at(
        versions, versions.empty() ? base::Seconds{} : versions.front().recorded_at, most);
    if (since.empty()) return position_alone(document, std::move(position));
    auto news = versions_since(versions, most, since);
    if (!news) return std::nullopt;
    news = in_format(*std::move(news), document);
    auto loaded = load_feed(context, document.query, document.page);
    if (!loaded) return tl::unexpected(hub_error_of(context, loaded.error()));
    if (!news->all)
        std::erase_if(std::get<render::SourceFeed>(loaded->content).items,
                      [&](const render::SourceItem& item) {
                          return std::ranges::none_of(news->rows, [&](std::size_t index) {
                              return versions[index] == harvest::VersionPosition{item.recorded_at,
                                                                                 item.entry,
                                                                                 item.revision};
                          });
                      });
    return news_with(context, document, *std::move(loaded), news->all, std::move(position));
}

}  // namespace

Result<ParsedTopic> parse_topic(const SiteContext& context, const net::Url& url) {
    const auto normal = net::parse_url(net::normalized(url));
    const auto target = target_below(context.site.base_url, normal.value_or(url));
    if (!target) return no_topic("is not an address of this site.");
    const auto question = std::min(target->find('?'), target->size());
    const auto path =
        base::percent_decode(std::string_view(*target).substr(0, question), base::Plus::literal);
    const auto query = question == target->size() ? "" : target->substr(question + 1);
    if (!path) return no_topic("is not an address of this site.");
    auto tokens = extract_parameter(query, "token");
    auto feed = parse_feed_address(context, *path, std::move(tokens.rest));
    if (!feed && feed.error().text.starts_with("hub.topic")) return fail(feed.error());
    if (!feed) return no_topic("is not the address of a feed: " + feed.error().text);
    const auto subject = feed->subject();
    const bool has_page = subject == Subject::release || subject == Subject::all_releases;
    if (has_page && !feed->has("format"))
        return no_topic("is the address of a page. The address of its feed has format=.");
    if (feed->has("include"))
        return no_topic("has include=mentions. Only the feed without them can be subscribed to.");
    if (feed->has("older"))
        return no_topic("is the address of older items of a feed. Leave out older=.");
    if (!can_be_topic(*feed))
        return no_topic("is a feed of a class or release narrowed by tag=, change=, mass= or "
                        "since=. Such feeds cannot be subscribed to.");
    hub::Topic topic{.url = context.absolute_url(feed->url()),
                     .subject = subject,
                     .class_name = feed->get("class"),
                     .name = feed->get(subject == Subject::source_feed ? "feed" : "name"),
                     .version = version_of(*feed)};
    if (topic.url.size() > hub::longest_topic)
        return no_topic("must not be longer than " + std::to_string(hub::longest_topic) +
                        " bytes.");
    return ParsedTopic{std::move(*feed), std::move(topic), std::move(tokens.values)};
}

News read_news(SiteContext& context, const hub::Topic& topic, std::string_view since) {
    const auto url = net::parse_url(topic.url);
    if (!url) return base::fail(ErrorKind::absent, "the topic " + url.error().text);
    const auto parsed = parse_topic(context, *url);
    if (!parsed) return tl::unexpected(hub_error_of(context, parsed.error()));
    const auto& feed = parsed->feed;
    const FeedDocument document{feed, page_request_of(feed, context.settings.max_items),
                                format_of(feed, "")};
    note_use_of_list(context, feed);
    if (feed.subject() == Subject::source_feed) return news_of_source(context, document, since);
    return feed.subject() == Subject::all_releases ? news_of_releases(context, document, since)
                                                   : news_of_rows(context, document, since);
}

}  // namespace serve
