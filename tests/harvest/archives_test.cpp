// The queue of archives: what begins a walk, who gets a page, and what comes after it.
// SPDX-License-Identifier: MIT
#include "harvest/archives.hpp"

#include "archive_world.hpp"

using namespace std::chrono_literals;
using support::ArchiveWorld;

namespace {

constexpr const char* page_url = "https://a.example/2008";

std::vector<harvest::ClaimedArchive> claim(ArchiveWorld& world, std::int64_t claim,
                                           std::size_t most = 10) {
    const auto due = world.call(harvest::due_rows, harvest::archive_queue, most, world.now);
    return world.call(harvest::claim_archives, due, claim, world.now);
}

void note(ArchiveWorld& world, const std::string& url) {
    world.call(harvest::note_archive, 1, url, world.now);
}

}  // namespace

TEST_CASE("The first page that a feed names begins a walk, others do not") {
    ArchiveWorld world(GENERATE(support::engines()));
    world.add_feed();
    note(world, "no URL");
    CHECK(world.value("SELECT COUNT(*) FROM archives") == "0");
    note(world, std::string(page_url) + "#top");
    const auto archive = world.archive();
    CHECK(archive == harvest::Archive{.feed = 1,
                                      .next_url = page_url,
                                      .started_at = world.now,
                                      .next_attempt = world.now});
    world.pass(60s);
    note(world, "https://a.example/2009");
    CHECK(world.archive() == archive);
}

TEST_CASE("An archive is started for a feed that is there, at a URL that can be one") {
    ArchiveWorld world(GENERATE(support::engines()));
    const auto start = [&](std::int64_t feed, const std::string& url) {
        return world.call(harvest::start_archive, feed, url, world.now);
    };
    world.add_feed();
    CHECK(start(2, page_url).error().kind == base::ErrorKind::absent);
    CHECK(start(1, "ftp://a.example/").error().kind == base::ErrorKind::malformed);
    REQUIRE(start(1, page_url));
    world.execute("UPDATE archives SET state = 'failed', pages = 9, added = 8, failures = 5, "
                  "status = 'x', finished_at = '2008-01-01T00:00:00Z'");
    world.call(harvest::add_known_url, 1, net::parse_url(page_url).value());
    REQUIRE(start(1, std::string(" ") + page_url + "\n"));
    CHECK(world.archive() == harvest::Archive{.feed = 1,
                                              .next_url = page_url,
                                              .started_at = world.now,
                                              .next_attempt = world.now});
    CHECK(world.known_urls() == "0");
    REQUIRE(start(1, "http://bücher.example/würmer"));
    CHECK(world.archive().next_url == "http://xn--bcher-kva.example/w%C3%BCrmer");
}

TEST_CASE("An archive is claimed once, until its claim ends") {
    ArchiveWorld world(GENERATE(support::both_engines()));
    world.add_feed();
    note(world, page_url);
    const auto claimed = claim(world, 7);
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].archive.next_url == page_url);
    CHECK(claimed[0].base_url == "https://a.example");
    CHECK(claimed[0].feed.created_at == world.now);
    CHECK(world.archive().is_claimed);
    const auto is_ours = [&](const harvest::ClaimedArchive& one) {
        return world.call(store::has_claim, harvest::archive_queue.rows, one.archive.feed,
                          one.claim);
    };
    CHECK(is_ours(claimed[0]));
    CHECK(claim(world, 8).empty());
    world.pass(store::claim_lasts - 1s);
    CHECK(claim(world, 8).empty());
    world.pass(1s);
    const auto again = claim(world, 8);
    REQUIRE(again.size() == 1);
    CHECK_FALSE(is_ours(claimed[0]));
    CHECK(is_ours(again[0]));
    const auto finish = [&](const harvest::ClaimedArchive& one) {
        const auto after = harvest::walked_on(one.archive, page_url, world.now);
        return world.call(harvest::finish_page, one, after, std::nullopt, world.now);
    };
    CHECK_FALSE(finish(claimed[0]));
    CHECK(world.archive().is_claimed);
    CHECK(finish(again[0]));
    CHECK(world.claims() == "0");
    CHECK(world.archive().next_attempt == world.now + harvest::page_spacing);
}

TEST_CASE("Archives of one base URL wait for each other") {
    ArchiveWorld world(GENERATE(support::engines()));
    for (const auto* url : {"https://a.example/1", "https://a.example/2", "https://b.example/"})
        world.start(world.add_feed(url), url);
    CHECK(claim(world, 7).size() == 2);
    CHECK(world.archive(2).next_attempt == world.now);
    CHECK_FALSE(world.archive(2).is_claimed);
    CHECK(claim(world, 8).empty());
}

TEST_CASE("A page that fails is put off for longer each time, or as long as its server says") {
    const base::Seconds now{};
    harvest::Archive archive;
    for (const auto pause : {10min, 60min, 360min, 1440min}) {
        archive = harvest::page_failed(std::move(archive), "DNS error", std::nullopt, now);
        CHECK(archive.state == harvest::ArchiveState::walking);
        CHECK(archive.status == "DNS error");
        CHECK(archive.next_attempt == now + pause);
    }
    CHECK(harvest::page_failed({}, "x", 3h, now).next_attempt == now + 3h);
    CHECK(harvest::page_failed({}, "x", std::chrono::days(9), now).next_attempt ==
          now + std::chrono::days(1));
    CHECK(harvest::page_failed({}, "x", 1s, now).next_attempt == now + 10min);
    archive = harvest::page_failed(std::move(archive), "DNS error", 3h, now);
    CHECK(archive.state == harvest::ArchiveState::failed);
    CHECK_FALSE(archive.next_attempt);
    CHECK(harvest::name_of(archive.state) == "failed");
}

TEST_CASE("URLs are known once they are added, however they are spelled, to their own feed") {
    ArchiveWorld world(GENERATE(support::engines()));
    const auto url = [](const char* text) { return net::parse_url(text).value(); };
    const auto one = url("https://x.org/1"), two = url("https://x.org/2");
    const auto is_known = [&](const net::Url& each) {
        return world.call(harvest::is_known_url, 1, each);
    };
    for (const auto feed : {1, 1, 2})
        world.call(harvest::add_known_url, feed, feed == 1 ? one : two);
    CHECK(world.known_urls() == "2");
    CHECK(is_known(url("HTTPS://X.org:443/%31")));
    CHECK_FALSE(is_known(two));
    world.call(harvest::forget_known_urls, 2);
    CHECK(is_known(one));
    world.call(harvest::forget_known_url, 1, one);
    CHECK(world.known_urls() == "0");
}
