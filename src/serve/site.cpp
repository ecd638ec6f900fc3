// SPDX-License-Identifier: MIT
#include "serve/site.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "serve/access_control.hpp"
#include "serve/feeds.hpp"
#include "serve/parameters.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

struct RouteEntry {
    std::string_view path;
    Route route = Route::none;
    AnswerRoute* answer =
        nullptr;  // GET, if it is no page; neither: the address takes POST alone
    Page page = {};
    // subscribers: limited as readers are; the route looks at their tokens.
    enum class Access : unsigned char { everyone, readers, subscribers } access = Access::readers;
    AnswerRoute* take = nullptr;  // POST, if it has that
    // Of an entry for all paths that begin with `path`: finds out what is wrong with one.
    std::optional<HttpError> (*check)(const std::string& path) = nullptr;
};

// Served to everyone, without limit or token: monitoring, and files that error pages need.
constexpr auto everyone = RouteEntry::Access::everyone;
constexpr long changing_max_age = 60;  // seconds

// /release/WS187, /release/WS187/archive
constexpr std::string_view release_prefix = "/release/", archive_suffix = "/archive";
std::optional<HttpError> check_version(const std::string& path) {
    const auto version = version_in_path(path);
    return version ? std::nullopt : std::optional(version.error());
}
// /watch/ID
std::optional<HttpError> check_list(const std::string& path) {
    if (query::is_watch_list_id(list_id_of(Query(path)))) return std::nullopt;
    return HttpError{404, "There is no watch list at this address."};
}

// To add an address: add its path here, its function to routes.hpp, and its name to Route
// (routes.hpp).
constexpr auto routes = std::to_array<RouteEntry>({
    {"/rss", Route::feed, answer_feed},
    {"/", Route::home, {}, {.render = render_home, .is_ordinary_bare = true}},
    {"/history", Route::history, {}, {.render = render_history, .is_ordinary = true}},
    {"/diff", Route::difference, {}, {render_difference}},
    {"/object", Route::object, {}, {render_object}},
    {"/rss/archive", Route::archive, answer_feed},
    {"/releases", Route::releases, {}, {.render = render_releases, .feed = Route::releases_feed}},
    {.path = "/watch",
     .route = Route::watch,
     .page = {.render = render_watch, .is_ordinary_bare = true},
     .take = take_watch_form},
    {"/opml", Route::opml, {}, {render_opml, MediaType::opml}},
    {"/suggest", Route::suggest, {}, {render_suggestions, MediaType::json, changing_max_age}},
    {"/feeds", Route::sources, {}, {render_sources, MediaType::html, changing_max_age}},
    {"/db/rss", Route::old_link, answer_old_link},
    {"/hub", Route::hub, {}, {}, RouteEntry::Access::subscribers, take_subscription},
    {"/style.css", Route::file, answer_file, {}, everyone},
    {"/feed.css", Route::file, answer_file, {}, everyone},
    {"/varve.js", Route::file, answer_file, {}, everyone},
    {"/json-feed.txt", Route::file, answer_file, {}, everyone},
    {"/robots.txt", Route::file, answer_robots, {}, everyone},
    {"/openapi.json", Route::openapi, answer_openapi},
    {"/healthz", Route::health, answer_health, {.type = MediaType::json}, everyone},
    {"/metrics", Route::metrics, answer_metrics, {.type = MediaType::text}, everyone},
});
constexpr RouteEntry release_route{
    .path = release_prefix,
    .route = Route::release,
    .page = {.render = render_release, .feed = Route::release_feed},
    .check = check_version};
constexpr RouteEntry release_archive_route{.path = release_prefix,
                                           .route = Route::release_archive,
                                           .answer = answer_feed,
                                           .check = check_version};
constexpr RouteEntry kept_watch_route{.path = "/watch/",
                                      .route = Route::watch,
                                      .page = {.render = render_watch},
                                      .check = check_list};

// Returns whether programs ask for this address.
bool is_for_programs(const RouteEntry& entry) {
    return entry.route != Route::file && entry.route != Route::old_link &&
           entry.route != Route::hub && entry.route != Route::openapi;
}

