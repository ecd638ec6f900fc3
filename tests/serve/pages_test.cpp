// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "serve/world.hpp"

using namespace world;

namespace {

const std::string gene_page = "/history?class=Gene&name=WBGene00006763";
const std::string diff_page = "/diff?class=Gene&name=WBGene00006763&from=WS1&to=WS2";
const std::string object_page = "/object?class=Gene&name=WBGene00006763";

World& with_rows(World& world) {
    world.release(1, {unc26});
    world.release(2, {unc26});
    return world;
}

}  // namespace

TEST_CASE("A history page has every row, however short feeds are, and counts no hit") {
    auto settings = settings_with();
    settings.max_items = 1;
    World world(settings);
    with_rows(world);
    CHECK(says(world.open(gene_page), "id=\"WS1\""));
    CHECK(world.hits() == 0);
}

TEST_CASE("All pages of a large object show each line once, with its label") {
    World world;
    with_rows(world);
    support::Nodes genes{support::reference("Gene", unc26.name)};
    for (int i = 0; i < 1'200; ++i) {
        const auto name = (i % 2 == 0 ? "<g" : "g") + std::to_string(i) + ">";
        genes.push_back(support::reference("Gene", name));
        world.small.execute(
            "INSERT INTO objects (class, name, name_key, label, label_key, build)"
            " VALUES ('Gene', ?, ?, 'a label of some length', 'a label of some length',"
            " (SELECT MAX(number) FROM builds))",
            {store::Value{name}, store::Value{name}});
    }
    tree::merge_duplicates(genes);
    const auto lines = genes.size();
    world.small.set_object({"Paper", "large"}, {support::tag("Gene", std::move(genes))});
    world.release(3);
    std::size_t found = 0, number = 1;
    for (std::string url = "/object?class=Paper&name=large"; !url.empty(); ++number) {
        INFO(url);
        const auto page = world.open(url);
        REQUIRE(page.status == 200);
        CHECK_FALSE(says(page, "<g"));
        for (auto at = page.body->find("<tr class=\"d0"); at != std::string::npos;
             at = page.body->find("<tr class=\"d0", at + 1))
            ++found;
        if (number == 1) CHECK(says(page, ">unc-26</a> <small>WBGene00006763</small>"));
        const bool more = says(page, "Next page");
        url = more ? "/object?class=Paper&name=large&page=" + std::to_string(number + 1) : "";
    }
    CHECK(found == lines);
    CHECK(number == 4);
    CHECK(world.open("/object?class=Paper&name=large&page=4").status == 404);
}

TEST_CASE("An object of a tree is a link only if it has a page") {
    World world;
    const ObjectName paper_of{"Paper", "of_genes"}, recorded{"Gene", "gone"};
    world.small.set_object(recorded, {support::tag("Live")});
    world.release(1);
    REQUIRE(world.open("/history?class=Gene&name=gone").status == 200);
    world.small.remove_object(recorded);
    world.small.set_object(paper_of,
                           {support::tag("Gene", {support::reference("Gene", unc26.name),
                                                  support::reference("Gene", "gone"),
                                                  support::reference("Gene", "nobody")})});
    world.release(2);
    const auto page = world.open("/object?class=Paper&name=of_genes");
    CHECK(says(page, "name=" + unc26.name + "\">"));
    CHECK(says(page, "name=gone\">"));
    CHECK(says(page, "<td>nobody</td>"));
    CHECK_FALSE(says(page, "name=nobody"));
    for (const auto& [name, status] :
         {std::pair(unc26.name, 200), {std::string("gone"), 200}, {std::string("nobody"), 404}})
        CHECK(world.open("/history?class=Gene&name=" + name).status == status);
}

TEST_CASE("A link to a change leads to the page that has it") {
    World world;
    world.release(1);
    support::Nodes texts;
    for (int i = 0; i < 400; ++i)
        texts.push_back(support::text("Remark " + std::to_string(i) + std::string(60, '.') + " " +
                                      std::string(60, 'a') + " " + std::string(60, 'b')));
    const ObjectName large{"Paper", "large"};
    world.small.set_object(large, {support::tag("Remark", {support::text("one")})});
    world.release(2);
    world.small.set_object(large, {support::tag("Remark", std::move(texts))});
    world.release(3);
    const std::string address = "/history?class=Paper&name=large&at=WS3";
    CHECK(says(world.get("class=Paper&name=large&format=json"), "at=WS3&amp;number=1#WS3-c1"));
    CHECK_FALSE(says(world.open(address), "id=\"WS3-c390\""));
    const auto page = world.open(address + "&number=390");
    CHECK(says(page, "id=\"WS3-c390\""));
    CHECK(says(page, "Previous page"));
    CHECK(*world.open(address + "&number=100000").body == *world.open(address).body);
}

