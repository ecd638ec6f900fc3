// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <tuple>

#include "base/log.hpp"
#include "serve/server.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"
#include "support/repeat_until.hpp"
#include "support/temp_dir.hpp"

using support::FcgiClient;
using namespace std::chrono_literals;

namespace {

serve::Response echo(const serve::Request& request) {
    serve::Response response;
    const auto& error = request.error ? request.error : request.body_error;
    if (error) response.status = error->status;
    response.fields = {{"Content-Type", "text/plain"}};
    response.body = std::make_shared<const std::string>(
        request.path == "/large"
            ? std::string(4 << 20, 'x')
            : request.method + " " + request.path + "?" + request.query + request.body);
    response.send_body = request.method != "HEAD";
    return response;
}

// A server on a unix socket in a folder of its own.
struct Running {
    support::TempDir folder;
    std::string path = (folder.path() / "s").string();
    std::unique_ptr<serve::Server> server;

    explicit Running(serve::FastcgiSettings settings, serve::Server::Answer answer = echo) {
        auto listener = serve::listen_on("unix:" + path);
        if (!listener) throw std::runtime_error(listener.error().text);
        auto started = serve::start_fastcgi(std::move(*listener), settings, std::move(answer));
        if (!started) throw std::runtime_error(started.error().text);
        server = std::move(*started);
    }
};

// Waits up to `patience` for the peer to close, whatever it has sent before.
bool is_closed(const FcgiClient& client, std::chrono::milliseconds patience) {
    pollfd peer{.fd = client.number(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&peer, 1, static_cast<int>(patience.count())) > 0;
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(std::filesystem::begin(all), {}));
}

}  // namespace

TEST_CASE("A request is answered over a unix socket, and its connection is closed") {
    const Running running({.workers = 1});
    const FcgiClient client(running.path);
    const auto answer = client.ask("/rss?a=b");
    REQUIRE(answer);
    CHECK(*answer == "Status: 200 OK\r\nContent-Type: text/plain\r\n"
                     "Content-Length: 12\r\n\r\nGET /rss?a=b");
    CHECK(client.sees_end());
    auto head = FcgiClient::get("/rss");
    head[0].second = "HEAD";
    const FcgiClient kept(running.path);
    REQUIRE(kept.send(FcgiClient::begin, FcgiClient::role(1, 1)));  // it wants to go on
    REQUIRE(kept.send(FcgiClient::params, FcgiClient::pairs_of(head)));
    REQUIRE(kept.send_raw(FcgiClient::record(FcgiClient::params, "") +
                          FcgiClient::record(FcgiClient::input, "")));
    CHECK(kept.receive() ==
          "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n");
    CHECK(kept.sees_end());
}

