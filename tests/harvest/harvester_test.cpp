// The whole harvester, against servers that lie in every way. Nothing sleeps: clocks move with its steps, and stand
// still while it waits for answers.
// SPDX-License-Identifier: MIT
#include "harvest/harvester.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "harvest_store.hpp"
#include "support/gzipped.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"

using namespace harvest;
using namespace std::chrono_literals;
using support::answer_of;
using support::field_in;
using support::gzipped;
using support::HarvestStore;
using support::HttpPeer;
using support::PeerConnection;

namespace {

using Texts = std::vector<std::string>;

std::string item(const std::string& guid, const std::string& title) {
    return "<item><guid>" + guid + "</guid><title>" + title + "</title></item>";
}
std::string rss(const std::string& items, const std::string& before = "") {
    return "<?xml version='1.0'?>" + before + "<rss version='2.0'><channel><title>T</title>" +
           items + "</channel></rss>";
}
std::string redirect_to(const std::string& url, const std::string& status = "302 Found") {
    return support::empty_answer(status, "Location: " + url + "\r\n");
}

// A block of RFC 7932 that is not compressed, and an empty last one.
std::string as_brotli(const std::string& bytes) {
    const auto head = (bytes.size() - 1) << 4U | std::size_t{1} << 20U;
    std::string coded;
    for (const unsigned shift : {0U, 8U, 16U}) coded += static_cast<char>(head >> shift);
    return coded + bytes + '\x03';
}

bool stay_silent(PeerConnection& connection, const std::string&) {
    connection.wait();
    return false;
}

// A store, harvesters and their clocks.
struct Scene : HarvestStore {
    using HarvestStore::HarvestStore;

    //   total  time of a fetch
    [[nodiscard]] HarvestOptions options(
        std::chrono::milliseconds total = support::long_enough) const {
        HarvestOptions some;
        some.guard = net::AddressGuard(net::parse_allow_list("127.0.0.0/8").value());
        some.user_agent = "Varve/1.0 (+https://x.org/changes; mail@x.org)";
        some.connect = support::long_enough;
        some.total = total;
        some.clock = [this](store::Transaction&) { return start + seconds.load() * 1s; };
        // Each look at the clock takes a while, so that nobody waits for it to move.
        some.steady = [this] { return SteadyTime() + seconds.load() * 1s + ++looks * 2ms; };
        return some;
    }
    Harvester make(const HarvestOptions& some) {
        auto made = Harvester::make(pool, some);
        REQUIRE(made);
        return *std::move(made);
    }
    Harvester make() { return make(options()); }
    void pass(std::chrono::seconds time) {
        now += time;
        seconds += time.count();
    }
    // A second passes when no answer is awaited.
    void step(Harvester& harvester) {
        const bool waits = harvester.is_fetching();
        harvester.step(waits ? 2ms : 0ms);
        if (!waits) pass(1s);
    }
    void run_until(Harvester& harvester, const std::function<bool()>& condition) {
        support::repeat_until(condition, [&] { step(harvester); });
    }
    // Takes steps until all is fetched that is due.
    void run(Harvester& harvester) {
        run_until(harvester, [&] { return harvester.is_done(); });
    }
    // Fetches all feeds now, whenever they are due.
    void fetch_all(Harvester& harvester) {
        pass(3s);
        call(kick, "", now);
        run(harvester);
    }
    // Lets a server ask for a pause.
    void hold(const HttpPeer& server, std::chrono::seconds time) {
        execute("INSERT INTO base_urls (base_url, free_at, held) VALUES ('" + server.url("") +
                "', '" + base::format_rfc3339(now + time) + "', 1)");
    }
    void kick_one(const std::string& url) { call(kick, url, now); }
    std::string last_note(std::int64_t feed) {
        const auto found = call(load_events, feed, 1);
        return found.empty() ? "(none)" : found.front().note;
    }
    // "1 one": guid and title.
    Texts entries(std::int64_t feed) {
        Texts texts;
        for (const auto& row : query("SELECT guid, title FROM entries WHERE feed = " +
                                     std::to_string(feed) + " ORDER BY id"))
            texts.push_back(row.text(0) + " " + row.text(1));
        return texts;
    }

    const base::Seconds start = now;
    std::atomic<std::int64_t> seconds = 0;  // since then, for the threads of servers, too
    mutable std::atomic<std::int64_t> looks = 0;
};

}  // namespace

