// SPDX-License-Identifier: MIT
#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "serve/page_cache.hpp"
#include "support/catch.hpp"

using serve::PageCache;
using serve::RepresentationPtr;
using serve::Result;

namespace {

const query::CacheVersion now{.version = "WS187", .build_digest = "d", .generation = 7};

query::CacheVersion later() {
    auto moment = now;
    ++moment.generation;
    return moment;
}

RepresentationPtr page(std::string body, bool provisional = false) {
    serve::Representation made;
    made.body = std::make_shared<const std::string>(std::move(body));
    made.provisional = provisional;
    return std::make_shared<const serve::Representation>(std::move(made));
}

PageCache::Render makes(const std::string& body) {
    return [body] { return page(body); };
}

PageCache::Render refuses(int status) {
    return [status]() -> Result<RepresentationPtr> { return serve::fail(status, "no"); };
}

PageCache::Render must_not_be_called() {
    return []() -> Result<RepresentationPtr> { throw std::logic_error("made again"); };
}

std::string body_of(const Result<PageCache::Found>& found) {
    return found ? *found->page->body : "refused " + std::to_string(found.error().status);
}

}  // namespace

TEST_CASE("A page is rendered once per cache version") {
    PageCache cache(1 << 20);
    CHECK(body_of(cache.get("k", now, makes("one"))) == "one");
    CHECK(body_of(cache.get("k", now, must_not_be_called())) == "one");
    CHECK(body_of(cache.get("other", now, makes("two"))) == "two");
    CHECK(body_of(cache.get("k", later(), makes("three"))) == "three");
    CHECK(body_of(cache.get("k", later(), must_not_be_called())) == "three");
    auto version = now, digest = now, away = later();
    version.version = "WS188";
    digest.build_digest = "e";
    away.store_reachable = false;
    CHECK(body_of(cache.get("k", away, must_not_be_called())) == "three");
    CHECK(body_of(cache.get("k", version, makes("four"))) == "four");
    CHECK(body_of(cache.get("k", digest, makes("five"))) == "five");
}

TEST_CASE("An outdated page replaces a 503 and nothing else") {
    PageCache cache(1 << 20);
    CHECK(body_of(cache.get("k", now, makes("old"))) == "old");
    const auto stale = cache.get("k", later(), refuses(503));
    CHECK(body_of(stale) == "old");
    CHECK(stale->stale);
    CHECK(body_of(cache.get("k", later(), refuses(404))) == "refused 404");
    CHECK(body_of(cache.get("unknown", now, refuses(503))) == "refused 503");
    const auto fresh = cache.get("k", later(), makes("new"));
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
    REQUIRE(cache.get("k", later(), makes("small")));
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
    const auto make = [&]() -> Result<RepresentationPtr> {
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
    PageCache cache(1 << 20);
    REQUIRE(cache.get("k", now, makes("old")));
    const auto rendered = cache.get("k", later(), [&]() -> Result<RepresentationPtr> {
        const auto meanwhile =
            cache.get("k", later(), must_not_be_called(), PageCache::WhileRendering::send_stale);
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
        cache, 2, []() -> Result<RepresentationPtr> { throw std::runtime_error("broke"); }, made);
    CHECK(bodies == std::vector<std::string>(2, "broke"));
    CHECK(body_of(cache.get("k", now, makes("works again"))) == "works again");
}

TEST_CASE("A request after a switch does not get a page begun before it") {
    PageCache cache(1 << 20);
    const auto before = cache.get("k", now, [&]() -> Result<RepresentationPtr> {
        CHECK(body_of(cache.get("k", later(), makes("after"))) == "after");
        return page("before");
    });
    CHECK(body_of(before) == "before");
    CHECK(body_of(cache.get("k", later(), must_not_be_called())) == "after");
}
