// Whole hubs against subscribers that misbehave. Nothing sleeps: a hub takes steps until something is so, and the
// clocks stand still while it waits for answers.
// SPDX-License-Identifier: MIT
#include "hub/hub.hpp"

#include <mutex>
#include <set>

#include "hub/protocol.hpp"
#include "hub_store.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"

using namespace hub;
using namespace std::chrono_literals;
using support::answer_of;
using support::body_in;
using support::empty_answer;
using support::field_in;
using support::HubStore;
using support::PeerConnection;

namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view yes = "HTTP/1.1 204 No Content\r\n\r\n";

std::string value_in(const std::string& request, const std::string& name) {
    const auto at = request.find(name + "=");
    if (at == std::string::npos) return "";
    const auto begin = at + name.size() + 1;
    return request.substr(begin, request.find_first_of("& ", begin) - begin);
}
// A subscriber: it confirms what it is asked for, and answers deliveries as the test says.
class Reader {
   public:
    using Answer = support::HttpPeer::ServeRequest;

    explicit Reader(Answer to_delivery = {}, Answer to_verification = {},
                    const std::string& address = "127.0.0.1")
        : peer_(
              [deliver = std::move(to_delivery), verify = std::move(to_verification)](
                  PeerConnection& connection, const std::string& request) {
                  if (request.starts_with("POST"))
                      return deliver ? deliver(connection, request) : connection.send(yes);
                  return verify ? verify(connection, request) : confirm(connection, request);
              },
              address) {}

    [[nodiscard]] std::string url(const std::string& target = "/take?for=me") const {
        return peer_.url(target);
    }
    // Those that begin so.
    [[nodiscard]] Texts requests(const std::string& begin) const {
        auto found = peer_.requests();
        std::erase_if(found,
                      [&](const std::string& request) { return !request.starts_with(begin); });
        return found;
    }
    [[nodiscard]] Texts bodies() const {
        Texts found;
        for (const auto& request : requests("POST")) found.push_back(body_in(request));
        return found;
    }
    static bool confirm(PeerConnection& connection, const std::string& request) {
        return connection.send(answer_of(value_in(request, "hub.challenge")));
    }

   private:
    support::HttpPeer peer_;
};

Reader::Answer with(const std::string& answer) {
    return [answer](PeerConnection& connection, const std::string&) {
        return connection.send(answer);
    };
}

// A site whose feeds are lists of texts. A topic is a whole class, which is looked at whenever a row was
// recorded.
struct FeedSite {
    Topic topic_named(const std::string& name) const {
        return {.url = "http://f.example/rss?class=" + name,
                .subject = Topic::Subject::whole_class,
                .class_name = name};
    }
    base::Result<std::optional<FeedNews>> news(const Topic& topic, std::string_view since) {
        ++reads;
        if (is_down) return base::fail(base::ErrorKind::unavailable, "the build is away");
        const auto found = feeds.find(topic.class_name);
        if (found == feeds.end()) return base::fail(base::ErrorKind::absent, "no such feed");
        const auto& items = found->second;
        FeedNews result{"application/rss+xml; charset=utf-8", "", std::to_string(items.size())};
        if (since.empty()) return result;
        if (since == result.position) return std::nullopt;
        for (auto i = static_cast<std::size_t>(std::stoi(std::string(since))); i < items.size();
             ++i)
            result.body += items[i];
        return result;
    }
    Site site() {
        return {.hub_url = "http://f.example/hub",
                .read_news = [this](const Topic& topic,
                                    std::string_view since) { return news(topic, since); },
                .may_read = [this](std::string_view token) -> base::Result<bool> {
                    return !revoked.contains(std::string(token));
                },
                .current_release = [] { return std::string("WS1"); }};
    }

    std::map<std::string, Texts> feeds{{"Gene", {"old"}}, {"Paper", {}}};
    std::set<std::string> revoked;
    bool is_down = false;
    int reads = 0;
};

