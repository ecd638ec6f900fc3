// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "serve/world.hpp"
#include "support/gunzip.hpp"

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

TEST_CASE("Every page has the fields of a page and is validated by its tag") {
    World world;
    with_rows(world);
    for (const auto& address : {std::string("/"), std::string("/?q=unc"), gene_page, diff_page,
                                object_page, std::string("/release/WS2")}) {
        INFO(address);
        const auto page = world.open(address);
        CHECK(page.status == 200);
        CHECK(page.field("Content-Type") == "text/html; charset=utf-8");
        CHECK(page.field("Cache-Control") == "public, max-age=3600");
        CHECK(page.field("Vary") ==
              (address == "/release/WS2" ? "Accept-Encoding, Accept" : "Accept-Encoding"));
        CHECK(page.field("Content-Security-Policy").starts_with("default-src 'none'; "));
        CHECK(page.field("Referrer-Policy") == "same-origin");
        CHECK(page.field("X-Content-Type-Options") == "nosniff");
        CHECK(says(page, "<html"));
        const std::string tag(page.field("ETag"));
        CHECK(tag.size() == 34);
        CHECK(world.open(address, {{"if-none-match", tag}}).status == 304);
        const auto coded = world.open(address, {{"accept-encoding", "gzip"}});
        CHECK(coded.field("ETag") == tag.substr(0, 33) + "-gzip\"");
        CHECK(support::gunzip(*coded.body) == *page.body);
        const auto question = address.find('?');
        const auto head =
            world.ask("HEAD", address.substr(0, question),
                      question == std::string::npos ? "" : address.substr(question + 1));
        CHECK(head.fields == page.fields);
        CHECK_FALSE(head.send_body);
        CHECK(world.ask("POST", address.substr(0, question)).status == 405);
    }
}

TEST_CASE("A history page is as old as its rows, and pages without such a date have only a tag") {
    World world;
    with_rows(world);
    const auto page = world.open(gene_page);
    CHECK(page.field("Last-Modified") == "Wed, 02 Jan 2008 00:00:00 GMT");
    CHECK(
        world.open(gene_page, {{"if-modified-since", "Wed, 02 Jan 2008 00:00:00 GMT"}}).status ==
        304);
    CHECK(world.open("/").field("Last-Modified").empty());
    CHECK(world.open("/", {{"if-modified-since", "Wed, 02 Jan 2030 00:00:00 GMT"}}).status ==
          200);
}

TEST_CASE("A history page links every row, however short feeds are, and counts no hit") {
    auto settings = settings_with();
    settings.max_items = 1;
    World world(settings);
    with_rows(world);
    CHECK(world.open(gene_page + "&at=WS1").status == 200);
    CHECK(world.hits() == 0);
}

TEST_CASE(
    "Pages of objects in another spelling redirect to the recorded one with their parameters") {
    World world;
    with_rows(world);
    CHECK(world.open("/history?class=gene&name=wbgene00006763&at=WS1&part=2").field("Location") ==
          "https://example.org/changes/history?class=Gene&name=WBGene00006763&at=WS1&part=2");
    CHECK(world.open("/diff?class=gene&name=wbgene00006763&from=WS1&to=WS2&format=json")
              .field("Location") == "https://example.org/changes/diff?class=Gene"
                                    "&name=WBGene00006763&from=WS1&to=WS2&format=json");
}

TEST_CASE("What does not exist is 404 and named") {
    World world;
    with_rows(world);
    for (const auto& [address, named] : std::map<std::string, std::string>{
             {"/history?class=Gene&name=nobody", "Gene nobody"},
             {gene_page + "&at=WS77", "WS77"},
             {"/diff?class=Gene&name=nobody&from=WS1&to=WS2", "Gene nobody"},
             {"/object?class=Gene&name=nobody", "Gene nobody"},
             {object_page + "&release=WS77", "WS77"},
             {"/release/WS77", "WS77"},
             {"/opml?object=Gene:nobody", "list"},
             {"/nowhere", "no page at this address"}}) {
        INFO(address);
        const auto page = world.open(address);
        CHECK(page.status == 404);
        CHECK(says(page, named));
        CHECK(page.body->ends_with(".\n"));
        CHECK_FALSE(says(page, "secret"));
        CHECK(page.field("Vary") == "Accept");
        const auto html = world.open(address, {{"accept", "text/html"}});
        CHECK(html.field("Content-Type") == "text/html; charset=utf-8");
        CHECK(html.field("Content-Security-Policy").starts_with("default-src 'none'"));
    }
}