TEST_CASE("A feed is fetched, its entries are recorded, and it is left alone until it is due") {
    Scene scene(GENERATE(support::both_engines()));
    const HttpPeer server(
        [](const std::string&) { return answer_of(rss(item("2", "two") + item("1", "one"))); });
    const auto feed = scene.add(server.url("/feed?x=1"));
    auto harvester = scene.make();
    CHECK_FALSE(harvester.is_done());
    scene.run(harvester);
    CHECK(scene.entries(feed) == Texts{"1 one", "2 two"});
    CHECK(scene.events(feed) == "queued; fetch_succeeded 0 skipped / 2 added");
    const auto row = scene.feed(feed);
    CHECK(row.rss_title == "T");
    CHECK(row.system_status == "Working");
    CHECK(row.poll_minutes == 30);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].starts_with("GET /feed?x=1 HTTP/1.1\r\n"));
    CHECK(field_in(requests[0], "User-Agent") ==
          "Varve/1.0 (+https://x.org/changes; mail@x.org; 1 reader)");
    CHECK(field_in(requests[0], "Accept-Encoding") == "gzip, deflate, br");
    CHECK(std::ranges::count(requests[0], '\n') == 7);
    // Another process begins, and polls nothing before its time.
    auto another = scene.make();
    scene.run(another);
    scene.pass(29min);
    scene.run(another);
    CHECK(server.requests().size() == 1);
    scene.pass(5min);
    scene.run(another);
    CHECK(server.requests().size() == 2);
    CHECK(scene.last_note(feed) == "same hash");
    const auto numbers = scene.call(harvest_numbers, scene.now);
    CHECK(numbers.outcomes == std::vector<std::pair<std::string, std::uint64_t>>{
                                  {"added", 2}, {"notmodified", 1}, {"ok", 1}});
    CHECK(numbers.harvested_at);
}

TEST_CASE("Neither cookies nor where we come from are told after redirects") {
    Scene scene(GENERATE(support::engines()));
    const HttpPeer server([](const std::string& request) {
        const std::string cookie = "Set-Cookie: a=b; Path=/\r\n";
        return request.starts_with("GET /old ")
                   ? answer_of("", cookie + "Location: /new\r\n", "301 Moved")
                   : answer_of(rss(""), cookie);
    });
    scene.add(server.url("/old"));
    auto harvester = scene.make();
    scene.run(harvester);
    scene.fetch_all(harvester);
    CHECK(server.requests().size() == 4);
    for (const auto& request : server.requests()) {
        CHECK(field_in(request, "Cookie") == "(none)");
        CHECK(field_in(request, "Referer") == "(none)");
    }
}