struct Scene {
    explicit Scene(store::Engine engine) : store(engine) {
        store.execute("INSERT INTO releases (version, released_on) VALUES ('WS1', '2008-01-01')");
    }
    HubOptions options() {
        HubOptions some;
        some.guard = net::AddressGuard(*net::parse_allow_list("127.0.0.0/8"));
        some.look_every = 0s;
        some.settle = 0s;
        some.connect = support::long_enough;
        some.total = support::long_enough;
        some.clock = [this](store::Transaction&) { return store.now; };
        // Each look at the clock takes a while, so that nobody waits for it to move.
        some.steady = [this] {
            return std::chrono::steady_clock::time_point(store.now - start) + ++looks * 1ms;
        };
        return some;
    }
    Hub make_hub() { return make_hub(options()); }
    Hub make_hub(HubOptions some) {
        auto made = Hub::make(store.pool, site.site(), std::move(some));
        if (!made) throw std::runtime_error(made.error().text);
        return std::move(*made);
    }
    void ask(const std::string& callback, const std::string& feed = "Gene",
             Mode mode = Mode::subscribe, const std::string& token = "",
             const std::string& secret = "") {
        const auto topic = site.topic_named(feed);
        auto request = support::request_of(callback, topic, mode);
        request.secret = secret;
        REQUIRE(store.subscriptions.ask(request, topic, {.token_digest = token}) ==
                Accepted::yes);
    }
    void publish(const std::string& text, const std::string& feed = "Gene") {
        site.feeds[feed].push_back(text);
        // So that hubs look.
        const auto number = std::to_string(++published);
        store.execute("INSERT INTO objects (class, name, name_key) VALUES ('" + feed + "', '" +
                      number + "', '" + number + "')");
        store.execute("INSERT INTO history (oid, version, date, recorded_at, kind, label, notes,"
                      " class, name) SELECT oid, 'WS1', '2008-01-01', '2008-01-01T00:00:00Z',"
                      " 'changed', '', '', class, name FROM objects WHERE name = '" +
                      number + "'");
    }
    std::size_t in_force() {
        std::size_t count = 0;
        for (const auto& entry : store.list()) count += entry.is_pending ? 0 : 1;
        return count;
    }
    std::int64_t requests() { return store.count("hub_requests"); }
    bool is_quiet() {
        return store.query("SELECT 1 FROM subscriptions WHERE due_at > ''").empty() &&
               requests() == 0;
    }

    HubStore store;
    FeedSite site;
    const base::Seconds start = store.now;
    int looks = 0, published = 0;
};

// Takes steps until the condition holds.
//   pass  the time that passes when no answer is awaited
void run_until(Scene& scene, Hub& hub, const std::function<bool()>& condition,
               std::chrono::seconds pass = 0s) {
    support::repeat_until(condition, [&] {
        const bool waits = hub.is_open();
        hub.step(waits ? 2ms : 0ms);
        if (!waits) scene.store.now += pass;
    });
}

void subscribe(Scene& scene, Hub& hub, const std::string& callback,
               const std::string& feed = "Gene") {
    const auto before = scene.in_force();
    scene.ask(callback, feed);
    run_until(scene, hub, [&] { return scene.in_force() == before + 1; });
}

}  // namespace

