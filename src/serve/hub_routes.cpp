// The WebSub hub: what subscribers ask for is checked and recorded here, and what is new in a topic is read. The
// process of the hub (varve hub) verifies requests and delivers.
// Source: https://www.w3.org/TR/websub/ section 5; the parameters of hub::parse_subscription_request()
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "harvest/versions.hpp"
#include "hub/subscription_request.hpp"
#include "hub/subscriptions.hpp"
#include "query/context.hpp"
#include "render/feed.hpp"
#include "serve/context.hpp"
#include "serve/feed_position.hpp"
#include "serve/feeds.hpp"
#include "serve/negotiation.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

static_assert(render::longest_topic == hub::longest_topic);

namespace {

constexpr std::size_t longest_hub_request = 16 * 1024;  // bytes
constexpr std::size_t most_hub_fields = 100;
constexpr std::size_t most_tokens = 3;
constexpr long full_host_retry = 3600;  // seconds
constexpr std::chrono::seconds until_verified{60};

using base::ErrorKind;
using News = base::Result<std::optional<hub::FeedNews>>;
using Subject = Query::Subject;

// ---- the feeds of the site as topics ----

// A URL that has the form of a topic.
struct ParsedTopic {
    Query feed;
    hub::Topic topic;
    std::vector<std::string> tokens = {};  // that the URL had
};

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
                                 std::string_view query) {
    const auto route = feed_route_at(path);
    if (!route) return fail(route.error());
    if (*route == Route::none) return no_topic("is not the address of a feed of this site.");
    return Query::parse(*route, std::move(path), query, context.settings.max_items);
}

// Parses the address of a feed as its self link has it, or another spelling of it: parameters in another
// order, escapes that are not needed, the default port. Whether there is such a feed is not looked at.
//   error  400 with a text that names hub.topic: another site, a page, an archive, a narrowed feed that is no
//          topic, bad parameters
Result<ParsedTopic> parse_topic(const SiteContext& context, const net::Url& url) {
    const auto normal = net::parse_url(net::normalized(url));
    const auto target = target_below(context.site.base_url, normal.value_or(url));
    if (!target) return no_topic("is not an address of this site.");
    const auto [raw_path, query] = halves_of(*target, '?');
    const auto path = base::percent_decode(raw_path, base::Plus::literal);
    if (!path) return no_topic("is not an address of this site.");
    auto tokens = extract_parameter(query, "token");
    auto feed = parse_feed_address(context, *path, tokens.rest);
    if (!feed && feed.error().text.starts_with("hub.topic")) return fail(feed.error());
    if (!feed) return no_topic("is not the address of a feed: " + feed.error().text);
    const auto subject = feed->subject();
    const auto* name = subject == Subject::source_feed  ? "feed"
                       : subject == Subject::watch_list ? "watch"
                                                        : "name";
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
                     .name = feed->get(name),
                     .version = version_of(*feed)};
    if (topic.url.size() > hub::longest_topic)
        return no_topic("must not be longer than " + std::to_string(hub::longest_topic) +
                        " bytes.");
    return ParsedTopic{std::move(*feed), std::move(topic), std::move(tokens.values)};
}

// ---- requests of subscribers ----

// Parses a body as browsers encode forms. Values may have any bytes: the error is to name the parameter, which
// hub::parse_subscription_request() does. Parameters that it does not know are left out.
Result<std::vector<hub::RequestField>> parse_hub_fields(std::string_view body) {
    constexpr auto known =
        std::to_array<std::string_view>({"hub.mode", "hub.topic", "hub.callback",
                                         "hub.lease_seconds", "hub.secret", "hub.verify"});
    std::vector<hub::RequestField> fields;
    for (const auto part : base::split(body, '&')) {
        const auto [raw_name, raw_value] = halves_of(part, '=');
        const auto name = base::percent_decode(raw_name, base::Plus::is_space);
        if (!name || std::ranges::find(known, *name) == known.end()) continue;
        auto value = base::percent_decode(raw_value, base::Plus::is_space);
        if (!value) return fail(400, *name + " has a % without two hexadecimal digits.");
        if (fields.size() == most_hub_fields)
            return fail(400, *name + " and others are given more than " +
                                 std::to_string(most_hub_fields) + " times.");
        fields.push_back({*name, *std::move(value)});
    }
    return fields;
}

