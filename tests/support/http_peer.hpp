// Servers for tests, mostly of HTTP: each records what it is asked, and does what a test says.
//
//   support::HttpPeer peer([](const std::string& request) { return support::answer_of("hello"); });
//   …                                        the tested client asks peer.url("/feed")
//   CHECK(peer.requests().size() == 1);
//
// Servers that misbehave get the connection, too.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"

namespace support {

// Requests with their bodies, in the order of their arrival. Safe from any thread.
class RequestLog {
   public:
    void add(const std::string& request) {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request);
    }
    [[nodiscard]] std::vector<std::string> all() const {
        const std::scoped_lock lock(mutex_);
        return requests_;
    }
    [[nodiscard]] std::vector<std::string> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(requests_, {});
    }

   private:
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
};

// One connection, as the server has it.
class PeerConnection {
   public:
    PeerConnection(int socket, int stop, RequestLog& log)
        : socket_(socket), stop_(stop), log_(log) {}

    // Returns the next request with its body; empty when the client closes, or the server is to end.
    std::string request();
    // Returns that many bytes, or fewer when the client closes, or the server is to end.
    std::string receive(std::size_t count);
    // False when the client does not read any more, or the server is to end.
    bool send(std::string_view bytes);
    bool answer(std::string_view body, std::string_view fields = "");
    // Blocks until the client closes the connection, the server is to end, or the time is over; returns true
    // for the latter.
    bool wait(std::chrono::milliseconds at_most);
    bool wait();  // without a limit
    // Closes so that the client gets an error instead of an end.
    void reset();

   private:
    bool is_ready(short events);
    bool wait_for(int milliseconds);
    base::Descriptor socket_;
    int stop_;
    RequestLog& log_;
    std::string read_;
};

// A server on a port of its own, with a thread for each connection. Ends them all when it is destroyed.
class HttpPeer {
   public:
    // Is called for each connection; it is closed on return.
    using ServeConnection = std::function<void(PeerConnection&)>;
    // Is called for each request; returns whether the connection stays open.
    using ServeRequest = std::function<bool(PeerConnection&, const std::string& request)>;
    // Returns all bytes of an answer; none: the connection is closed.
    using Answer = std::function<std::string(const std::string& request)>;

    //   address  of IPv4, in 127.0.0.0/8
    explicit HttpPeer(ServeConnection serve, const std::string& address = "127.0.0.1",
                      std::uint16_t port = 0);
    explicit HttpPeer(const ServeRequest& serve, const std::string& address = "127.0.0.1");
    explicit HttpPeer(const Answer& answer, const std::string& address = "127.0.0.1");
    ~HttpPeer();
    HttpPeer(const HttpPeer&) = delete;
    HttpPeer& operator=(const HttpPeer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // "http://127.0.0.1:PORT" + target
    [[nodiscard]] std::string url(std::string_view target = "/") const;
    [[nodiscard]] std::size_t connections() const { return accepted_; }
    [[nodiscard]] std::size_t open_connections() const { return open_; }
    [[nodiscard]] std::vector<std::string> requests() const { return log_.all(); }
    // Returns the requests since the last call.
    [[nodiscard]] std::vector<std::string> take_requests() { return log_.take(); }

   private:
    void accept_all();
    ServeConnection serve_;
    std::string address_;
    std::uint16_t port_ = 0;
    base::Descriptor listener_, stop_;
    std::atomic<std::size_t> accepted_ = 0, open_ = 0;
    RequestLog log_;
    std::vector<std::thread> threads_;  // of the accepting thread alone, until that has ended
    std::thread acceptor_;
};

// Returns all bytes of an answer.
//   fields  complete lines
[[nodiscard]] std::string answer_of(std::string_view body, std::string_view fields = "",
                                    std::string_view status = "200 OK");
// The same without a body.
[[nodiscard]] std::string empty_answer(std::string_view status, std::string_view fields = "");

// Parts of a request. A field that it does not have is "(none)".
[[nodiscard]] std::string target_in(const std::string& request);
[[nodiscard]] std::string field_in(const std::string& request, const std::string& name);
[[nodiscard]] std::string body_in(const std::string& request);

}  // namespace support