TEST_CASE("A subscriber confirms, and then gets what is new and nothing old") {
    Scene scene(GENERATE(support::both_engines()));
    const Reader reader;
    auto hub = scene.make_hub();
    scene.ask(reader.url(), "Gene", Mode::subscribe, "", "the secret");
    run_until(scene, hub, [&] { return scene.in_force() == 1; });
    const auto verifications = reader.requests("GET");
    REQUIRE(verifications.size() == 1);
    CHECK(verifications[0].starts_with(
        "GET /take?for=me&hub.mode=subscribe&hub.topic=http%3A%2F%2Ff.example%2Frss%3Fclass"
        "%3DGene&hub.challenge="));
    CHECK(value_in(verifications[0], "hub.lease_seconds") == "864000");
    scene.publish("<new/>");
    run_until(scene, hub, [&] { return !reader.bodies().empty() && scene.is_quiet(); });
    const auto delivery = reader.requests("POST").at(0);
    CHECK(delivery.starts_with("POST /take?for=me HTTP/1.1\r\n"));
    CHECK(body_in(delivery) == "<new/>");
    CHECK(field_in(delivery, "Content-Type") == "application/rss+xml; charset=utf-8");
    CHECK(field_in(delivery, "Link") == "<http://f.example/hub>; rel=\"hub\", "
                                        "<http://f.example/rss?class=Gene>; rel=\"self\"");
    CHECK(field_in(delivery, "X-Hub-Signature") ==
          signature_field(SignatureMethod::sha256, "the secret", "<new/>"));
    scene.ask(reader.url(), "Gene", Mode::unsubscribe);
    run_until(scene, hub, [&] { return scene.store.list().empty(); });
    scene.publish("<more/>");
    for (int i = 0; i < 5; ++i) hub.step(1ms);
    CHECK(reader.bodies() == Texts{"<new/>"});
}

TEST_CASE("Who does not repeat the challenge has not confirmed") {
    const std::vector<Reader::Answer> wrong = {
        with(answer_of("wrong")),
        with(answer_of("")),
        with(empty_answer("404 Not Found")),
        with(empty_answer("403 Forbidden")),
        [](PeerConnection& connection, const std::string& request) {
            return connection.send(answer_of(value_in(request, "hub.challenge") + "\n"));
        },
        [](PeerConnection& connection, const std::string& request) {
            return connection.send(
                answer_of(value_in(request, "hub.challenge"), "", "300 Multiple Choices"));
        },
        [](PeerConnection& connection, const std::string& request) {
            return connection.send("HTTP/1.1 302 Found\r\nLocation: /?hub.challenge=" +
                                   value_in(request, "hub.challenge") +
                                   "\r\nContent-Length: 0\r\n\r\n");
        },
        [](PeerConnection& connection, const std::string& request) {
            return connection.send(answer_of(value_in(request, "hub.challenge") +
                                             std::string(std::size_t{10} << 20, 'x')));
        }};
    Scene scene(GENERATE(support::engines()));
    auto hub = scene.make_hub();
    for (const auto& answer : wrong) {
        const Reader reader({}, answer);
        scene.ask(reader.url());
        run_until(scene, hub, [&] { return scene.requests() == 0; });
        CHECK(scene.store.list().empty());
        CHECK(reader.requests("GET").size() == 1);
    }
}

TEST_CASE("Who can't confirm now is asked again later") {
    Scene scene(GENERATE(support::engines()));
    std::atomic<int> asked = 0;
    const Reader reader({}, [&](PeerConnection& connection, const std::string& request) {
        if (++asked == 1) return connection.send(empty_answer("503 Service Unavailable"));
        if (asked == 2) return false;
        return Reader::confirm(connection, request);
    });
    auto hub = scene.make_hub();
    scene.ask(reader.url());
    run_until(scene, hub, [&] { return scene.in_force() == 1; }, 10s);
    CHECK(asked >= 3);
}

TEST_CASE("Verifications that hang do not delay deliveries") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader;
    const Reader tarpit(
        {}, [](PeerConnection& connection, const std::string&) { return connection.wait(); });
    auto hub = scene.make_hub();
    subscribe(scene, hub, reader.url());
    for (int i = 0; i < 50; ++i) scene.ask(tarpit.url("/" + std::to_string(i)));
    run_until(scene, hub, [&] { return !tarpit.requests("GET").empty(); });
    scene.publish("<new/>");
    run_until(scene, hub, [&] { return !reader.bodies().empty(); });
    CHECK(scene.in_force() == 1);
}

