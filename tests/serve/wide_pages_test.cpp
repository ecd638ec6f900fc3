// The parameters of wide pages: few of their values are a page of their own.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"

using namespace world;

TEST_CASE("tag= of a class or release must be a tag of the models, and others render nothing") {
    World world;
    world.release_up_to(1);
    auto build = world.build(2);
    build->with_models("?Gene Live\n      Remark ?Text\n");
    world.small.put(build);
    for (const std::string feed : {"/rss?class=Gene", "/release/WS2?format=rss"}) {
        INFO(feed);
        const auto rendered = world.rendered();
        const auto refused = world.open(feed + "&tag=x1");
        CHECK(refused.status == 404);
        CHECK(says(refused, "tag=x1 is not a tag of "));
        CHECK(world.open(feed + "&tag=x3&n=7").status == 404);
        CHECK(world.open(feed + "&tag=Gene").status == 404);  // a class
        CHECK(world.rendered() == rendered);
        CHECK(world.open(feed + "&tag=Live").status == 200);
        CHECK(world.open(feed + "&tag=Remark").status == 200);
        // Of a short tag, one letter may be wrong; or it is the beginning of one.
        for (const std::string tag : {"Livee", "li_ve", "Liev%20", "Liv", "Li"}) {
            INFO(tag);
            CHECK(says(world.open(feed + "&tag=" + tag), "Did you mean Live?"));
        }
        CHECK_FALSE(says(world.open(feed + "&tag=L"), "Did you mean"));
    }
    CHECK(world.get("class=Gene&tag=lIVE").field("Location") ==
          site_path + "/rss?class=Gene&tag=Live");
}

TEST_CASE("Without models, tag= is not checked") {
    World world;
    world.release_up_to(2);
    for (const auto& feed : {std::string("/rss?class=Gene"),
                             std::string("/release/WS2?format=rss"), "/rss?" + plain})
        CHECK(world.open(feed + "&tag=x1").status == 200);
    CHECK(world.get("class=Nothing&tag=x1").status == 404);
}

TEST_CASE("tag= of one object must be a tag of its class by the models") {
    World world;
    world.release_up_to(1);
    auto build = world.build(2);
    build->with_models("?Gene Name ?Text\n      GO_term ?Text #Evidence\n"
                       "#Evidence Curator_confirmed Text\n?Paper Author ?Text\n");
    world.small.put(build);
    for (const std::string tag : {"GO_term", "Curator_confirmed"})
        CHECK(world.get(plain + "&tag=" + tag).status == 200);
    CHECK(world.get(plain + "&tag=go_TERM").status == 301);
    for (const std::string tag : {"GO%20term", "GOterm", "G_term"}) {
        INFO(tag);
        const auto refused = world.get(plain + "&tag=" + tag);
        CHECK(refused.status == 404);
        CHECK(says(refused, "is not a tag of class Gene. Did you mean GO_term?"));
    }
    for (const std::string tag : {"Author", "Live"})
        CHECK(world.get(plain + "&tag=" + tag).status == 404);
    CHECK(world.get("class=Paper&name=WBPaper00031000&tag=Name").status == 404);
}

TEST_CASE(
    "A page past the last one is not there, and a feed may ask for more items than there are") {
    World world;
    world.release_up_to(2);
    const auto diff = "/diff?" + plain + "&from=WS1&to=WS2";
    for (const auto& page :
         {std::string("/release/WS2?class=Gene&page=2"), "/history?" + plain + "&page=2",
          "/history?" + plain + "&at=WS2&page=9", diff + "&page=9"})
        CHECK(world.open(page).status == 404);
    CHECK(world.open("/release/WS2?format=atom&n=999").status == 200);
    CHECK(world.open("/release/WS2?class=gENE&q=x").field("Location") ==
          site_path + "/release/WS2?class=Gene&q=x");
    CHECK(world.open(diff + "&format=json").status == 200);
    const auto rendered = world.rendered();
    CHECK(world.open(diff + "&format=json&page=9").status == 200);
    CHECK(world.rendered() == rendered);
}

TEST_CASE("Crawlers are asked to leave narrowed pages alone, and a private site") {
    World open_to_all;
    const auto rules = open_to_all.open("/robots.txt");
    CHECK(rules.status == 200);
    CHECK(rules.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(says(rules, "User-agent: *\nDisallow: /changes/diff\n"));
    CHECK(says(rules, "\nDisallow: /changes/*tag=\n"));

    World closed(private_settings());
    CHECK(body_of(closed.open("/robots.txt")) == "User-agent: *\nDisallow: /changes/\n");
}

TEST_CASE("A filter looks at some MB of changes, however few rows they are") {
    World world;
    world.release_up_to(9);
    world.small.execute(R"(UPDATE history SET notes = '{"changes":[{"op":"added","path":[],)"
                        R"("after":[{"text":"' || hex(zeroblob(2250000)) || '"}]}]}')");
    constexpr auto cut = "This feed covers only some of the items";
    CHECK(says(world.get("class=Gene&n=1&change=added"), cut));
    CHECK(says(world.get(plain + "&n=1&change=added"), cut));
    CHECK(!says(world.get("class=Gene&n=1"), cut));
}
