// A web server that keeps what it is asked, and answers each request as the test says.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/http_peer.hpp"

namespace support {

class RecordingServer {
   public:
    // Returns whether the connection stays open.
    using Serve = std::function<bool(PeerConnection&, const std::string& request)>;

    explicit RecordingServer(Serve serve, const std::string& address = "127.0.0.1")
        : serve_(std::move(serve)), peer_(
                                        [this](PeerConnection& connection) {
                                            for (auto request = connection.request();
                                                 !request.empty(); request = connection.request())
                                                if (!take(connection, request)) return;
                                        },
                                        address) {}
    //   answer  returns all bytes of an answer; none: the connection is closed
    explicit RecordingServer(std::function<std::string(const std::string&)> answer,
                             const std::string& address = "127.0.0.1")
        : RecordingServer(
              [answer = std::move(answer)](PeerConnection& connection,
                                           const std::string& request) {
                  const auto reply = answer(request);
                  return !reply.empty() && connection.send(reply);
              },
              address) {}

    [[nodiscard]] std::string url(const std::string& target = "/hub") const {
        return peer_.url(target);
    }
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::scoped_lock lock(mutex_);
        return requests_;
    }

   private:
    bool take(PeerConnection& connection, const std::string& request) {
        {
            const std::scoped_lock lock(mutex_);
            requests_.push_back(request);
        }
        return serve_(connection, request);
    }

    Serve serve_;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    HttpPeer peer_;  // last: its threads use the others
};

}  // namespace support