TEST_CASE("A delivery that fails is repeated after a pause, and later ones come after it") {
    const std::vector<Reader::Answer> failing = {
        with(empty_answer("500 Internal Server Error")),
        with("HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
        with(empty_answer("404 Not Found")), with("not HTTP\r\n\r\n"),
        [](PeerConnection& connection, const std::string&) {
            connection.reset();
            return false;
        }};
    Scene scene(GENERATE(support::engines()));
    for (const auto& answer : failing) {
        std::atomic<bool> works = false;
        std::atomic<int> taken = 0;
        Texts got, signatures;
        const Reader reader([&](PeerConnection& connection, const std::string& request) {
            if (!works) return answer(connection, request);
            got.push_back(body_in(request));
            signatures.push_back(field_in(request, "X-Hub-Signature"));
            ++taken;
            return connection.send(yes);
        });
        auto hub = scene.make_hub();
        scene.ask(reader.url(), "Gene", Mode::subscribe, "", "secret");
        run_until(scene, hub, [&] { return scene.in_force() == 1; });
        scene.publish("1");
        const auto has_failed = [&] {
            for (const auto& entry : scene.store.list())
                if (entry.callback == reader.url() && entry.tries == 1) return true;
            return false;
        };
        run_until(scene, hub, has_failed);
        scene.publish("2");
        for (int i = 0; i < 3; ++i) hub.step(1ms);
        CHECK(has_failed());
        works = true;
        scene.store.now += 40s;
        run_until(scene, hub, [&] { return taken >= 2 && scene.is_quiet(); });
        CHECK(got == Texts{"1", "2"});
        CHECK(signatures == Texts{signature_field(SignatureMethod::sha256, "secret", "1"),
                                  signature_field(SignatureMethod::sha256, "secret", "2")});
        scene.store.execute("DELETE FROM subscriptions");
    }
}

TEST_CASE("Any 2xx is a success, whatever follows") {
    const std::vector<Reader::Answer> good = {
        with(empty_answer("202 Accepted")), with(answer_of(std::string(1 << 20, 'x'))),
        [](PeerConnection& connection, const std::string&) {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nabc");
            return false;
        },
        [](PeerConnection& connection, const std::string&) {
            while (connection.send("HTTP/1.1 200 OK\r\n\r\n" + std::string(1 << 16, 'x'))) {
            }
            return false;
        }};
    Scene scene(GENERATE(support::engines()));
    for (const auto& answer : good) {
        const Reader reader(answer);
        auto hub = scene.make_hub();
        subscribe(scene, hub, reader.url());
        scene.publish("1");
        run_until(scene, hub, [&] { return !reader.bodies().empty() && scene.is_quiet(); });
        CHECK(reader.bodies() == Texts{"1"});
        CHECK(field_in(reader.requests("POST").at(0), "X-Hub-Signature") == "(none)");
        scene.store.execute("DELETE FROM subscriptions");
    }
}

TEST_CASE("410 ends a subscription") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader(with(empty_answer("410 Gone")));
    auto hub = scene.make_hub();
    subscribe(scene, hub, reader.url());
    scene.publish("1");
    run_until(scene, hub, [&] { return scene.store.list().empty(); });
    CHECK(reader.bodies() == Texts{"1"});
}

TEST_CASE("A subscriber that never answers does not delay the others") {
    Scene scene(GENERATE(support::engines()));
    const Reader tarpit(
        [](PeerConnection& connection, const std::string&) { return connection.wait(); });
    const Reader reader({}, {}, "127.0.0.2");
    auto hub = scene.make_hub();
    for (int i = 0; i < 20; ++i) subscribe(scene, hub, tarpit.url("/" + std::to_string(i)));
    for (int i = 0; i < 20; ++i) subscribe(scene, hub, reader.url("/" + std::to_string(i)));
    scene.publish("1");
    run_until(scene, hub, [&] { return reader.bodies().size() == 20; });
    for (const auto& entry : scene.store.list())
        CHECK((entry.tries == 0 || !entry.callback.starts_with("http://127.0.0.2")));
}