TEST_CASE("Whatever a server does, the feed has a clear status, and others are fetched") {
    const auto one = rss(item("1", "one"));
    const auto always = [](const std::string& answer) -> HttpPeer::ServeRequest {
        return [answer](PeerConnection& connection, const std::string&) {
            return connection.send(answer);
        };
    };
    const auto spaces = [](std::size_t count) { return std::string(count, ' '); };
    struct Case {
        std::string name, note;
        HttpPeer::ServeRequest serve;
    };
    const std::string added = "0 skipped / 1 added", gzip = "Content-Encoding: gzip\r\n";
    const std::vector<Case> cases{
        {"gzip", added, always(answer_of(gzipped(one), gzip))},
        {"brotli", added, always(answer_of(as_brotli(one), "Content-Encoding: br\r\n"))},
        {"gzip that is none", added, always(answer_of(one, gzip))},
        {"gzip that is damaged", "parse error; damaged gzip data",
         always(answer_of("\x1F\x8B\x08 and other bytes", gzip))},
        {"150 KB", added, always(answer_of(one + spaces(150 * 1024 - one.size())))},
        {"more than 150 KB", "too large", always(answer_of(spaces(150 * 1024 + 1)))},
        {"decompression bomb", "too large",
         always(answer_of(gzipped(spaces(std::size_t{32} << 20)), gzip))},
        {"no HTTP", "fetch error", always("SSH-2.0-x\r\n")},
        {"silence", "read timeout", stay_silent},
        {"redirects without end", "too many redirects",
         [](PeerConnection& connection, const std::string& request) {
             return connection.send(redirect_to(support::target_in(request) + "x"));
         }},
        {"a redirect to a private address", "refused address",
         always(redirect_to("http://10.0.0.1/"))},
        {"a redirect to a file", "fetch error; a redirect to an invalid URL",
         always(redirect_to("file:///etc/passwd"))},
        {"410", "HTTP 410 Gone", always(answer_of("", "", "410 Gone"))},
        {"429", "HTTP 429 Too Many Requests",
         always(answer_of("", "Retry-After: 7200\r\n", "429 Wait"))},
        {"304 that nobody asked for", "HTTP 304 Not Modified; not asked for",
         always(answer_of("", "", "304 Not Modified"))},
        {"a web page", "parse error; html?",
         always(answer_of("<html><body>Hello</body></html>"))},
        {"no entries", "no entries", always(answer_of(rss("")))},
    };
    Scene scene(GENERATE(support::engines()));
    std::vector<std::unique_ptr<HttpPeer>> servers;
    std::map<std::string, std::int64_t> feeds;
    const auto fetch = [&](bool until_timeout, std::chrono::milliseconds total) {
        for (const auto& [name, note, serve] : cases) {
            if ((note == "read timeout") != until_timeout) continue;
            servers.push_back(std::make_unique<HttpPeer>(serve));
            feeds[name] = scene.add(servers.back()->url("/"));
        }
        auto harvester = scene.make(scene.options(total));
        scene.run(harvester);
    };
    fetch(true, 300ms);
    fetch(false, support::long_enough);
    for (const auto& [name, note, serve] : cases) {
        INFO(name);
        CHECK(scene.last_note(feeds.at(name)) == note);
        const auto row = scene.feed(feeds.at(name));
        CHECK(row.system_status == (note == added ? "Working" : note.substr(0, note.find(';'))));
        CHECK_FALSE(row.queued);
        CHECK(row.system_enabled == (name != "410"));
    }
    CHECK(scene.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0") == "0");
    CHECK(scene.value("SELECT COUNT(*) FROM base_urls WHERE held = 1") == "1");
}

TEST_CASE("A redirect to a server that is busy waits for its turn, and gives up at the end") {
    Scene scene(GENERATE(support::engines()));
    const HttpPeer target([](const std::string&) { return answer_of(rss("")); });
    const HttpPeer first([&](const std::string&) { return redirect_to(target.url("/")); });
    const auto feed = scene.add(first.url("/"));
    scene.hold(target, 30s);
    auto harvester = scene.make();
    scene.run(harvester);
    CHECK(scene.last_note(feed) == "no entries");
    CHECK(target.requests().size() == 1);
    CHECK(first.requests().size() == 1);
    scene.execute("DELETE FROM base_urls");
    scene.hold(target, 1h);
    scene.fetch_all(harvester);
    CHECK(scene.last_note(feed) == "fetch error; redirected to a busy server");
    CHECK(target.requests().size() == 1);
    CHECK(scene.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0") == "0");
}

TEST_CASE("A fetch ends before its claim, however long its redirects wait") {
    Scene scene(GENERATE(support::engines()));
    const HttpPeer silent(HttpPeer::ServeRequest{stay_silent});
    const HttpPeer first([&](const std::string&) { return redirect_to(silent.url("/")); });
    const auto feed = scene.add(first.url("/"));
    scene.hold(silent, 42s);
    auto harvester = scene.make(scene.options(1h));
    const auto is_asked = [&] { return !silent.requests().empty(); };
    scene.run_until(harvester, is_asked);
    scene.run_until(harvester, [&] { return !scene.feed(feed).queued; });
    CHECK(silent.requests().size() == 1);
    CHECK(scene.last_note(feed) == "read timeout");
}

TEST_CASE("Servers at one address are asked at once") {
    Scene scene(GENERATE(support::engines()));
    std::vector<std::unique_ptr<HttpPeer>> servers;
    for (int i = 0; i < 12; ++i) {
        servers.push_back(std::make_unique<HttpPeer>(HttpPeer::ServeRequest{stay_silent}));
        scene.add(servers.back()->url("/"));
    }
    auto harvester = scene.make(scene.options(1h));
    const auto are_asked = [&] {
        return std::ranges::all_of(
            servers, [](const auto& server) { return server->requests().size() == 1; });
    };
    support::repeat_until(are_asked, [&] { harvester.step(5ms); });
}

TEST_CASE("Many feeds of one server that is slow do not keep others waiting") {
    Scene scene(GENERATE(support::engines()));
    const HttpPeer slow(HttpPeer::ServeRequest{stay_silent});
    const HttpPeer quick([](const std::string&) { return answer_of(rss("")); });
    for (int i = 0; i < 100; ++i) scene.add(slow.url("/" + std::to_string(i)));
    scene.pass(1s);
    const auto last = scene.add(quick.url("/"));
    auto options = scene.options(1h);
    options.connections = 8;
    auto harvester = scene.make(options);
    const auto are_asked = [&] {
        return !slow.requests().empty() && scene.last_note(last) == "no entries";
    };
    support::repeat_until(are_asked, [&] { harvester.step(5ms); });
    CHECK(slow.requests().size() == 1);
}

TEST_CASE("A fetch that waits for another server has nothing to do with the one it came from") {
    Scene scene(GENERATE(support::engines()));
    const HttpPeer busy([](const std::string&) { return answer_of(rss("")); });
    const HttpPeer second([&](PeerConnection& connection, const std::string& request) {
        return request.starts_with("GET /2 ") ? connection.send(redirect_to(busy.url("/")))
                                              : stay_silent(connection, request);
    });
    const HttpPeer first([&](const std::string&) { return redirect_to(second.url("/1")); });
    scene.add(first.url("/"));
    const auto waiting = scene.add(second.url("/2"));
    scene.hold(busy, 1h);
    auto harvester = scene.make(scene.options(1h));
    scene.run_until(harvester, [&] { return second.requests().size() == 2; });
    support::repeat_until([&] { return !scene.feed(waiting).queued; },
                          [&] {
                              harvester.step(0ms);
                              scene.pass(4s);
                          });
    CHECK(scene.last_note(waiting) == "fetch error; redirected to a busy server");
    CHECK(second.requests().size() == 2);
    CHECK(scene.value("SELECT COUNT(*) FROM base_urls WHERE claim <> 0 AND base_url = '" +
                      second.url("") + "'") == "1");
}

TEST_CASE(
    "What a harvester has left open when it stopped is fetched when its claims have ended") {
    Scene scene(GENERATE(support::engines()));
    std::atomic<bool> is_silent = true;
    const HttpPeer server([&](PeerConnection& connection, const std::string& request) {
        return is_silent ? stay_silent(connection, request)
                         : connection.send(answer_of(rss(item("1", "one"))));
    });
    const auto feed = scene.add(server.url("/"));
    auto harvester = scene.make();
    harvester.step(1ms);
    harvester.stop(0ms);
    is_silent = false;
    auto another = scene.make();
    scene.run(another);
    CHECK(scene.feed(feed).queued);
    scene.pass(store::claim_lasts);
    scene.run(another);
    CHECK(scene.last_note(feed) == "0 skipped / 1 added");
}

namespace {

// Some dozens of feeds on servers at several addresses, each of which measures in the time of the harvesters.
class ManyFeeds {
   public:
    static constexpr int servers = 6, feeds_of_server = 6;

    explicit ManyFeeds(Scene& scene) : scene_(scene) {
        for (int i = 0; i < servers; ++i)
            servers_.push_back(std::make_unique<HttpPeer>(
                HttpPeer::ServeRequest(
                    [this, i](PeerConnection& connection, const std::string& request) {
                        return serve(i, connection, request);
                    }),
                "127.0.0." + std::to_string(i + 2)));
        for (int feed = 0; feed < feeds_of_server; ++feed)
            for (const auto& server : servers_)
                scene.add(server->url("/" + std::to_string(feed)));
    }

    // Requests get no answer until this ends, or those who ask.
    std::atomic<bool> is_silent = false;

    // How often each feed was answered: "36 x 1".
    std::string answers() {
        const std::scoped_lock lock(mutex_);
        std::map<int, int> feeds_by_count;
        for (const auto& [target, count] : answers_) ++feeds_by_count[count];
        std::string text;
        for (const auto& [count, feeds] : feeds_by_count)
            text += (text.empty() ? "" : ", ") + std::to_string(feeds) + " x " +
                    std::to_string(count);
        return text;
    }
    void check_spacing() {
        const std::scoped_lock lock(mutex_);
        CHECK_FALSE(were_two_at_once_);
        CHECK(closest_ >= 1);
    }

   private:
    bool serve(int server, PeerConnection& connection, const std::string& request) {
        {
            const std::scoped_lock lock(mutex_);
            were_two_at_once_ = were_two_at_once_ || is_open_[server];
            is_open_[server] = true;
            if (const auto last = last_.find(server); last != last_.end())
                closest_ = std::min(closest_, scene_.seconds.load() - last->second);
        }
        bool has_answer = true;
        while (is_silent && has_answer) has_answer = connection.wait(10ms);
        has_answer =
            has_answer && connection.wait(0ms);  // whoever asked may have ended meanwhile
        const auto target = support::target_in(request);
        {
            const std::scoped_lock lock(mutex_);
            is_open_[server] = false;
            last_[server] = scene_.seconds.load();
            if (has_answer) ++answers_[std::to_string(server) + target];
        }
        return has_answer && connection.send(answer_of(rss(item(target, "one"))));
    }

    Scene& scene_;
    std::mutex mutex_;
    std::map<int, bool> is_open_;
    std::map<int, std::int64_t> last_;
    std::map<std::string, int> answers_;
    std::int64_t closest_ = 1000;
    bool were_two_at_once_ = false;
    std::vector<std::unique_ptr<HttpPeer>> servers_;  // last: their threads use the others
};

// Two harvesters with connections of their own, which step at the same time; a second passes after each step.
class TwoHarvesters {
   public:
    TwoHarvesters(Scene& scene, const ManyFeeds& feeds, const store::Connect& connect)
        : scene_(scene), feeds_(feeds) {
        auto options = scene.options();
        options.connections = 8;
        for (int i = 0; i < 2; ++i) {
            pools_.push_back(std::make_unique<store::Pool>(connect, 2, support::no_waiting()));
            auto made = Harvester::make(*pools_.back(), options);
            REQUIRE(made);
            harvesters_.emplace_back(*std::move(made));
        }
    }
    void run_until(const std::function<bool()>& condition) {
        support::repeat_until(condition, [&] { step(); });
    }
    // A second passes when no answer is awaited that comes.
    void step() {
        const bool waits =
            std::ranges::any_of(harvesters_, [](const std::optional<Harvester>& harvester) {
                return harvester && harvester->is_fetching();
            });
        std::vector<std::thread> threads;
        for (auto& harvester : harvesters_)
            if (harvester) threads.emplace_back([&] { harvester->step(waits ? 2ms : 0ms); });
        for (auto& thread : threads) thread.join();
        if (!waits || feeds_.is_silent) scene_.pass(1s);
    }
    [[nodiscard]] bool are_done() {
        return std::ranges::all_of(harvesters_, [](std::optional<Harvester>& harvester) {
            return !harvester || harvester->is_done();
        });
    }
    void kill_first() { harvesters_[0].reset(); }

   private:
    Scene& scene_;
    const ManyFeeds& feeds_;
    std::vector<std::unique_ptr<store::Pool>> pools_;
    std::vector<std::optional<Harvester>> harvesters_;
};

}  // namespace

TEST_CASE(
    "Two harvesters fetch each feed once a cycle, and ask each server at most once a second") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    const auto connect = fresh.connect();
    Scene scene(connect);
    ManyFeeds feeds(scene);
    TwoHarvesters harvesters(scene, feeds, connect);
    const auto is_done = [&] { return harvesters.are_done(); };
    harvesters.run_until(is_done);
    CHECK(feeds.answers() == "36 x 1");
    for (int i = 0; i < 5; ++i) harvesters.step();
    scene.pass(28min);
    for (int i = 0; i < 5; ++i) harvesters.step();
    CHECK(feeds.answers() == "36 x 1");
    scene.pass(6min);
    harvesters.run_until(is_done);
    CHECK(feeds.answers() == "36 x 2");
    feeds.check_spacing();
    CHECK(scene.value("SELECT COUNT(*) FROM entries") == "36");
    CHECK(scene.value("SELECT COUNT(*) FROM fetch_events") == "144");
    CHECK(scene.value("SELECT COUNT(*) FROM harvest_notes WHERE name LIKE '%second%'") == "0");
}

TEST_CASE("What a harvester that was killed had begun is fetched when its claims have ended") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    const auto connect = fresh.connect();
    Scene scene(connect);
    ManyFeeds feeds(scene);
    TwoHarvesters harvesters(scene, feeds, connect);
    for (int i = 0; i < 4; ++i) harvesters.step();
    feeds.is_silent = true;
    const auto claimed = [&] {
        return scene.value("SELECT COUNT(*) FROM feeds WHERE claim <> 0");
    };
    harvesters.run_until([&] { return claimed() == "6"; });
    harvesters.kill_first();
    feeds.is_silent = false;
    const auto at_kill = scene.now;
    harvesters.run_until(
        [&] { return scene.now > at_kill + store::claim_lasts && harvesters.are_done(); });
    CHECK(feeds.answers() == "36 x 1");
    CHECK(scene.value("SELECT COUNT(*) FROM entries") == "36");
    feeds.check_spacing();
}

