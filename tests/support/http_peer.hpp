// HTTP servers for tests of the client, each of which does one thing to whoever connects.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"

namespace support {

// One connection, as the server has it.
class PeerConnection {
   public:
    PeerConnection(int socket, int stop, std::size_t number)
        : number_(number), socket_(socket), stop_(stop) {}

    // 1 for the first connection to the server.
    [[nodiscard]] std::size_t number() const { return number_; }
    // Returns the next request with its body; empty when the client closes, or the server is to end.
    std::string request();
    // False when the client does not read any more, or the server is to end.
    bool send(std::string_view bytes);
    bool answer(std::string_view body, std::string_view fields = "");
    // Blocks until the client closes the connection, the server is to end, or `seconds` are over; returns
    // true for the latter. Negative: without a limit.
    bool wait(int seconds = -1);
    // Closes so that the client gets an error instead of an end.
    void reset();

   private:
    bool is_ready(short events);
    std::size_t number_;
    base::Descriptor socket_;
    int stop_;
    std::string read_;
};

// A server on a port of its own, with a thread for each connection. Ends them all when it is destroyed.
class HttpPeer {
   public:
    //   serve    called for each connection; it is closed on return
    //   address  of IPv4, in 127.0.0.0/8
    explicit HttpPeer(std::function<void(PeerConnection&)> serve,
                      const std::string& address = "127.0.0.1", std::uint16_t port = 0);
    ~HttpPeer();
    HttpPeer(const HttpPeer&) = delete;
    HttpPeer& operator=(const HttpPeer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // "http://127.0.0.1:PORT" + target
    [[nodiscard]] std::string url(std::string_view target = "/") const;
    [[nodiscard]] std::size_t connections() const { return accepted_; }

   private:
    void accept_all();
    std::function<void(PeerConnection&)> serve_;
    std::string address_;
    std::uint16_t port_ = 0;
    base::Descriptor listener_, stop_;
    std::atomic<std::size_t> accepted_ = 0;
    std::vector<std::thread> threads_;  // of the accepting thread alone, until that has ended
    std::thread acceptor_;
};

}  // namespace support
