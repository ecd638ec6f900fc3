// SPDX-License-Identifier: MIT
#include "serve/access_control.hpp"
#include "serve/world.hpp"
#include "support/gunzip.hpp"

using namespace world;

TEST_CASE("A token is read from Authorization, as the password of Basic or after Bearer") {
    CHECK(serve::token_in("Basic bWU6c2VjcmV0") == "secret");
    CHECK(serve::token_in("basic  OnNlY3JldDpub3Q=") == "secret:not");
    CHECK(serve::token_in("BEARER secret ") == "secret");
    for (const auto* none : {"", "Basic", "Basic ", "Basic bWU", "Basic !!!!",
                             "Basic bWU=", "Digest secret", "secret", "Basic ===="})
        CHECK(serve::token_in(none).empty());
}

TEST_CASE("A private site refuses requests without a token, but for operators and static files") {
    World world(private_settings());
    world.add_token("ada", "t1");
    for (const auto* address :
         {"/", "/rss?class=Gene&name=nobody", "/history?class=Gene&name=x", "/release/WS1",
          "/suggest?q=a", "/opml?object=Gene:x", "/nowhere", "/rss?class=Gene&token=wrong",
          "/rss?class=Gene&token=", "/rss?class=Gene&token=t1&token=t1&token=t1"}) {
        INFO(address);
        const auto response = world.open(address);
        CHECK(response.status == 401);
        CHECK(response.field("WWW-Authenticate") == "Basic realm=\"Changes\", charset=\"UTF-8\"");
        CHECK(response.field("Cache-Control") == "private, no-store");
    }
    CHECK(world.open("/", {{"authorization", "Bearer wrong"}}).status == 401);
    CHECK(world.rendered() == 0);
    for (const auto* address : {"/healthz", "/metrics", "/style.css", "/feed.css", "/varve.js"})
        CHECK(world.open(address).status == 200);
}

TEST_CASE(
    "With a token everything is answered, never in shared caches, and the token is in no page") {
    World world(private_settings());
    world.add_token("ada", "t-secret");
    for (const auto& [query, fields] : std::vector<std::pair<std::string, Fields>>{
             {plain + "&token=t-secret", {}},
             {"token=t-secret;" + plain, {}},
             {plain, {{"authorization", "Bearer t-secret"}}},
             {plain, {{"authorization", "Basic OnQtc2VjcmV0"}}},
             {plain + "&token=wrong", {{"authorization", "Bearer t-secret"}}}}) {
        const auto response = world.get(query, fields);
        CHECK(response.status == 200);
        CHECK(response.field("Cache-Control") == "private, no-cache");
        CHECK(response.field("Referrer-Policy") == "same-origin");
        auto known = fields;
        known.emplace("if-none-match", response.field("ETag"));
        const auto again = world.get(query, known);
        CHECK(again.status == 304);
        CHECK(again.field("Cache-Control") == "private, no-cache");
    }
    const auto page = world.open("/history?class=Gene&name=WBGene00006763&token=t-secret");
    CHECK(page.field("Referrer-Policy") == "same-origin");
    CHECK_FALSE(says(page, "t-secret"));
}

TEST_CASE("Addresses in a feed work for a reader who sent token=, and nobody else gets them") {
    World world(private_settings());
    world.add_token("ada", "t 1");
    world.add_token("ben", "t-2");
    world.release_up_to(60);
    const Fields as_ben{{"authorization", "Bearer t-2"}};
    const auto shared = world.get(plain, as_ben);
    CHECK(says(shared, "/rss?class=Gene&amp;name=WBGene00006763\""));
    const std::string token = "&amp;token=t%201";
    for (const std::string name : {"rss", "atom"}) {
        const auto format = "&format=" + name;
        const auto own = world.get(plain + format + "&token=t+1");
        CHECK(says(own, "format=" + name + token + "\""));
        CHECK(says(own, token + "&amp;before=50\""));
        const auto archive =
            world.open("/rss/archive?" + plain + format + "&token=t%201&before=50");
        CHECK(archive.status == 200);
        CHECK(says(archive, "before=50" + token + "\""));
        CHECK_FALSE(says(world.get(plain + format, as_ben), "token"));
        CHECK_FALSE(says(world.get(plain + format + "&token=t-2"), "t%201"));
        CHECK(own.field("ETag") != world.get(plain + format, as_ben).field("ETag"));
    }
    const auto json = world.get(plain + "&format=json&token=t+1");
    const auto packed =
        world.get(plain + "&format=json&token=t+1", {{"accept-encoding", "gzip"}});
    CHECK(says(json, "format=json&token=t%201&before=50\""));
    CHECK(support::gunzip(*packed.body) == *json.body);
    CHECK(says(world.open("/release/WS60?format=rss&token=t%201"), "format=rss" + token + "\""));
    CHECK(says(world.get(plain + "&token=t-2"), "&amp;token=t-2\""));
    CHECK(says(world.get(plain + "&token=t+1"), token + "\""));
    CHECK(world.get(plain, as_ben).body == shared.body);
}

TEST_CASE("A client that came with token= keeps it over a redirect, and only such a client") {
    World world(private_settings());
    world.add_token("ada", "t 1");
    const std::string other = "class=gene&name=wbgene00006763";
    const auto there = site_path + "/rss?" + plain;
    const auto sent = world.get(other + "&token=t%201");
    CHECK(sent.field("Location") == there + "&token=t%201");
    CHECK(sent.field("Cache-Control") == "private, no-store");
    CHECK(world.get(other, {{"authorization", "Bearer t 1"}}).field("Location") == there);
}

TEST_CASE(
    "While the store is down, readers who sent token= get the feed that is kept as others do") {
    World world(private_settings());
    world.add_token("ada", "t");
    world.release_up_to(1);
    const auto before = world.get(plain + "&token=t");
    CHECK(world.get(plain, {{"authorization", "Bearer t"}}).status == 200);
    world.set_store_down(true);
    CHECK(world.get(plain, {{"authorization", "Bearer t"}}).status == 200);
    const auto kept = world.get(plain + "&token=t");
    CHECK(kept.status == 200);
    CHECK(body_of(kept) == body_of(before));
    CHECK(kept.field("ETag") == before.field("ETag"));
    CHECK(world.get(plain + "&token=wrong").status == 401);
    World fresh(private_settings());  // which has looked at no tokens yet
    fresh.set_store_down(true);
    const auto unknown = fresh.get(plain + "&token=t");
    CHECK(unknown.status == 503);
    CHECK_FALSE(says(unknown, "secret"));
    CHECK(fresh.get(plain).status == 401);
}

TEST_CASE("An open site ignores tokens, and no address contains them") {
    World world;
    const auto response = world.get("token=t-secret&" + plain);
    CHECK(response.status == 200);
    CHECK(response.field("Cache-Control") == "public, max-age=3600");
    CHECK_FALSE(says(response, "t-secret"));
}
