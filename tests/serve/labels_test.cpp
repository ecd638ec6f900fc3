// Objects that are asked for by what people call them.
// SPDX-License-Identifier: MIT
#include "base/words.hpp"
#include "serve/world.hpp"

using namespace world;

namespace {

const std::string at_home = "https://example.org/changes";
const std::string browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

// Objects of the store that are called so, seen in the newest release; no build has them.
void record(World& world, int count, const std::string& label) {
    for (int i = 0; i < count; ++i) {
        const auto name = "n" + std::to_string(i);
        world.small.execute(
            "INSERT INTO objects (class, name, name_key, label, label_key, ace_version)"
            " VALUES ('Gene', ?, ?, ?, ?, ?)",
            {store::Value{name}, store::Value{name}, store::Value{label},
             store::Value{base::search_key(label)}, store::Value{World::version(world.newest)}});
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
             {"/history?class=Gene&name=unc-26&at=WS2", "/history?" + named + "&at=WS2"},
             {"/object?class=Gene&name=unc-26&release=WS2&format=json",
              "/object?" + named + "&release=WS2&format=json"},
             {"/diff?class=Gene&name=unc-26&from=WS1&to=WS2&format=json",
              "/diff?" + named + "&from=WS1&to=WS2&format=json"}}) {
        INFO(asked);
        const auto answer = world.open(asked);
        CHECK(answer.status == 302);
        CHECK(answer.field("Location") == at_home + target);
        CHECK(answer.field("Cache-Control") == "public, max-age=60");
        CHECK(says(answer, "Gene WBGene00006763 has that common name."));
    }
    CHECK(world.open("/history?class=Gene&name=nobody").status == 404);
    CHECK(world.open("/history?class=Paper&name=unc-26").status == 404);
    CHECK(world.open("/history?class=Gene&name=").status == 400);
}

TEST_CASE("A name wins over what another object is called") {
    World world;
    const ObjectName other{"Gene", "unc-26"};
    world.labels[other] = "dab-1";
    world.set_value(other, "0");
    world.release(1, {unc26, other});
    REQUIRE(world.get(plain).status == 200);
    CHECK(world.get("class=Gene&name=unc-26").status == 200);
    CHECK(world.get("class=Gene&name=UNC-26").status == 301);
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
            at_home +
            "/history?class=Gene&name=WBGene00006763&at=WS2\n"
            "\nGene n0 (not in the current release)\n" +
            at_home + "/history?class=Gene&name=n0&at=WS2\n");
    const auto page = world.open("/history?class=Gene&name=unc-26&at=WS2", {{"accept", browser}});
    CHECK(page.status == 300);
    CHECK(says(page, "<li><a href=\"" + at_home +
                         "/history?class=Gene&amp;name=WBGene00006763&amp;at=WS2\">"
                         "Gene WBGene00006763</a></li>"));
}

TEST_CASE(
    "Who asks for a label is not asked whether another is meant that searches take for it") {
    World world;
    world.release_up_to(2);
    REQUIRE(world.get(plain).status == 200);
    record(world, 30, "unc-2.6");
    const auto answer = world.open("/rss?class=Gene&name=UNC-26");
    CHECK(answer.status == 302);
    CHECK(answer.field("Location") == at_home + "/rss?class=Gene&name=WBGene00006763");
    CHECK(world.open("/rss?class=Gene&name=unc26").status == 300);
}

TEST_CASE("Of very many objects of one label twenty are named") {
    World world;
    world.release_up_to(1);
    record(world, 30, "same");
    const auto answer = world.get("class=Gene&name=SAME");
    CHECK(answer.status == 300);
    CHECK(says(answer, "More than 20 objects have that common name."));
    std::size_t links = 0;
    const auto text = body_of(answer);
    for (auto at = text.find("http"); at != std::string::npos; at = text.find("http", at + 1))
        ++links;
    CHECK(links == 20);
}

TEST_CASE(
    "A label of markup and of characters that turn the line is text on the page to choose") {
    World world;
    world.release_up_to(1);
    for (const std::string label : {"<script>alert(1)</script>",
                                    "\xE2\x80\xAE"
                                    "62-cnu",
                                    "a\nb"}) {
        world.small.execute("DELETE FROM objects WHERE name LIKE 'n%'");
        record(world, 2, label);
        const auto page = world.open("/history?class=Gene&name=" + base::percent_encode(label),
                                     {{"accept", browser}});
        CHECK(page.status == 300);
        CHECK_FALSE(says(page, "<script>alert"));
    }
}

TEST_CASE("A private site says nothing about labels without a token, and keeps it on the way") {
    auto settings = settings_with();
    settings.private_site = true;
    World world(settings);
    world.release_up_to(1);
    world.add_token("reader", "secret");
    REQUIRE(world.get(plain + "&token=secret").status == 200);
    for (const std::string name : {"unc-26", "nobody"}) {
        const auto refused = world.get("class=Gene&name=" + name);
        CHECK(refused.status == 401);
        CHECK(refused.field("Location").empty());
        CHECK_FALSE(says(refused, "WBGene00006763"));
    }
    const auto answer = world.get("class=Gene&name=unc-26&token=secret");
    CHECK(answer.status == 302);
    CHECK(answer.field("Location") == at_home + "/rss?" + plain + "&token=secret");
    CHECK(answer.field("Cache-Control") == "private, no-store");
    record(world, 1, "unc-26");
    const auto choices = world.get("class=Gene&name=unc-26&token=secret");
    CHECK(choices.status == 300);
    CHECK(choices.field("Cache-Control") == "private, no-store");
    CHECK_FALSE(says(choices, "secret"));
}
