// Objects that are asked for by what people call them.
// SPDX-License-Identifier: MIT
#include "base/words.hpp"
#include "serve/world.hpp"

using namespace world;

namespace {

// Objects of the store that are called so, seen in the newest release; no build has them.
void record(World& world, int count, const std::string& label) {
    for (int i = 0; i < count; ++i) {
        const auto name = "n" + std::to_string(i);
        world.small.execute("INSERT INTO objects (class, name, name_key, label, label_key, build)"
                            " VALUES ('Gene', ?, ?, ?, ?, (SELECT MAX(number) FROM builds))",
                            {store::Value{name}, store::Value{name}, store::Value{label},
                             store::Value{base::search_key(label)}});
    }
}

}  // namespace

TEST_CASE("What people call an object leads to it, with all other parameters") {
    World world;
    world.release_up_to(2);
    REQUIRE(world.get(plain).status == 200);
    const std::string named = "class=Gene&name=WBGene00006763";
    for (const auto& [asked, target] : std::initializer_list<std::pair<std::string, std::string>>{
             {"/rss?class=Gene&name=unc-26", "/rss?" + named},
             {"/rss?format=atom;n=3;name=UNC-26;class=gene&tag=Live&since=WS1",
              "/rss?" + named + "&n=3&since=WS1&tag=Live&format=atom"},
             {"/rss/archive?class=Gene&name=unc-26&before=50",
              "/rss/archive?" + named + "&before=50"},
             {"/diff?class=Gene&name=unc-26&from=WS1&to=WS2&format=json",
              "/diff?" + named + "&from=WS1&to=WS2&format=json"}}) {
        INFO(asked);
        const auto answer = world.open(asked);
        CHECK(answer.status == 302);
        CHECK(answer.field("Location") == site_path + target);
        CHECK(answer.field("Cache-Control") == "public, max-age=60");
        CHECK(says(answer, "Gene WBGene00006763 has that common name."));
    }
    CHECK(world.open("/history?class=Paper&name=unc-26").status == 404);
}

TEST_CASE(
    "Several objects of one label are a page to choose from, with what has vanished marked") {
    World world;
    world.release_up_to(2);
    REQUIRE(world.get(plain).status == 200);
    record(world, 1, "unc-26");
    const auto text = world.open("/history?class=Gene&name=unc-26&at=WS2");
    CHECK(text.status == 300);
    CHECK(text.field("Cache-Control") == "public, max-age=60");
    CHECK(text.field("Location").empty());
    CHECK(
        body_of(text) ==
        "300 Multiple Choices\n\nThere is no Gene \"unc-26\". 2 objects have that common name.\n"
        "\nGene WBGene00006763\n" +
            site_top +
            "/history?class=Gene&name=WBGene00006763&at=WS2\n"
            "\nGene n0 (not in the current release)\n" +
            site_top + "/history?class=Gene&name=n0&at=WS2\n");
    const std::string markup = "<script>alert(1)</script>";
    world.small.execute("UPDATE objects SET label = ?, label_key = ? WHERE class = 'Gene'",
                        {store::Value{markup}, store::Value{base::search_key(markup)}});
    const auto page = world.open("/history?class=Gene&name=" + base::percent_encode(markup),
                                 {{"accept", "text/html"}});
    CHECK(page.status == 300);
    CHECK_FALSE(says(page, "<script>alert"));
    CHECK(says(page, "<li><a href=\"" + site_path +
                         "/history?class=Gene&amp;name=WBGene00006763\">"
                         "Gene WBGene00006763</a></li>"));
}

TEST_CASE("Of very many objects of one label twenty are named") {
    World world;
    world.release_up_to(1);
    record(world, 30, "same");
    const auto answer = world.get("class=Gene&name=SAME");
    CHECK(answer.status == 300);
    CHECK(says(answer, "More than 20 objects have that common name."));
    CHECK(std::ranges::count(body_of(answer), ':') == 20);  // one address each
}

TEST_CASE("A private site says nothing about labels without a token, and keeps it on the way") {
    World world(private_settings());
    world.release_up_to(1);
    world.add_token("reader", "secret");
    REQUIRE(world.get(plain + "&token=secret").status == 200);
    const auto refused = world.get("class=Gene&name=unc-26");
    CHECK(refused.status == 401);
    CHECK_FALSE(says(refused, "WBGene00006763"));
    const auto answer = world.get("class=Gene&name=unc-26&token=secret");
    CHECK(answer.status == 302);
    CHECK(answer.field("Location") == site_path + "/rss?" + plain + "&token=secret");
    CHECK(answer.field("Cache-Control") == "private, no-store");
    record(world, 1, "unc-26");
    const auto choices = world.get("class=Gene&name=unc-26&token=secret");
    CHECK(choices.status == 300);
    CHECK(choices.field("Cache-Control") == "private, no-store");
    CHECK_FALSE(says(choices, "secret"));
}
