// SPDX-License-Identifier: MIT
#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "serve/page_cache.hpp"
#include "support/catch.hpp"

using serve::PageCache;
using serve::Result;
using namespace std::chrono_literals;

namespace {

const query::ServedBuild now{"WS187", "d"}, later{"WS188", "e"};

serve::Representation page(std::string body, bool provisional = false) {
    serve::Representation made;
    made.entity_tag = body;
    made.body = std::make_shared<const std::string>(std::move(body));
    made.provisional = provisional;
    return made;
}

// A cache and its clocks, which stand still until a test moves them.
struct Timed {
    explicit Timed(std::size_t bytes = 1 << 20)
        : cache(bytes, [this] { return tick; }, [this] { return time; }) {}
    void wait(std::chrono::seconds seconds) {
        tick += seconds;
        time += seconds;
    }
    std::chrono::steady_clock::time_point tick{};
    base::Seconds time{std::chrono::hours(1)};
    PageCache cache;
};

PageCache::Render makes(const std::string& body) {
    return [body] { return page(body); };
}

PageCache::Render refuses(int status) {
    return [status]() -> Result<serve::Representation> { return serve::fail(status, "no"); };
}

PageCache::Render must_not_be_called() {
    return []() -> Result<serve::Representation> { throw std::logic_error("made again"); };
}

std::string body_of(const Result<PageCache::Found>& found) {
    return found ? *found->page->body : "refused " + std::to_string(found.error().status);
}

}  // namespace

TEST_CASE("A page is rendered once a minute for each build") {
    Timed timed;
    auto& cache = timed.cache;
    CHECK(body_of(cache.get("k", now, makes("one"))) == "one");
    timed.wait(PageCache::fresh_for - 1s);
    CHECK(body_of(cache.get("k", now, must_not_be_called())) == "one");
    CHECK_FALSE(cache.find("k", now)->stale);
    CHECK(body_of(cache.get("other", now, makes("two"))) == "two");
    timed.wait(1s);
    CHECK(cache.find("k", now)->stale);
    CHECK(body_of(cache.get("k", now, makes("three"))) == "three");
    CHECK(body_of(cache.get("k", {now.version, "e"}, makes("four"))) == "four");
    CHECK(body_of(cache.get("k", {"WS188", "e"}, makes("five"))) == "five");
}

TEST_CASE("A minute begins with the rendering") {
    Timed timed;
    CHECK(body_of(timed.cache.get("k", now, [&] {
              timed.wait(40s);
              return page("slow");
          })) == "slow");
    timed.wait(20s);
    CHECK(body_of(timed.cache.get("k", now, makes("next"))) == "next");
}

TEST_CASE("The date of a page is the time of the first rendering of its bytes, and that of no "
          "other bytes of its address") {
    Timed timed;
    const auto date = [&](const std::string& body, const query::ServedBuild& build = now) {
        return timed.cache.get("k", build, makes(body))->page->last_modified;
    };
    const auto first = timed.time;
    CHECK(date("one") == first);
    timed.wait(60s);
    CHECK(date("one") == first);
    CHECK(date("one", later) == first);
    CHECK(date("two") == timed.time);
    CHECK(date("three", later) == timed.time + 1s);
    // The clock was set back.
    timed.time = first;
    CHECK(date("four") > timed.time + 60s);
}

