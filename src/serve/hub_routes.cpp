// The route of the WebSub hub: what subscribers ask for is checked and recorded here. The process of the hub
// (varve hub) verifies it and delivers.
// Source: https://www.w3.org/TR/websub/ section 5; the parameters of hub::parse_subscription_request()
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "hub/subscription_request.hpp"
#include "hub/subscriptions.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/hub_topics.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::size_t longest_hub_request = 16 * 1024;  // bytes
constexpr std::size_t most_hub_fields = 100;
constexpr std::size_t most_tokens = 3;  // who sends more of them is guessing
constexpr long full_host_retry = 3600;  // seconds

using Fields = std::vector<std::pair<std::string, std::string>>;

// Parses a body as browsers encode forms. Values may have any bytes: the error is to name the parameter, which
// hub::parse_subscription_request() does. Parameters that it does not know are left out.
Result<Fields> parse_hub_fields(std::string_view body) {
    constexpr auto known =
        std::to_array<std::string_view>({"hub.mode", "hub.topic", "hub.callback",
                                         "hub.lease_seconds", "hub.secret", "hub.verify"});
    Fields fields;
    for (const auto part : base::split(body, '&')) {
        const auto equals = std::min(part.find('='), part.size());
        const auto name = base::percent_decode(part.substr(0, equals), base::Plus::is_space);
        if (!name || std::ranges::find(known, *name) == known.end()) continue;
        auto value = base::percent_decode(part.substr(std::min(equals + 1, part.size())),
                                          base::Plus::is_space);
        if (!value) return fail(400, *name + " has a % without two hexadecimal digits.");
        if (fields.size() == most_hub_fields)
            return fail(400, *name + " and others are given more than " +
                                 std::to_string(most_hub_fields) + " times.");
        fields.emplace_back(*name, *std::move(value));
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

// Counts a request that leads to a verification.
std::optional<HttpError> check_hub_rate(SiteContext& context, const Request& request,
                                        const std::string& callback_host) {
    const auto now = context.settings.steady_clock();
    if (const auto wait = context.hub_clients.count_request(request.client_address, now))
        return too_many("Too many requests to the hub from your address.", *wait);
    if (const auto wait = context.hub_callbacks.count_request(callback_host, now))
        return too_many("hub.callback: too many requests for this host.", *wait);
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
    if (tokens.size() > most_tokens) tokens.clear();
    for (const auto& token : tokens) {
        const auto holder = context.tokens.holder_of(token);
        if (!holder)
            return fail(503, "Your token cannot be checked right now. Please try again in a "
                             "minute.");
        if (*holder) return base::sha256_hex(token);
    }
    return fail(401, "hub.topic is a feed of a private site, which needs a reader's token: as "
                     "token= in hub.topic or in the address of the hub.");
}

Result<Response> record(SiteContext& context, const hub::SubscriptionRequest& asked,
                        const hub::Topic& topic, const std::string& token_digest) {
    try {
        switch (context.subscriptions.ask(asked, topic, token_digest)) {
            case hub::Accepted::yes:
                return uncached(202, "text/plain; charset=utf-8",
                                "The request has been recorded. The hub will soon verify it with "
                                "your callback.\n");
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
std::optional<HttpError> check_sender(const SiteContext& context, const Request& request) {
    if (context.site.hub_url.empty()) return HttpError{404, "There is no page at this address."};
    if (request.field("origin").empty() && request.field("sec-fetch-site").empty())
        return std::nullopt;
    return HttpError{403, "The hub is for the servers of subscribers, not for browsers."};
}

Result<hub::SubscriptionRequest> parse_hub_request(const SiteContext& context,
                                                   const Request& request) {
    if (auto error = check_body(request)) return fail(*std::move(error));
    const auto fields = parse_hub_fields(request.body);
    if (!fields) return fail(fields.error());
    std::vector<hub::RequestField> views;
    for (const auto& [name, value] : *fields) views.push_back({name, value});
    auto asked = hub::parse_subscription_request(views, context.settings.callback_guard);
    if (!asked) return fail(400, asked.error().text);
    return *std::move(asked);
}

}  // namespace

HttpError no_method_of_hub() {
    HttpError error{405, "The hub only accepts POST."};
    error.allow = "POST";
    return error;
}

Result<Response> answer_hub(SiteContext& context, const Request& request, Route) {
    if (auto error = check_sender(context, request)) return fail(*std::move(error));
    return fail(no_method_of_hub());
}

Result<Response> take_subscription(SiteContext& context, const Request& request, Route) {
    if (auto error = check_sender(context, request)) return fail(*std::move(error));
    auto asked = parse_hub_request(context, request);
    if (!asked) return fail(asked.error());
    const auto topic = parse_topic(context, asked->topic);
    if (!topic) return fail(topic.error());
    // A token stays with who showed it: neither the store nor a verification has it.
    if (!topic->tokens.empty()) asked->topic = net::parse_url(topic->topic.url).value();
    if (auto error = check_hub_rate(context, request, asked->callback.host))
        return fail(*std::move(error));
    // Who unsubscribes shows at the callback that this is meant, and may have no token any more.
    if (asked->mode == hub::Mode::unsubscribe) return record(context, *asked, topic->topic, {});
    const auto digest = token_digest_of(context, request, *topic);
    if (!digest) return fail(digest.error());
    if (auto error = check_feed(context, topic->feed)) return fail(*std::move(error));
    return record(context, *asked, topic->topic, *digest);
}

}  // namespace serve
