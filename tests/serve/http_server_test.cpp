// SPDX-License-Identifier: MIT
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "serve/server.hpp"
#include "support/catch.hpp"
#include "support/repeat_until.hpp"

using namespace std::chrono_literals;

namespace {

// Says what a request is, but for what every request has.
serve::Response described(const serve::Request& request) {
    serve::Response response;
    const auto& error = request.error ? request.error : request.body_error;
    response.status = error ? error->status : 200;
    std::string body =
        request.method + " " + request.path + " ?" + request.query + " " + request.client_address;
    for (const auto& [name, value] : request.fields)
        if (name != "content-length" && name != "host")
            body.append("\n").append(name).append("=").append(value);
    if (!request.body.empty()) body.append("\n").append(request.body);
    response.body = std::make_shared<const std::string>(std::move(body));
    if (request.path == "/none") response.status = 204;
    if (request.path == "/same") response.status = 304;
    if (response.status == 204) response.body = nullptr;
    response.send_body = response.status != 304;
    return response;
}

struct RunningHttp {
    std::uint16_t port = 0;
    std::unique_ptr<serve::Server> server;

    explicit RunningHttp(serve::HttpSettings settings = {.workers = 1},
                         serve::Server::Answer answer = described) {
        auto listener = serve::listen_on("127.0.0.1:0");
        if (!listener) throw std::runtime_error(listener.error().text);
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(listener->number(), reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
        auto started = serve::start_http(std::move(*listener), settings, std::move(answer));
        if (!started) throw std::runtime_error(started.error().text);
        server = std::move(*started);
    }
};

// Returns whether something can be read, or the end, within a time.
bool has_news(int socket, std::chrono::milliseconds patience) {
    pollfd peer{.fd = socket, .events = POLLIN, .revents = 0};
    return ::poll(&peer, 1, static_cast<int>(patience.count())) > 0;
}

class HttpClient {
   public:
    explicit HttpClient(const RunningHttp& running) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(running.port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) !=
            0)
            throw std::runtime_error("cannot connect");
    }
    [[nodiscard]] int number() const { return socket_.number(); }

    // Returns false when the server has closed the connection.
    bool send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto sent = ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    // Sends a GET request.
    bool get(const std::string& target) const {
        return send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    // Returns the next answer, whose length its head says; what there is when the server closes.
    std::string answer(bool has_body = true) {
        std::size_t end = std::string::npos;
        while ((end = read_.find("\r\n\r\n")) == std::string::npos)
            if (!receive()) return std::exchange(read_, {});
        const auto head = base::fold_ascii(read_.substr(0, end + 4));
        std::size_t length = end + 4;
        if (const auto at = head.find("content-length: "); has_body && at != std::string::npos)
            length += std::stoul(head.substr(at + 16));
        while (read_.size() < length)
            if (!receive()) return std::exchange(read_, {});
        auto answer = read_.substr(0, length);
        read_.erase(0, length);
        return answer;
    }
    // Returns all that comes until the server closes the connection.
    std::string rest() {
        while (receive()) {
        }
        return std::exchange(read_, {});
    }

   private:
    bool receive() {
        std::array<char, 65536> piece;
        const auto count = ::recv(number(), piece.data(), piece.size(), 0);
        if (count > 0) read_.append(piece.data(), static_cast<std::size_t>(count));
        return count > 0;
    }
    base::Descriptor socket_;
    std::string read_;
};

int status_over_http(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9)) : 0;
}

std::string body_over_http(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "no head: " + answer : answer.substr(end + 4);
}

std::string answer_over_http(const RunningHttp& running, const std::string& request) {
    HttpClient client(running);
    client.send(request);
    return client.answer();
}

}  // namespace

