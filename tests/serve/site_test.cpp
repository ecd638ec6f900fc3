// SPDX-License-Identifier: MIT
#include <map>
#include <stdexcept>

#include "render/feed.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/world.hpp"
#include "support/gunzip.hpp"

using namespace world;

TEST_CASE("A feed is answered with everything that a reader needs to cache it") {
    World world;
    world.release(1, {unc26});
    const auto response = world.get(plain);
    CHECK(response.status == 200);
    CHECK(response.field("Content-Type") == "application/rss+xml; charset=utf-8");
    CHECK(response.field("Cache-Control") == "public, max-age=3600");
    CHECK(response.field("Last-Modified") == "Tue, 01 Jan 2008 00:00:00 GMT");
    CHECK(response.field("Vary") == "Accept-Encoding, Accept");
    CHECK(response.field("X-Content-Type-Options") == "nosniff");
    CHECK(response.field("Content-Encoding").empty());
    CHECK(response.field("ETag").size() == 34);
    CHECK(says(response, "WBGene00006763/WS1<"));
    CHECK(world.hits() == 1);
}

TEST_CASE("The requested number of rows is shown, and the URL says which") {
    World world;
    world.release_up_to(5);
    const auto response = world.get("since=WS2;n=2;" + plain);
    CHECK(says(response, "/WS5<"));
    CHECK(says(response, "/WS4<"));
    CHECK_FALSE(says(response, "/WS3<"));
    CHECK(says(response, "n=2"));
    CHECK(says(response, "since=WS2"));
    const auto older = world.get("since=WS3;" + plain);
    CHECK(says(older, "/WS4<"));
    CHECK_FALSE(says(older, "/WS3<"));
}

TEST_CASE("A page is rendered once, and again after a write") {
    World world;
    world.release(1, {unc26});
    const auto first = world.get(plain), second = world.get(plain + "&unknown=1");
    CHECK(world.rendered() == 1);
    CHECK(first.body == second.body);
    world.small.write_elsewhere();
    const auto third = world.get(plain);
    CHECK(world.rendered() == 2);
    CHECK(*third.body == *first.body);
    CHECK(third.field("ETag") == first.field("ETag"));
    CHECK(world.hits() == 3);
}

TEST_CASE("A look at the write generation that runs out of memory is made again a second later") {
    World world;
    world.release(1, {unc26});
    static_cast<void>(world.get(plain));
    world.small.write_elsewhere();
    world.small.store_switch.before_statement = [] { throw std::bad_alloc(); };
    CHECK(world.get(plain).status == 500);
    world.small.store_switch.before_statement = nullptr;
    CHECK(world.get(plain).status == 200);
    CHECK(world.rendered() == 1);
    world.small.now += std::chrono::seconds(1);
    CHECK(world.get(plain).status == 200);
    CHECK(world.rendered() == 2);
}

TEST_CASE("Without a page cache each request renders the same bytes") {
    World world(settings_with("c", 0));
    const auto first = world.get(plain), second = world.get(plain);
    CHECK(world.rendered() == 2);
    CHECK(*first.body == *second.body);
}

TEST_CASE("Entity tags depend on parameters, configuration and coding") {
    World world, other(settings_with("another", 1 << 20));
    const auto tag = std::string(world.get(plain).field("ETag"));
    CHECK(world.get(plain + "&n=5").field("ETag") != tag);
    CHECK(other.get(plain).field("ETag") != tag);
    CHECK(world.get(plain, {{"accept-encoding", "gzip"}}).field("ETag") ==
          tag.substr(0, 33) + "-gzip\"");
}

TEST_CASE(
    "Entity tags are digests of the program's sources, the configuration, and what is shown") {
    World world;
    const std::string page_digest = "the digest of a configuration";
    serve::SiteContext context(
        {world.small.service, world.small.current, world.small.pool, world.tokens},
        site_at("https://example.org"), *render::Templates::make(), settings_with(page_digest));
    std::string parts;
    for (const std::string& part : {std::string(render::source_digest()), page_digest,
                                    std::string("rss"), std::string("a row")})
        parts += std::to_string(part.size()) + ":" + part;
    CHECK(context.entity_tag_of({"rss", "a row"}) ==
          "\"" + base::sha256_hex(parts).substr(0, 32) + "\"");
}

