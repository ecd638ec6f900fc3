// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <iterator>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "base/log.hpp"
#include "serve/fastcgi.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"
#include "support/temp_dir.hpp"

using support::FcgiClient;
using Keep = FcgiClient::Keep;
using namespace std::chrono_literals;

namespace {

serve::Response echo(const serve::Request& request) {
    serve::Response response;
    response.fields = {{"Content-Type", "text/plain"}};
    response.body = std::make_shared<const std::string>(request.method + " " + request.path +
                                                        "?" + request.query);
    response.send_body = request.method != "HEAD";
    return response;
}

std::string body_of(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "no head: " + answer : answer.substr(end + 4);
}

// A server on a unix socket in a folder of its own.
struct Running {
    support::TempDir folder;
    std::string path = (folder.path() / "s").string();
    std::unique_ptr<serve::FastcgiServer> server;

    explicit Running(serve::FastcgiSettings settings,
                     serve::FastcgiServer::Answer answer = echo) {
        auto listener = serve::listen_on("unix:" + path);
        if (!listener) throw std::runtime_error(listener.error().text);
        auto started =
            serve::FastcgiServer::start(std::move(*listener), std::move(settings), answer);
        if (!started) throw std::runtime_error(started.error().text);
        server = std::move(*started);
    }
};

// Waits up to `patience` for the peer to close, whatever it has sent before.
bool is_closed(const FcgiClient& client, std::chrono::milliseconds patience) {
    pollfd peer{.fd = client.number(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&peer, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

TEST_CASE("A request is answered over a unix socket, and its connection is closed") {
    const Running running({.threads = 1});
    const FcgiClient client(running.path);
    const auto answer = client.ask("/rss?a=b", Keep::no);
    REQUIRE(answer);
    CHECK(*answer == "Status: 200 OK\r\nContent-Type: text/plain\r\n"
                     "Content-Length: 12\r\n\r\nGET /rss?a=b");
    CHECK(client.sees_end());
}

TEST_CASE("Idle connections occupy no thread: one thread serves all of them in turn") {
    const Running running({.threads = 1});
    std::vector<FcgiClient> clients;
    for (int i = 0; i < 50; ++i) clients.emplace_back(running.path);
    for (int round = 0; round < 3; ++round)
        for (const auto& client : clients) REQUIRE(client.ask("/x", Keep::yes));
}

TEST_CASE("Above the maximum, a new connection takes the place of the one idle for longest") {
    // One thread puts a connection aside before it looks at the next one.
    const Running running({.threads = 1, .most_connections = 3});
    const FcgiClient oldest(running.path), second(running.path), third(running.path);
    for (const auto* client : {&oldest, &second, &third, &second})
        REQUIRE(client->ask("/kept", Keep::yes));
    REQUIRE(FcgiClient(running.path).ask("/new", Keep::no));
    CHECK(oldest.sees_end());
    CHECK(second.ask("/again", Keep::yes));
    CHECK(third.ask("/again", Keep::yes));
}

TEST_CASE("A new connection does not take the place of one whose next request has arrived") {
    std::latch asked(1), answered(1);
    // The only thread learns of the new connection before it learns of the request of `idle`.
    const Running running({.threads = 1, .most_connections = 2},
                          [&](const serve::Request& request) {
                              if (request.path == "/slow") {
                                  asked.count_down();
                                  answered.wait();
                              }
                              return echo(request);
                          });
    const FcgiClient idle(running.path), slow(running.path);
    REQUIRE(idle.ask("/kept", Keep::yes));
    REQUIRE(slow.send_request(FcgiClient::get("/slow"), Keep::yes));
    asked.wait();
    const FcgiClient next(running.path);
    REQUIRE(idle.send_request(FcgiClient::get("/again"), Keep::yes));
    answered.count_down();
    CHECK(slow.receive());
    CHECK(idle.receive());
    CHECK(next.ask("/new", Keep::no));
}

TEST_CASE(
    "Without free descriptors, a new connection takes an idle one's place; one warning says so") {
    const support::TempDir folder;
    const auto log = folder.write("log", "");
    const base::Descriptor file_of_log(::open(log.c_str(), O_WRONLY | O_CLOEXEC));
    base::log::send_to(file_of_log.number(), base::log::Level::warning);
    const Running running({.threads = 2});
    std::vector<FcgiClient> kept;
    for (int i = 0; i < 4; ++i) REQUIRE(kept.emplace_back(running.path).ask("/kept", Keep::yes));
    std::vector<base::Descriptor> fillers;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{.rlim_cur = 128, .rlim_max = before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int copy = 0; (copy = ::dup(kept[0].number())) >= 0;) fillers.emplace_back(copy);
    std::size_t answered = 0;
    for (int i = 0; i < 3; ++i) {
        fillers.pop_back();  // for the client's end
        const auto& client = kept.emplace_back(running.path);
        if (client.ask("/new", Keep::yes)) ++answered;
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    base::log::send_to(STDERR_FILENO, base::log::Level::info);
    CHECK(answered == 3);
    std::ifstream file(log);
    const std::string lines{std::istreambuf_iterator<char>(file), {}};
    CAPTURE(lines);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 1);
}

TEST_CASE("Requests that arrive by halves and answers that nobody reads occupy no thread") {
    const Running running({.threads = 2}, [](const serve::Request& request) {
        auto response = echo(request);
        if (request.path == "/large")
            response.body = std::make_shared<const std::string>(4 << 20, 'x');
        return response;
    });
    std::vector<FcgiClient> slow;
    for (int i = 0; i < 8; ++i) {
        const auto& half = slow.emplace_back(running.path);
        REQUIRE(half.send(FcgiClient::begin, FcgiClient::role(1, Keep::yes)));
        REQUIRE(half.send_raw(FcgiClient::record(FcgiClient::params, "abc").substr(0, 9)));
        const auto& unread = slow.emplace_back(running.path);
        REQUIRE(unread.send_request(FcgiClient::get("/large"), Keep::yes));
    }
    CHECK(FcgiClient(running.path).ask("/small", Keep::no));
    const auto late = slow.back().receive();
    REQUIRE(late);
    CHECK(body_of(*late) == std::string(4 << 20, 'x'));
}

TEST_CASE("A request has one deadline, however the bytes of its head or its body trickle in") {
    const Running running({.threads = 1, .read_timeout = 50ms});
    auto post = FcgiClient::get("/watch");
    post[0].second = "POST";
    for (const auto type : {FcgiClient::params, FcgiClient::input}) {
        const FcgiClient client(running.path);
        if (type == FcgiClient::input)
            REQUIRE(client.send_head(post, Keep::yes));
        else
            REQUIRE(client.send(FcgiClient::begin, FcgiClient::role(1, Keep::yes)));
        const auto rest = FcgiClient::record(type, std::string(4000, 'x'));
        std::size_t sent = 0;
        while (sent < rest.size() && !is_closed(client, 5ms) &&
               client.send_raw(rest.substr(sent, 1)))
            ++sent;
        CHECK(sent < rest.size());
        CHECK(client.sees_end());
    }
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("An answer has one deadline for being read") {
    const Running running({.threads = 1, .write_timeout = 50ms}, [](const serve::Request&) {
        serve::Response response;
        response.body = std::make_shared<const std::string>(4 << 20, 'x');
        return response;
    });
    const FcgiClient client(running.path);
    REQUIRE(client.send_request(FcgiClient::get("/large"), Keep::yes));
    REQUIRE(is_closed(client, 2min));
    CHECK_FALSE(client.receive());
}

TEST_CASE("Clients that vanish or send nonsense do no harm") {
    const Running running({.threads = 1});
    for (int i = 0; i < 20; ++i) {
        FcgiClient aborted(running.path);
        REQUIRE(aborted.send_head(FcgiClient::get("/gone"), Keep::yes));
        aborted.hang_up();
        const FcgiClient impatient(running.path);
        REQUIRE(impatient.send_head(FcgiClient::get("/gone"), Keep::yes));
        REQUIRE(impatient.send(FcgiClient::abort, ""));
        FcgiClient nonsense(running.path);
        REQUIRE(nonsense.send_raw(std::string(100, 'x')));
        CHECK(nonsense.sees_end());
    }
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("Each request sent before a stop is answered, under load, and all threads join") {
    Running running({.threads = 4});
    constexpr int clients = 16;
    std::shared_mutex stopping;  // shared: a request may be sent
    bool stopped = false;
    std::atomic<int> sent = 0, answered = 0;
    std::barrier warm(clients + 1);
    std::vector<std::jthread> threads;
    for (int i = 0; i < clients; ++i) {
        threads.emplace_back([&, i] {
            // Half of them on kept connections, half with one for each request.
            const auto keep = i % 2 == 0 ? Keep::yes : Keep::no;
            std::optional<FcgiClient> client;
            for (int round = 0;; ++round) {
                if (round == 20) warm.arrive_and_wait();
                {
                    const std::shared_lock may_send(stopping);
                    if (stopped) break;
                    if (!client || keep == Keep::no) client.emplace(running.path);
                    if (client->send_request(FcgiClient::get("/load"), keep)) ++sent;
                }
                if (client->receive()) ++answered;
            }
        });
    }
    warm.arrive_and_wait();
    {
        const std::unique_lock nobody_sends(stopping);
        stopped = true;
    }
    running.server->stop();
    threads.clear();
    CHECK(sent >= clients * 20);
    CHECK(answered == sent);
}

TEST_CASE("A stop disconnects clients with half a request and closes idle connections") {
    Running running({.threads = 2});
    const FcgiClient half(running.path), idle(running.path);
    REQUIRE(idle.ask("/idle", Keep::yes));
    REQUIRE(half.send(FcgiClient::begin, std::string("\0\1\1\0\0\0\0\0", 8)));
    running.server->stop();
    CHECK(half.sees_end());
    CHECK(idle.sees_end());
    CHECK_THROWS(FcgiClient(running.path));
}

TEST_CASE("Requests are answered over TCP as well") {
    // Port 0 lets the system choose; the test asks which it was.
    auto listener = serve::listen_on("127.0.0.1:0");
    REQUIRE(listener);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener->number(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const auto server = serve::FastcgiServer::start(std::move(*listener), {.threads = 2}, echo);
    REQUIRE(server);
    const FcgiClient client(ntohs(address.sin_port));
    REQUIRE(client.ask("/1", Keep::yes));
    const FcgiClient waiting(ntohs(address.sin_port));
    REQUIRE(waiting.send_request(FcgiClient::get("/2"), Keep::yes));
    (*server)->stop();
    CHECK(waiting.receive());
}