TEST_CASE("A request over HTTP has its method, path, query, fields and the client's address") {
    const RunningHttp running;
    const auto answer =
        answer_over_http(running, "GET http://x.org/r%C3%A9/s?a=%20b HTTP/1.1\r\nHost: x\r\n"
                                  "Accept: text/html\r\naccept: */*\r\nAccept_Encoding: gzip\r\n"
                                  "If-None-Match: \"a\"\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
    CHECK(status_over_http(answer) == 200);
    CHECK(body_over_http(answer) ==
          "GET /r\xC3\xA9/s ?a=%20b 127.0.0.1\naccept=text/html, */*\nif-none-match=\"a\"");
}

TEST_CASE("The last address that a trusted proxy forwards is the client's") {
    const RunningHttp running({.workers = 1, .trusted_front = true});
    const auto client_of = [&](const std::string& fields) {
        return body_over_http(answer_over_http(running, "GET / HTTP/1.1\r\nHost: x\r\n" + fields +
                                                            "Connection: close\r\n\r\n"));
    };
    // All that is no address is one client.
    const std::pair<std::string, std::string> cases[] = {
        {"X-Forwarded-For: 198.51.100.7, 192.0.2.1\r\n", "192.0.2.1"},
        {"X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 2001:db8::1\r\n", "2001:db8::1"},
        {"X-Forwarded-For: 192.0.2.1:77\r\n", "192.0.2.1"},
        {"X-Forwarded-For: [2001:DB8:0::1]:443\r\n", "2001:db8::1"},
        {"X-Forwarded-For: [2001:db8::1]\r\n", "2001:db8::1"},
        {"X-Forwarded-For: 2001:db8:0:0:0:0:0:1\r\n", "2001:db8::1"},
        {"X-Forwarded-For: garbage1\r\n", ""},
        {"X-Forwarded-For: 192.0.2.1, [garbage\r\n", ""},
        {"X-Forwarded-For: 192.0.2.1,\r\n", "127.0.0.1"},
        {"", "127.0.0.1"}};
    for (const auto& [fields, client] : cases) CHECK(client_of(fields) == "GET / ? " + client);
}

TEST_CASE("A kept connection carries one request after another, whatever has no body") {
    const RunningHttp running;
    HttpClient client(running);
    for (int i = 0; i < 50; ++i) {
        REQUIRE(client.get("/" + std::to_string(i)));
        CHECK(body_over_http(client.answer()) == "GET /" + std::to_string(i) + " ? 127.0.0.1");
        REQUIRE(client.send("HEAD /rss HTTP/1.1\r\nHost: x\r\n\r\n"));
        const auto head = base::fold_ascii(client.answer(false));
        CHECK(head.find("content-length: 21\r\n") != std::string::npos);
        for (const int status : {204, 304}) {
            REQUIRE(client.get(status == 204 ? "/none" : "/same"));
            const auto empty = base::fold_ascii(client.answer(false));
            CHECK(empty.starts_with("http/1.1 " + std::to_string(status)));
            CHECK(empty.find("transfer-encoding") == std::string::npos);
            // RFC 9110 section 8.6: that of the 200.
            if (status == 304) CHECK(empty.find("content-length: 21\r\n") != std::string::npos);
        }
    }
}

TEST_CASE("Requests that arrive at once are answered in their order") {
    const RunningHttp running({.workers = 4});
    HttpClient client(running);
    std::string all;
    for (int i = 0; i < 20; ++i)
        all +=
            "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    REQUIRE(client.send(all));
    for (int i = 0; i < 20; ++i)
        CHECK(body_over_http(client.answer()) ==
              "POST /" + std::to_string(i) + " ? 127.0.0.1\nabc");
}

TEST_CASE("Requests whose end is uncertain, and heads that no client sends, are refused") {
    const RunningHttp running;
    const auto status = [&](const std::string& line, const std::string& fields,
                            const std::string& body = "") {
        HttpClient client(running);
        client.send(line + "\r\n" + fields + "\r\n" + body);
        return status_over_http(client.rest());
    };
    const std::string post = "POST / HTTP/1.1", host = "Host: x\r\n";
    for (const std::string lengths :
         {"Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nContent-Length: 4",
          "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked"})
        for (const auto& line : {post, std::string("GET / HTTP/1.1")})
            CHECK(status(line, host + lengths + "\r\n", "0\r\n\r\n") == 400);
    for (const std::string length : {"-1", "x", "3, 3", "+3", "99999999999999999999999"})
        CHECK(status(post, host + "Content-Length: " + length + "\r\n", "abc") >= 400);
    std::string fields;
    for (int i = 0; i < 5'000; ++i) fields += "A: b\r\n";
    CHECK(status("GET / HTTP/1.1", host + fields) >= 400);
    CHECK(status("GET / HTTP/1.1", "") == 400);  // without Host
    CHECK(status("GET /" + std::string(80'000, 'x') + " HTTP/1.1", host) >= 400);
    CHECK(status("GET / HTTP/1.1", host + "X: " + std::string(80'000, 'x') + "\r\n") >= 400);
    CHECK(status("GET /" + std::string(3'000, 'x') + " HTTP/1.1",
                 host + "Connection: close\r\n") == 414);
    CHECK(status("GET / HTTP/1.1", host + "Accept: " + std::string(9'000, 'x') +
                                       "\r\nConnection: close\r\n") == 400);
    CHECK(status_over_http(answer_over_http(running, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")) ==
          200);
}

TEST_CASE("Bytes that are no HTTP disturb nobody") {
    const RunningHttp running({.workers = 1, .read_timeout = 200ms});
    for (const auto& bytes :
         {std::string("\0\0\0\0", 4), std::string("GET\r\n\r\n"), std::string("\r\n\r\n"),
          std::string("GET / HTTP/1.1\r\nHost"), std::string("\x16\x03\x01\x02\x00\x01\x00", 7),
          std::string(1000, '\xff')}) {
        HttpClient client(running);
        client.send(bytes);
        ::shutdown(client.number(), SHUT_WR);
        CHECK(status_over_http(client.rest()) != 200);
    }
    HttpClient client(running);
    REQUIRE(client.get("/"));
    ::shutdown(client.number(), SHUT_WR);
    CHECK(status_over_http(client.rest()) == 200);
}

TEST_CASE("A query arrives as it was sent, however many parameters it has") {
    const RunningHttp running;
    std::string query;
    for (int i = 0; i < 15'000; ++i) query += "a=&";
    const bool is_whole = body_over_http(answer_over_http(
                              running, "GET /x?" + query + " HTTP/1.1\r\nHost: x\r\n\r\n")) ==
                          "GET /x ?" + query + " 127.0.0.1";
    CHECK(is_whole);
}

TEST_CASE("A body arrives whole, in pieces too; a longer one than is kept is answered 413") {
    const RunningHttp running;
    HttpClient client(running);
    const std::string head = "POST /watch HTTP/1.1\r\nHost: x\r\n";
    for (const std::size_t size : {std::size_t{1}, std::size_t{50'000}, serve::longest_body}) {
        const std::string body(size, 'b');
        REQUIRE(
            client.send(head + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + body));
        const bool is_whole =
            body_over_http(client.answer()) == "POST /watch ? 127.0.0.1\n" + body;
        CHECK(is_whole);
    }
    REQUIRE(
        client.send(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    CHECK(body_over_http(client.answer()) == "POST /watch ? 127.0.0.1\nabcde");
    const std::string long_body(serve::longest_body + 1, 'b');
    REQUIRE(client.send(head + "Content-Length: " + std::to_string(long_body.size()) +
                        "\r\n\r\n" + long_body));
    CHECK(status_over_http(client.answer()) == 413);
    REQUIRE(client.send("GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"));
    CHECK(body_over_http(client.answer()) == "GET /a ? 127.0.0.1");
    REQUIRE(client.get("/next"));
    CHECK(status_over_http(client.answer()) == 200);
    // One that is far too long is answered before it is sent.
    REQUIRE(client.send(head + "Content-Length: " +
                        std::to_string(serve::longest_dropped_body + 1) + "\r\n\r\n"));
    CHECK(status_over_http(client.answer()) == 413);
}

TEST_CASE("A peer that sends too slowly is closed") {
    const RunningHttp running({.workers = 1, .read_timeout = 200ms});
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n";
    HttpClient silent(running), slow_head(running), slow_body(running);
    slow_body.send(head);
    // A byte each moment, for as long as the connection is open.
    for (const auto* slow : {&slow_head, &slow_body}) {
        std::size_t sent = 0;
        while (slow->send(slow == &slow_head ? head.substr(sent % 8, 1) : "b") &&
               !has_news(slow->number(), 5ms))
            ++sent;
        CHECK(sent < 80'000);
    }
    CHECK(silent.rest().empty());
}

TEST_CASE("A connection without a next request is closed") {
    const RunningHttp running({.workers = 1, .idle_timeout = 100ms});
    HttpClient idle(running);
    REQUIRE(idle.get("/"));
    CHECK(status_over_http(idle.answer()) == 200);
    CHECK(idle.rest().empty());
}

TEST_CASE("A peer that reads too slowly occupies no worker, and is closed") {
    constexpr std::size_t size = 8 << 20;
    auto large = std::make_shared<const std::string>(size, 'x');
    const std::weak_ptr<const std::string> held = large;
    const RunningHttp running({.workers = 1, .write_timeout = 200ms}, [&](const auto& request) {
        auto response = described(request);
        if (request.path == "/large") response.body = std::move(large);
        return response;
    });
    HttpClient reader(running);
    REQUIRE(reader.get("/large"));
    CHECK(status_over_http(answer_over_http(running, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")) ==
          200);
    support::repeat_until([&] { return held.expired(); }, std::this_thread::yield);
    CHECK(reader.rest().size() < size);
}

TEST_CASE("Above the maximum, connections wait until others are closed") {
    const RunningHttp running({.workers = 1, .most_connections = 2});
    auto first = std::make_optional<HttpClient>(running),
         second = std::make_optional<HttpClient>(running);
    for (auto* client : {&*first, &*second}) {
        REQUIRE(client->get("/"));
        CHECK(status_over_http(client->answer()) == 200);
    }
    HttpClient third(running);
    REQUIRE(third.get("/3"));
    first.reset();
    CHECK(body_over_http(third.answer()) == "GET /3 ? 127.0.0.1");
}

TEST_CASE("A stop answers what has begun, and closes what is idle or does not go on") {
    std::latch asked(1), answered(1);
    RunningHttp running({.workers = 2}, [&](const serve::Request& request) {
        if (request.path == "/slow") {
            asked.count_down();
            answered.wait();
        }
        return described(request);
    });
    HttpClient idle(running), unfinished(running), slow(running);
    REQUIRE(idle.get("/"));
    CHECK(status_over_http(idle.answer()) == 200);
    REQUIRE(unfinished.send("GET / HTTP/1.1\r\nHo"));
    REQUIRE(slow.get("/slow"));
    asked.wait();
    std::thread stopper([&] { running.server->stop(); });
    CHECK(idle.rest().empty());  // the stop has begun
    answered.count_down();
    const auto answer = slow.rest();
    CHECK(body_over_http(answer) == "GET /slow ? 127.0.0.1");
    CHECK(base::fold_ascii(answer).find("connection: close") != std::string::npos);
    CHECK(unfinished.rest().empty());
    stopper.join();
    running.server->stop();
}
