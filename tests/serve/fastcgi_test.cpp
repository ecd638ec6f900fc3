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

TEST_CASE("A kept connection carries one request after another") {
    const Running running({.threads = 2});
    const FcgiClient client(running.path);
    for (int i = 0; i < 200; ++i) {
        const auto answer = client.ask("/" + std::to_string(i), Keep::yes);
        REQUIRE(answer);
        CHECK(body_of(*answer) == "GET /" + std::to_string(i) + "?");
    }
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

TEST_CASE("Above the maximum, a new connection waits while all others are being answered") {
    std::latch asked(2), answered(1);
    const Running running({.threads = 4, .most_connections = 2},
                          [&](const serve::Request& request) {
                              if (request.path == "/slow") {
                                  asked.count_down();
                                  answered.wait();
                              }
                              return echo(request);
                          });
    const FcgiClient first(running.path), second(running.path);
    for (const auto* client : {&first, &second})
        REQUIRE(client->send_request(FcgiClient::get("/slow"), Keep::yes));
    asked.wait();
    const FcgiClient third(running.path);
    REQUIRE(third.send_request(FcgiClient::get("/3"), Keep::no));
    answered.count_down();
    CHECK(first.receive());
    CHECK(second.receive());
    const auto answer = third.receive();
    REQUIRE(answer);
    CHECK(body_of(*answer) == "GET /3?");
}

TEST_CASE("Requests that arrive by halves occupy no thread") {
    const Running running({.threads = 2});
    std::vector<FcgiClient> halves;
    for (int i = 0; i < 20; ++i) {
        halves.emplace_back(running.path);
        REQUIRE(halves.back().send(FcgiClient::begin, FcgiClient::role(1, Keep::yes)));
        REQUIRE(
            halves.back().send_raw(FcgiClient::record(FcgiClient::params, "abc").substr(0, 9)));
    }
    CHECK(FcgiClient(running.path).ask("/whole", Keep::no));
}

TEST_CASE("Answers that nobody reads occupy no thread") {
    const Running running({.threads = 2}, [](const serve::Request& request) {
        auto response = echo(request);
        if (request.path == "/large")
            response.body = std::make_shared<const std::string>(4 << 20, 'x');
        return response;
    });
    std::vector<FcgiClient> unread;
    for (int i = 0; i < 8; ++i) {
        unread.emplace_back(running.path);
        REQUIRE(unread.back().send_request(FcgiClient::get("/large"), Keep::yes));
    }
    CHECK(FcgiClient(running.path).ask("/small", Keep::no));
    const auto late = unread.back().receive();
    REQUIRE(late);
    CHECK(body_of(*late) == std::string(4 << 20, 'x'));
}

TEST_CASE("A request has one deadline, however its bytes trickle in") {
    const Running running({.threads = 1, .read_timeout = 50ms});
    const FcgiClient client(running.path);
    REQUIRE(client.send(FcgiClient::begin, FcgiClient::role(1, Keep::yes)));
    const auto rest = FcgiClient::record(FcgiClient::params, std::string(4000, 'x'));
    std::size_t sent = 0;
    while (sent < rest.size() && !is_closed(client, 5ms) && client.send_raw(rest.substr(sent, 1)))
        ++sent;
    CHECK(sent < rest.size());
    CHECK(client.sees_end());
}

TEST_CASE("The body of POST comes within the deadline of its request, or not at all") {
    const Running running({.threads = 1, .read_timeout = 50ms});
    const FcgiClient client(running.path);
    auto variables = FcgiClient::get("/watch");
    variables[0].second = "POST";
    REQUIRE(client.send_head(variables, Keep::yes));
    const auto body = FcgiClient::record(FcgiClient::input, std::string(4000, 'x'));
    std::size_t sent = 0;
    while (sent < body.size() && !is_closed(client, 5ms) && client.send_raw(body.substr(sent, 1)))
        ++sent;
    CHECK(sent < body.size());
    CHECK(client.sees_end());
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("A peer that sends records of no request without end is disconnected") {
    const Running running({.threads = 1});
    const FcgiClient hostile(running.path);
    std::string ignored;
    for (int i = 0; i < 1000; ++i) ignored += FcgiClient::record(FcgiClient::input, "", 5);
    int sent = 0;
    while (sent < 1000 && hostile.send_raw(ignored)) ++sent;
    CHECK(sent < 1000);
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("A management record begins the deadline of the request that follows it") {
    const Running running({.threads = 1, .read_timeout = 50ms});
    const FcgiClient client(running.path);
    REQUIRE(client.send(FcgiClient::get_values, "", 0));
    REQUIRE(client.receive_record());
    CHECK(is_closed(client, 2min));
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

TEST_CASE("A declared length of two gigabytes ends the connection, not the server") {
    const Running running({.threads = 1});
    const FcgiClient hostile(running.path);
    REQUIRE(hostile.send(FcgiClient::begin, FcgiClient::role(1, Keep::yes)));
    REQUIRE(hostile.send(FcgiClient::params, std::string("\xff\xff\xff\xfe\x80\0\0\0", 8)));
    (void)hostile.send(FcgiClient::params, "");
    CHECK(hostile.sees_end());
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("The end of the input may arrive late in a separate write") {
    const Running running({.threads = 1});
    const FcgiClient client(running.path);
    for (int i = 0; i < 50; ++i) {
        REQUIRE(client.send_head(FcgiClient::get("/late"), Keep::yes));
        std::this_thread::yield();
        REQUIRE(client.send(FcgiClient::input, ""));
        REQUIRE(client.receive());
    }
}

TEST_CASE("A request body is read, ignored and answered") {
    const Running running({.threads = 1});
    const FcgiClient client(running.path);
    auto variables = FcgiClient::get("/rss");
    variables[0].second = "POST";
    variables.emplace_back("CONTENT_LENGTH", "120000");
    REQUIRE(client.send_head(variables, Keep::yes));
    for (int i = 0; i < 4; ++i) REQUIRE(client.send(FcgiClient::input, std::string(30000, 'b')));
    REQUIRE(client.send(FcgiClient::input, ""));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(body_of(*answer) == "POST /rss?");
}

TEST_CASE("A body without end is answered and does not occupy a thread forever") {
    const Running running({.threads = 1});
    FcgiClient client(running.path);
    auto variables = FcgiClient::get("/rss");
    variables.emplace_back("CONTENT_LENGTH", "1000000000");
    REQUIRE(client.send_head(variables, Keep::no));
    for (int i = 0; i < 10; ++i) REQUIRE(client.send(FcgiClient::input, std::string(60000, 'b')));
    CHECK(client.receive());
    client.hang_up();
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("HEAD gives the length and sends no body") {
    const Running running({.threads = 1});
    const FcgiClient client(running.path);
    auto variables = FcgiClient::get("/rss");
    variables[0].second = "HEAD";
    REQUIRE(client.send_request(variables, Keep::no));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->ends_with("Content-Length: 10\r\n\r\n"));
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

TEST_CASE("A client that leaves before its answer is written does no harm") {
    std::latch asked(1), gone(1);
    const Running running({.threads = 1}, [&](const serve::Request& request) {
        auto response = echo(request);
        if (request.path != "/large") return response;
        asked.count_down();
        gone.wait();
        response.body = std::make_shared<const std::string>(4 << 20, 'x');
        return response;
    });
    FcgiClient client(running.path);
    REQUIRE(client.send_request(FcgiClient::get("/large"), Keep::no));
    asked.wait();
    client.hang_up();
    gone.count_down();
    CHECK(FcgiClient(running.path).ask("/next", Keep::no));
}

TEST_CASE("A body of several megabytes arrives whole") {
    const Running running({.threads = 1}, [](const serve::Request&) {
        serve::Response response;
        response.body = std::make_shared<const std::string>(5 << 20, 'x');
        return response;
    });
    const auto answer = FcgiClient(running.path).ask("/", Keep::no);
    REQUIRE(answer);
    CHECK(body_of(*answer) == std::string(5 << 20, 'x'));
}

TEST_CASE("Variables of 40,000 bytes, and 2,000 variables, are read") {
    const Running running({.threads = 1});
    auto variables = FcgiClient::get("/rss");
    variables.emplace_back("HTTP_COOKIE", std::string(40000, 'c'));
    for (int i = 0; i < 2000; ++i) variables.emplace_back("HTTP_X" + std::to_string(i), "v");
    const FcgiClient client(running.path);
    REQUIRE(client.send_request(variables, Keep::no));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(body_of(*answer) == "GET /rss?");
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