TEST_CASE(
    "A narrowed feed links a mass change to its line on the page, whatever it shows of it") {
    World world;
    const ObjectName gene{"Gene", "WBGene1"};
    const auto content = [](const char* one, const char* other) {
        return support::Nodes{
            support::tag("Live", {support::text(one), support::text(other), support::text("e")}),
            support::tag("Own", {support::text(one)})};
    };
    world.small.set_object(gene, content("a", "b"));
    world.release(1);
    world.small.set_object(gene, content("c", "d"));
    world.release(2);
    world.small.execute("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
                        " VALUES ('WS2', 'Gene', 'Live', 30123, 45000)");
    world.make_stale();
    const std::string page = "/history?class=Gene&name=WBGene1&at=WS2";
    CHECK(says(world.open(page), "id=\"WS2-c1\""));
    for (const std::string filter : {"", "&change=added", "&change=removed"}) {
        const auto feed = world.get("class=Gene&name=WBGene1&format=json" + filter);
        CAPTURE(filter);
        CHECK(says(feed, "#WS2-c1"));
    }
}

TEST_CASE("The pages of a search have each object once, and each has the address of the next") {
    World world;
    constexpr int objects = 60;
    for (int i = 0; i < objects; ++i)
        world.small.set_object({"Gene", "abc" + std::to_string(i)}, {});
    world.release(1);
    std::set<std::string> names;
    std::string next = "/?q=abc&format=json";
    for (int page = 1; page <= 2; ++page) {
        const auto found = nlohmann::json::parse(*world.open(next).body);
        for (const auto& each : found["objects"])
            CHECK(names.insert(each["name"].get<std::string>()).second);
        next = found.value("next", "");
        CHECK(next == (page == 1 ? site_top + "/?q=abc&page=2&format=json" : ""));
        if (page == 1) next = next.substr(site_top.size());
    }
    CHECK(names.size() == objects);
}

TEST_CASE("Pages and JSON of an object name curators where that is allowed") {
    World world;
    with_rows(world);
    auto look = site_at(site_top);
    look.hide_curators = true;
    auto discreet = world.site_like(look, settings_with());
    for (const auto& url :
         {object_page, object_page + "&format=json", diff_page + "&format=json"}) {
        INFO(url);
        CHECK(says(world.open(url), "sylvia"));
        const auto hidden = discreet.answer(request_for(url));
        CHECK_FALSE(says(hidden, "sylvia"));
        CHECK(says(hidden, "2008-01-01"));
    }
}

TEST_CASE("Suggestions are at most ten, last a minute, and are empty without a question") {
    World world;
    for (int i = 100; i < 120; ++i) {
        const ObjectName gene{"Gene", "WBGene00010" + std::to_string(i)};
        world.labels[gene] = "unc-" + std::to_string(i) + " \"<b>\"";
        world.set_value(gene, "0");
    }
    world.release(1);
    const auto response = world.open("/suggest?q=unc&class=Gene");
    CHECK(response.field("Cache-Control") == "public, max-age=60");
    const auto found = nlohmann::json::parse(*response.body);
    REQUIRE(found.size() == 10);
    CHECK(found[0]["label"] == "unc-100 \"<b>\"");
    CHECK(body_of(world.open("/suggest?q=")) == "[]\n");
}

TEST_CASE("What the store prevents is 503 or the cached page, but for static files") {
    World world;
    with_rows(world);
    const auto cached = world.open(gene_page);
    world.small.put(world.build(3));
    world.set_store_down(true);
    const auto stale = world.open(gene_page);
    CHECK(stale.body == cached.body);
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    for (const auto* url :
         {"/", "/?class=Paper", "/release/WS1", "/suggest?q=a", "/opml?object=Gene:x"}) {
        const auto page = world.open(url);
        CHECK(page.status == 503);
        CHECK(page.field("Retry-After") == "30");
        CHECK_FALSE(says(page, "secret"));
    }
    world.small.put(nullptr);
    for (const std::string path : {"/style.css", "/feed.css", "/varve.js"})
        CHECK(world.open(path + "?v=1").status == 200);
    world.set_store_down(false);
    world.small.put(world.build(3));
    CHECK(world.open("/?class=Paper").status == 200);
}
