// SPDX-License-Identifier: MIT
#include "net/client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "support/catch.hpp"
#include "support/gzipped.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"
#include "support/temp_dir.hpp"

using namespace net;
using namespace std::chrono_literals;
using support::gzipped;
using support::HttpPeer;
using support::PeerConnection;

namespace {

using Addresses = base::Result<std::vector<Address>>;

constexpr auto long_enough = 1h;

Client client_for(const std::string& allowed, LookUp look_up = look_up_by_system,
                  Limits limits = {}) {
    auto client =
        Client::make(AddressGuard(*parse_allow_list(allowed)), limits, std::move(look_up));
    REQUIRE(client);
    return std::move(*client);
}

Request get(const std::string& url) {
    Request request;
    request.url = parse_url(url).value();
    return request;
}

// Answers `count` requests, or as many as there are.
std::map<RequestId, FinishedRequest> finish(Client& client, std::size_t count) {
    std::map<RequestId, FinishedRequest> finished;
    while (finished.size() < count)
        for (auto& one : client.wait(long_enough)) finished.emplace(one.id, std::move(one));
    return finished;
}

FinishedRequest run(Client& client, Request request) {
    const auto id = client.add(std::move(request));
    return finish(client, 1).at(id);
}

Addresses one_address(const std::string& text) { return std::vector{*parse_address(text)}; }

std::string kind_of(const FinishedRequest& finished) {
    constexpr std::array names{"refused", "busy",      "look-up", "connect",
                               "timeout", "too large", "TLS",     "protocol"};
    if (!finished.response)
        return names.at(static_cast<std::size_t>(finished.response.error().kind));
    return std::to_string(finished.response->status) + (finished.response->is_cut ? " cut" : "");
}

std::string text_of(const FinishedRequest& finished) {
    return finished.response ? finished.response->body : finished.response.error().text;
}

// Look-ups as a table says.
LookUp table_of(std::map<std::string, std::vector<std::string>> table) {
    return [table = std::move(table)](const std::string& host) -> Addresses {
        const auto found = table.find(host);
        if (found == table.end()) return base::fail(base::ErrorKind::unavailable, "no such name");
        std::vector<Address> addresses;
        for (const auto& text : found->second) addresses.push_back(*parse_address(text));
        return addresses;
    };
}

// Sends the same piece until the client has enough.
void send_without_end(PeerConnection& peer, const std::string& head, const std::string& piece) {
    peer.request();
    if (peer.send(head))
        while (peer.send(piece)) continue;
}

// Answers whatever comes with what was asked.
void echo(PeerConnection& peer) {
    for (auto request = peer.request(); !request.empty(); request = peer.request())
        peer.answer(request);
}

void stay_silent(PeerConnection& peer) {
    peer.request();
    peer.wait();
}

// A server that misbehaves, and what becomes of a request to it if its body is needed, and if not.
struct Misbehaviour {
    std::string name;
    std::function<void(PeerConnection&)> serve;
    std::string whole_body, status;  // an empty one depends on how long the first bytes take
};

std::function<void(PeerConnection&)> answer_and_close(std::string bytes) {
    return [bytes = std::move(bytes)](PeerConnection& peer) {
        peer.request();
        peer.send(bytes);
    };
}

void drip(PeerConnection& peer) {
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    while (peer.send("x") && peer.wait(50ms)) continue;
}

std::vector<Misbehaviour> misbehaviours() {
    const std::string ok = "HTTP/1.1 200 OK\r\n",
                      chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
    const std::string kilobyte(1024, 'x');
    return {
        {"never answers", stay_silent, "timeout", "timeout"},
        {"sends a byte of its fields now and then",
         [=](PeerConnection& peer) {
             peer.request();
             if (peer.send(ok))
                 while (peer.send("A") && peer.wait(50ms)) continue;
         },
         "timeout", "timeout"},
        {"sends a byte of its body now and then", drip, "timeout", ""},
        {"sends 10 GB",
         [=](PeerConnection& peer) {
             send_without_end(peer, ok + "Content-Length: 10737418240\r\n\r\n", kilobyte);
         },
         "too large", "200 cut"},
        {"sends chunks without end",
         [=](PeerConnection& peer) {
             send_without_end(peer, chunked, "400\r\n" + kilobyte + "\r\n");
         },
         "too large", "200 cut"},
        {"sends trailers without end",
         [=](PeerConnection& peer) {
             send_without_end(peer, chunked + "0\r\n", "A: " + kilobyte + "\r\n");
         },
         "too large", "200 cut"},
        {"sends a field of 1 MB",
         answer_and_close(ok + "A: " + std::string(1 << 20, 'a') + "\r\n\r\n"), "too large",
         "too large"},
        {"sends fields without end",
         [=](PeerConnection& peer) { send_without_end(peer, ok, "A: " + kilobyte + "\r\n"); },
         "too large", "too large"},
        {"sends interim answers without end",
         [](PeerConnection& peer) {
             send_without_end(peer, "", "HTTP/1.1 103 Early Hints\r\n\r\n");
         },
         "too large", "too large"},
        {"closes without an answer", [](PeerConnection& peer) { peer.request(); }, "protocol",
         "protocol"},
        {"closes within the body", answer_and_close(ok + "Content-Length: 10\r\n\r\nhalf"),
         "protocol", "200 cut"},
        {"sends a chunk of a length that is no number", answer_and_close(chunked + "zz\r\nhello"),
         "protocol", "200 cut"},
        {"sends more than its length", answer_and_close(ok + "Content-Length: 2\r\n\r\nhello"),
         "200", "200"},
        {"speaks no HTTP", answer_and_close("SSH-2.0-OpenSSH_9.2p1\r\n"), "protocol", "protocol"},
        {"redirects",
         answer_and_close("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), "302",
         "302"},
        {"sends a gzip bomb",
         [=](PeerConnection& peer) {
             static const auto bomb = gzipped(std::string(16 << 20, '\0'));
             peer.request();
             peer.answer(bomb, "Content-Encoding: gzip\r\n");
         },
         "too large", "200 cut"},
        {"calls gzip what is none", answer_and_close(ok + "Content-Encoding: gzip\r\n\r\nhello"),
         "200", "200 cut"},
    };
}

}  // namespace

TEST_CASE("A GET asks for the target as it was written, and for nothing else") {
    HttpPeer peer(echo);
    auto client = client_for("127.0.0.0/8");
    auto request = get(peer.url("/a/../b?x=%7e&&y"));
    request.fields = {{"User-Agent", "test (+http://example.org/)"}, {"X-Empty", ""}};
    const auto finished = run(client, request);
    REQUIRE(finished.response);
    CHECK(finished.response->status == 200);
    CHECK(find_field(finished.response->fields, "content-length") ==
          std::to_string(finished.response->body.size()));
    CHECK(finished.response->body ==
          "GET /a/../b?x=%7e&&y HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) +
              "\r\nAccept: */*\r\nUser-Agent: test (+http://example.org/)\r\n"
              "X-Empty:\r\n\r\n");
    CHECK(client.open() == 0);
}

TEST_CASE("A POST sends its body byte for byte, whatever its size") {
    HttpPeer peer(echo);
    auto client = client_for("127.0.0.0/8");
    auto request = get(peer.url());
    request.method = Method::post;
    request.most_body = 8 << 20;
    for (const std::size_t size : {0U, 5U, 100'000U, 2'000'000U}) {
        std::string body(size, '\0');
        for (std::size_t at = 0; at < size; ++at) body[at] = static_cast<char>(at * 7);
        request.body = std::make_shared<const std::string>(body);
        const auto echoed = text_of(run(client, request));
        const auto head = echoed.substr(0, echoed.find("\r\n\r\n") + 4);
        CHECK(head == "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) +
                          "\r\nAccept: */*\r\nContent-Length: " + std::to_string(size) +
                          "\r\n\r\n");
        CHECK((echoed.substr(head.size()) == body));
    }
    request.fields = {{"Content-Type", "application/rss+xml; charset=utf-8"}};
    CHECK_THAT(text_of(run(client, request)),
               Catch::Contains("Content-Type: application/rss+xml; charset=utf-8\r\n"));
}

TEST_CASE("A server that misbehaves costs its own request alone, and what is needed decides") {
    auto client = client_for("127.0.0.0/8");
    std::vector<std::unique_ptr<HttpPeer>> peers;
    std::map<RequestId, std::pair<std::string, std::string>> expected;
    for (const auto& misbehaviour : misbehaviours())
        for (const auto needed : {Needed::whole_body, Needed::status}) {
            const auto& outcome =
                needed == Needed::status ? misbehaviour.status : misbehaviour.whole_body;
            if (outcome.empty()) continue;
            // An address of its own, so that none waits for the turn of another.
            const auto address = "127.0.1." + std::to_string(peers.size() + 1);
            peers.push_back(std::make_unique<HttpPeer>(misbehaviour.serve, address));
            auto request = get(peers.back()->url());
            request.total = 300ms;
            request.most_body = 100'000;
            request.asks_for_compression = true;
            request.needed = needed;
            // Only silence takes until the end.
            if (misbehaviour.whole_body != "timeout") request.total = long_enough;
            expected[client.add(request)] = {misbehaviour.name, outcome};
        }
    for (const auto& [id, finished] : finish(client, expected.size())) {
        INFO(expected[id].first << ": "
                                << (finished.response ? "" : finished.response.error().text));
        CHECK(kind_of(finished) == expected[id].second);
        if (finished.response) CHECK(finished.response->body.size() <= 100'000);
    }
}

TEST_CASE("A status counts that came in time, though its body did not") {
    HttpPeer peer(drip);
    auto client = client_for("127.0.0.0/8");
    auto request = get(peer.url());
    request.needed = Needed::status;
    request.total = 50ms;
    // On a busy machine even the status takes that long.
    auto kind = kind_of(run(client, request));
    for (; kind == "timeout" && request.total < support::long_enough; request.total *= 2)
        kind = kind_of(run(client, request));
    CHECK(kind == "200 cut");
}

TEST_CASE("Interim answers and trailers are no fields of the answer") {
    HttpPeer peer(answer_and_close(
        "HTTP/1.1 103 Early Hints\r\nLink: <early>\r\n\r\n"
        "HTTP/1.1 404 Not Found\r\nX-A: 1,\r\n 2\r\nx-b:  3  \r\n"
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-C: late\r\n\r\n"));
    auto client = client_for("127.0.0.0/8");
    const auto finished = run(client, get(peer.url()));
    REQUIRE(finished.response);
    CHECK(finished.response->status == 404);
    CHECK(finished.response->body == "hello");
    CHECK(finished.response->fields ==
          std::vector<Field>{{"X-A", "1, 2"}, {"x-b", "3"}, {"Transfer-Encoding", "chunked"}});
}

TEST_CASE("A body is decoded if compression was asked for, and left alone otherwise") {
    const auto coded = gzipped("hello");
    HttpPeer peer([&](PeerConnection& connection) {
        while (!connection.request().empty())
            connection.answer(coded, "Content-Encoding: gzip\r\n");
    });
    auto client = client_for("127.0.0.0/8");
    auto request = get(peer.url());
    CHECK(text_of(run(client, request)) == coded);
    request.asks_for_compression = true;
    CHECK(text_of(run(client, request)) == "hello");
}

TEST_CASE("A field that would end the fields is refused, and nothing is sent") {
    HttpPeer peer(echo);
    auto client = client_for("127.0.0.0/8");
    for (const Field& field : std::vector<Field>{{"Link", "a\r\nHost: b"},
                                                 {"Link", "a\n"},
                                                 {"Link", std::string("a\0b", 3)},
                                                 {"A b", "c"},
                                                 {"A:", "c"},
                                                 {"", "c"},
                                                 {"A\r\nB", "c"}}) {
        auto request = get(peer.url());
        request.fields = {field};
        CHECK(kind_of(run(client, request)) == "refused");
    }
    CHECK(peer.connections() == 0);
}

TEST_CASE("What the guard refuses is never connected to") {
    HttpPeer peer(echo);
    auto client = client_for("", table_of({{"private.test", {"127.0.0.1"}},
                                           {"half.test", {"93.184.216.34", "127.0.0.1"}},
                                           {"half-v6.test", {"93.184.216.34", "::1"}},
                                           {"mapped.test", {"::ffff:127.0.0.1"}},
                                           {"public.test", {"93.184.216.34"}}}));
    const auto port = ":" + std::to_string(peer.port()) + "/";
    for (const std::string host :
         {"127.0.0.1", "private.test", "half.test", "half-v6.test", "mapped.test"})
        CHECK(kind_of(run(client, get("http://" + host + port))) == "refused");
    CHECK(text_of(run(client, get("http://half.test" + port))) ==
          "127.0.0.1 is a loopback address");
    CHECK(kind_of(run(client, get("http://public.test:25/"))) == "refused");
    CHECK(peer.connections() == 0);
}

TEST_CASE("libcurl connects to what was looked up and judged, and looks up nothing itself") {
    HttpPeer peer(echo);
    // The system says otherwise of the first name, and nothing of the second one.
    auto client =
        client_for("127.0.0.0/8",
                   table_of({{"localhost", {"127.0.0.1"}}, {"nowhere.invalid", {"127.0.0.1"}}}));
    const auto port = ":" + std::to_string(peer.port());
    CHECK_THAT(text_of(run(client, get("http://nowhere.invalid" + port + "/"))),
               Catch::Contains("Host: nowhere.invalid" + port + "\r\n"));
    CHECK(kind_of(run(client, get("http://localhost" + port + "/"))) == "200");
    CHECK(kind_of(run(client, get("http://unknown.test" + port + "/"))) == "look-up");
}

TEST_CASE("The proxies of the environment are not used") {
    HttpPeer peer(echo), proxy(echo);
    ::setenv("http_proxy", proxy.url("").c_str(), 1);
    ::setenv("all_proxy", proxy.url("").c_str(), 1);
    auto client = client_for("127.0.0.0/8");
    CHECK(kind_of(run(client, get(peer.url()))) == "200");
    CHECK(proxy.connections() == 0);
    ::unsetenv("http_proxy");
    ::unsetenv("all_proxy");
}

TEST_CASE("The next address is tried when one does not accept a connection") {
    HttpPeer peer(echo, "127.0.0.1");
    auto client =
        client_for("127.0.0.0/8", table_of({{"two.test", {"127.0.0.2", "127.0.0.1"}},
                                            {"none.test", {"127.0.0.2", "127.0.0.3"}}}));
    const auto port = ":" + std::to_string(peer.port()) + "/";
    CHECK(kind_of(run(client, get("http://two.test" + port))) == "200");
    CHECK(kind_of(run(client, get("http://none.test" + port))) == "connect");
}

TEST_CASE("TLS with a server that has none fails as TLS") {
    HttpPeer peer([](PeerConnection& connection) {
        connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        connection.wait();
    });
    auto client = client_for("127.0.0.0/8");
    CHECK(kind_of(run(client, get("https" + peer.url().substr(4)))) == "TLS");
}

TEST_CASE("A connection is kept for the next request to the same host and address") {
    HttpPeer first(echo, "127.0.0.1"), second(echo, "127.0.0.2", first.port());
    std::atomic<int> asked = 0;
    Limits limits;
    limits.resolver.keep = 0s;
    auto client = client_for(
        "127.0.0.0/8",
        [&](const std::string&) { return one_address(++asked <= 3 ? "127.0.0.1" : "127.0.0.2"); },
        limits);
    const auto url = "http://moving.test:" + std::to_string(first.port()) + "/";
    for (int i = 0; i < 3; ++i) CHECK(kind_of(run(client, get(url))) == "200");
    CHECK(first.connections() == 1);
    for (int i = 0; i < 2; ++i) CHECK(kind_of(run(client, get(url))) == "200");
    CHECK(first.connections() == 1);
    CHECK(second.connections() == 1);
}

TEST_CASE("The addresses of a name are kept, and once they change all of them are judged anew") {
    std::atomic<int> asked = 0;
    const auto look_up = [&](const std::string&) {
        return one_address(++asked == 1 ? "127.0.0.1" : "127.0.0.2");
    };
    HttpPeer allowed(echo, "127.0.0.1"), refused(echo, "127.0.0.2", allowed.port());
    const auto url = "http://rebound.test:" + std::to_string(allowed.port()) + "/";
    auto keeping = client_for("127.0.0.1", look_up);
    for (int i = 0; i < 3; ++i) CHECK(kind_of(run(keeping, get(url))) == "200");
    CHECK(asked == 1);

    asked = 0;
    Limits limits;
    limits.resolver.keep = 0s;
    auto forgetting = client_for("127.0.0.1", look_up, limits);
    CHECK(kind_of(run(forgetting, get(url))) == "200");
    // Not over the connection that is still open either.
    CHECK(text_of(run(forgetting, get(url))) == "127.0.0.2 is a loopback address");
    CHECK(refused.connections() == 0);
}

TEST_CASE("Requests that ask for the same name wait for one look-up") {
    HttpPeer peer(echo);
    std::promise<void> all_added;
    std::atomic<int> asked = 0;
    auto client = client_for("127.0.0.0/8",
                             [&, added = all_added.get_future().share()](const std::string&) {
                                 ++asked;
                                 added.wait();
                                 return one_address("127.0.0.1");
                             });
    for (int i = 0; i < 10; ++i)
        client.add(get("http://slow.test:" + std::to_string(peer.port()) + "/"));
    all_added.set_value();
    for (const auto& [id, finished] : finish(client, 10)) CHECK(kind_of(finished) == "200");
    CHECK(asked == 1);
}

TEST_CASE("A look-up that hangs costs the requests for its host alone, and no end of the client "
          "waits") {
    HttpPeer peer(echo);
    std::promise<void> ended;
    auto hangs = [end = ended.get_future().share()](const std::string& host) {
        if (host != "quick.test") end.wait();
        return one_address("127.0.0.1");
    };
    {
        auto client = client_for("127.0.0.0/8", hangs);
        const auto port = ":" + std::to_string(peer.port()) + "/";
        auto late = get("http://late.test" + port);
        late.connect = 10ms;
        CHECK(text_of(run(client, late)) == "no answer from the name servers within 10 ms");
        client.add(get("http://hanging.test" + port));
        CHECK(kind_of(run(client, get("http://quick.test" + port))) == "200");
        CHECK(client.open() == 1);
    }
    ended.set_value();
}

TEST_CASE("A request that hangs does not delay others, to its server or elsewhere") {
    HttpPeer peer([](PeerConnection& connection) {
        for (auto request = connection.request(); !request.empty();
             request = connection.request()) {
            if (request.starts_with("GET /hang")) return (void)connection.wait();
            connection.answer("quick");
        }
    });
    HttpPeer other(echo, "127.0.0.2");
    auto client = client_for("127.0.0.0/8");
    for (int i = 0; i < 3; ++i) client.add(get(peer.url("/hang")));
    for (int i = 0; i < 100; ++i) {
        client.add(get(peer.url("/quick")));
        client.add(get(other.url()));
    }
    for (const auto& [id, finished] : finish(client, 200)) CHECK(kind_of(finished) == "200");
    CHECK(client.open() == 3);
    CHECK(peer.connections() == 4);
}

TEST_CASE("One address gets no more requests at once than allowed, whatever names lead there") {
    std::atomic<int> arrived = 0;
    std::promise<void> answered;
    HttpPeer peer([&, answer = answered.get_future().share()](PeerConnection& connection) {
        while (!connection.request().empty()) {
            ++arrived;
            answer.wait();
            connection.answer("");
        }
    });
    Limits limits;
    limits.requests_to_address = 2;
    auto client = client_for(
        "127.0.0.0/8", [](const std::string&) { return one_address("127.0.0.1"); }, limits);
    for (int i = 0; i < 60; ++i)
        client.add(get("http://name" + std::to_string(i % 6) +
                       ".test:" + std::to_string(peer.port()) + "/"));
    while (arrived < 2) CHECK(client.wait(1ms).empty());
    for (int i = 0; i < 10; ++i) CHECK(client.wait(1ms).empty());
    CHECK(arrived == 2);
    answered.set_value();
    for (const auto& [id, finished] : finish(client, 60)) CHECK(kind_of(finished) == "200");
}

namespace {

// A server that answers "/quick" and keeps all others waiting.
struct SlowPeer {
    std::atomic<int> arrived = 0;
    HttpPeer peer{[this](PeerConnection& connection) {
        for (auto request = connection.request(); !request.empty();
             request = connection.request()) {
            ++arrived;
            if (!request.starts_with("GET /quick")) return (void)connection.wait();
            connection.answer("");
        }
    }};
    // Lets the client send until so many have arrived, and then for a while.
    std::size_t let_arrive(Client& client, int count) {
        std::size_t finished = 0;
        while (arrived < count) finished += client.wait(1ms).size();
        for (int i = 0; i < 10; ++i) finished += client.wait(1ms).size();
        return finished;
    }
};

}  // namespace

TEST_CASE("A port gets more requests at once with each answer, and fewer when it is silent") {
    SlowPeer slow;
    Limits limits;
    limits.requests_to_address = 100;
    limits.first_to_port = 2;
    auto client = client_for("127.0.0.0/8", look_up_by_system, limits);
    for (int i = 0; i < 14; ++i) client.add(get(slow.peer.url("/quick")));
    finish(client, 14);
    auto silent = get(slow.peer.url("/silent"));
    silent.total = 200ms;
    for (int i = 0; i < 16; ++i) client.add(silent);
    slow.let_arrive(client, 14 + 16);
    CHECK(slow.arrived == 14 + 16);
    for (int i = 0; i < 20; ++i) client.add(get(slow.peer.url("/silent")));
    slow.let_arrive(client, 14 + 16 + 8);
    while (client.open() > 20) (void)client.wait(1ms);
    slow.let_arrive(client, 0);
    CHECK(slow.arrived == 14 + 16 + 8);
}

TEST_CASE("A request that would wait too long for its turn is given back as busy") {
    SlowPeer slow;
    Limits limits;
    limits.requests_to_address = 1;
    limits.waiting_for_address = 2;
    auto client = client_for("127.0.0.0/8", look_up_by_system, limits);
    client.add(get(slow.peer.url("/silent")));
    slow.let_arrive(client, 1);
    auto hurried = get(slow.peer.url("/quick"));
    hurried.turn = 1ms;
    CHECK(kind_of(run(client, hurried)) == "busy");
    for (int i = 0; i < 2; ++i) client.add(get(slow.peer.url("/quick")));
    CHECK(kind_of(run(client, hurried)) == "busy");
    CHECK(client.open() == 3);
    CHECK(slow.arrived == 1);
}

TEST_CASE("Addresses take turns when all connections are in use, and so do ports") {
    std::vector<std::string> order;
    std::mutex mutex;
    const auto note = [&](const std::string& name) {
        return [&, name](PeerConnection& connection) {
            while (!connection.request().empty()) {
                const std::lock_guard lock(mutex);
                order.push_back(name);
                connection.answer("");
            }
        };
    };
    const auto other = GENERATE("127.0.0.1", "127.0.0.2");
    HttpPeer a(note("a"), "127.0.0.1"), b(note("b"), other);
    Limits limits;
    limits.connections = limits.requests_to_address = 1;
    auto client = client_for("127.0.0.0/8", look_up_by_system, limits);
    for (int i = 0; i < 4; ++i) client.add(get(a.url()));
    client.add(get(b.url()));
    finish(client, 5);
    CHECK(std::ranges::find(order, "b") < order.begin() + 2);
}

TEST_CASE("Another thread wakes a client that waits, and one that is about to") {
    auto client = client_for("");
    client.wake();
    CHECK(client.wait(long_enough).empty());
    std::thread other([&] { client.wake(); });
    CHECK(client.wait(long_enough).empty());
    other.join();
    CHECK(client.wait(0ms).empty());
}

TEST_CASE("A client that ends closes the connections of its open requests") {
    std::promise<void> closed;
    HttpPeer peer([&](PeerConnection& connection) {
        connection.request();
        connection.wait();
        closed.set_value();
    });
    {
        auto client = client_for("127.0.0.0/8");
        client.add(get(peer.url()));
        while (peer.connections() == 0) CHECK(client.wait(1ms).empty());
    }
    closed.get_future().wait();
}

// Run by the next test, with the names of a file that libnss-wrapper reads.
TEST_CASE("The system's names are judged with all of their addresses, and again when they change",
          "[.][system-names]") {
    const std::string file = std::getenv("NSS_WRAPPER_HOSTS");
    auto write_hosts = [&file, version = 0](const std::string& lines) mutable {
        std::ofstream(file) << lines;
        // The wrapper reads a file again whose date is another one.
        std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() +
                                                   ++version * 10s);
    };
    HttpPeer allowed(echo, "127.0.0.1"), refused(echo, "127.0.0.2", allowed.port());
    const auto url = "http://rebound.test:" + std::to_string(allowed.port()) + "/";
    Limits limits;
    limits.resolver.keep = 0s;
    auto client = client_for("127.0.0.1", look_up_by_system, limits);
    write_hosts("127.0.0.1 rebound.test\n");
    CHECK(kind_of(run(client, get(url))) == "200");
    write_hosts("127.0.0.2 rebound.test\n");
    CHECK(text_of(run(client, get(url))) == "127.0.0.2 is a loopback address");
    write_hosts("127.0.0.1 rebound.test\n127.0.0.2 rebound.test\n");
    CHECK(text_of(run(client, get(url))) == "127.0.0.2 is a loopback address");
    write_hosts("127.0.0.1 rebound.test\n::1 rebound.test\n");
    CHECK(text_of(run(client, get(url))) == "::1 is the loopback address");
    CHECK(refused.connections() == 0);
    CHECK(allowed.connections() == 1);
}

TEST_CASE("A connection that is to be closed is not kept, also by a server that would") {
    const HttpPeer peer([](PeerConnection& connection) {
        while (!connection.request().empty() && connection.answer("x")) {
        }
    });
    auto client = client_for("127.0.0.0/8");
    for (std::size_t i = 1; i <= 3; ++i) {
        auto request = get(peer.url());
        request.fields = {{"Connection", "close"}};
        CHECK(kind_of(run(client, request)) == "200");
        CHECK(peer.connections() == i);
    }
}

TEST_CASE("Names of the system are looked up and judged as getaddrinfo gives them") {
    const support::TempDir folder;
    const auto hosts = folder.write("hosts", "");
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    // That a sanitizer is not the first library, or how the wrapper uses mutexes, is no reason to stop.
    const auto command = "env LD_PRELOAD=libnss_wrapper.so ASAN_OPTIONS=verify_asan_link_order=0 "
                         "TSAN_OPTIONS=report_mutex_bugs=0 "
                         "NSS_WRAPPER_HOSTS=" +
                         hosts.string() + " " + program.string() + " '[system-names]' -w NoTests";
    CHECK(std::system(command.c_str()) == 0);
}
