// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include <thread>

#include "serve/backroom.hpp"
#include "serve/monitoring.hpp"

using namespace backroom;
using namespace std::chrono_literals;

TEST_CASE("healthz tells store, release, its age and build, and why a newer build is refused") {
    World world;
    auto response = world.ask("GET", "/healthz");
    CHECK(response.status == 200);
    CHECK(response.field("Cache-Control") == "no-store");
    CHECK(response.field("Content-Type") == "application/json");
    auto report = nlohmann::json::parse(*response.body);
    CHECK(report == nlohmann::json{{"status", "ok"},
                                   {"store", "reachable"},
                                   {"release", "WS187"},
                                   {"released_on", "2008-02-15"},
                                   {"age_days", 15},
                                   {"build", "d187"},
                                   {"schema", "ok"}});
    world.back.refused_build = "WS188: Gene lost 60 %, \"all\" \xff";
    report = nlohmann::json::parse(*world.ask("GET", "/healthz").body);
    CHECK(
        report["refused_build"].get<std::string>().starts_with("WS188: Gene lost 60 %, \"all\""));
    world.back.moment.store_reachable = false;
    CHECK(world.ask("GET", "/healthz").status == 503);
    world.back.moment = {};
    response = world.ask("HEAD", "/healthz");
    CHECK(response.status == 503);
    CHECK(response.field("Retry-After") == "30");
    CHECK_FALSE(nlohmann::json::parse(*response.body).contains("age_days"));
}

TEST_CASE("a schema that does not fit is no health, and is asked for once in ten seconds") {
    World world;
    CHECK(world.open("/healthz").status == 200);
    world.back.schema_fault = "schema 4; this program knows 3";
    CHECK(world.open("/healthz").status == 200);
    CHECK(world.back.schema_asked == 1);
    world.back.tick += 10s;
    const auto response = world.open("/healthz");
    CHECK(response.status == 503);
    CHECK(says(response, "schema 4; this program knows 3"));
    CHECK(world.back.schema_asked == 2);
    CHECK(world.back.counts_asked == 0);
}

// Both would wait forever for a look that waits for them.
TEST_CASE("while the store is slow to look at, others are answered with what was known") {
    World world;
    std::string meanwhile;
    world.back.on_look = [&, is_first = true]() mutable {
        if (!std::exchange(is_first, false)) return;
        std::thread([&] {
            meanwhile = body_of(world.open("/healthz")) + body_of(world.open("/metrics"));
        }).join();
    };
    SECTION("health, before the first look") {
        CHECK(says(world.open("/healthz"), "\"schema\":\"ok\""));
        CHECK(meanwhile.find("\"schema\":\"unknown\"") != std::string::npos);
        CHECK(meanwhile.find("\"status\":\"ok\"") != std::string::npos);
    }
    SECTION("counts, before the first count") {
        CHECK(says(world.open("/metrics"), "varve_objects 0\n"));
        CHECK(meanwhile.find("varve_objects") == std::string::npos);
        CHECK(meanwhile.find("varve_store_up 1\n") != std::string::npos);
    }
}

TEST_CASE("the store is counted once a minute") {
    World world;
    world.back.counts = {.objects = 12, .rows = 34};
    CHECK(says(world.open("/metrics"), "varve_objects 12\n"));
    world.back.counts = {.objects = 13, .rows = 35};
    world.back.tick += 59s;
    CHECK(says(world.open("/metrics"), "varve_objects 12\n"));
    CHECK(world.back.counts_asked == 1);
    world.back.tick += 1s;
    CHECK(says(world.open("/metrics"), "varve_objects 13\n"));
}

TEST_CASE("every status that is sent has a name") {
    for (const auto status : serve::Metrics::statuses)
        CHECK((serve::reason_phrase(status) == "Unknown") == (status == 0));
}

TEST_CASE("metrics count requests by route and status, pages by cache, and tell the facts") {
    World world;
    world.back.counts = {.objects = 12, .rows = 34};
    static_cast<void>(world.get(plain));
    static_cast<void>(world.get(plain));
    static_cast<void>(world.get(plain + "&n=0"));
    static_cast<void>(world.open("/release/WS2"));
    static_cast<void>(world.open("/nowhere"));
    const auto response = world.open("/metrics");
    CHECK(response.status == 200);
    CHECK(response.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(response.field("Cache-Control") == "no-store");
    for (const auto* line :
         {"varve_requests_total{route=\"feed\",status=\"200\"} 2\n",
          "varve_requests_total{route=\"feed\",status=\"400\"} 1\n",
          "varve_requests_total{route=\"release\",status=\"200\"} 1\n",
          "varve_requests_total{route=\"none\",status=\"404\"} 1\n",
          "varve_page_cache_hits_total 1\n", "varve_page_cache_misses_total 2\n",
          "varve_computations_total 7\n", "varve_store_retries_total 3\n", "varve_store_up 1\n",
          "varve_objects 12\n", "varve_history_rows 34\n",
          "varve_release_info{version=\"WS187\"} 1\n", "varve_release_date_seconds 1203033600\n",
          "# TYPE varve_request_seconds histogram\n", "varve_request_seconds_count 5\n"}) {
        INFO(line);
        CHECK(says(response, line));
    }
    CHECK_FALSE(says(response, "status=\"503\""));
}

TEST_CASE("metrics without a store leave out what only it can tell") {
    World world;
    world.back.moment = {
        .version = "", .build_digest = "", .generation = 0, .store_reachable = false};
    const auto response = world.open("/metrics");
    CHECK(response.status == 200);
    CHECK(says(response, "varve_store_up 0\n"));
    CHECK_FALSE(says(response, "varve_objects"));
    CHECK_FALSE(says(response, "varve_release_info"));
}

TEST_CASE("the histogram adds up: each class holds those below it") {
    serve::Metrics metrics;
    metrics.count(serve::Route::feed, 200, 80us);
    metrics.count(serve::Route::feed, 200, 100us);
    metrics.count(serve::Route::feed, 200, 101us);
    metrics.count(serve::Route::feed, 299, 10s);
    const auto text = metrics.text({});
    for (const auto* line :
         {"varve_request_seconds_bucket{le=\"0.0001\"} 2\n",
          "varve_request_seconds_bucket{le=\"0.00025\"} 3\n",
          "varve_request_seconds_bucket{le=\"5\"} 3\n",
          "varve_request_seconds_bucket{le=\"+Inf\"} 4\n",
          "varve_request_seconds_sum 10.000281\n", "varve_request_seconds_count 4\n",
          "{route=\"feed\",status=\"other\"} 1\n"}) {
        INFO(line);
        CHECK(text.find(line) != std::string::npos);
    }
}

TEST_CASE("counts go on from one site to the next where they are kept outside") {
    serve::Metrics metrics;
    auto settings = settings_with();
    settings.metrics = &metrics;
    World first(settings), second(settings);
    static_cast<void>(first.get(plain));
    static_cast<void>(second.get(plain));
    CHECK(metrics.text({}).find("{route=\"feed\",status=\"200\"} 2\n") != std::string::npos);
}

TEST_CASE("every route has a name of its own") {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < serve::route_count; ++i)
        names.push_back(name_of(static_cast<serve::Route>(i)));
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK_FALSE(names.front().empty());
}
