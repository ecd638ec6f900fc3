// net_bench -- small POSTs over net::Client to servers on this machine: how many a second, and what
// thousands of requests without an answer cost.
//   net_bench [POSTS [SILENT]]   default 60000 and 5000; status 1 when a goal of docs/performance.md is missed
//   net_bench --serve            only the servers, which print their port, until killed
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "loopback.hpp"
#include "net/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace bench;

// Addresses that answer, 127.0.0.1 and so on; the silent ones begin at 127.0.1.1 and get 4 requests each.
constexpr int answering = 20, requests_to_silent = 4;

// Answers that are due later, in the order in which they were asked for.
class LateAnswers {
   public:
    void add(int socket) { waiting_.push_back({Clock::now() + 20ms, socket}); }
    // Returns how long to wait for the next one, in milliseconds; -1: there is none.
    [[nodiscard]] int wait() const {
        if (waiting_.empty()) return -1;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(waiting_.front().first - Clock::now());
        return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    [[nodiscard]] std::optional<int> next_due() {
        if (waiting_.empty() || waiting_.front().first > Clock::now()) return std::nullopt;
        const int socket = waiting_.front().second;
        waiting_.pop_front();
        return socket;
    }
    void forget(int socket) {
        std::erase_if(waiting_, [&](const auto& each) { return each.second == socket; });
    }

   private:
    std::deque<std::pair<Clock::time_point, int>> waiting_;
};

// Answers 204 to requests that come in one piece: 20 ms later to those for /late, and never to those for
// /silent.
[[noreturn]] void serve(int listener) {
    constexpr std::string_view answer = "HTTP/1.1 204 No Content\r\n\r\n";
    const int epoll = ::epoll_create1(0);
    LateAnswers late;
    const auto reply = [&](int socket) {
        require(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) > 0, "send");
    };
    const auto add = [&](int socket) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = socket;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
    };
    add(listener);
    std::array<epoll_event, 256> events;
    std::array<char, 65536> bytes;
    for (;;) {
        const int count = ::epoll_wait(epoll, events.data(), events.size(), late.wait());
        while (const auto socket = late.next_due()) reply(*socket);
        for (int at = 0; at < count; ++at) {
            const int socket = events[static_cast<std::size_t>(at)].data.fd;
            if (socket == listener) {
                for (int peer;
                     (peer = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;)
                    add(peer);
                continue;
            }
            const auto read = ::recv(socket, bytes.data(), bytes.size(), 0);
            const std::string_view request(bytes.data(), read > 0 ? 12 : 0);
            if (read <= 0) {
                late.forget(socket);
                ::close(socket);
            } else if (request.starts_with("POST /late")) {
                late.add(socket);
            } else if (!request.starts_with("POST /silent")) {
                reply(socket);
            }
        }
    }
}

class Bench {
   public:
    explicit Bench(std::uint16_t port) : port_(":" + std::to_string(port)) {}

    void add_silent(int count) {
        const auto before = resident_kb();
        for (int i = 0; i < count; ++i) client_.add(post("/silent", silent_address(i)));
        const auto start = Clock::now();
        while (seconds_since(start) < 2) require(client_.wait(100ms).empty(), "silence");
        const auto taken = (resident_kb() - before) / 1024;
        std::printf("%d open requests: %ld MB more\n", count, taken);
        is_good_ = is_good_ && taken <= 100;
    }

    [[nodiscard]] bool is_good() const { return is_good_; }

    // Keeps some requests in hand.
    void run(const char* what, int count, std::size_t at_once,
             const std::vector<net::Field>& fields = {}) {
        int added = 0, finished = 0;
        const auto open = client_.open();
        const auto start = Clock::now();
        const auto used = processor_seconds();
        while (finished < count) {
            for (; added < count && client_.open() < open + at_once; ++added) {
                auto request = post("/callback/" + std::to_string(added % 1000),
                                    "127.0.0." + std::to_string(added % answering + 1));
                request.fields.insert(request.fields.end(), fields.begin(), fields.end());
                client_.add(std::move(request));
            }
            for (const auto& one : client_.wait(1h)) {
                require(one.response && one.response->status == 204, "answer");
                ++finished;
            }
        }
        const auto took = seconds_since(start), each = (processor_seconds() - used) / count * 1e6;
        std::printf("%s: %.0f requests/s, %.0f us of processor time each\n", what, count / took,
                    each);
        is_good_ = is_good_ && each <= 200;
    }

   private:
    static std::string silent_address(int number) {
        constexpr int in_a_row = 250;
        const int host = number / requests_to_silent;
        return "127.0." + std::to_string(host / in_a_row + 1) + "." +
               std::to_string(host % in_a_row + 1);
    }

    [[nodiscard]] net::Request post(const std::string& target, const std::string& address) const {
        net::Request request;
        request.url = *net::parse_url("http://" + address + port_ + target);
        request.method = net::Method::post;
        request.fields = {{"Content-Type", "application/rss+xml; charset=utf-8"},
                          {"Link", "<http://hub.example.org/hub>; rel=\"hub\""}};
        request.body = body_;
        request.most_body = 4096;
        request.needed = net::Needed::status;
        request.total = 1h;
        return request;
    }

    static net::Limits limits() {
        net::Limits limits;
        limits.connections = 10'000;
        limits.requests_to_address = 100;
        return limits;
    }

    bool is_good_ = true;
    std::string port_;
    std::shared_ptr<const std::string> body_ = std::make_shared<const std::string>(4000, 'x');
    net::Client client_ = std::move(
        net::Client::make(net::AddressGuard(*net::parse_allow_list("127.0.0.0/8")), limits())
            .value());
};

}  // namespace

int main(int argc, char** argv) {
    allow_all_descriptors();
    std::uint16_t port = 0;
    const int listener = listen_anywhere(port);
    if (argc > 1 && std::string_view(argv[1]) == "--serve") {
        std::printf("%d\n", port);
        std::fflush(stdout);
        serve(listener);
    }
    const int posts = argc > 1 ? std::atoi(argv[1]) : 60'000;
    const int silent = argc > 2 ? std::atoi(argv[2]) : 5'000;
    const auto child = serve_beside(listener, serve);
    Bench bench(port);
    bench.run("POST of 4 KB, 400 at once, over kept connections", posts, 400);
    bench.run("... over a new connection each", posts / 4, 400, {{"Connection", "close"}});
    bench.run("... 4 at once, over kept connections", posts / 2, 4);
    bench.add_silent(silent);
    bench.run("POST of 4 KB, 400 at once, over kept connections, beside them", posts, 400);
    bench.run("... 4 at once", posts / 2, 4);
    end_server(child);
    return bench.is_good() ? 0 : 1;
}