TEST_CASE("Conditional requests get 304 without body or content fields") {
    World world;
    const auto full = world.get(plain);
    const auto tag = std::string(full.field("ETag"));
    const std::string date(full.field("Last-Modified"));
    for (const auto& fields : std::vector<Fields>{
             {{"if-none-match", tag}},
             {{"if-none-match", "\"x\", W/" + tag}},
             {{"if-none-match", "*"}},
             {{"if-modified-since", date}},
             {{"if-none-match", tag}, {"if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT"}}}) {
        for (const auto* method : {"GET", "HEAD"}) {
            const auto response = world.ask(method, "/rss", plain, fields);
            CHECK(response.status == 304);
            CHECK(response.body == nullptr);
            CHECK(response.field("ETag") == tag);
            CHECK(response.field("Last-Modified") == date);
            CHECK(response.field("Cache-Control") == full.field("Cache-Control"));
            CHECK(response.field("Vary") == full.field("Vary"));
            CHECK(response.field("Content-Type").empty());
        }
    }
    CHECK(world.get(plain, {{"if-none-match", "\"x\""}, {"if-modified-since", date}}).status ==
          200);
}

TEST_CASE("A gzip representation has its own tag and only that validates it") {
    World world;
    const auto identity = world.get(plain);
    const auto coded = world.get(plain, {{"accept-encoding", "gzip"}});
    CHECK(coded.field("Content-Encoding") == "gzip");
    CHECK(support::gunzip(*coded.body) == *identity.body);
    const std::string tag(coded.field("ETag")), plain_tag(identity.field("ETag"));
    const auto status = [&](const std::string& match, const std::string& accepted) {
        return world.get(plain, {{"if-none-match", match}, {"accept-encoding", accepted}}).status;
    };
    CHECK(status(tag, "gzip") == 304);
    CHECK(status(plain_tag, "gzip") == 200);
    CHECK(status(tag, "") == 200);
    CHECK(status(plain_tag, "") == 304);
    CHECK(world.rendered() == 2);  // identity, and gzip from that
    CHECK(world.get(plain, {{"accept-encoding", "gzip"}}).body == coded.body);
}

TEST_CASE("Other methods get 405 with the allowed ones") {
    World world;
    for (const auto* method : {"POST", "PUT", "DELETE", "get", ""}) {
        const auto response = world.ask(method, "/rss", plain);
        CHECK(response.status == 405);
        CHECK(response.field("Allow") == "GET, HEAD");
    }
    CHECK(world.ask("POST", "/nowhere").status == 404);
}

TEST_CASE(
    "Scripts of other sites may read a public site, its errors too, and never a private one") {
    World world;
    world.release_up_to(1);
    const std::vector<std::string> readable = {"/rss?" + plain,
                                               "/history?" + plain + "&format=json",
                                               "/object?" + plain + "&format=json",
                                               "/suggest?q=u",
                                               "/rss?class=Gene&name=nobody",
                                               "/rss?name=x"};
    for (const auto& url : readable) {
        INFO(url);
        const auto response = world.open(url);
        CHECK(response.field("Access-Control-Allow-Origin") == "*");
        CHECK(response.field("Access-Control-Expose-Headers").starts_with("ETag"));
        CHECK(response.field("Access-Control-Allow-Credentials").empty());
    }
    const auto preflight = world.ask("OPTIONS", "/rss", plain);
    CHECK(preflight.status == 204);
    CHECK(preflight.field("Access-Control-Allow-Methods") == "GET, HEAD");
    CHECK(preflight.field("Access-Control-Allow-Headers").find("If-None-Match") !=
          std::string::npos);
    CHECK_FALSE(preflight.body);
    CHECK(world.ask("OPTIONS", "/healthz").status == 405);
    CHECK(world.ask("OPTIONS", "/nowhere").status == 404);
    CHECK(world.open("/healthz").field("Access-Control-Allow-Origin").empty());
    for (const auto* method : {"POST", "PUT"})
        for (const auto* path : {"/watch", "/rss"})
            CHECK(world.ask(method, path).field("Access-Control-Allow-Origin").empty());
    CHECK(world.ask("HEAD", "/watch").field("Access-Control-Allow-Origin") == "*");

    auto settings = settings_with();
    settings.private_site = true;
    World closed(std::move(settings));
    closed.add_token("reader", "secret");
    CHECK(closed.ask("OPTIONS", "/rss", plain).status == 401);
    CHECK(closed.ask("OPTIONS", "/rss", plain + "&token=secret").status == 405);
    for (const auto* token : {"", "&token=secret"})
        CHECK(closed.get(plain + token).field("Access-Control-Allow-Origin").empty());
}