// Returns the error of a request whose body cannot be read as fields.
std::optional<HttpError> check_body(const Request& request) {
    constexpr std::string_view form = "application/x-www-form-urlencoded";
    const HttpError too_long{413, "The request is longer than " +
                                      std::to_string(longest_hub_request / 1024) + " KB."};
    if (request.body_error && request.body_error->status == too_long.status) return too_long;
    if (request.body_error) return *request.body_error;
    if (request.body.size() > longest_hub_request) return too_long;
    const auto type = request.field("content-type");
    if (base::equal_ignoring_case(base::trim(type.substr(0, type.find(';'))), form))
        return std::nullopt;
    return HttpError{415, "Content-Type must be " + std::string(form) + "."};
}

// Counts a request that leads to a verification, by who asks: strangers can ask in the name of any callback.
std::optional<HttpError> check_hub_rate(SiteContext& context, const std::string& network) {
    const auto now = context.settings.steady_clock();
    if (const auto wait = context.hub_clients.count_request(network, now))
        return too_many("Too many requests to the hub from your address.", *wait);
    return std::nullopt;
}

// Checks that the feed can be read now, at this address.
std::optional<HttpError> check_feed(SiteContext& context, const Query& feed) {
    const auto response = answer_with_feed(context, {}, feed);
    if (response) return std::nullopt;
    auto error = response.error();
    if (error.status >= 500) return error;
    if (!error.location.empty())
        error.text = "hub.topic is not the address of the feed, which is " +
                     context.absolute_url(error.location);
    else
        error.text = "hub.topic is not the address of a feed: " + error.text;
    error.status = error.status == 404 ? 404 : 400;
    return error;
}

// Returns the digest of the token with which the subscriber may read the topic; empty: a public site.
//   error  401, 503
Result<std::string> token_digest_of(SiteContext& context, const Request& request,
                                    const ParsedTopic& topic) {
    if (!context.settings.private_site) return std::string();
    auto tokens = topic.tokens;
    for (auto token : {request.query_token, token_in(request.field("authorization"))})
        if (!token.empty()) tokens.push_back(std::move(token));
    const auto valid = valid_token(context.tokens, std::move(tokens), most_tokens);
    if (!valid) return fail(valid.error());
    if (!valid->empty()) return base::sha256_hex(*valid);
    return fail(401, "hub.topic is a feed of a private site, which needs a reader's token: as "
                     "token= in hub.topic or in the address of the hub.");
}

Result<Response> record(SiteContext& context, const hub::SubscriptionRequest& asked,
                        const hub::Topic& topic, const hub::Asker& asker) {
    try {
        switch (context.subscriptions.ask(asked, topic, asker)) {
            case hub::Accepted::yes:
                return uncached(202, "text/plain; charset=utf-8",
                                "The request has been recorded. The hub will soon verify it with "
                                "your callback.\n");
            case hub::Accepted::asker_is_full:
                return fail(
                    too_many("Too many requests from your address wait for their verification.",
                             until_verified));
            case hub::Accepted::host_is_full:
                return fail(HttpError{.status = 429,
                                      .text = "hub.callback: this hub has reached its limit of "
                                              "subscriptions for this host.",
                                      .retry_after = full_host_retry});
            case hub::Accepted::store_is_full: break;
        }
        return fail(503, "This hub has reached its limit of subscriptions.");
    } catch (const store::Failure& failure) {
        base::log::error("cannot record a subscription", {{"reason", failure.what()}});
        return fail(503,
                    "The request cannot be recorded right now. Please try again in a minute.");
    }
}

// Refuses browsers: subscribers are servers, so what a browser sends, the page of some site made it send.
std::optional<HttpError> check_sender(const Request& request) {
    if (request.field("origin").empty() && request.field("sec-fetch-site").empty())
        return std::nullopt;
    return HttpError{403, "The hub is for the servers of subscribers, not for browsers."};
}

Result<hub::SubscriptionRequest> parse_hub_request(const SiteContext& context,
                                                   const Request& request) {
    if (auto error = check_body(request)) return fail(*std::move(error));
    const auto fields = parse_hub_fields(request.body);
    if (!fields) return fail(fields.error());
    auto asked = hub::parse_subscription_request(*fields, context.settings.callback_guard);
    if (!asked) return fail(400, asked.error().text);
    return *std::move(asked);
}

}  // namespace