namespace {

// Takes no row with a poisoned text.
class PickyConnection final : public support::ForwardingConnection {
   public:
    PickyConnection(std::unique_ptr<store::Connection> real, std::string table)
        : ForwardingConnection(std::move(real)), table_(std::move(table)) {}
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        const auto is_poisoned = [](const store::Value& value) {
            const auto* text = std::get_if<std::string>(&value);
            return text && text->find("poison") != std::string::npos;
        };
        if (sql.find(table_) != std::string_view::npos &&
            std::ranges::any_of(values, is_poisoned))
            throw store::Failure("poison (by the test)", {}, 1);
        return ForwardingConnection::execute(sql, values);
    }

   private:
    std::string table_;
};

}  // namespace

TEST_CASE("What the store does not take of one feed keeps back nothing of others") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const auto connect = fresh.connect();
    const std::vector<std::unique_ptr<HttpPeer>> servers = [] {
        std::vector<std::unique_ptr<HttpPeer>> some;
        for (const auto* title : {"one", "poison", "two"})
            some.push_back(std::make_unique<HttpPeer>([title](const std::string&) {
                return answer_of("<rss version='2.0'><channel><title>" + std::string(title) +
                                     "</title>" + item("1", title) + "</channel></rss>",
                                 "ETag: \"1\"\r\n");
            }));
        return some;
    }();
    for (const std::string table : {"INSERT INTO entries", "UPDATE feeds SET rss_title"}) {
        INFO(table);
        Scene scene(connect);
        const auto picky = [&] { return std::make_unique<PickyConnection>(connect(), table); };
        store::Pool pool(picky, 2, support::no_waiting());
        std::vector<std::int64_t> feeds;
        for (const auto& server : servers) feeds.push_back(scene.add(server->url("/")));
        auto harvester = Harvester::make(pool, scene.options());
        REQUIRE(harvester);
        const auto asked = servers[1]->requests().size();
        const auto are_written = [&] {
            return scene.last_note(feeds[0]) == "0 skipped / 1 added" &&
                   scene.last_note(feeds[2]) == "0 skipped / 1 added" &&
                   servers[1]->requests().size() > asked && !harvester->is_fetching();
        };
        scene.run_until(*harvester, are_written);
        CHECK(scene.entries(feeds[1]).empty());
        if (table.starts_with("INSERT")) {
            CHECK(scene.last_note(feeds[1]) == "entries cannot be recorded");
            CHECK(scene.feed(feeds[1]).http_etag.empty());
            CHECK(scene.feed(feeds[1]).last_fetch_failures == 1);
        } else {
            CHECK(scene.feed(feeds[1]).queued);
        }
        for (const auto feed : feeds) remove_feed(scene.pool, feed);
        scene.execute("DELETE FROM base_urls");
    }
}

