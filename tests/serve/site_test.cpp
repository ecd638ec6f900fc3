// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <xxhash.h>

#include "serve/responses.hpp"
#include "serve/world.hpp"
#include "support/gunzip.hpp"

using namespace world;

namespace {

// The release job ends, and knows what it changed in most objects.
void add_mass_change(World& world) {
    world.small.execute("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
                        " VALUES ('WS2', 'Gene', 'Live', 30123, 45000)");
}

}  // namespace

TEST_CASE("A page is rendered once a minute, and the same bytes have the same tag") {
    World world;
    world.release(1, {unc26});
    const auto first = world.get(plain), second = world.get(plain + "&unknown=1");
    CHECK(world.rendered() == 1);
    CHECK(first.body == second.body);
    world.make_stale();
    const auto third = world.get(plain);
    CHECK(world.rendered() == 2);
    CHECK(*third.body == *first.body);
    CHECK(third.field("ETag") == first.field("ETag"));
    CHECK(world.hits() == 3);
}

TEST_CASE("A page for which there is no memory is rendered by the next request") {
    World world;
    world.release(1, {unc26});
    world.small.store_switch.before_statement = [] { throw std::bad_alloc(); };
    const auto refused = world.get(plain);
    CHECK(refused.status == 503);
    CHECK(refused.field("Retry-After") == "30");
    CHECK(says(refused, "no memory"));
    world.small.store_switch.before_statement = nullptr;
    CHECK(world.get(plain).status == 200);
}

TEST_CASE("The entity tag is a digest of the body, so every process gives a page the same") {
    World world;
    world.release_up_to(2);
    auto other = world.site_like(site_at(site_top), settings_with(0));
    for (const auto& url :
         {"/rss?" + plain, "/rss?format=json&" + plain, std::string("/rss?class=Gene"),
          "/history?" + plain, std::string("/")}) {
        INFO(url);
        const auto page = world.open(url);
        const auto [low, high] = XXH3_128bits(page.body->data(), page.body->size());
        CHECK(page.field("ETag") == fmt::format("\"{:016x}{:016x}\"", high, low));
        CHECK(other.answer(request_for(url)).field("ETag") == page.field("ETag"));
    }
}

TEST_CASE("A client with the tag of a page gets the page when its bytes have changed") {
    World world(settings_with(0));
    world.release_up_to(2);
    const auto before = world.get(plain);
    const Fields known{{"if-none-match", std::string(before.field("ETag"))}};
    CHECK(world.get(plain, known).status == 304);
    add_mass_change(world);
    world.make_stale();
    CHECK(*world.get(plain).body != *before.body);
    CHECK(world.get(plain, known).status == 200);
}

TEST_CASE("The bytes of a gzip representation stay the same as long as those of the page do") {
    World world;
    world.release_up_to(2);
    const Fields gzip{{"accept-encoding", "gzip"}};
    const auto before = world.get(plain, gzip);
    world.make_stale();
    CHECK(world.get(plain, gzip).body == before.body);
    CHECK(world.rendered() == 2);
    add_mass_change(world);
    world.make_stale();
    CHECK(*world.get(plain, gzip).body != *before.body);
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
    CHECK(world.rendered() == 2);  // each coding is kept by itself
    CHECK(world.get(plain, {{"accept-encoding", "gzip"}}).body == coded.body);
}

TEST_CASE("Pages that count what a job still compares are kept for a minute") {
    World world;
    world.release_up_to(2);
    REQUIRE(world.get(plain).status == 200);
    const auto age_of = [&](const std::string& url) {
        return std::string(world.open(url).field("Cache-Control"));
    };
    for (const std::string url : {"/", "/releases", "/release/WS2"}) {
        CAPTURE(url);
        CHECK(age_of(url) == "public, max-age=60");
        world.small.execute("UPDATE builds SET recorded_at = '2008-03-22T00:00:00Z'");
        world.make_stale();
        CHECK(age_of(url) == "public, max-age=3600");
        world.small.execute("UPDATE builds SET recorded_at = ''");
        world.make_stale();
    }
    CHECK(age_of("/release/WS1") == "public, max-age=3600");
}

