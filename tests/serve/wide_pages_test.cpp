// The parameters of wide pages: few of their values are a page of their own.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"

using namespace world;

namespace {

const std::string root = "https://example.org/changes";

std::string location_of(const Response& response) {
    return std::to_string(response.status) + " " + std::string(response.field("Location"));
}

}  // namespace

TEST_CASE("tag= of a class or release must be a tag, and what is none is found out once") {
    World world;
    world.release_up_to(2);
    for (const std::string feed : {"/rss?class=Gene", "/release/WS2?format=rss"}) {
        INFO(feed);
        const auto refused = world.open(feed + "&tag=x1");
        CHECK(refused.status == 404);
        CHECK(says(refused, "tag=x1 "));
        const auto rendered = world.rendered();
        CHECK(world.open(feed + "&tag=x2").status == 404);
        CHECK(world.open(feed + "&tag=x3&n=7").status == 404);
        CHECK(world.rendered() == rendered);
        CHECK(world.open(feed + "&tag=Live").status == 200);
    }
    CHECK(location_of(world.get("class=Gene&tag=lIVE")) ==
          "301 " + root + "/rss?class=Gene&tag=Live");
    CHECK(world.get(plain + "&tag=x1").status == 200);  // costs as little as any of its feeds
    CHECK(world.get("class=Nothing&tag=x1").status == 404);
}

TEST_CASE("An unknown tag is answered with the nearest tag of a recorded change") {
    World world;
    world.release_up_to(2);
    for (const std::string tag : {"Livee", "li_ve", "Liev%20"}) {
        INFO(tag);
        const auto refused = world.get("class=Gene&tag=" + tag);
        CHECK(refused.status == 404);
        CHECK(says(refused, "Did you mean Live?"));
    }
    // Of a short tag, one letter may be wrong; or it is the beginning of one.
    for (const std::string tag : {"Liv", "Li"}) {
        INFO(tag);
        CHECK(says(world.get("class=Gene&tag=" + tag), "Did you mean Live?"));
    }
    CHECK_FALSE(says(world.get("class=Gene&tag=L"), "nearest"));
    CHECK_FALSE(says(world.get("class=Gene&tag=%3Cb%3E"), "nearest"));
}

TEST_CASE("tag= of one object must be a tag of its class or of one of its changes") {
    World world;
    world.release_up_to(1);
    auto build = world.build(2);
    build->with_models("?Gene Name ?Text\n      GO_term ?Text #Evidence\n"
                       "#Evidence Curator_confirmed Text\n?Paper Author ?Text\n");
    world.small.put(build);
    for (const std::string tag : {"GO_term", "go_TERM", "Curator_confirmed", "Live", "live"})
        CHECK(world.get(plain + "&tag=" + tag).status == 200);
    for (const std::string tag : {"GO%20term", "GOterm", "G_term"}) {
        INFO(tag);
        const auto refused = world.get(plain + "&tag=" + tag);
        CHECK(refused.status == 404);
        CHECK(says(refused, "is not a tag of class Gene or of a recorded change. "
                            "Did you mean GO_term?"));
    }
    CHECK(world.get(plain + "&tag=Author").status == 404);
    CHECK(world.get(plain + "&tag=Live&since=WS1").status == 200);
    CHECK(world.get(plain + "&tag=Live&change=removed").status == 200);
    CHECK(world.get("class=Paper&name=WBPaper00031000&tag=Name").status == 404);
}

TEST_CASE("While the tags of a class cannot be found out, tag= is refused as wide pages are") {
    World world;
    world.release_up_to(2);
    REQUIRE(world.get("class=Gene").status == 200);
    bool failed = false;
    world.small.store_switch.before_statement = [&] {
        if (!std::exchange(failed, true))
            throw store::Failure("away (by the test)", {.lost_connection = true}, 2013);
    };
    const auto refused = world.get("class=Gene&tag=x1");
    CHECK(refused.status == 503);
    CHECK(!refused.field("Retry-After").empty());
    CHECK(world.get("class=Gene&tag=x1").status == 404);
}

TEST_CASE("A feed with tag= waits for one turn, in which its tag is checked too") {
    auto settings = settings_with();
    settings.wide = {.admitted = 2, .computing = 1, .wait_at_most = std::chrono::milliseconds(0)};
    World world(settings);
    world.release_up_to(2);
    // Whenever the request asks the store or for the time, another one tries to get a turn.
    int others = 0, turns = 0;
    bool is_asking = false, is_taken = false;
    const auto ask_another = [&] {
        if (std::exchange(is_asking, true)) return;
        const auto other = world.get("class=Gene&n=" + std::to_string(60 + ++others));
        const bool was_taken = std::exchange(is_taken, other.status == 503);
        if (is_taken && !was_taken) ++turns;
        is_asking = false;
    };
    world.before_time = world.small.store_switch.before_statement = ask_another;
    CHECK(world.get("class=Gene&tag=Live").status == 200);
    CHECK(turns == 1);
}

TEST_CASE("tag= may be a tag of the models that no change has had yet") {
    World world;
    auto build = world.build(1);
    build->with_models("?Gene Name ?Text\n      Remark ?Text\n");
    world.small.put(build);
    CHECK(world.get("class=Gene&tag=Remark").status == 200);
    CHECK(location_of(world.get("class=Gene&tag=remark")) ==
          "301 " + root + "/rss?class=Gene&tag=Remark");
    CHECK(world.get("class=Gene&tag=Gene").status == 404);  // a class
}

TEST_CASE(
    "A page past the last one is not there, and a feed may ask for more items than there are") {
    World world;
    world.release_up_to(2);
    const auto history = "/history?" + plain;
    const auto diff = "/diff?" + plain + "&from=WS1&to=WS2";
    for (const auto& page :
         {std::string("/release/WS2?class=Gene&from=100"), std::string("/releases?from=100"),
          history + "&at=WS2&part=9", history + "&part=2", diff + "&part=9"})
        CHECK(world.open(page).status == 404);
    for (const auto* page : {"/rss?class=Gene&n=50", "/rss?class=Gene&n=51",
                             "/release/WS2?format=atom&n=999", "/release/WS2?from=0"})
        CHECK(world.open(page).status == 200);
    CHECK(world.open(diff + "&format=json").status == 200);
    const auto rendered = world.rendered();
    CHECK(world.open(diff + "&format=json&part=9").status == 200);
    CHECK(world.rendered() == rendered);
}

TEST_CASE("Crawlers are asked to leave narrowed pages alone, and a private site") {
    World open_to_all;
    const auto rules = open_to_all.open("/robots.txt");
    CHECK(rules.status == 200);
    CHECK(rules.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(says(rules, "User-agent: *\nDisallow: /changes/diff\n"));
    CHECK(says(rules, "\nDisallow: /changes/*tag=\n"));

    auto settings = settings_with();
    settings.private_site = true;
    World closed(settings);
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