Result<Response> answer_no_page(SiteContext&, const Request& request, Route) {
    if (request.error) return fail(*request.error);
    return fail(404, "There is no page at this address.");
}
constexpr RouteEntry no_page{.path = {}, .answer = answer_no_page};

// ---- /openapi.json (https://spec.openapis.org/oas/v3.1.0) ----

// As render::error_json() writes it.
constexpr std::string_view components =
    R"({"responses":{"error":{"description":"An error, as JSON where that is asked for.",)"
    R"("content":{"application/json":{"schema":{"type":"object","properties":{)"
    R"("status":{"type":"integer"},"reason":{"type":"string"},"error":{"type":"string"},)"
    R"("choices":{"type":"array","items":{"type":"object","properties":{)"
    R"("text":{"type":"string"},"url":{"type":"string"}}}}}}}}}}})";

// Returns the media types that an address answers with.
std::vector<std::string_view> media_types_of(const RouteEntry& entry) {
    std::vector<std::string_view> types;
    const auto add_feeds = [&](Route route) {
        for (const auto format : formats_of(route))
            types.push_back(render::format_named(format)->media_type);
    };
    if (entry.answer == answer_feed) {
        add_feeds(Route::feed);
        return types;
    }
    types.push_back(entry.page.type);
    for (const auto format : formats_of(entry.route))
        types.push_back(format == "json" ? MediaType::json : MediaType::opml);
    add_feeds(entry.page.feed);
    return types;
}

