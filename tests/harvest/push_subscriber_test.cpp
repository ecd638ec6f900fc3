// The worker that asks hubs, against hubs that answer in every way. Nothing sleeps: clocks move with its steps.
// SPDX-License-Identifier: MIT
#include "harvest/push_subscriber.hpp"

#include "push_store.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"

using namespace std::chrono_literals;
using support::empty_answer;
using support::links_to_hub;
using support::PushStore;

namespace {

using AskedHub = support::HttpPeer;

// A feed with a hub, and the worker.
struct SubscriberWorld : PushStore {
    explicit SubscriberWorld(const store::Connect& connect,
                             const std::string& push_url = "https://x.org/changes/push/",
                             const std::string& allowed = "127.0.0.0/8")
        : PushStore(connect) {
        options.guard = net::AddressGuard(net::parse_allow_list(allowed).value());
        options.user_agent = "Varve/1.0 (+https://x.org/changes)";
        options.push_url = push_url;
        options.clock = [this](store::Transaction&) { return now; };
        options.steady = [this] { return tick; };
        add_feed(1);
    }
    void pass(std::chrono::seconds time) {
        now += time;
        tick += time;
    }
    // Lets a second pass at each step.
    void run() {
        for (int i = 0; i < 100; ++i) {
            subscriber.work();
            if (!subscriber.is_open()) return;
            subscriber.receive(support::long_enough);
            pass(1s);
        }
        FAIL("the worker does not come to rest");
    }
    void ask(const std::string& hub_url) {
        pass(2s);
        note(1, {hub_url, links_to_hub.topic});
        run();
    }
    std::string failures() { return value("SELECT failures FROM feed_hubs"); }
    // How long after now the hub is asked again, to the minute.
    std::chrono::minutes next_request() {
        const auto time = base::parse_rfc3339(value("SELECT due_at FROM feed_hubs"));
        return std::chrono::round<std::chrono::minutes>(time.value() - now);
    }

    std::chrono::steady_clock::time_point tick{};
    harvest::HarvestOptions options;
    harvest::WorkerContext context{pool, options, std::mt19937_64(1)};
    harvest::PushSubscriber subscriber{
        context,
        net::Client::make(net::AddressGuard(net::parse_allow_list("127.0.0.0/8").value()))
            .value()};
};

template <class F>
void in_subscriber_world(F fn) {
    support::each_store([&](const store::Connect& connect) {
        SubscriberWorld world(connect);
        fn(world);
    });
}

}  // namespace

TEST_CASE("A hub gets a form with everything that it needs") {
    in_subscriber_world([](SubscriberWorld& world) {
        const AskedHub hub([](const std::string&) { return empty_answer("202 Accepted"); });
        world.ask(hub.url("/hub?x=1"));
        const auto requests = hub.requests();
        REQUIRE(requests.size() == 1);
        const auto& request = requests[0];
        CHECK(request.starts_with("POST /hub?x=1 HTTP/1.1\r\n"));
        CHECK(request.find("\r\nContent-Type: application/x-www-form-urlencoded\r\n") !=
              std::string::npos);
        CHECK(request.find("\r\nUser-Agent: Varve/1.0 (+https://x.org/changes)\r\n") !=
              std::string::npos);
        CHECK(request.substr(request.find("\r\n\r\n") + 4) ==
              "hub.mode=subscribe&hub.topic=https%3A%2F%2Fa.example%2Ffeed%3Fx%3D1"
              "&hub.callback=https%3A%2F%2Fx.org%2Fchanges%2Fpush%2F" +
                  world.token() + "&hub.secret=" + world.value("SELECT secret FROM feed_hubs") +
                  "&hub.lease_seconds=864000");
        CHECK(world.failures() == "1");
        CHECK(world.next_request() == 10min);
        world.pass(10min);
        world.run();
        CHECK(hub.requests().size() == 2);
        CHECK(world.next_request() == 60min);
    });
}