TEST_CASE("A body is passed on, and each request that cannot be is answered with its status") {
    const Running running({.workers = 1});
    auto post = FcgiClient::get("/watch");
    post[0].second = "POST";
    auto many = post;
    many.emplace_back("HTTP_COOKIE", std::string(70'000, 'c'));
    auto short_one = post;
    short_one.emplace_back("CONTENT_LENGTH", "7");
    using Case = std::tuple<FcgiClient::Variables, std::size_t, std::string>;
    for (const auto& [variables, size, status] : std::vector<Case>{
             {post, 0, "Status: 200 OK"},
             {post, 50'000, "Status: 200 OK"},
             {short_one, 6, "Status: 400 Bad Request"},
             {post, 100'000, "Status: 413 Content Too Large"},
             {post, 5'000'000, "Status: 413 Content Too Large"},
             {many, 10, "Status: 400 Bad Request"},
             {{{"REQUEST_METHOD", "GET"}}, 0, "Status: 500 Internal Server Error"},  // no path
         }) {
        CAPTURE(size, status);
        const FcgiClient client(running.path);
        REQUIRE(client.send_head(variables));
        const std::string body(size, 'b');
        for (std::string_view rest = body; !rest.empty();) {
            const auto piece = rest.substr(0, 30'000);
            REQUIRE(client.send(FcgiClient::input, piece));
            rest.remove_prefix(piece.size());
        }
        REQUIRE(client.send(FcgiClient::input, ""));
        const auto answer = client.receive().value_or("no answer");
        CHECK(answer.substr(0, answer.find('\r')) == status);
        if (status == "Status: 200 OK") CHECK(answer.ends_with("\r\n\r\nPOST /watch?" + body));
    }
}

TEST_CASE("Connections above the maximum wait until there is place for them") {
    std::latch asked(1), answered(1);
    const Running running({.workers = 1, .most_connections = 2, .read_timeout = 50ms},
                          [&](const serve::Request& request) {
                              if (request.path == "/slow") {
                                  asked.count_down();
                                  answered.wait();
                              }
                              return echo(request);
                          });
    const FcgiClient slow(running.path);
    REQUIRE(slow.send_request(FcgiClient::get("/slow")));
    asked.wait();
    std::vector<FcgiClient> clients;
    for (int i = 0; i < 6; ++i)  // two wait for the worker
        REQUIRE(clients.emplace_back(running.path).send_request(FcgiClient::get("/next")));
    answered.count_down();
    CHECK(slow.receive());
    for (const auto& client : clients) CHECK(client.receive());
    // Two that send nothing are closed in time.
    const FcgiClient idle(running.path), other(running.path);
    CHECK(FcgiClient(running.path).ask("/last"));
    CHECK(idle.sees_end());
}

TEST_CASE("Without free descriptors connections wait for one, and one warning says so") {
    const support::TempDir folder;
    const auto log = folder.write("log", "");
    const base::Descriptor file_of_log(::open(log.c_str(), O_WRONLY | O_CLOEXEC));
    base::log::send_to(file_of_log.number(), base::log::Level::warning);
    const Running running({.workers = 2});
    std::ifstream lines(log);  // opened while it can be
    std::vector<base::Descriptor> fillers;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{.rlim_cur = 128, .rlim_max = before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int copy = 0; (copy = ::dup(file_of_log.number())) >= 0;) fillers.emplace_back(copy);
    fillers.pop_back();  // for the client's end
    const FcgiClient client(running.path);
    REQUIRE(client.send_request(FcgiClient::get("/new")));
    std::string text;
    support::repeat_until([&] { return !text.empty(); },
                          [&] {
                              lines.clear();
                              std::getline(lines, text);
                          });
    fillers.clear();
    CHECK(client.receive());
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    base::log::send_to(STDERR_FILENO, base::log::Level::info);
    CHECK(text.find("cannot accept a connection") != std::string::npos);
    lines.clear();
    CHECK_FALSE(std::getline(lines, text));
}

TEST_CASE("Requests that arrive by halves occupy no worker") {
    const Running running({.workers = 1});
    std::vector<FcgiClient> slow;
    for (int i = 0; i < 8; ++i) {
        const auto& half = slow.emplace_back(running.path);
        REQUIRE(half.send(FcgiClient::begin, FcgiClient::role(1)));
        REQUIRE(half.send_raw(FcgiClient::record(FcgiClient::params, "abc").substr(0, 9)));
    }
    CHECK(FcgiClient(running.path).ask("/small"));
}

TEST_CASE("A request has one deadline, however the bytes of its head or its body trickle in") {
    const Running running({.workers = 1, .read_timeout = 50ms});
    for (const auto type : {FcgiClient::params, FcgiClient::input}) {
        const FcgiClient client(running.path);
        if (type == FcgiClient::input)
            REQUIRE(client.send_head(FcgiClient::get("/watch")));
        else
            REQUIRE(client.send(FcgiClient::begin, FcgiClient::role(1)));
        const auto rest = FcgiClient::record(type, std::string(4000, 'x'));
        std::size_t sent = 0;
        while (sent < rest.size() && !is_closed(client, 5ms) &&
               client.send_raw(rest.substr(sent, 1)))
            ++sent;
        CHECK(sent < rest.size());
        CHECK(client.sees_end());
    }
    CHECK(FcgiClient(running.path).ask("/next"));
}

TEST_CASE("An answer has one deadline for being read, and then its worker is free") {
    const Running running({.workers = 1, .write_timeout = 50ms});
    const FcgiClient client(running.path);
    REQUIRE(client.send_request(FcgiClient::get("/large")));
    REQUIRE(is_closed(client, 2min));
    CHECK_FALSE(client.receive());
    CHECK(FcgiClient(running.path).ask("/next"));
}

TEST_CASE("Clients that vanish at any byte or send nonsense do no harm, and lose no descriptor") {
    const Running running({.workers = 2});
    REQUIRE(FcgiClient(running.path).ask("/first"));
    const auto before = open_descriptors();
    const auto whole =
        FcgiClient::head(FcgiClient::get("/gone")) + FcgiClient::record(FcgiClient::input, "");
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        FcgiClient gone(running.path);
        REQUIRE(gone.send_raw(whole.substr(0, size)));
        if (size % 2 == 0) gone.reset_when_closed();
    }
    for (int i = 0; i < 20; ++i) {
        const FcgiClient unread(running.path);
        REQUIRE(unread.send_request(FcgiClient::get("/large")));
        const FcgiClient nonsense(running.path);
        REQUIRE(nonsense.send_raw(std::string(100, 'x')));
        CHECK(nonsense.sees_end());
    }
    for (int i = 0; i < 500; ++i) REQUIRE(FcgiClient(running.path).ask("/next"));
    support::repeat_until([&] { return open_descriptors() <= before; },
                          [&] { REQUIRE(FcgiClient(running.path).ask("/next")); });
}

TEST_CASE("Each request sent before a stop is answered, under load, and all threads join") {
    Running running({.workers = 4});
    constexpr int clients = 16;
    std::shared_mutex stopping;  // shared: a request may be sent
    bool stopped = false;
    std::atomic<int> sent = 0, answered = 0;
    std::barrier warm(clients + 1);
    std::vector<std::jthread> threads;
    for (int i = 0; i < clients; ++i) {
        threads.emplace_back([&] {
            std::optional<FcgiClient> client;
            for (int round = 0;; ++round) {
                if (round == 20) warm.arrive_and_wait();
                {
                    const std::shared_lock may_send(stopping);
                    if (stopped) break;
                    client.emplace(running.path);
                    if (client->send_request(FcgiClient::get("/load"))) ++sent;
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

TEST_CASE("A stop disconnects clients with half a request, or none") {
    Running running({.workers = 2});
    const FcgiClient half(running.path), idle(running.path);
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
    const auto server = serve::start_fastcgi(std::move(*listener), {.workers = 2}, echo);
    REQUIRE(server);
    REQUIRE(FcgiClient(ntohs(address.sin_port)).ask("/1"));
    const FcgiClient waiting(ntohs(address.sin_port));
    REQUIRE(waiting.send_request(FcgiClient::get("/2")));
    (*server)->stop();
    CHECK(waiting.receive());
}