TEST_CASE("Whatever statement of a harvester fails, each entry is recorded once") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : {support::Fault::lost, support::Fault::lost_commit})
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            INFO(support::name_of(engine));
            const HttpPeer target([](const std::string&) {
                return answer_of(rss(item("1", "one") + item("2", "two")));
            });
            const HttpPeer first([&](const std::string& request) {
                return request.starts_with("GET /1 ") ? answer_of(rss(item("3", "three")))
                                                      : redirect_to(target.url("/"));
            });
            const support::FreshStore fresh(engine);
            Scene scene(fresh.connect());
            const auto one = scene.add(first.url("/1")), two = scene.add(first.url("/2"));
            store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
            auto harvester = Harvester::make(pool, scene.options());
            REQUIRE(harvester);
            const auto are_fetched = [&] {
                // A claim of the server that it is redirected to may be in doubt, and then ends by itself.
                const auto row = scene.feed(two);
                if (row.last_fetch_failures > 0 && !row.queued) scene.kick_one(first.url("/2"));
                return scene.value("SELECT COUNT(*) FROM feeds WHERE last_fetch_success = ''") ==
                       "0";
            };
            scene.run_until(*harvester, are_fetched);
            CHECK(scene.entries(one) == Texts{"3 three"});
            CHECK(scene.entries(two) == Texts{"2 two", "1 one"});
            CHECK(scene.value("SELECT COUNT(*) FROM fetch_events WHERE event = "
                              "'fetch_succeeded'") == "2");
            CHECK(scene.value("SELECT COUNT(*) FROM feeds WHERE claim <> 0") == "0");
        });
}