TEST_CASE(
    "A host that is not there delays no other, and each of its subscribers is tried again") {
    Scene scene(GENERATE(support::engines()));
    std::string url;
    {
        const Reader gone;
        url = gone.url("/");
    }
    auto hub = scene.make_hub();
    for (int i = 0; i < 30; ++i) {
        scene.ask(url + std::to_string(i));
        scene.store.execute("UPDATE topics SET position = '1'");
        scene.store.confirm_all();
    }
    const Reader reader({}, {}, "127.0.0.2");
    subscribe(scene, hub, reader.url());
    scene.publish("1");
    run_until(scene, hub, [&] { return reader.bodies().size() == 1; });
    run_until(scene, hub, [&] {
        std::int64_t tries = 0;
        for (const auto& entry : scene.store.list()) tries += entry.tries;
        return tries == 30;
    });
}

TEST_CASE("Subscribers that never answer do not stop others of their host") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader([](PeerConnection& connection, const std::string& request) {
        return request.starts_with("POST /silent") ? connection.wait() : connection.send(yes);
    });
    auto hub = scene.make_hub();
    for (int i = 0; i < 40; ++i)
        subscribe(scene, hub, reader.url((i % 4 == 0 ? "/silent" : "/") + std::to_string(i)));
    const auto delivered = [&] {
        std::size_t count = 0;
        for (const auto& request : reader.requests("POST"))
            count += request.starts_with("POST /silent") ? 0 : 1;
        return count;
    };
    for (const std::size_t round : {1U, 2U}) {
        scene.publish("new");
        run_until(scene, hub, [&] { return delivered() == 30 * round; });
    }
}

TEST_CASE("A stranger with many names of one address keeps nobody else waiting") {
    Scene scene(GENERATE(support::engines()));
    const auto hang = [](PeerConnection& connection, const std::string&) {
        return connection.wait();
    };
    const Reader tarpit(hang, hang, "127.0.0.2");
    const Reader reader;
    auto options = scene.options();
    options.connections = 16;
    options.look_up = [](const std::string&) -> base::Result<std::vector<net::Address>> {
        return std::vector{*net::parse_address("127.0.0.2")};
    };
    auto hub = scene.make_hub(options);
    const auto ask_for_names = [&](const std::string& feed) {
        for (int i = 0; i < 200; ++i) {
            const auto name = "n" + std::to_string(i) + ".wildcard.example";
            auto url = tarpit.url("/" + std::to_string(i));
            scene.ask(url.replace(url.find("127.0.0.2"), 9, name), feed);
        }
    };
    ask_for_names("Paper");
    run_until(scene, hub, [&] { return !tarpit.requests("GET").empty(); });
    subscribe(scene, hub, reader.url());
    CHECK(scene.requests() == 200);
    scene.store.execute("UPDATE hub_requests SET due_at = '2008-01-01T00:00:00Z'");
    while (scene.requests() > 0) scene.store.confirm_all();
    scene.publish("1", "Paper");
    run_until(scene, hub, [&] { return !tarpit.requests("POST").empty(); });
    scene.publish("1");
    run_until(scene, hub, [&] { return !reader.bodies().empty(); });
    CHECK(tarpit.requests("GET").size() <= 12);
    CHECK(tarpit.requests("POST").size() <= 2);
}

TEST_CASE("Two hubs over one store deliver everything once") {
    Scene scene(GENERATE(support::both_engines()));
    const Reader reader;
    auto one = scene.make_hub();
    auto other = scene.make_hub();
    for (int i = 0; i < 30; ++i) subscribe(scene, one, reader.url("/" + std::to_string(i)));
    scene.publish("1");
    run_until(scene, one, [&] {
        other.step(1ms);
        return reader.bodies().size() >= 30 && scene.is_quiet();
    });
    CHECK(reader.bodies().size() == 30);
}

