// A peer that follows a test's script with one connection after another, byte by byte.
// SPDX-License-Identifier: MIT
#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <functional>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>

#include "source/file.hpp"
#include "support/catch.hpp"

namespace support {

class ScriptedPeer {
   public:
    class Connection {
       public:
        explicit Connection(int descriptor) : file_(descriptor) {}
        // Returns false when the client has gone.
        bool send(std::string_view bytes) const {
            while (!bytes.empty()) {
                const auto sent =
                    ::send(file_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
                if (sent <= 0) return false;
                bytes.remove_prefix(static_cast<std::size_t>(sent));
            }
            return true;
        }
        // Returns that many bytes, or fewer when the client has gone.
        [[nodiscard]] std::string receive(std::size_t size) const {
            std::string bytes(size, '\0');
            const auto got = ::recv(file_.descriptor(), bytes.data(), size, MSG_WAITALL);
            bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
            return bytes;
        }
        // Returns true when the client sends something or goes within that time.
        [[nodiscard]] bool stirs_within(int milliseconds) const {
            pollfd waited{file_.descriptor(), POLLIN, 0};
            return ::poll(&waited, 1, milliseconds) != 0;
        }

       private:
        source::File file_;
    };
    using Script = std::function<void(const Connection&)>;

    explicit ScriptedPeer(Script script)
        : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        auto* any = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener_.descriptor(), any, size) == 0);
        REQUIRE(::listen(listener_.descriptor(), 1) == 0);
        REQUIRE(::getsockname(listener_.descriptor(), any, &size) == 0);
        port_ = ::ntohs(address.sin_port);
        thread_ = std::thread([this, script = std::move(script)] {
            for (;;) {
                const int accepted =
                    ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
                if (accepted < 0) return;
                script(Connection(accepted));
            }
        });
    }
    ~ScriptedPeer() {
        ::shutdown(listener_.descriptor(), SHUT_RDWR);
        thread_.join();
    }
    ScriptedPeer(const ScriptedPeer&) = delete;
    ScriptedPeer& operator=(const ScriptedPeer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

   private:
    source::File listener_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace support
