// Last-Modified: each cause that changes the bytes of a page changes its date too, or a client that
// knows only the date would keep old bytes.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"
#include "tables/presentations.hpp"

using namespace world;
using namespace std::chrono_literals;

namespace {

const std::string history_page = "/history?" + plain, feed = "/rss?" + plain;

base::Seconds date_of(const Response& response) {
    const auto date = base::parse_http_date(response.field("Last-Modified"));
    REQUIRE(date);
    return *date;
}

// What a client knows of a page that it has asked for.
struct Known {
    std::string url;
    std::string body;
    base::Seconds date;
};

class Client {
   public:
    explicit Client(World& world) : world_(world) {
        for (const std::string& url : {feed, history_page}) {
            const auto page = world_.open(url);
            known_.push_back({url, *page.body, date_of(page)});
            CHECK(status_of(world_.site, known_.back()) == 304);
        }
    }
    // Checks that pages with other bytes have a later date, and are sent to who knows the earlier one.
    void check_pages_changed(serve::Site& site) const {
        for (const auto& known : known_) {
            const auto page = site.answer(request_for(known.url));
            INFO(known.url);
            CHECK(date_of(page) > known.date);
            CHECK(date_of(page) <= world_.small.now);
            CHECK(status_of(site, known) == 200);
            CHECK(status_of(site, {known.url, *page.body, date_of(page)}) == 304);
        }
    }
    [[nodiscard]] const std::vector<Known>& known() const { return known_; }

   private:
    static int status_of(serve::Site& site, const Known& known) {
        const Fields fields{{"if-modified-since", base::format_http_date(known.date)}};
        return site.answer(request_for(known.url, fields)).status;
    }

    World& world_;
    std::vector<Known> known_;
};

}  // namespace

TEST_CASE("The date of a page is later after each cause that changes it") {
    World world;
    world.release_up_to(2);
    const Client client(world);
    world.small.now += 1h;
    SECTION("the current build is rolled back") {
        world.set_value(unc26, "1");
        world.small.put(world.build(1));
        CHECK_FALSE(says(world.get(plain), "/WS2<"));
    }
    SECTION("recorded rows are deleted") {
        store::perform(world.small.pool, store::Access::write, [&](auto& transaction) {
            transaction.execute("DELETE FROM history WHERE version = 'WS2'");
            tables::note_rewrite(transaction, world.small.now);
        });
        world.small.now += 1s;  // it is noticed
        CHECK_FALSE(says(world.get(plain), "/WS2<"));
    }
    SECTION("there is a release that is dated in the future") {
        world.set_value(unc26, "3");
        world.small.put(world.small.build("WS3", "2030-01-01"));
        CHECK(says(world.get(plain), "<lastBuildDate>Tue, 01 Jan 2030"));
    }
    client.check_pages_changed(world.site);
}

TEST_CASE("While another process shows a site differently, pages have no date") {
    World world;
    world.release(1, {unc26});
    const Client client(world);
    world.small.now += 1h;
    const auto settings = settings_with("another digest", 0);
    auto next = world.site_like(site_at(site_top), settings);
    client.check_pages_changed(next);
    // The pages that the earlier process has made are as they were; it makes no others with a date.
    CHECK_FALSE(world.get(plain).field("Last-Modified").empty());
    CHECK(world.get(plain + "&n=2").field("Last-Modified").empty());
    // Another site over the same store has dates of its own.
    auto other = world.site_like(site_at("https://other.example.org"), settings);
    CHECK_FALSE(other.answer(request_for(feed)).field("Last-Modified").empty());
    CHECK(world.get(plain + "&n=3").field("Last-Modified").empty());
    // It takes its turn when the other one still differs after a while.
    world.small.now += 10min;
    CHECK(date_of(world.get(plain + "&n=4")) == world.small.now);
}

TEST_CASE("A page that another host recorded in the future has the date of now, which decides "
          "nothing") {
    World world;
    world.release(1, {unc26});
    world.small.execute("UPDATE history SET recorded_at = '2008-01-01T00:10:00Z'");
    world.small.write_elsewhere();
    const auto early = world.get(plain);
    CHECK(date_of(early) == world.small.now);
    const Fields known{{"if-modified-since", std::string(early.field("Last-Modified"))}};
    CHECK(world.get(plain, known).status == 200);
    world.small.now += 1h;
    const auto late = world.get(plain);
    CHECK(late.field("Last-Modified") == "Tue, 01 Jan 2008 00:10:00 GMT");
    CHECK(world.get(plain, known).status == 200);
}

TEST_CASE("Another process over the same store gives pages the same dates") {
    World world;
    world.release(1, {unc26});
    const Client client(world);
    world.small.now += 1h;
    query::HistoryService service(world.small.pool, world.small.current, {},
                                  [&] { return world.small.now; });
    auto settings = settings_with();
    settings.clock = [&] { return world.small.now; };
    serve::Site site({service, world.small.current, world.small.pool, world.tokens},
                     site_at(site_top), *render::Templates::make(), settings);
    CHECK(date_of(site.answer(request_for(feed))) == client.known().front().date);
    // Nor does a new row of another object change the date.
    world.set_value(daf16, "1");
    world.small.write_elsewhere();
    CHECK(date_of(world.get(plain)) == client.known().front().date);
}

TEST_CASE(
    "Where the store cannot say since when a site shows what it shows, pages have no date") {
    World world;
    world.release(1, {unc26});
    world.small.execute("CREATE TRIGGER full BEFORE INSERT ON meta"
                        " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
    CHECK(world.get(plain).status == 200);
    CHECK(world.get(plain + "&n=2").field("Last-Modified").empty());
}

TEST_CASE("A feed of many objects has a date a minute after its newest row was recorded") {
    World world;
    world.release(1, {unc26});
    CHECK(world.get("class=Gene").field("Last-Modified").empty());
    world.small.now += 1min;
    world.tick += 1min;
    world.small.write_elsewhere();
    CHECK(world.get("class=Gene").field("Last-Modified") == "Tue, 01 Jan 2008 00:00:00 GMT");
}