TEST_CASE("What a killed hub was delivering, another one delivers") {
    Scene scene(GENERATE(support::both_engines()));
    std::atomic<bool> works = false;
    const Reader reader([&](PeerConnection& connection, const std::string&) {
        return works ? connection.send(yes) : connection.wait();
    });
    {
        auto killed = scene.make_hub();
        for (int i = 0; i < 5; ++i) subscribe(scene, killed, reader.url("/" + std::to_string(i)));
        scene.publish("1");
        // What only the kernel has is read after the kill, and could come behind what the other hub sends.
        run_until(scene, killed, [&] { return reader.bodies().size() == 5; });
    }
    works = true;
    scene.publish("2");
    auto hub = scene.make_hub();
    hub.step(1ms);
    CHECK_FALSE(scene.is_quiet());
    scene.store.now += store::claim_lasts;
    run_until(scene, hub, [&] { return scene.is_quiet(); });
    for (int i = 0; i < 5; ++i) {
        std::string got;
        for (const auto& request : reader.requests("POST /" + std::to_string(i)))
            got += body_in(request);
        CHECK(got == "112");
    }
}

TEST_CASE("A hub that stops gives back what it could not finish") {
    Scene scene(GENERATE(support::engines()));
    std::atomic<bool> works = false;
    const Reader reader([&](PeerConnection& connection, const std::string&) {
        return works ? connection.send(yes) : connection.wait();
    });
    auto stopped = scene.make_hub();
    subscribe(scene, stopped, reader.url());
    scene.publish("1");
    run_until(scene, stopped, [&] { return !reader.bodies().empty(); });
    stopped.stop(1ms);
    works = true;
    auto hub = scene.make_hub();
    run_until(scene, hub, [&] { return scene.is_quiet(); });
    CHECK(reader.bodies() == Texts{"1", "1"});
}

TEST_CASE("A revoked token ends a subscription at its next delivery, and does not keep it from "
          "ending") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader;
    auto hub = scene.make_hub();
    scene.ask(reader.url("/a"), "Gene", Mode::subscribe, "token");
    scene.ask(reader.url("/b"), "Paper", Mode::subscribe, "token");
    run_until(scene, hub, [&] { return scene.in_force() == 2; });
    scene.site.revoked.insert("token");
    scene.ask(reader.url("/b"), "Paper", Mode::unsubscribe);
    run_until(scene, hub, [&] { return scene.store.list().size() == 1; });
    scene.publish("1");
    run_until(scene, hub, [&] { return scene.store.list().empty(); });
    run_until(scene, hub, [&] { return reader.requests("GET /a?hub.mode=denied").size() == 1; });
    CHECK(reader.bodies().empty());
    scene.ask(reader.url("/c"), "Gene", Mode::subscribe, "token");
    run_until(scene, hub, [&] { return reader.requests("GET /c?hub.mode=denied").size() == 1; });
    CHECK(reader.requests("GET /c?hub.mode=subscribe").empty());
    CHECK(scene.store.list().empty());
}

TEST_CASE("A feed that is not there is denied, and one that can't be read now, as its news, is "
          "asked for later") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader;
    auto hub = scene.make_hub();
    scene.ask(reader.url("/a"), "Nothing");
    run_until(scene, hub, [&] { return reader.requests("GET /a?hub.mode=denied").size() == 1; });
    CHECK(scene.store.list().empty());
    scene.site.is_down = true;
    scene.ask(reader.url("/b"));
    for (int i = 0; i < 5; ++i) {
        scene.store.now += 70s;
        hub.step(1ms);
    }
    CHECK(reader.requests("GET /b").empty());
    scene.site.is_down = false;
    scene.store.now += 70s;
    run_until(scene, hub, [&] { return scene.in_force() == 1; });
    scene.site.is_down = true;
    scene.publish("1");
    const auto reads = scene.site.reads;
    run_until(scene, hub, [&] { return scene.site.reads > reads; }, 1s);
    scene.site.is_down = false;
    run_until(scene, hub, [&] { return !reader.bodies().empty(); }, 1s);
    CHECK(reader.bodies() == Texts{"1"});
}

