// The callbacks that hubs of source feeds ask and push to. harvest/push.hpp says what comes of it: whatever is sent here,
// the most that it does is to have a feed fetched from its publisher.
// Source: https://www.w3.org/TR/websub/ sections 5.2, 5.3 and 7
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <openssl/crypto.h>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "harvest/push.hpp"
#include "hub/protocol.hpp"
#include "serve/context.hpp"
#include "serve/parameters.hpp"
#include "serve/routes.hpp"
#include "store/dialect.hpp"

namespace serve {

namespace {

using store::Access;
using store::Transaction;

constexpr std::size_t longest_challenge = 1024;  // bytes

HttpError no_callback() { return {404, "Nothing was asked for at this address."}; }

// Returns the token of /push/TOKEN.
Result<std::string> push_token_of(SiteContext& context, const Request& request) {
    auto token = request.path.substr(push_prefix.size());
    if (!harvest::is_push_token(token)) return fail(no_callback());
    const auto wait = context.push_clients.count_request(request.client_address,
                                                         context.settings.steady_clock());
    if (!wait) return token;
    HttpError error{429, "Too many requests from your address. Try again in " +
                             std::to_string(wait->count()) + " seconds."};
    error.retry_after = wait->count();
    return fail(std::move(error));
}

// Returns the value of a parameter as forms are encoded; nullopt: it is not there.
//   error  400: it is there twice, or cannot be decoded
Result<std::optional<std::string>> hub_parameter(std::string_view query, std::string_view name) {
    std::optional<std::string> value;
    for (const auto part : base::split(query, '&')) {
        const auto equals = std::min(part.find('='), part.size());
        if (base::percent_decode(part.substr(0, equals), base::Plus::is_space) != name) continue;
        if (value) return fail(400, std::string(name) + " is given twice.");
        value = base::percent_decode(part.substr(std::min(equals + 1, part.size())),
                                     base::Plus::is_space);
        if (!value)
            return fail(400, std::string(name) + " has a % without two hexadecimal digits.");
    }
    return value;
}

// Returns the value of a parameter that has to be there, of at most `longest` bytes.
Result<std::string> needed_parameter(std::string_view query, std::string_view name,
                                     std::size_t longest) {
    auto value = hub_parameter(query, name);
    if (!value) return fail(value.error());
    if (!*value || (*value)->empty()) return fail(400, std::string(name) + " is missing.");
    if ((*value)->size() > longest) return too_long(name, longest);
    return std::move(**value);
}

Result<harvest::HubQuestion> parse_question(std::string_view query) {
    using Mode = harvest::HubQuestion::Mode;
    const auto mode = needed_parameter(query, "hub.mode", 16);
    if (!mode) return fail(mode.error());
    // We end no subscription in this way.
    if (*mode != "subscribe" && *mode != "denied") return fail(no_callback());
    auto topic = needed_parameter(query, "hub.topic", net::longest_url);
    if (!topic) return fail(topic.error());
    harvest::HubQuestion question{.mode = *mode == "denied" ? Mode::denied : Mode::subscribe,
                                  .topic = std::move(*topic)};
    const auto lease = hub_parameter(query, "hub.lease_seconds");
    if (!lease) return fail(lease.error());
    if (question.mode == Mode::denied || !*lease || (*lease)->empty()) return question;
    if (!std::ranges::all_of(**lease, base::is_digit) || base::parse_count(**lease) == 0)
        return fail(400, "hub.lease_seconds must be a number of seconds above 0.");
    // A number that is too large for an integer is above the longest lease in any case.
    const auto longest = static_cast<std::uint64_t>(harvest::longest_hub_lease.count());
    const auto seconds = std::min(base::parse_count(**lease).value_or(longest), longest);
    question.lease = std::chrono::seconds(static_cast<std::int64_t>(seconds));
    return question;
}

// Compares in a time that does not depend on where the texts differ.
bool is_equal(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool is_signed_with(const Request& request, const std::string& secret) {
    const auto field = base::trim(request.field("x-hub-signature"));
    const auto method = hub::find_signature_method(field.substr(0, field.find('=')));
    return method &&
           is_equal(hub::signature_field(*method, secret, request.body), base::fold_ascii(field));
}

Response plain_response(int status, std::string text) {
    Response response;
    response.status = status;
    response.fields = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
    if (status == 204) return response;
    response.set_field("Content-Type", "text/plain; charset=utf-8");
    response.body = std::make_shared<const std::string>(std::move(text));
    return response;
}

tl::unexpected<HttpError> not_now(const store::Failure& failure) {
    base::log::error("cannot take what a hub sends", {{"reason", failure.what()}});
    return fail(503, "This cannot be recorded right now. Please try again in a minute.");
}

}  // namespace

HttpError no_method_of_push() {
    HttpError error{405, "Only GET and POST are supported."};
    error.allow = "GET, POST";
    return error;
}

Result<Response> answer_push(SiteContext& context, const Request& request) {
    if (request.method != "GET") return fail(no_method_of_push());
    const auto token = push_token_of(context, request);
    if (!token) return fail(token.error());
    if (request.query.size() > longest_query) return fail(414, "The query is too long.");
    const auto question = parse_question(request.query);
    if (!question) return fail(question.error());
    std::string challenge;
    if (question->mode == harvest::HubQuestion::Mode::subscribe) {
        auto given = needed_parameter(request.query, "hub.challenge", longest_challenge);
        if (!given) return fail(given.error());
        challenge = std::move(*given);
    }
    try {
        const bool was_asked_for =
            store::perform(context.pool, Access::write, [&](Transaction& transaction) {
                return harvest::answer_question(transaction, *token, *question,
                                                store::now(transaction));
            });
        if (!was_asked_for) return fail(no_callback());
    } catch (const store::Failure& failure) {
        return not_now(failure);
    }
    return plain_response(200, std::move(challenge));
}

Result<Response> take_push(SiteContext& context, const Request& request) {
    const auto token = push_token_of(context, request);
    if (!token) return fail(token.error());
    try {
        const auto secret =
            store::perform(context.pool, Access::read, [&](Transaction& transaction) {
                return harvest::secret_of(transaction, *token);
            });
        if (!secret) return fail(410, "This subscription has ended.");
        if (request.body_error && request.body_error->status == 413)
            return fail(413, "The push is longer than " + std::to_string(longest_body / 1024) +
                                 " KB.");
        if (request.body_error) return fail(*request.body_error);
        // Who can't sign does not learn that from the answer (section 7.1).
        if (!is_signed_with(request, *secret)) return plain_response(204, {});
        store::perform(context.pool, Access::write, [&](Transaction& transaction) {
            harvest::take_push(transaction, *token, store::now(transaction));
        });
    } catch (const store::Failure& failure) {
        return not_now(failure);
    }
    return plain_response(204, {});
}

}  // namespace serve