// Writes an address: "/release/{version}".
void write_path(base::JsonWriter& json, const std::string& path, const RouteEntry& entry,
                std::size_t most_items) {
    json.key(path).begin_object().key("get").begin_object().key("parameters").begin_array();
    if (const auto open = path.find('{'); open != std::string::npos) {
        const auto name = path.substr(open + 1, path.find('}') - open - 1);
        json.begin_object().field("name", name).field("in", "path").field("required", true);
        json.key("schema").begin_object().field("type", "string").end_object().end_object();
    }
    write_parameters(json, entry.route, most_items);
    write_parameters(json, entry.page.feed, most_items);
    json.end_array().key("responses").begin_object();
    json.key("200").begin_object().field("description", "The document.").key("content");
    json.begin_object();
    for (const auto type : media_types_of(entry))
        json.key(type.substr(0, type.find(';'))).begin_object().end_object();
    json.end_object().end_object();
    json.key("default").raw(R"({"$ref":"#/components/responses/error"})");
    json.end_object().end_object().end_object();
}

RouteEntry find_route(std::string_view path) {
    const auto* found = std::ranges::find(routes, path, &RouteEntry::path);
    if (found != routes.end()) return *found;
    if (path.starts_with(kept_watch_route.path)) return kept_watch_route;
    if (!path.starts_with(release_prefix)) return no_page;
    return path.ends_with(archive_suffix) ? release_archive_route : release_route;
}

RouteEntry route_of(const SiteContext& context, const Request& request) {
    const auto entry = request.error ? no_page : find_route(request.path);
    return entry.route == Route::hub && context.site.hub_url.empty() ? no_page : entry;
}

// Returns whether the scripts of other sites may read the answer: what everyone may read, not what a
// form did, and nothing of a private site (docs/protocols.md says why).
bool is_for_other_sites(const SiteContext& context, const RouteEntry& entry,
                        const Request& request) {
    return entry.route != Route::none && entry.access == RouteEntry::Access::readers &&
           (request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS") &&
           !context.settings.private_site;
}

bool can_be_read(const RouteEntry& entry) {
    return entry.answer != nullptr || entry.page.render != nullptr;
}

std::string allowed_of(const RouteEntry& entry) {
    if (!can_be_read(entry)) return "POST";
    return entry.take == nullptr ? "GET, HEAD" : "GET, HEAD, POST";
}

// Answers what a browser asks before it sends a request with the fields of a conditional one.
Response options_response(const RouteEntry& entry) {
    Response response;
    response.status = 204;
    response.fields = {{"Allow", allowed_of(entry) + ", OPTIONS"},
                       {"Access-Control-Allow-Methods", "GET, HEAD"},
                       {"Access-Control-Allow-Headers", "If-Modified-Since, If-None-Match"},
                       {"Access-Control-Max-Age", "86400"}};
    return response;
}

Result<Response> answer_method(const RouteEntry& entry, SiteContext& context,
                               const Request& request) {
    if (request.method == "POST" && entry.take != nullptr)
        return entry.take(context, request, entry.route);
    const bool is_read = request.method == "GET" || request.method == "HEAD";
    if (!(is_read && can_be_read(entry)) && entry.route != Route::none) {
        const auto allowed = allowed_of(entry);
        return fail({.status = 405,
                     .text = "Methods that this address accepts: " + allowed + ".",
                     .allow = allowed});
    }
    if (entry.check != nullptr)
        if (auto error = entry.check(request.path)) return fail(*std::move(error));
    return entry.answer != nullptr ? entry.answer(context, request, entry.route)
                                   : answer_page(context, request, entry.route, entry.page);
}

// Returns the error of a request to a private site without a valid token; nullopt: it has one.
std::optional<HttpError> check_token(TokenHolders& holders, const Request& request,
                                     const std::vector<std::string>& query_tokens) {
    auto tokens = query_tokens;
    tokens.push_back(token_in(request.field("authorization")));
    const auto valid = valid_token(holders, std::move(tokens), 2);
    if (!valid) return valid.error();
    if (!valid->empty()) return std::nullopt;
    return HttpError{401,
                     "This site is private and needs a token. Add ?token=… to the URL of a feed, "
                     "or enter the token as the password when your browser asks."};
}

// Marks the response of a private site: no shared cache stores it, readers ask again each time, and browsers do
// not send its URL, which may contain a token, to other sites. A redirection keeps the token of the query.
void mark_private(Response& response, const std::vector<std::string>& query_tokens) {
    const bool may_be_kept =
        (response.status == 200 || response.status == 304) &&
        response.field("Cache-Control").find("no-store") == std::string_view::npos;
    response.set_field("Cache-Control", may_be_kept ? "private, no-cache" : "private, no-store");
    response.set_field("Referrer-Policy", "same-origin");
    if (response.field("Location").empty() || query_tokens.empty()) return;
    std::string location(response.field("Location"));
    location += location.find('?') == std::string::npos ? "?token=" : "&token=";
    response.set_field("Location", location + base::percent_encode(query_tokens.front()));
}

Result<Response> answer_route(const RouteEntry& entry, SiteContext& context,
                              const Request& request,
                              const std::vector<std::string>& query_tokens) {
    if (entry.access != RouteEntry::Access::everyone)
        if (const auto wait = context.limiter.count_request(request.client_address,
                                                            context.settings.steady_clock()))
            return fail(too_many("Too many requests from your address.", *wait));
    if (entry.access == RouteEntry::Access::readers && context.settings.private_site)
        if (auto error = check_token(context.tokens, request, query_tokens))
            return fail(std::move(*error));
    if (request.method == "OPTIONS" && is_for_other_sites(context, entry, request))
        return options_response(entry);
    return answer_method(entry, context, request);
}

void log_failure(const Request& request, std::string_view reason) {
    base::log::error("request failed", {{"path", without_token(request.path)},
                                        {"query", without_token(request.query)},
                                        {"reason", reason}});
}

Response answer_or_error(const RouteEntry& entry, SiteContext& context, const Request& request,
                         const std::vector<std::string>& query_tokens) {
    const auto answer_error = [&](const HttpError& error) {
        return error_response(error, request, context.page_site, context.templates);
    };
    try {
        try {
            auto response = answer_route(entry, context, request, query_tokens);
            return response ? std::move(*response) : answer_error(response.error());
        } catch (const std::bad_alloc&) {
            // A smaller page, or the same one when others are finished, may have room.
            log_failure(request, "out of memory");
            return answer_error({503, "The server has no memory for this page right now. Please "
                                      "try again in a minute."});
        } catch (const std::exception& failure) {
            log_failure(request, failure.what());
            return answer_error({500, "An internal error occurred. It has been logged."});
        }
    } catch (const std::bad_alloc&) {
        Response response;
        response.status = 503;
        return response;
    }
}

//   request       without token= in its query
//   query_tokens  the values of token=
Response answer_without_token(SiteContext& context, const Request& request,
                              const std::vector<std::string>& query_tokens) {
    const auto began = context.settings.steady_clock();
    const auto entry = route_of(context, request);
    auto response = answer_or_error(entry, context, request, query_tokens);
    if (context.settings.private_site && entry.access != RouteEntry::Access::everyone)
        mark_private(response, query_tokens);
    if (is_for_other_sites(context, entry, request)) {
        // The Fetch standard, "CORS protocol". Never with credentials.
        response.fields.emplace_back("Access-Control-Allow-Origin", "*");
        response.fields.emplace_back("Access-Control-Expose-Headers", "ETag, Retry-After");
    }
    response.send_body = response.send_body && request.method != "HEAD";
    context.metrics.count(entry.route, response.status, context.settings.steady_clock() - began);
    return response;
}

}  // namespace

Result<Response> answer_openapi(SiteContext& context, const Request& request, Route) {
    const auto render = [&] {
        const auto most_items = context.settings.max_items;
        std::string text;
        base::JsonWriter json(text);
        json.begin_object().field("openapi", "3.1.0").key("info").begin_object();
        json.field("title", context.site.title).field("version", "1").end_object();
        json.key("servers").begin_array().begin_object().field("url", context.site.base_url);
        json.end_object().end_array().key("paths").begin_object();
        for (const auto& entry : routes)
            if (is_for_programs(entry))
                write_path(json, std::string(entry.path), entry, most_items);
        write_path(json, "/watch/{id}", kept_watch_route, most_items);
        write_path(json, "/release/{version}", release_route, most_items);
        write_path(json, "/release/{version}/archive", release_archive_route, most_items);
        json.end_object().key("components").raw(components).end_object();
        return RenderedPage{.body = std::move(text)};
    };
    const CachePolicy policy{.key = request.path,
                             .build = std::nullopt,
                             .content_type = std::string(MediaType::json),
                             .vary = "Accept-Encoding",
                             .max_age = context.settings.max_age};
    return cached_response(context, request, policy, render);
}

Result<Route> feed_route_at(const std::string& path) {
    const auto entry = find_route(path);
    if (entry.check != nullptr)
        if (auto error = entry.check(path)) return fail(*std::move(error));
    return entry.route == Route::feed ? entry.route : entry.page.feed;
}

base::Result<std::optional<hub::FeedNews>> Site::news(const hub::Topic& topic,
                                                      std::string_view since) {
    try {
        return read_news(context_, topic, since);
    } catch (const std::exception& failure) {
        base::log::error("cannot read what is new",
                         {{"topic", topic.url}, {"reason", failure.what()}});
        return base::fail(base::ErrorKind::unavailable, failure.what());
    }
}

base::Result<bool> Site::may_read(std::string_view token_digest) {
    // Whoever opened the site: the settings of an operator's own ask for no token.
    if (!context_.site.is_private && !context_.settings.private_site) return true;
    return context_.tokens.holder_with_digest(token_digest).map([](const auto& holder) {
        return holder.has_value();
    });
}

// A token is removed from the query before anything else reads it: canonical URLs, cache keys and
// logs never contain one.
Response Site::answer(const Request& request) {
    constexpr std::string_view name = "token";
    const auto contains = [&](auto what) {
        return request.query.find(what) != std::string::npos;
    };
    if (!contains(name) && !contains('%')) return answer_without_token(context_, request, {});
    auto tokens = extract_parameter(request.query, name);
    if (tokens.values.empty()) return answer_without_token(context_, request, {});
    auto stripped = request;
    stripped.query = std::move(tokens.rest);
    if (context_.settings.private_site && tokens.values.size() == 1)
        stripped.query_token = tokens.values.front();
    return answer_without_token(context_, stripped, tokens.values);
}

}  // namespace serve