TEST_CASE("Bad parameters of pages are named and refused before anything is loaded") {
    World world;
    for (const auto& [address, named] :
         std::map<std::string, std::string>{{gene_page + "&part=0", "part="},
                                            {gene_page + "&at=a/b", "at="},
                                            {"/history?class=Gene", "name="},
                                            {"/diff?class=Gene&name=x&from=WS1", "to="},
                                            {gene_page + "&at=WS1&number=0", "number="},
                                            {gene_page + "&format=rss", "format="},
                                            {object_page + "&part=x", "part="},
                                            {object_page + "&release=a/b", "release="},
                                            {object_page + "&format=xml", "format="},
                                            {diff_page + "&format=xml", "format="},
                                            {"/release/WS1?from=-1", "from="},
                                            {"/?class=" + std::string(65, 'c'), "class="},
                                            {"/opml", "object="},
                                            {"/suggest?q=%ff", "q="}}) {
        INFO(address);
        const auto page = world.open(address);
        CHECK(page.status == 400);
        CHECK(says(page, named));
        CHECK(page.body->ends_with(".\n"));
    }
    CHECK(world.rendered() == 0);
}

TEST_CASE(
    "All parts of a large object are small pages that show each line once, with its label") {
    World world;
    with_rows(world);
    support::Nodes genes{support::reference("Gene", unc26.name)};
    for (int i = 0; i < 1'000; ++i) {
        const auto name = (i % 2 == 0 ? "<g" : "g") + std::to_string(i) + ">";
        genes.push_back(support::reference("Gene", name));
        world.small.execute(
            "INSERT INTO objects (class, name, name_key, label, label_key, ace_version)"
            " VALUES ('Gene', ?, ?, 'a label of some length', 'a label of some length', 'WS2')",
            {store::Value{name}, store::Value{name}});
    }
    tree::merge_duplicates(genes);
    const auto lines = genes.size();
    world.small.set_object({"Paper", "large"}, {support::tag("Gene", std::move(genes))});
    world.release(3);
    std::size_t found = 0, part = 1;
    for (std::string url = "/object?class=Paper&name=large"; !url.empty(); ++part) {
        INFO(url);
        const auto page = world.open(url);
        REQUIRE(page.status == 200);
        CHECK(page.body->size() <= 60'000);
        CHECK_FALSE(says(page, "<g"));
        for (auto at = page.body->find("<tr class=\"d0"); at != std::string::npos;
             at = page.body->find("<tr class=\"d0", at + 1))
            ++found;
        if (part == 1) CHECK(says(page, ">unc-26</a> <small>WBGene00006763</small>"));
        const bool more = says(page, "Next part");
        url = more ? "/object?class=Paper&name=large&part=" + std::to_string(part + 1) : "";
    }
    CHECK(found == lines);
    CHECK(part > 3);
    CHECK(world.open("/object?class=Paper&name=large&part=1000").status == 404);
}

TEST_CASE("Labels with markup, without end or with turning marks stay inside of their line") {
    World world;
    world.release(1);
    const std::string turned = "\xE2\x80\xAE<b>&\"'\x01";
    world.small.execute("UPDATE objects SET label = ? WHERE name = 'WBGene00006763'",
                        {store::Value{turned}});
    world.small.execute("UPDATE objects SET label = ? WHERE name = 'WBGene00000912'",
                        {store::Value{std::string(400, '&')}});
    world.small.set_object({"Paper", "p"},
                           {support::tag("Gene", {support::reference("Gene", unc26.name),
                                                  support::reference("Gene", daf16.name)})});
    world.release(2);
    const auto page = world.open("/object?class=Paper&name=p");
    REQUIRE(page.status == 200);
    CHECK_FALSE(says(page, "<b>&"));
    CHECK(says(page, "&lt;b&gt;&amp;"));
    CHECK(says(page, "<small>WBGene00006763</small>"));
    CHECK(says(page, "\xE2\x80\xA6</a> <small>WBGene00000912</small>"));
}

TEST_CASE("A link to a change leads to the part of the page that has it") {
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
    const auto feed = body_of(world.get("class=Paper&name=large&format=json"));
    const std::string address = "/history?class=Paper&name=large&at=WS3";
    const auto link = "at=WS3&amp;number=1#WS3-c1";
    CHECK(feed.find(link) != std::string::npos);
    CHECK_FALSE(says(world.open(address), "id=\"WS3-c390\""));
    const auto page = world.open(address + "&number=390");
    CHECK(page.status == 200);
    CHECK(says(page, "id=\"WS3-c390\""));
    CHECK(says(page, "Previous part"));
    CHECK(*world.open(address + "&number=100000").body == *world.open(address).body);
    CHECK(*world.open("/history?class=Paper&name=large&number=3").body ==
          *world.open("/history?class=Paper&name=large").body);
}

TEST_CASE(
    "The history as JSON has all rows and their changes, in parts that are whole documents") {
    World world;
    with_rows(world);
    const auto response = world.open(gene_page + "&format=json");
    CHECK(response.field("Content-Type") == "application/json");
    const auto history = nlohmann::json::parse(*response.body);
    CHECK(history["label"] == "unc-26");
    CHECK(history["rows"].size() == history["rows_recorded"]);
    CHECK(history["rows"][0]["release"] == "WS2");
    CHECK(history["rows"][0]["changes"] ==
          nlohmann::json::parse(*world.open(diff_page + "&format=json").body)["changes"]);
    CHECK_FALSE(history.contains("next_url"));
    const auto one = nlohmann::json::parse(*world.open(gene_page + "&at=WS1&format=json").body);
    CHECK(one["rows"].size() == 1);
    CHECK(world.open(gene_page + "&part=2&format=json").status == 404);

    std::size_t rows = 0, parts = 0;
    const ObjectName large{"Paper", "large"};
    for (int i = 3; i < 7; ++i) {
        world.small.set_object(
            large, {support::tag("Text", {support::text(std::string(400'000, char('a' + i)))})});
        world.release(i);
    }
    std::string url = "/history?class=Paper&name=large&format=json";
    while (!url.empty()) {
        const auto part = nlohmann::json::parse(*world.open(url).body);
        rows += part["rows"].size();
        ++parts;
        url = part.value("next_url", "");
        if (!url.empty()) url = url.substr(url.find("/history"));
    }
    CHECK(rows == 3);
    CHECK(parts == 3);
}

TEST_CASE(
    "The object as JSON has the whole tree, with releases and with curators where allowed") {
    World world;
    with_rows(world);
    const auto response = world.open(object_page + "&release=WS1&format=json");
    CHECK(response.field("Content-Type") == "application/json");
    const auto object = nlohmann::json::parse(*response.body);
    CHECK(object["there"] == true);
    CHECK(object["release"] == "WS1");
    CHECK(object["first_seen"] == "WS0");
    CHECK_FALSE(object["nodes"][0].contains("since"));
    const auto& value = object["nodes"][1]["children"][0];
    CHECK(value["text"] == "1");
    CHECK(value["since"] == "WS1");
    CHECK(value["by"] == "sylvia");

    auto site = site_at("https://example.org");
    site.hide_curators = true;
    serve::Site discreet(
        {world.small.service, world.small.current, world.small.pool, world.tokens}, site,
        *render::Templates::make(), settings_with());
    Request request;
    request.path = "/object";
    for (const auto* format : {"", "&format=json"}) {
        request.query = plain + format;
        const auto hidden = discreet.answer(request);
        CHECK(hidden.status == 200);
        CHECK_FALSE(says(hidden, "sylvia"));
        CHECK(says(hidden, "2008-01-01"));
    }
}

TEST_CASE("A difference as JSON has the form of the command's, with curators where allowed") {
    World world;
    with_rows(world);
    const auto response = world.open(diff_page + "&format=json");
    CHECK(response.field("Content-Type") == "application/json");
    CHECK(response.field("Content-Security-Policy").empty());
    CHECK(body_of(response).starts_with(
        R"({"class":"Gene","name":"WBGene00006763","from":"WS1","to":"WS2","kind":"changed",)"
        R"("changes":[{"op":"replaced","path":[{"tag":"Live"}],)"));
    CHECK(says(response, R"("by":"sylvia")"));

    auto site = site_at("https://example.org");
    site.hide_curators = true;
    serve::Site discreet(
        {world.small.service, world.small.current, world.small.pool, world.tokens}, site,
        *render::Templates::make(), settings_with());
    Request request;
    request.path = "/diff";
    request.query = "class=Gene&name=WBGene00006763&from=WS1&to=WS2&format=json";
    const auto hidden = discreet.answer(request);
    CHECK(hidden.status == 200);
    CHECK_FALSE(says(hidden, "sylvia"));
    CHECK(says(hidden, "2008-01-01T09:15:20"));
}

TEST_CASE("Kinds of differences are distinguished") {
    World world;
    world.release(1, {unc26});
    world.small.remove_object(unc26);
    world.release(2, {daf16});
    REQUIRE(world.get(plain).status == 200);
    world.release(3, {unc26});
    world.release(4, {daf16});
    const auto kind = [&](const std::string& from, const std::string& to) {
        const auto response = world.open("/diff?class=Gene&name=WBGene00006763&from=" + from +
                                         "&to=" + to + "&format=json");
        return nlohmann::json::parse(*response.body)["kind"].get<std::string>();
    };
    CHECK(kind("WS0", "WS1") == "changed");
    CHECK(kind("WS3", "WS4") == "unchanged");
    CHECK(kind("WS2", "WS3") == "created");
    CHECK(kind("WS1", "WS2") == "vanished");
}

TEST_CASE("Releases in the wrong order lead to the right order, and unknown ones are 404") {
    World world;
    with_rows(world);
    const auto page = world.open("/diff?class=Gene&name=WBGene00006763&from=WS2&to=WS1");
    CHECK(page.status == 302);
    CHECK(page.field("Location") ==
          "https://example.org/changes/diff?class=Gene&name=WBGene00006763&from=WS1&to=WS2");
    CHECK(page.field("Cache-Control") == "public, max-age=60");
    CHECK(says(page, "from=WS2 is later than to=WS1"));
    const auto json =
        world.open("/diff?class=Gene&name=WBGene00006763&from=WS2&to=WS1&format=json");
    CHECK(json.field("Location").ends_with("&from=WS1&to=WS2&format=json"));
    const auto unknown = world.open("/diff?class=Gene&name=WBGene00006763&from=WS1&to=WS9");
    CHECK(unknown.status == 404);
    CHECK(says(unknown, "WS9"));
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
    CHECK(response.status == 200);
    CHECK(response.field("Content-Type") == "application/json");
    CHECK(response.field("Cache-Control") == "public, max-age=60");
    CHECK(response.field("Vary") == "Accept-Encoding");
    const auto found = nlohmann::json::parse(*response.body);
    REQUIRE(found.size() == 10);
    CHECK(found[0]["label"] == "unc-100 \"<b>\"");
    CHECK(found[0]["url"] ==
          "https://example.org/changes/history?class=Gene&name=WBGene00010100");
    CHECK(found[0].size() == 4);
    CHECK(body_of(world.open("/suggest?q=")) == "[]\n");
}

TEST_CASE("Static files are cacheable for a day and available without store and build") {
    World world;
    world.small.put(nullptr);
    world.small.set_store_down(true);
    for (const auto& [path, type] :
         std::map<std::string, std::string>{{"/style.css", "text/css; charset=utf-8"},
                                            {"/feed.css", "text/css; charset=utf-8"},
                                            {"/varve.js", "text/javascript; charset=utf-8"}}) {
        const auto response = world.open(path + "?v=1");
        CHECK(response.status == 200);
        CHECK(response.field("Content-Type") == type);
        CHECK(response.field("Cache-Control") == "public, max-age=86400");
        CHECK(world.open(path, {{"if-none-match", std::string(response.field("ETag"))}}).status ==
              304);
    }
}

TEST_CASE("A release page shows the requested objects") {
    World world;
    world.release(1, {unc26, daf16, paper});
    const auto page = world.open("/release/WS1?q=unc&class=Gene");
    CHECK(page.status == 200);
    CHECK(says(page, "unc-26"));
    CHECK_FALSE(says(page, "daf-16"));
    CHECK_FALSE(says(world.open("/release/WS1?from=100"), "unc-26"));
}

TEST_CASE("A home page that the store prevents is 503, and 200 afterwards") {
    World world;
    with_rows(world);
    for (const auto* url : {"/", "/?q=unc", "/?q=daf", "/?class=Gene&q=unc",
                            "/watch?object=Gene:WBGene00006763&object=Gene:nobody"})
        CHECK(says(world.open(url), "WS2"));
    world.release(3, {unc26});
    world.small.set_store_down(true);
    CHECK(world.open("/?class=Paper").status == 503);
    world.small.set_store_down(false);
    CHECK(says(world.open("/?class=Paper"), "WS3"));
}

TEST_CASE("The home page of a site without a build is not cached") {
    World world(settings_with(), "https://example.org", World::Start::without_build);
    CHECK(world.open("/").field("Cache-Control") == "public, max-age=60");
    CHECK(world.open("/").field("Cache-Control") == "public, max-age=60");
    CHECK(world.rendered() == 2);
}

TEST_CASE("A page that the store prevents is 503, or the cached one") {
    World world;
    with_rows(world);
    const auto cached = world.open(gene_page);
    world.small.put(world.build(3));
    world.small.set_store_down(true);
    const auto stale = world.open(gene_page);
    CHECK(stale.body == cached.body);
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    for (const auto* url : {"/", "/release/WS1", "/suggest?q=a", "/opml?object=Gene:x"}) {
        const auto page = world.open(url);
        CHECK(page.status == 503);
        CHECK(page.field("Retry-After") == "30");
        CHECK_FALSE(says(page, "secret"));
    }
}
