// SPDX-License-Identifier: MIT
#include "base/gate.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "serve/world.hpp"

using namespace world;
using base::Gate;
using namespace std::chrono_literals;

namespace {

serve::Settings one_at_a_time() {
    auto settings = settings_with();
    settings.wide = {.admitted = 1, .computing = 1, .wait_at_most = 0ms};
    return settings;
}

// A request whose thread stops at its first statement until it is let go.
class StoppedRequest {
   public:
    StoppedRequest(World& world, const std::string& url) : switch_(world.small.store_switch) {
        switch_.before_statement = [this, tests = std::this_thread::get_id()] {
            if (std::this_thread::get_id() == tests || has_stopped_.test_and_set()) return;
            reached_.count_down();
            let_go_.wait();
        };
        thread_ = std::thread([this, &world, url] { response_ = world.open(url); });
        reached_.wait();
    }
    StoppedRequest(const StoppedRequest&) = delete;
    StoppedRequest& operator=(const StoppedRequest&) = delete;
    ~StoppedRequest() {
        if (thread_.joinable()) finish();
    }
    Response finish() {
        let_go_.count_down();
        thread_.join();
        switch_.before_statement = nullptr;
        return response_;
    }

   private:
    support::StoreSwitch& switch_;
    std::latch reached_{1}, let_go_{1};
    std::atomic_flag has_stopped_;
    Response response_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("A gate admits a number of callers, of whom some have their turn") {
    Gate gate({.admitted = 2, .computing = 1, .wait_at_most = 0ms});
    auto first = gate.admit();
    const auto second = gate.admit();
    REQUIRE((first && second));
    CHECK(!gate.admit());
    {
        const auto turn = gate.wait_for_turn();
        CHECK(turn);
        CHECK(!gate.wait_for_turn());
    }
    CHECK(gate.wait_for_turn());
    first.reset();
    CHECK(gate.admit());
}

TEST_CASE("A caller waits until the turn of another one ends") {
    Gate gate({.admitted = 2, .computing = 1, .wait_at_most = 10min});
    auto turn = gate.wait_for_turn();
    std::thread waiting([&] { CHECK(gate.wait_for_turn()); });
    turn.reset();
    waiting.join();
}

TEST_CASE("Half of the threads are admitted, half of the processors compute") {
    CHECK(Gate::limits_of(64, 2).admitted == 32);
    CHECK(Gate::limits_of(64, 2).computing == 1);
    CHECK(Gate::limits_of(64, 16).computing == 8);
    CHECK(Gate::limits_of(4, 16).computing == 2);
    CHECK(Gate::limits_of(1, 0).admitted == 1);
    CHECK(Gate::limits_of(1, 0).computing == 1);
}

TEST_CASE("While a wide page is computed, others are refused and feeds of objects are answered") {
    World world(one_at_a_time());
    world.release_up_to(2);
    CHECK(world.get("class=Paper&n=3").status == 200);
    CHECK(world.get(plain).status == 200);

    StoppedRequest computed(world, "/rss?class=Gene");
    const std::vector<std::string> wide = {"/rss?class=Paper",
                                           "/rss?class=Gene",
                                           "/rss?object=" + unc26.class_name + ":" + unc26.name,
                                           "/release/WS2",
                                           "/?q=unc",
                                           "/suggest?q=unc",
                                           "/opml?object=Gene:" + daf16.name,
                                           "/diff?" + plain + "&from=WS1&to=WS2"};
    for (const auto& url : wide) {
        INFO(url);
        const auto refused = world.open(url);
        REQUIRE(refused.status == 503);
        CHECK(refused.field("Retry-After") == "30");
        CHECK(world.open(url, {{"accept-encoding", "gzip"}}).status == 503);
    }
    CHECK(world.get(plain + "&n=7").status == 200);
    CHECK(world.open("/history?" + plain).status == 200);
    CHECK(world.open("/").status == 200);
    CHECK(world.get("class=Paper&n=3").status == 200);  // from the cache
    CHECK(computed.finish().status == 200);
    for (const auto& url : wide) CHECK(world.open(url).status == 200);
}

TEST_CASE("A wide page of an earlier version takes the place of one that is refused") {
    World world(one_at_a_time());
    world.release_up_to(1);
    const auto before = world.get("class=Gene");
    world.release(2, {unc26});
    REQUIRE(world.get(plain).status == 200);

    StoppedRequest computed(world, "/rss?class=Paper");
    const auto stale = world.get("class=Gene");
    CHECK(stale.status == 200);
    CHECK(body_of(stale) == body_of(before));
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    CHECK(computed.finish().status == 200);
    CHECK(body_of(world.get("class=Gene")) != body_of(before));
}

TEST_CASE("While a wide page is computed, a list is neither read from a form nor kept") {
    World world(one_at_a_time());
    world.release_up_to(1);
    CHECK(world.get("class=Paper&n=3").status == 200);
    const auto send = [&](const std::string& body) { return world.post("/watch", body); };
    const std::vector<std::string> wide = {"keep=1&object=Gene:WBGene00006763", "names=unc-26"};
    {
        StoppedRequest computed(world, "/rss?class=Gene");
        for (const auto& body : wide) {
            INFO(body);
            const auto refused = send(body);
            CHECK(refused.status == 503);
            CHECK(refused.field("Retry-After") == "30");
        }
        CHECK(send("object=Gene:WBGene00006763").status == 303);
    }
    CHECK(world.small.query("SELECT id FROM watch_lists").empty());
    for (const auto& body : wide) CHECK(send(body).status == 303);
}
