// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include <thread>

#include "serve/world.hpp"

using namespace world;
using namespace std::chrono_literals;

TEST_CASE("healthz gives store, release, its age and build, and why a newer build is refused") {
    World world;
    world.release(46, {unc26});
    world.small.now = *base::parse_rfc3339("2008-03-01T12:00:00Z");
    auto response = world.open("/healthz");
    CHECK(response.status == 200);
    auto report = nlohmann::json::parse(*response.body);
    CHECK(report == nlohmann::json{{"status", "ok"},
                                   {"store", "reachable"},
                                   {"release", "WS46"},
                                   {"released_on", "2008-02-15"},
                                   {"age_days", 15},
                                   {"build", world.build(46)->digest()},
                                   {"schema", "ok"}});
    world.set_value(unc26, "another content");
    world.small.put(world.build(46));
    report = nlohmann::json::parse(*world.open("/healthz").body);
    CHECK(report["refused_build"].get<std::string>().find("WS46") != std::string::npos);
    world.set_store_down(true);
    CHECK(world.open("/healthz").status == 503);
}

// The answer for monitors, that for load balancers, and what the report says.
void check_health(World& world, int status, int for_readers, const std::string& what) {
    world.tick += 10s;
    const auto response = world.open("/healthz");
    INFO(body_of(response));
    CHECK(response.status == status);
    CHECK(says(response, what));
    CHECK(world.open("/healthz?for=readers").status == for_readers);
}

TEST_CASE(
    "While the store takes nothing, the site is unhealthy for monitors and not for readers") {
    World world;
    check_health(world, 200, 200, "\"status\":\"ok\"");
    check_health(world, 200, 200, "\"status\":\"ok\"");
    CHECK(world.small.query("SELECT value FROM meta WHERE name = 'probe'")[0].integer(0) == 2);
    const auto full = [] {
        throw store::Failure("the disk is full (by the test)", {.needs_operator = true}, 13);
    };
    world.small.store_switch.before_write = full;
    check_health(world, 503, 200, "the disk is full");
    CHECK(says(world.open("/metrics"), "varve_store_writable 0\n"));
    world.small.store_switch.before_write = nullptr;
    check_health(world, 200, 200, "\"status\":\"ok\"");
    // A look may find room where a larger transaction found none.
    world.set_value(unc26, "1");
    world.small.put(world.build(1));
    world.small.store_switch.before_write = full;
    static_cast<void>(world.get(plain));
    world.small.store_switch.before_write = nullptr;
    check_health(world, 503, 200, "could not take");
    world.small.now += 1min;
    check_health(world, 200, 200, "\"status\":\"ok\"");
    CHECK(world.open("/healthz?for=somebody").status == 400);
}

TEST_CASE("While the current build cannot be loaded from, the site is unhealthy for monitors") {
    World world;
    const auto served = world.build(1);
    world.small.put(served);
    world.small.current.look();
    check_health(world, 200, 200, "\"status\":\"ok\"");
    CHECK(says(world.open("/metrics"), "varve_source_up 1\n"));
    // A newer build that is refused is no fault of the current one.
    world.set_value(unc26, "another content");
    world.small.put(world.build(1));
    check_health(world, 200, 200, "refused_build");
    served->deny_with({ErrorKind::unavailable, "nobody answers"});
    world.small.current.look();
    check_health(world, 503, 200, "\"source_fault\":\"nobody answers\"");
    CHECK(says(world.open("/metrics"), "varve_source_up 0\n"));
    world.small.put(served);
    check_health(world, 200, 200, "\"status\":\"ok\"");
}

TEST_CASE("With a wrong schema the site is unhealthy, and it is checked once in ten seconds") {
    World world;
    CHECK(world.open("/healthz").status == 200);
    world.small.execute("UPDATE meta SET value = 99 WHERE name = 'schema'");
    CHECK(world.open("/healthz").status == 200);
    world.tick += 10s;
    const auto response = world.open("/healthz");
    CHECK(response.status == 503);
    CHECK(says(response, "schema 99"));
}

// Both would wait forever for a check that waits for them.
TEST_CASE("While the store is slow, other health checks get the last known state") {
    World world;
    static_cast<void>(world.get(plain));
    world.make_stale();
    static_cast<void>(world.get(plain));  // asks whether the store answers
    std::string meanwhile;
    world.small.store_switch.before_statement = [&] {
        world.small.store_switch.before_statement = nullptr;
        std::thread([&] {
            meanwhile = body_of(world.open("/healthz")) + body_of(world.open("/metrics"));
        }).join();
    };
    SECTION("health, before the first check") {
        CHECK(says(world.open("/healthz"), "\"schema\":\"ok\""));
        CHECK(meanwhile.find("\"schema\":\"unknown\"") != std::string::npos);
        CHECK(meanwhile.find("\"status\":\"ok\"") != std::string::npos);
    }
    SECTION("counts, before the first count") {
        CHECK(says(world.open("/metrics"), "varve_objects 3\n"));
        CHECK(meanwhile.find("varve_objects") == std::string::npos);
        CHECK(meanwhile.find("varve_store_up 1\n") != std::string::npos);
    }
}