TEST_CASE("A page that is not kept has no date, since nobody knows later when it changed") {
    CHECK(PageCache(0).get("k", now, makes("x"))->page->last_modified == base::Seconds{});
    Timed timed(100'000);
    const auto date_of = [&](const PageCache::Render& render) {
        return timed.cache.get("k", now, render)->page->last_modified;
    };
    CHECK(date_of(makes(std::string(200'000, 'x'))) == base::Seconds{});
    CHECK(date_of([] { return page("p", true); }) == base::Seconds{});
    // The one that is kept was evicted, and others may have its date.
    CHECK(date_of(makes("one")) == timed.time);
    REQUIRE(timed.cache.get("l", now, makes(std::string(99'000, 'x'))));
    CHECK(date_of(makes("two")) == timed.time + 1s);
}

TEST_CASE("An outdated page replaces a 503 and nothing else") {
    PageCache cache(1 << 20);
    CHECK(body_of(cache.get("k", now, makes("old"))) == "old");
    const auto stale = cache.get("k", later, refuses(503));
    CHECK(body_of(stale) == "old");
    CHECK(stale->stale);
    CHECK(body_of(cache.get("k", later, refuses(404))) == "refused 404");
    CHECK(body_of(cache.get("unknown", now, refuses(503))) == "refused 503");
    const auto fresh = cache.get("k", later, makes("new"));
    CHECK(body_of(fresh) == "new");
    CHECK_FALSE(fresh->stale);
}

TEST_CASE("Temporary pages and refusals are not kept") {
    PageCache cache(1 << 20);
    CHECK(body_of(cache.get("k", now, [] { return page("p", true); })) == "p");
    CHECK(body_of(cache.get("k", now, refuses(404))) == "refused 404");
    CHECK(body_of(cache.get("k", now, makes("kept"))) == "kept");
    CHECK(cache.bytes() > 0);
}

TEST_CASE("The cache stays within its bytes and keeps the pages used last") {
    constexpr std::size_t limit = 1 << 20;
    PageCache cache(limit);
    CHECK(body_of(cache.get("hot", now, makes("hot"))) == "hot");
    for (int i = 0; i < 5000; ++i) {
        const auto key = "key " + std::to_string(i);
        REQUIRE(cache.get(key, now, makes(std::string(10000, 'x'))));
        REQUIRE(cache.bytes() <= limit);
        REQUIRE(body_of(cache.get("hot", now, must_not_be_called())) == "hot");
    }
    CHECK(cache.bytes() > limit * 9 / 10);
    CHECK(body_of(cache.get("key 0", now, makes("made anew"))) == "made anew");
}

TEST_CASE("A page larger than the cache is returned and not kept") {
    PageCache cache(100'000);
    REQUIRE(cache.get("small", now, makes("s")));
    const auto before = cache.bytes();
    CHECK(body_of(cache.get("k", now, makes(std::string(200'000, 'x')))).size() == 200'000);
    CHECK(cache.bytes() == before);
    CHECK(body_of(cache.get("k", now, makes("again"))) == "again");
}

TEST_CASE("The longest answers, of 4 MB, are kept in a cache of the usual size") {
    PageCache cache(64 << 20);
    REQUIRE(cache.get("k", now, makes(std::string(4 << 20, 'x'))));
    CHECK(cache.find("k", now));
}

TEST_CASE("A page that replaces another releases its bytes") {
    PageCache cache(1 << 20);
    REQUIRE(cache.get("k", now, makes(std::string(50'000, 'x'))));
    REQUIRE(cache.get("k", later, makes("small")));
    CHECK(cache.bytes() < 10'000);
}

TEST_CASE("A cache of no bytes keeps nothing and renders each time") {
    PageCache cache(0);
    CHECK(body_of(cache.get("k", now, makes("one"))) == "one");
    CHECK(body_of(cache.get("k", now, makes("two"))) == "two");
    CHECK(cache.bytes() == 0);
}

namespace {

// Lets `count` threads ask for one page while the first renders it; `end` ends the rendering.
std::vector<std::string> ask_at_once(PageCache& cache, int count, const PageCache::Render& end,
                                     std::atomic<int>& made) {
    std::latch started(1);
    std::atomic<int> asked = 0;
    const auto make = [&]() -> Result<serve::Representation> {
        ++made;
        started.count_down();
        while (asked < count) std::this_thread::yield();
        return end();
    };
    std::vector<std::string> bodies(static_cast<std::size_t>(count));
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            if (i > 0) started.wait();
            ++asked;
            auto& body = bodies[static_cast<std::size_t>(i)];
            try {
                body = body_of(cache.get("k", now, make));
            } catch (const std::runtime_error& broken) {
                body = broken.what();
            }
        });
    }
    threads.clear();
    return bodies;
}

}  // namespace

TEST_CASE("Many simultaneous requests share one rendering of a page") {
    PageCache cache(1 << 20);
    std::atomic<int> made = 0;
    const auto bodies = ask_at_once(cache, 16, makes("one"), made);
    CHECK(bodies == std::vector<std::string>(16, "one"));
    CHECK(made == 1);
}

TEST_CASE(
    "A page that is sent while another caller renders its next version is marked as stale") {
    Timed timed;
    auto& cache = timed.cache;
    REQUIRE(cache.get("k", now, makes("old")));
    timed.wait(PageCache::fresh_for);
    const auto rendered = cache.get("k", now, [&]() -> Result<serve::Representation> {
        const auto meanwhile = cache.get("k", now, must_not_be_called(), serve::PageCost::wide);
        CHECK(body_of(meanwhile) == "old");
        CHECK(meanwhile->stale);
        return page("new");
    });
    CHECK(body_of(rendered) == "new");
    CHECK_FALSE(rendered->stale);
}

TEST_CASE("A waiting request gets the failure too, and the next one tries again") {
    PageCache cache(1 << 20);
    std::atomic<int> made = 0;
    const auto bodies = ask_at_once(
        cache, 2, []() -> Result<serve::Representation> { throw std::runtime_error("broke"); },
        made);
    CHECK(bodies == std::vector<std::string>(2, "broke"));
    CHECK(body_of(cache.get("k", now, makes("works again"))) == "works again");
}

TEST_CASE("A request after a switch does not get a page begun before it") {
    PageCache cache(1 << 20);
    const auto before = cache.get("k", now, [&]() -> Result<serve::Representation> {
        CHECK(body_of(cache.get("k", later, makes("after"))) == "after");
        return page("before");
    });
    CHECK(body_of(before) == "before");
    CHECK(body_of(cache.get("k", later, must_not_be_called())) == "after");
}