TEST_CASE("A hub that refuses, fails or is not there is asked again after a pause") {
    in_subscriber_world([](SubscriberWorld& world) {
        for (const auto* answer :
             {"400 Bad Request", "404 Not Found", "429 Too Many Requests", "500 Oh", "200 OK",
              "302 Found", "307 Temporary Redirect", "garbage", ""}) {
            INFO(answer);
            const AskedHub hub([&](const std::string&) {
                return *answer == '\0' ? std::string() : empty_answer(answer);
            });
            world.ask(hub.url("/hub"));
            CHECK_FALSE(hub.requests().empty());
            CHECK(world.failures() == "1");
            CHECK(world.next_request() == 10min);
        }
        for (const auto* url : {"http://127.0.0.1:1/", "http://10.0.0.1/", "http://[::1]/"}) {
            INFO(url);
            world.note(1, {url, links_to_hub.topic});
            if (world.value("SELECT COUNT(*) FROM feed_hubs") == "0") continue;
            world.pass(2s);
            world.run();
            CHECK(world.failures() == "1");
        }
    });
}

TEST_CASE("A hub that confirms before it answers is not asked again") {
    in_subscriber_world([](SubscriberWorld& world) {
        const AskedHub hub([&](const std::string&) {
            world.confirm();
            return empty_answer("204 No Content");
        });
        world.ask(hub.url("/hub"));
        CHECK(world.failures() == "0");
        CHECK(world.is_pushed());
        CHECK(world.next_request() == 10 * 24 * 60min * 3 / 4);
    });
}

TEST_CASE("Redirections with 307 and 308 are followed with the same form, others are not") {
    in_subscriber_world([](SubscriberWorld& world) {
        const AskedHub last([](const std::string&) { return empty_answer("202 Accepted"); });
        for (const auto* status : {"307 Temporary Redirect", "308 Permanent Redirect"}) {
            const AskedHub first([&](const std::string& request) {
                return request.starts_with("POST /hub ")
                           ? empty_answer(status, "Location: ../other\r\n")
                           : empty_answer(status, "Location: " + last.url("/hub") + "\r\n");
            });
            const auto before = last.requests().size();
            world.ask(first.url("/hub"));
            CHECK(first.requests().size() == 2);
            const auto requests = last.requests();
            REQUIRE(requests.size() == before + 1);
            const auto body_of = [](const std::string& request) {
                return request.substr(request.find("\r\n\r\n"));
            };
            CHECK(body_of(requests.back()) == body_of(first.requests().front()));
            CHECK(world.value("SELECT hub_url FROM feed_hubs") == first.url("/hub"));
        }
        const auto before = last.requests().size();
        for (const auto* status : {"301 Moved Permanently", "302 Found", "303 See Other"}) {
            const AskedHub first([&](const std::string&) {
                return empty_answer(status, "Location: " + last.url("/hub") + "\r\n");
            });
            world.ask(first.url("/hub"));
        }
        CHECK(last.requests().size() == before);
    });
}

TEST_CASE("A hub that redirects without an end, or to where nobody may go, is given up") {
    in_subscriber_world([](SubscriberWorld& world) {
        const AskedHub endless([](const std::string&) {
            return empty_answer("307 Temporary Redirect", "Location: /hub\r\n");
        });
        world.ask(endless.url("/hub"));
        CHECK(endless.requests().size() == 4);
        CHECK(world.failures() == "1");
        for (const auto* target : {"http://10.0.0.1/", "ftp://a.example/", "::", ""}) {
            INFO(target);
            const AskedHub hub([&](const std::string&) {
                return empty_answer("308 Permanent Redirect",
                                    "Location: " + std::string(target) + "\r\n");
            });
            world.ask(hub.url("/hub"));
            CHECK(world.failures() == "1");
        }
        CHECK(world.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0") == "0");
    });
}

TEST_CASE("Without an address for pushes no hub is asked") {
    support::each_store([](const store::Connect& connect) {
        SubscriberWorld world(connect, "");
        const AskedHub hub([](const std::string&) { return empty_answer("202 Accepted"); });
        world.ask(hub.url("/hub"));
        CHECK(hub.requests().empty());
        CHECK(world.failures() == "0");
    });
}

TEST_CASE("A worker that ends gives its requests back") {
    in_subscriber_world([](SubscriberWorld& world) {
        const AskedHub silent([](const std::string&) { return std::string(); });
        world.note(1, {silent.url("/hub"), links_to_hub.topic});
        world.subscriber.work();
        CHECK(world.subscriber.is_open());
        CHECK(world.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0") == "1");
        world.subscriber.give_back();
        CHECK_FALSE(world.subscriber.is_open());
        CHECK(world.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0") == "0");
        CHECK(world.next_request() == 0min);
        CHECK(world.failures() == "0");
    });
}