Result<Response> take_subscription(SiteContext& context, const Request& request, Route) {
    if (auto error = check_sender(request)) return fail(*std::move(error));
    auto asked = parse_hub_request(context, request);
    if (!asked) return fail(asked.error());
    const auto topic = parse_topic(context, asked->topic);
    if (!topic) return fail(topic.error());
    // A token stays with who showed it: neither the store nor a verification has it.
    if (!topic->tokens.empty()) asked->topic = net::parse_url(topic->topic.url).value();
    hub::Asker asker{.network = network_of(request.client_address)};
    if (auto error = check_hub_rate(context, asker.network)) return fail(*std::move(error));
    // Who unsubscribes shows at the callback that this is meant, and may have no token any more.
    if (asked->mode == hub::Mode::unsubscribe)
        return record(context, *asked, topic->topic, asker);
    auto digest = token_digest_of(context, request, *topic);
    if (!digest) return fail(digest.error());
    asker.token_digest = *std::move(digest);
    if (auto error = check_feed(context, topic->feed)) return fail(*std::move(error));
    return record(context, *asked, topic->topic, asker);
}

// ---- what is new in a topic ----

namespace {

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

// What a look at a feed finds: its position, and which of its rows are new; nullopt: none.
struct Look {
    std::string position;
    std::optional<NewRows> news;
};

// Returns the news of a feed.
//   content  returns the feed with what is new alone
News news_of(const SiteContext& context, const FeedDocument& document, std::string_view since,
             Look look, const std::function<Result<LoadedFeed>(const NewRows& news)>& content) {
    hub::FeedNews answer{document.content_type(), {}, std::move(look.position)};
    if (since.empty()) return answer;
    if (!look.news) return std::nullopt;
    // JSON Feed has no partial documents (WebSub section 7).
    if (!is_xml(document.format.media_type)) look.news->all = true;
    auto loaded = content(*look.news);
    if (!loaded) return tl::unexpected(hub_error_of(context, loaded.error()));
    answer.body = render_feed(context, document, *std::move(loaded), !look.news->all);
    return answer;
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

News news_of_rows(SiteContext& context, const FeedDocument& document, std::string_view since) {
    const auto most = document.page.most;
    auto page_request = document.page;
    page_request.most = 2 * most;  // to know the earlier document
    auto loaded = load_feed(context, document.query, page_request);
    if (!loaded) return tl::unexpected(hub_error_of(context, loaded.error()));
    auto& page = std::get<query::HistoryPage>(loaded->content);
    Look look{position_of(page, most), rows_since(page, most, since)};
    if (!look.news && !loaded->up_to_date)
        return base::fail(ErrorKind::unavailable,
                          "an object cannot be compared with the current build right now");
    return news_of(context, document, since, std::move(look), [&](const NewRows& news) {
        page = part_of(std::move(page), news, most);
        return std::move(loaded);
    });
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
    Look look{position_of(rows, render::releases_in_feed),
              rows_since(rows, render::releases_in_feed, since)};
    return news_of(context, document, since, std::move(look), [&](const NewRows& news) {
        query::ReleaseList part;
        for (const auto index : news.rows) part.push_back(releases[index]);
        return LoadedFeed{news.all ? std::move(releases) : std::move(part),
                          render::subject_of_releases(context.site)};
    });
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
            return harvest::load_feed(transaction, id, harvest::Audience::everyone).has_value();
        });
    if (!is_there) return base::fail(ErrorKind::absent, no_source_feed(id).text);
    const auto newest = versions.empty() ? base::Seconds{} : versions.front().recorded_at;
    Look look{position_at(versions, newest, most), versions_since(versions, most, since)};
    const auto is_new = [&](const NewRows& news, const render::SourceItem& item) {
        const harvest::VersionPosition own{item.recorded_at, item.entry, item.revision};
        return std::ranges::any_of(news.rows, [&](auto index) { return versions[index] == own; });
    };
    return news_of(context, document, since, std::move(look), [&](const NewRows& news) {
        auto loaded = load_feed(context, document.query, document.page);
        if (loaded && !news.all)
            std::erase_if(std::get<render::SourceFeed>(loaded->content).items,
                          [&](const auto& item) { return !is_new(news, item); });
        return loaded;
    });
}

}  // namespace

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