TEST_CASE("Feeds that take long to read are looked at one by one, and none is passed over") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader;
    auto site = scene.site.site();
    site.read_news = [&](const Topic& topic, std::string_view since) {
        scene.store.now += 1s;
        return scene.site.news(topic, since);
    };
    auto hub = Hub::make(scene.store.pool, site, scene.options());
    REQUIRE(hub);
    for (int i = 0; i < 5; ++i) {
        scene.site.feeds[std::to_string(i)] = {};
        subscribe(scene, *hub, reader.url("/" + std::to_string(i)), std::to_string(i));
    }
    for (int i = 0; i < 5; ++i) scene.publish("new", std::to_string(i));
    const auto are_delivered = [&] { return reader.bodies().size() == 5 && scene.is_quiet(); };
    run_until(scene, *hub, are_delivered, 1s);
}

TEST_CASE("Nothing is sent to an address that is refused, also when its name changes its mind") {
    Scene scene(GENERATE(support::engines()));
    const Reader reader;
    auto options = scene.options();
    options.guard = net::AddressGuard(*net::parse_allow_list("127.0.0.1"));
    auto looked_up = std::make_shared<std::atomic<int>>(0);
    options.look_up = [looked_up](const std::string&) -> base::Result<std::vector<net::Address>> {
        return std::vector{*net::parse_address(++*looked_up == 1 ? "127.0.0.1" : "127.0.0.2")};
    };
    auto url = reader.url("/x");
    url.replace(url.find("127.0.0.1"), 9, "reader.example");
    auto hub = scene.make_hub(options);
    subscribe(scene, hub, url);
    scene.publish("1");
    run_until(scene, hub, [&] { return scene.store.list().at(0).tries == 1; });
    CHECK(reader.bodies().empty());
    scene.ask("http://127.0.0.2:8080/", "Paper");
    run_until(scene, hub, [&] { return scene.requests() == 0; });
    CHECK(scene.store.list().size() == 1);
}

TEST_CASE("Whatever statement of a hub fails, everything arrives, in order") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : {support::Fault::lost, support::Fault::lost_commit})
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            INFO(support::name_of(engine));
            const Reader reader;
            Scene scene(engine);
            store::Pool pool(support::faulty(scene.store.fresh->connect(), plan), 4,
                             support::no_waiting());
            auto hub = Hub::make(pool, scene.site.site(), scene.options());
            REQUIRE(hub);
            scene.ask(reader.url());
            run_until(scene, *hub, [&] { return scene.in_force() == 1; }, 1s);
            for (const auto* text : {"1", "2"}) {
                scene.publish(text);
                const auto has_come = [&] {
                    const auto bodies = reader.bodies();
                    return !bodies.empty() && bodies.back() == text && scene.is_quiet();
                };
                run_until(scene, *hub, has_come, 1s);
            }
            std::string got;
            for (const auto& body : reader.bodies()) got += body;
            CHECK((got == "12" || got == "112" || got == "122"));
        });
}

TEST_CASE("Monitors see that a hub looks for news, also when there are none for hours") {
    Scene scene(GENERATE(support::engines()));
    auto hub = scene.make_hub();
    const auto looked_at = [&] { return scene.store.call(hub_numbers).looked_at; };
    run_until(scene, hub, [&] { return looked_at().has_value(); }, 1s);
    scene.store.now += std::chrono::hours(3);
    const auto three_hours_later = scene.store.now;
    run_until(scene, hub, [&] { return looked_at() >= three_hours_later; }, 1s);
}