TEST_CASE("Each wrong request has its status") {
    World world;
    CHECK(world.get("").status == 400);
    CHECK(world.get("name=x").status == 400);
    CHECK(says(world.get("name=x"), "class="));
    CHECK(world.get(plain + "&n=0").status == 400);
    CHECK(world.get(plain + "&format=pdf").status == 400);
    CHECK(world.get(std::string(1 << 20, 'q')).status == 414);
    CHECK(world.ask("GET", "").status == 404);
    CHECK(world.ask("GET", "/rss/").status == 404);
    Request broken;
    broken.path = "/rss";
    broken.error = serve::HttpError{400, "The path has an invalid percent escape."};
    CHECK(world.site.answer(broken).status == 400);
    CHECK(world.rendered() == 0);
    CHECK(world.hits() == 0);
}

TEST_CASE("Each kind of error has its status and reveals no location or cause") {
    const std::map<ErrorKind, int> statuses = {
        {ErrorKind::absent, 404},   {ErrorKind::malformed, 503},   {ErrorKind::too_large, 503},
        {ErrorKind::conflict, 503}, {ErrorKind::unavailable, 503}, {ErrorKind::refused, 400}};
    const auto site = site_at("https://example.org");
    const auto templates = *render::Templates::make();
    for (const auto& [kind, status] : statuses) {
        const auto error =
            serve::http_error_of({kind, "SELECT secret FROM /var/secret.db at host.secret"},
                                 serve::wanted_object(unc26), "WS999");
        const auto response = serve::error_response(error, {}, {site, templates});
        CHECK(response.status == status);
        CHECK_FALSE(says(response, "secret"));
        CHECK(says(response, status == 400 ? "WS999" : "Gene WBGene00006763"));
        CHECK(response.field("Retry-After") == (status == 503 ? "30" : ""));
        CHECK((status < 500 || response.field("Cache-Control") == "no-store"));
    }
}

TEST_CASE("An object unreadable in the build is 503, and an unknown release is 400") {
    World world;
    const ObjectName broken{"Gene", "broken"};
    const auto build = world.build(1);
    build->with("Gene", "broken", {support::tag("Live")});
    build->break_one_with(broken, {ErrorKind::malformed, "secret"});
    world.small.put(build);
    const auto response = world.get("class=Gene&name=broken");
    CHECK(response.status == 503);
    CHECK(says(response, "Gene broken cannot be read"));
    CHECK_FALSE(says(response, "secret"));
    CHECK(world.get(plain + "&since=WS999").status == 400);
}

TEST_CASE("An object whose name has lines is asked for by its escaped name") {
    World world;
    const auto build = world.build(1);
    build->with("Text", "two\nlines\tend", {support::tag("Live")});
    world.small.put(build);
    for (const auto* query :
         {"class=Text&name=two%0Alines%09end", "object=Text:two%0Alines%09end"}) {
        const auto response = world.get(query);
        CHECK(response.status == 200);
        for (const auto& [name, value] : response.fields)
            CHECK(value.find_first_of("\n\t") == std::string::npos);
    }
    CHECK(says(world.get("class=Text&name=two%0Alines%09end"), "two%0Alines%09end"));
}

TEST_CASE("An exception becomes a 500 without its text") {
    World world;
    static_cast<void>(world.small.service.cache_version());
    world.small.store_switch.before_statement = [] { throw std::runtime_error("disk secret"); };
    const auto response = world.get(plain);
    CHECK(response.status == 500);
    CHECK_FALSE(says(response, "secret"));
    world.small.store_switch.before_statement = nullptr;
    CHECK(world.get(plain).status == 200);
}