TEST_CASE(
    "Metrics count requests by route and status and pages by cache, and describe the build") {
    World world;
    world.release(46, {unc26, daf16});
    static_cast<void>(world.get(plain));
    static_cast<void>(world.get(plain));
    static_cast<void>(world.get(plain + "&n=0"));
    static_cast<void>(world.open("/release/WS46"));
    static_cast<void>(world.open("/nowhere"));
    const auto response = world.open("/metrics");
    for (const auto* line :
         {"varve_requests_total{route=\"feed\",status=\"200\"} 2\n",
          "varve_requests_total{route=\"feed\",status=\"400\"} 1\n",
          "varve_requests_total{route=\"release\",status=\"200\"} 1\n",
          "varve_requests_total{route=\"none\",status=\"404\"} 1\n",
          "varve_page_cache_hits_total 1\n", "varve_page_cache_misses_total 2\n",
          "varve_computations_total 5\n", "varve_store_retries_total 0\n", "varve_store_up 1\n",
          "varve_objects 3\n", "varve_history_rows 2\n",
          "varve_release_info{version=\"WS46\"} 1\n", "varve_release_date_seconds 1203033600\n",
          "# TYPE varve_request_seconds histogram\n", "varve_request_seconds_count 5\n"}) {
        INFO(line);
        CHECK(says(response, line));
    }
    CHECK_FALSE(says(response, "status=\"503\""));
}

TEST_CASE("Without build and store the site is unhealthy, and metrics omit what these know") {
    World world(settings_with(), "https://example.org", World::Start::without_build);
    const auto health = world.ask("HEAD", "/healthz");
    CHECK(health.status == 503);
    CHECK(health.field("Retry-After") == "30");
    CHECK_FALSE(nlohmann::json::parse(*health.body).contains("age_days"));
    world.set_store_down(true);
    const auto response = world.open("/metrics");
    CHECK(response.status == 200);
    CHECK(says(response, "varve_store_up 0\n"));
    CHECK_FALSE(says(response, "varve_objects"));
    CHECK_FALSE(says(response, "varve_release_info"));
}

TEST_CASE("The histogram is cumulative: each bucket includes the smaller ones") {
    serve::Metrics metrics;
    metrics.count(serve::Route::feed, 200, 80us);
    metrics.count(serve::Route::feed, 200, 100us);
    metrics.count(serve::Route::feed, 200, 101us);
    metrics.count(serve::Route::feed, 299, 10s);
    const auto text = metrics.text();
    for (const auto* line :
         {"varve_request_seconds_bucket{le=\"0.0001\"} 2\n",
          "varve_request_seconds_bucket{le=\"0.00025\"} 3\n",
          "varve_request_seconds_bucket{le=\"5\"} 3\n",
          "varve_request_seconds_bucket{le=\"+Inf\"} 4\n",
          "varve_request_seconds_sum 10.000281\n", "varve_request_seconds_count 4\n",
          "{route=\"feed\",status=\"299\"} 1\n"}) {
        INFO(line);
        CHECK(text.find(line) != std::string::npos);
    }
}

TEST_CASE("Counters continue from one site to the next when they are kept outside") {
    serve::Metrics metrics;
    auto settings = settings_with();
    settings.metrics = &metrics;
    World first(settings), second(settings);
    static_cast<void>(first.get(plain));
    static_cast<void>(second.get(plain));
    CHECK(metrics.text().find("{route=\"feed\",status=\"200\"} 2\n") != std::string::npos);
}

namespace {

// A subscription whose verification a hub is to send.
void record_hub_work(World& world) {
    const auto topic = base::percent_encode(site_top + "/rss?" + plain);
    const auto form =
        "hub.mode=subscribe&hub.callback=https://reader.example/&hub.topic=" + topic;
    REQUIRE(world.post("/hub", form).status == 202);
}

}  // namespace

TEST_CASE("A site with a hub shows its numbers, and a site without one none") {
    World world(site_with_hub());
    record_hub_work(world);
    const auto metrics = body_of(world.open("/metrics"));
    for (const auto* row : {"\nvarve_hub_unverified 1\n",
                            "\nvarve_requests_total{route=\"hub\",status=\"202\"} 1\n"})
        CHECK_THAT(metrics, Catch::Matchers::Contains(row));
    World without;
    CHECK_FALSE(says(without.open("/metrics"), "varve_hub"));
}

TEST_CASE("The metrics of a hub are its numbers") {
    const auto text =
        "\n" + serve::metrics_of_hub({.subscriptions = 7,
                                      .topics = 3,
                                      .waiting = 2,
                                      .failing = 1,
                                      .waiting_since = base::Seconds(400s),
                                      .looked_at = base::Seconds(990s),
                                      .outcomes = {{"delivered", 12}, {"given up", 1}}},
                                     base::Seconds(1000s));
    for (const auto* row :
         {"\nvarve_hub_subscriptions 7\n", "\nvarve_hub_topics 3\n", "\nvarve_hub_waiting 2\n",
          "\nvarve_hub_failing 1\n", "\nvarve_hub_waiting_seconds 600\n",
          "\nvarve_hub_looked_seconds 10\n",
          "\nvarve_hub_outcomes_total{outcome=\"delivered\"} 12\n",
          "\nvarve_hub_outcomes_total{outcome=\"given up\"} 1\n"})
        CHECK_THAT(text, Catch::Matchers::Contains(row));
}

TEST_CASE("A hub that has work and does not run is a fault for monitors and not for readers") {
    World world(site_with_hub());
    check_health(world, 200, 200, "\"status\":\"ok\"");
    record_hub_work(world);
    world.tick += 60s;
    check_health(world, 503, 200, "\"hub_fault\":\"no hub has looked for news");
}
