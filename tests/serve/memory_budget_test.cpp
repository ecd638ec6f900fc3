// Histories whose rows take much memory: few of them are read at the same time.
// SPDX-License-Identifier: MIT
#include <future>
#include <thread>

#include "serve/world.hpp"

using namespace world;
using namespace std::chrono_literals;

namespace {

const std::string short_history = "class=Gene&name=" + daf16.name;

struct LongHistory : World {
    explicit LongHistory(base::ByteBudget::Limits limits,
                         serve::Settings settings = settings_with())
        : World(std::move(settings), "https://example.org/changes", Start::with_release, limits) {
        release(1, {unc26, daf16});
        make_long();
    }
    // Gives the rows of unc-26 some hundred KB of notes.
    void make_long() {
        World::small.execute(
            R"(UPDATE history SET notes = '{"changes":[{"op":"added","path":[],)"
            R"("after":[{"text":"' || hex(zeroblob(150000)) || '"}]}]}')"
            " WHERE oid IN (SELECT oid FROM objects WHERE name = 'WBGene00006763')");
    }
    [[nodiscard]] base::ByteBudget& budget() {
        return World::small.service.read_context().shared.budget;
    }
    void wait_for_callers(std::size_t callers) {
        const auto deadline = std::chrono::steady_clock::now() + 2min;
        while (budget().waiting() != callers && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
    }
};

}  // namespace

TEST_CASE("Feeds of few bytes are answered while those of long histories wait for memory") {
    LongHistory site({.bytes = 1, .waiting = 1, .wait_at_most = 10min});
    auto held = site.budget().take(1);
    REQUIRE(held);
    auto waiting = std::async(std::launch::async, [&] { return site.get(plain); });
    site.wait_for_callers(1);

    CHECK(site.get(short_history).status == 200);
    CHECK(site.open("/history?" + short_history).status == 200);
    CHECK(site.open("/").status == 200);
    const std::vector<std::string> long_ones = {"/history?" + plain, "/rss?class=Gene",
                                                "/release/WS1", "/rss?object=Gene:" + unc26.name,
                                                "/diff?" + plain + "&from=WS0&to=WS1"};
    for (const auto& url : long_ones) {
        INFO(url);
        const auto refused = site.open(url);
        CHECK(refused.status == 503);
        CHECK(refused.field("Retry-After") == "30");
    }
    held.reset();
    CHECK(waiting.get().status == 200);
    CHECK(site.open("/history?" + plain).status == 200);
    CHECK(site.budget().taken() == 0);
}

TEST_CASE("A filter needs memory for the longest row that it looks at, whatever it shows") {
    LongHistory site({.bytes = 1, .wait_at_most = 0ms});
    site.release(2, {unc26});
    const auto narrowed = plain + "&change=replaced&since=WS1";
    const auto filtered = plain + "&change=replaced";
    REQUIRE(site.get(filtered).status == 200);
    CHECK(site.budget().taken() == 0);
    const auto held = site.budget().take(1);
    CHECK(site.get(narrowed).status == 200);
    CHECK(site.get(filtered + "&n=7").status == 503);
}

TEST_CASE("No transaction and no connection is kept while a request waits for memory") {
    LongHistory site({.bytes = 1, .waiting = 8, .wait_at_most = 10min});
    auto held = site.budget().take(1);
    std::vector<std::future<Response>> waiting;
    for (int each = 0; each < 8; ++each)  // the pool has four connections
        waiting.push_back(std::async(std::launch::async, [&site, each] {
            return site.get(plain + "&n=" + std::to_string(each + 1));
        }));
    site.wait_for_callers(8);
    CHECK(site.get(short_history).status == 200);
    held.reset();
    for (auto& each : waiting) CHECK(each.get().status == 200);
}

TEST_CASE("Memory is given back whatever becomes of the answer") {
    LongHistory site({.bytes = 1, .wait_at_most = 0ms}, settings_with(0));  // no page cache
    const std::string tag(site.get(plain).field("ETag"));
    CHECK(site.get(plain, {{"if-none-match", tag}}).status == 304);
    CHECK(site.ask("HEAD", "/rss?" + plain).status == 200);
    CHECK(site.open("/rss/archive?" + plain + "&before=100").status == 404);
    CHECK(site.open("/history?" + plain + "&at=WS0").status == 404);
    CHECK(site.budget().taken() == 0);

    // The store fails at the first, second, third … statement.
    int answered = 0;
    for (int last = 0; answered != 200 && last < 1000; ++last) {
        int statements = 0;
        site.World::small.store_switch.before_statement = [&] {
            if (statements++ == last) throw store::Failure("away (by the test)", {}, 2013);
        };
        answered = site.get(plain).status;
        CHECK(site.budget().taken() == 0);
    }
    CHECK(answered == 200);
}