TEST_CASE("Errors are HTML for browsers, with the query escaped, and text for others") {
    World world;
    const std::string query = "class=Gene&name=%3Cscript%3Ealert(1)%3C/script%3E";
    const auto html = world.get(query, {{"accept", "text/html,*/*;q=0.8"}});
    CHECK(html.status == 404);
    CHECK(html.field("Content-Type") == "text/html; charset=utf-8");
    CHECK(says(html, "alert(1)"));
    CHECK_FALSE(says(html, "<script>"));
    CHECK(says(html, "&lt;script"));
    const auto text = world.get(query);
    CHECK(text.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(says(text, "<script>"));
    CHECK(text.field("X-Content-Type-Options") == "nosniff");
    CHECK(text.field("Vary") == "Accept");
}

TEST_CASE("A feed in another spelling redirects to the recorded one with its parameters") {
    World world;
    const auto response = world.get("class=gene&name=wbgene00006763&n=5&junk=1");
    CHECK(response.status == 301);
    CHECK(response.field("Location") ==
          "https://example.org/changes/rss?class=Gene&name=WBGene00006763&n=5");
    CHECK(world.hits() == 0);
}

TEST_CASE("The old site's links lead to the same feed") {
    World world;
    const auto response =
        world.ask("GET", "/db/rss", "name=WBGene00006763;class=Gene;since=WS186");
    CHECK(response.status == 301);
    CHECK(response.field("Location") ==
          "https://example.org/changes/rss?class=Gene&name=WBGene00006763&since=WS186");
    CHECK(world.rendered() == 0);
    CHECK(world.ask("GET", "/db/rss", "name=x").status == 400);
    World at_root(settings_with(), "http://127.0.0.1:8080");
    CHECK(at_root.ask("GET", "/db/rss", "name=a%20b;class=C").field("Location") ==
          "http://127.0.0.1:8080/rss?class=C&name=a%20b");
}

TEST_CASE("While the build is unreadable, history is answered for a minute and not cached") {
    World world;
    world.release(1, {unc26});
    world.set_value(unc26, "2");
    const auto build = world.build(2);
    build->break_with({ErrorKind::unavailable, "away"});
    world.small.put(build);
    const auto response = world.get(plain);
    CHECK(says(response, "/WS1<"));
    CHECK(response.field("Cache-Control") == "public, max-age=60");
    world.small.put(world.build(2));
    CHECK(world.get(plain).field("Cache-Control") == "public, max-age=3600");
    CHECK(world.rendered() == 2);
}

TEST_CASE("While the store is down a cached page is sent, and other pages are 503") {
    World world;
    const auto cached = world.get(plain);
    world.small.set_store_down(true);
    const auto same = world.get(plain);
    CHECK(same.body == cached.body);
    CHECK(same.field("Cache-Control") == "public, max-age=60");

    world.small.set_store_down(false);
    world.small.put(world.build(1));
    world.small.set_store_down(true);
    const auto stale = world.get(plain);
    CHECK(stale.status == 200);
    CHECK(stale.body == cached.body);
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    const auto coded = world.get(plain, {{"accept-encoding", "gzip"}});
    CHECK(support::gunzip(*coded.body) == *cached.body);
    CHECK(coded.field("Cache-Control") == "public, max-age=60");
    const auto never_cached = world.get(plain + "&n=3");
    CHECK(never_cached.status == 503);
    CHECK(never_cached.field("Retry-After") == "30");
    CHECK_FALSE(says(never_cached, "secret"));
}

TEST_CASE("A page rendered during a build switch is not cached for the old build") {
    World world;
    world.release(1, {unc26});
    static_cast<void>(world.small.service.cache_version());
    world.small.store_switch.before_statement = [&] {
        world.small.store_switch.before_statement = nullptr;
        world.small.put(world.build(2));
    };
    CHECK(world.get(plain).field("Cache-Control") == "public, max-age=60");
    world.small.put(world.build(1));
    CHECK(world.get(plain).status == 200);
    CHECK(world.rendered() == 2);
}

TEST_CASE("Hits are not counted where they are disabled") {
    auto settings = settings_with("c", 1 << 20);
    settings.count_hits = false;
    World world(settings);
    CHECK(world.get(plain).status == 200);
    CHECK(world.hits() == 0);
}
