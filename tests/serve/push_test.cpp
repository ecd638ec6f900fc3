// /push/TOKEN: hubs of source feeds ask whether a subscription was meant, and push; and everybody may try.
// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "hub/protocol.hpp"
#include "serve/world.hpp"

using namespace world;

namespace {

using Catch::Matchers::Contains;

const std::string push_token = "0123456789abcdef0123456789abcdef";
const std::string push_secret(64, 's');
const std::string pushed_topic = "https://a.example/feed?x=1";
const std::string long_ago = "2008-01-01T00:00:00Z", far_ahead = "2999-01-01T00:00:00Z";

// A site that has asked a hub for a subscription of a feed that is due in centuries.
struct PushWorld : World {
    explicit PushWorld(serve::Settings settings = settings_with())
        : World(site_at(site_top), std::move(settings)) {
        small.execute("INSERT INTO feeds (id, url, url_digest, base_url, added_at,"
                      " next_fetch_attempt) VALUES (1, 'https://a.example/feed', 'x',"
                      " 'https://a.example', ?, ?)",
                      {store::Value{long_ago}, store::Value{far_ahead}});
        small.execute("INSERT INTO feed_hubs (feed, hub_url, topic, token, secret, asked_at)"
                      " VALUES (1, 'https://hub.example/', ?, ?, ?, ?)",
                      {store::Value{pushed_topic}, store::Value{push_token},
                       store::Value{push_secret}, store::Value{far_ahead}});
    }
    std::string column(const std::string& name) {
        return small.query("SELECT " + name + " FROM feed_hubs")[0].text(0);
    }
    bool is_due() {
        return small.query("SELECT next_fetch_attempt FROM feeds")[0].text(0) != far_ahead;
    }
    Response ask_back(const std::string& query, const std::string& token = push_token) {
        return ask("GET", "/push/" + token, query);
    }
    Response push(const std::string& body, const std::string& signature,
                  const std::string& token = push_token) {
        Request request;
        request.method = "POST";
        request.path = "/push/" + token;
        request.client_address = "192.0.2.1";
        request.body = body;
        if (!signature.empty()) request.fields = {{"x-hub-signature", signature}};
        return site.answer(request);
    }
};

std::string question_with(const std::vector<std::pair<std::string, std::string>>& changed = {}) {
    std::vector<std::pair<std::string, std::string>> fields = {{"hub.mode", "subscribe"},
                                                               {"hub.topic", pushed_topic},
                                                               {"hub.challenge", "c&1"},
                                                               {"hub.lease_seconds", "864000"}};
    for (const auto& [name, value] : changed)
        for (auto& field : fields)
            if (field.first == name) field.second = value;
    std::string query;
    for (const auto& [name, value] : fields)
        if (value != "(none)") query += '&' + name + '=' + base::percent_encode(value);
    return query.substr(1);
}

}  // namespace

