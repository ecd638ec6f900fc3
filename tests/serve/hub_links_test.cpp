// How responses lead to the hub: the field Link, and the self link of what is negotiated.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"
#include "support/feed_rules.hpp"

using namespace world;

namespace {

std::string link_to(const std::string& topic, const std::string& token = "") {
    return "<" + site_top + "/hub" + token + ">; rel=\"hub\", <" + site_top + topic +
           ">; rel=\"self\"";
}

}  // namespace

TEST_CASE("Every feed names the hub and itself in one field, also to HEAD and compressed") {
    World world(site_with_hub());
    world.release_up_to(2);
    for (const auto* url :
         {"/rss?class=Gene&name=WBGene00006763",
          "/rss?class=Gene&name=WBGene00006763&format=json",
          "/rss?class=Gene&name=WBGene00006763&n=2&since=WS1&tag=Live&change=added&mass=no",
          "/rss?object=Gene:WBGene00006763&object=Paper:WBPaper00031000&format=atom",
          "/rss?class=Gene&format=rss", "/rss?class=Gene&n=1", "/release/WS2?format=atom",
          "/releases?format=rss"}) {
        INFO(url);
        const auto shown = world.open(url);
        REQUIRE(shown.status == 200);
        CHECK(shown.field("Link") == link_to(url));
        const auto question = std::string_view(url).find('?');
        const auto head =
            world.ask("HEAD", std::string(url).substr(0, question),
                      std::string(url).substr(question + 1), {{"accept-encoding", "gzip"}});
        CHECK(head.field("Link") == link_to(url));
    }
}

TEST_CASE("A site without a hub sends no Link and has no self link of another address") {
    World world;
    world.release_up_to(1);
    const auto shown = world.get(plain, {{"accept", "application/atom+xml"}});
    CHECK(shown.field("Link").empty());
    CHECK(support::read_atom(*shown.body).self == site_top + "/rss?" + plain);
    CHECK_FALSE(says(shown, "rel=\"hub\""));
}

TEST_CASE("A format that Accept chose has an address of its own on a site with a hub") {
    World world(site_with_hub());
    world.release_up_to(1);
    const auto chosen = world.get(plain, {{"accept", "application/atom+xml"}});
    CHECK(chosen.field("Link") == link_to("/rss?" + plain + "&format=atom"));
    CHECK(support::read_atom(*chosen.body).self == site_top + "/rss?" + plain + "&format=atom");
    const auto first = world.get(plain);
    CHECK(first.field("Link") == link_to("/rss?" + plain));
    CHECK(support::read_rss(*first.body).self == site_top + "/rss?" + plain);
}

TEST_CASE("What is no topic names no hub: archives and narrowed feeds of classes and releases") {
    World world(site_with_hub());
    world.release_up_to(3);
    for (const auto& url :
         {std::string("/rss/archive?class=Gene&name=WBGene00006763&before=50"),
          std::string("/rss?class=Gene&since=WS1"), std::string("/rss?class=Gene&tag=Live"),
          std::string("/release/WS2?mass=no&format=rss")}) {
        INFO(url);
        const auto shown = world.open(url);
        REQUIRE(shown.status == 200);
        CHECK(shown.field("Link").empty());
        CHECK_FALSE(says(shown, "rel=\"hub\""));
    }
}

TEST_CASE("A list whose address is longer than that of a topic names no hub") {
    World world(site_with_hub());
    std::string list = "object=Gene:WBGene00006763";
    while (list.size() < 2048) list += "&object=Gene:NoSuchGene" + std::to_string(list.size());
    const auto shown = world.get(list);
    REQUIRE(shown.status == 200);
    CHECK(shown.field("Link").empty());
    CHECK_FALSE(says(shown, "rel=\"hub\""));
}

TEST_CASE("A conditional request is answered without Link, an error too") {
    World world(site_with_hub());
    world.release_up_to(1);
    const auto tag = std::string(world.get(plain).field("ETag"));
    CHECK(world.get(plain, {{"if-none-match", tag}}).field("Link").empty());
    CHECK(world.get("class=Gene&name=Nothing").field("Link").empty());
}

TEST_CASE("A reader's token goes with the address of the hub and not with that of the topic") {
    auto look = site_with_hub();
    look.is_private = true;
    auto settings = settings_with();
    settings.private_site = true;
    World world(look, settings);
    world.add_token("reader", "secret");
    world.release_up_to(1);
    const auto shown = world.get(plain + "&token=secret");
    CHECK(shown.field("Link") == link_to("/rss?" + plain, "?token=secret"));
    CHECK(says(shown, "<atom:link href=\"" + site_top + "/hub?token=secret\" rel=\"hub\"/>"));
    const auto known = world.get(plain, {{"authorization", "Bearer secret"}});
    CHECK(known.field("Link") == link_to("/rss?" + plain));
}