TEST_CASE(
    "Scripts of other sites may read a public site, its errors too, and never a private one") {
    World world;
    world.release_up_to(1);
    for (const std::string url : {"/suggest?q=u", "/rss?class=Gene&name=nobody", "/rss?name=x"})
        CHECK(world.open(url).field("Access-Control-Allow-Origin") == "*");
    CHECK(world.ask("OPTIONS", "/healthz").status == 405);
    CHECK(world.ask("OPTIONS", "/nowhere").status == 404);
    CHECK(world.ask("OPTIONS", "/rss").field("Allow") == "GET, HEAD, OPTIONS");
    CHECK(world.ask("OPTIONS", "/watch").field("Allow") == "GET, HEAD, POST, OPTIONS");
    CHECK(world.open("/healthz").field("Access-Control-Allow-Origin").empty());
    for (const auto* method : {"POST", "PUT"})
        for (const auto* path : {"/watch", "/rss"})
            CHECK(world.ask(method, path).field("Access-Control-Allow-Origin").empty());
    CHECK(world.ask("HEAD", "/watch").field("Access-Control-Allow-Origin") == "*");

    World closed(private_settings());
    closed.add_token("reader", "secret");
    CHECK(closed.ask("OPTIONS", "/rss?" + plain).status == 401);
    CHECK(closed.ask("OPTIONS", "/rss?" + plain + "&token=secret").status == 405);
    for (const auto* token : {"", "&token=secret"})
        CHECK(closed.get(plain + token).field("Access-Control-Allow-Origin").empty());
}

TEST_CASE("Each kind of error has its status and reveals no location or cause") {
    const std::map<ErrorKind, int> statuses = {
        {ErrorKind::absent, 404},   {ErrorKind::malformed, 503},   {ErrorKind::too_large, 503},
        {ErrorKind::conflict, 503}, {ErrorKind::unavailable, 503}, {ErrorKind::refused, 400}};
    const render::PageSite site(site_at("https://example.org"));
    const auto templates = *render::Templates::make();
    for (const auto& [kind, status] : statuses) {
        const auto error =
            serve::http_error_of({kind, "SELECT secret FROM /var/secret.db at host.secret"},
                                 serve::wanted_object(unc26), "WS999");
        const auto response = serve::error_response(error, {}, site, templates);
        CHECK(response.status == status);
        CHECK_FALSE(says(response, "secret"));
        CHECK(says(response, status == 400 ? "WS999" : "Gene WBGene00006763"));
        CHECK(response.field("Retry-After") == (status == 503 ? "30" : ""));
        CHECK((status < 500 || response.field("Cache-Control") == "no-store"));
    }
}

TEST_CASE("An exception becomes a 500 without its text") {
    World world;
    world.small.store_switch.before_statement = [] { throw std::runtime_error("disk secret"); };
    const auto response = world.get(plain);
    CHECK(response.status == 500);
    CHECK_FALSE(says(response, "secret"));
    world.small.store_switch.before_statement = nullptr;
    CHECK(world.get(plain).status == 200);
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
    world.make_stale();
    world.set_store_down(true);
    CHECK(world.get(plain).field("Cache-Control") == "public, max-age=60");
    world.set_store_down(false);
    world.small.put(world.build(1));
    world.set_store_down(true);
    const auto stale = world.get(plain);
    CHECK(stale.status == 200);
    CHECK(stale.body == cached.body);
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    // Nobody asked for its gzip form before.
    const auto coded = world.get(plain, {{"accept-encoding", "gzip"}});
    CHECK(coded.body == cached.body);
    CHECK(coded.field("Content-Encoding").empty());
    CHECK(coded.field("Cache-Control") == "public, max-age=60");
    // Of a page that is kept as gzip alone, others get the plain one.
    world.set_store_down(false);
    const auto newest = world.get(plain + "&n=2", {{"accept-encoding", "gzip"}});
    world.make_stale();
    world.set_store_down(true);
    const auto plain_one = world.get(plain + "&n=2");
    CHECK(plain_one.field("Content-Encoding").empty());
    CHECK(*plain_one.body == support::gunzip(*newest.body));
    CHECK(std::string(plain_one.field("ETag")) + "-gzip\"" ==
          std::string(newest.field("ETag")).insert(33, "\""));
    const auto never_cached = world.get(plain + "&n=3");
    CHECK(never_cached.status == 503);
    CHECK(never_cached.field("Retry-After") == "30");
    CHECK_FALSE(says(never_cached, "secret"));
}

TEST_CASE("A page rendered during a build switch is not cached for the old build") {
    World world;
    world.release(1, {unc26});
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
    auto settings = settings_with();
    settings.count_hits = false;
    World world(settings);
    CHECK(world.get(plain).status == 200);
    CHECK(world.hits() == 0);
}