TEST_CASE("A hub that asks whether a subscription was meant gets its challenge") {
    PushWorld world;
    const auto response = world.ask_back(question_with());
    CHECK(response.status == 200);
    CHECK(body_of(response) == "c&1");
    CHECK(response.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(response.field("X-Content-Type-Options") == "nosniff");
    CHECK(response.field("Cache-Control") == "no-store");
    CHECK_FALSE(world.column("expires_at").empty());
    CHECK_FALSE(world.is_due());
}

TEST_CASE("A hub may leave the lease out, or name one of any size") {
    for (const auto* lease : {"(none)", "", "1", "99999999999999999999"}) {
        INFO(lease);
        PushWorld world;
        CHECK(world.ask_back(question_with({{"hub.lease_seconds", lease}})).status == 200);
        CHECK_FALSE(world.column("expires_at").empty());
    }
}

TEST_CASE("Each bad part of a hub's question is refused, and changes nothing") {
    PushWorld world;
    const auto check_refused = [&](const std::string& query, int status,
                                   const std::string& text) {
        const auto response = world.ask_back(query);
        INFO(query.substr(0, 200));
        CHECK(response.status == status);
        CHECK_THAT(body_of(response), Contains(text));
        CHECK(world.column("expires_at").empty());
        CHECK(world.column("due_at").empty());
    };
    for (const auto* name : {"hub.mode", "hub.topic", "hub.challenge"}) {
        check_refused(question_with({{name, "(none)"}}), 400, std::string(name) + " is missing");
        check_refused(question_with({{name, ""}}), 400, std::string(name) + " is missing");
        check_refused(question_with() + '&' + name + "=x", 400, std::string(name));
        check_refused(question_with({{name, "(none)"}}) + '&' + name + "=%zz", 400, name);
        check_refused(question_with({{name, std::string(2049, 'x')}}), 400, name);
    }
    for (const auto* lease : {"0", "-1", "1e3", "abc", " 1", "00"})
        check_refused(question_with({{"hub.lease_seconds", lease}}), 400, "hub.lease_seconds");
    check_refused("", 400, "hub.mode");
    check_refused(std::string(8193, 'x'), 414, "query");
    for (const auto* mode : {"unsubscribe", "publish", "Subscribe"})
        check_refused(question_with({{"hub.mode", mode}}), 404, "Nothing was asked for");
    check_refused(question_with({{"hub.topic", "https://a.example/feed"}}), 404,
                  "Nothing was asked for");
    check_refused(question_with({{"hub.mode", "denied"}, {"hub.topic", "https://x.example/"}}),
                  404, "Nothing was asked for");
    for (const auto& token : {std::string(), std::string("x"), std::string(32, '0'),
                              push_token + "/", push_token + "0"}) {
        INFO(token);
        CHECK(world.ask_back(question_with(), token).status == 404);
    }
    world.small.execute("UPDATE feed_hubs SET asked_at = ?", {store::Value{long_ago}});
    check_refused(question_with(), 404, "Nothing was asked for");
    CHECK_FALSE(world.is_due());
}

TEST_CASE("A hub that denies a subscription is answered with 200") {
    PushWorld world;
    const auto response = world.ask_back(
        "hub.mode=denied&hub.topic=" + base::percent_encode(pushed_topic) + "&hub.reason=no");
    CHECK(response.status == 200);
    CHECK(body_of(response).empty());
    CHECK(world.column("expires_at").empty());
    CHECK_FALSE(world.column("due_at").empty());
}

TEST_CASE("A push that its hub has signed makes the feed due, whatever it holds") {
    using hub::SignatureMethod;
    for (const auto method : {SignatureMethod::sha1, SignatureMethod::sha256,
                              SignatureMethod::sha384, SignatureMethod::sha512})
        for (const auto& body : {std::string("<rss/>"), std::string(), std::string("\0\xff", 2),
                                 std::string(serve::longest_body, 'x')}) {
            PushWorld world;
            const auto response =
                world.push(body, hub::signature_field(method, push_secret, body));
            CHECK(response.status == 204);
            CHECK(response.body == nullptr);
            CHECK(world.is_due());
        }
    PushWorld world;
    auto capital = hub::signature_field(SignatureMethod::sha1, push_secret, "x");
    for (auto& c : capital) c = static_cast<char>(std::toupper(c));
    world.push("x", "sha1" + capital.substr(4));
    CHECK(world.is_due());
}

TEST_CASE("A push without a valid signature gets the same answer, and is ignored") {
    const auto right = hub::signature_field(hub::SignatureMethod::sha256, push_secret, "x");
    PushWorld world;
    for (const auto& wrong :
         {std::string(), std::string("sha256="), std::string("sha256"), right.substr(7),
          right + "0", right.substr(0, right.size() - 1), "sha1=" + right.substr(7),
          "md5=" + right.substr(7), "=" + right.substr(7), std::string(" = "),
          "sha256=" + std::string(64, '0'),
          hub::signature_field(hub::SignatureMethod::sha256, push_secret, "y"),
          hub::signature_field(hub::SignatureMethod::sha256, "other", "x")}) {
        INFO(wrong);
        const auto response = world.push("x", wrong);
        CHECK(response.status == 204);
        CHECK_FALSE(world.is_due());
    }
    CHECK(world.push("x", right).status == 204);
    CHECK(world.is_due());
}

TEST_CASE("Pushes that nobody asked for end the subscription at the hub") {
    PushWorld world;
    CHECK(world.push("x", "", std::string(32, '0')).status == 410);
    CHECK(world.push("x", "", "not-a-token").status == 404);
    world.small.execute("UPDATE feeds SET system_enabled = 0");
    CHECK(world.push("x", "").status == 410);
}

TEST_CASE("A push that is too long or did not arrive whole is an error") {
    PushWorld world;
    Request request;
    request.method = "POST";
    request.path = "/push/" + push_token;
    request.body_error = serve::body_too_long();
    const auto response = world.site.answer(request);
    CHECK(response.status == 413);
    CHECK_THAT(body_of(response), Contains("512 KB"));
    request.body_error = serve::HttpError{400, "The request body is incomplete."};
    CHECK(world.site.answer(request).status == 400);
    CHECK_FALSE(world.is_due());
}

TEST_CASE("The callback takes GET and POST alone") {
    PushWorld world;
    for (const auto* method : {"HEAD", "PUT", "DELETE", "OPTIONS"}) {
        const auto response = world.ask(method, "/push/" + push_token, question_with());
        CHECK(response.status == 405);
        CHECK(response.field("Allow") == "GET, POST");
    }
    CHECK(world.column("expires_at").empty());
}

TEST_CASE("A hub needs no token of a reader, and is not limited as readers are") {
    auto settings = settings_with();
    settings.private_site = true;
    settings.limits = {.per_minute = 1, .burst = 1};
    PushWorld world(settings);
    CHECK(world.ask_back(question_with()).status == 200);
    CHECK(world.ask_back(question_with()).status == 200);
    world.push("x", hub::signature_field(hub::SignatureMethod::sha256, push_secret, "x"));
    CHECK(world.is_due());
}

TEST_CASE("Who floods the callback has to wait") {
    PushWorld world;
    int answered = 0;
    while (answered < 5000 && world.push("x", "").status == 204) ++answered;
    CHECK(answered == 2000);
    const auto refused = world.push("x", "");
    CHECK(refused.status == 429);
    CHECK(refused.field("Retry-After") == "1");
    CHECK(world.ask_back(question_with()).status == 429);
    world.tick += std::chrono::seconds(1);
    CHECK(world.ask_back(question_with()).status == 200);
}

TEST_CASE("While the store is away a hub is asked to come again") {
    PushWorld world;
    world.small.set_store_down(true);
    CHECK(world.ask_back(question_with()).status == 503);
    CHECK(world.push("x", "").status == 503);
}
