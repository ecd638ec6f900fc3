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

TEST_CASE("A site without a hub sends no Link and has no self link of another address") {
    World world;
    world.release_up_to(1);
    const auto shown = world.get(plain, {{"accept", "application/atom+xml"}});
    CHECK(shown.field("Link").empty());
    CHECK(support::read_atom(*shown.body).self == site_top + "/rss?" + plain);
    CHECK_FALSE(says(shown, "rel=\"hub\""));
}

TEST_CASE("What is no topic names no hub: feeds that are narrowed, or have a long address") {
    World world(site_with_hub());
    world.release_up_to(3);
    std::string list = "/rss?object=Gene:WBGene00006763";
    while (list.size() < 2048) list += "&object=Gene:NoSuchGene" + std::to_string(list.size());
    for (const std::string& url : {list, std::string("/rss?class=Gene&since=WS1"),
                                   std::string("/release/WS2?mass=no&format=rss")}) {
        INFO(url);
        const auto shown = world.open(url);
        REQUIRE(shown.status == 200);
        CHECK(shown.field("Link").empty());
        CHECK_FALSE(says(shown, "rel=\"hub\""));
    }
}

TEST_CASE("A reader's token goes with the address of the hub and not with that of the topic") {
    auto look = site_with_hub();
    look.is_private = true;
    World world(look, private_settings());
    world.add_token("reader", "secret");
    world.release_up_to(1);
    const auto shown = world.get(plain + "&token=secret");
    CHECK(shown.field("Link") == link_to("/rss?" + plain, "?token=secret"));
    CHECK(says(shown, "<atom:link href=\"" + site_top + "/hub?token=secret\" rel=\"hub\"/>"));
    const auto known = world.get(plain, {{"authorization", "Bearer secret"}});
    CHECK(known.field("Link") == link_to("/rss?" + plain));
}
