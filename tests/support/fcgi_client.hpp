// A FastCGI client that writes and reads records as a web server does, in the order
// and the pieces that a test wants. Specification: FastCGI 1.0, section 3.
// SPDX-License-Identifier: MIT
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

class FcgiClient {
   public:
    using Variables = std::vector<std::pair<std::string, std::string>>;
    enum Type : unsigned char {
        begin = 1,
        abort = 2,
        end = 3,
        params = 4,
        input = 5,
        output = 6,
        get_values = 9
    };

    explicit FcgiClient(const std::string& unix_path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, unix_path.c_str(), sizeof address.sun_path - 1);
        open(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    explicit FcgiClient(std::uint16_t loopback_port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(loopback_port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        open(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    ~FcgiClient() { hang_up(); }
    FcgiClient(FcgiClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    FcgiClient& operator=(FcgiClient&&) = delete;

    static std::string record(Type type, std::string_view content, int id = 1,
                              std::size_t padding = 0) {
        std::string record = {1, static_cast<char>(type)};
        for (const auto number : {static_cast<std::size_t>(id), content.size()}) {
            record += static_cast<char>(number >> 8);
            record += static_cast<char>(number & 0xff);
        }
        record += static_cast<char>(padding);
        record += '\0';
        return record.append(content).append(padding, '\0');
    }
    // Sends one record. Returns false when the peer accepts no more.
    bool send(Type type, std::string_view content, int id = 1) const {
        return send_raw(record(type, content, id));
    }
    bool send_raw(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    // Sends begin and variables; the input (`send(input, "")` ends it) follows.
    bool send_head(const Variables& variables) const { return send_raw(head(variables)); }
    bool send_request(const Variables& variables) const {
        return send_raw(head(variables) + record(input, ""));
    }
    // The records of begin and variables.
    static std::string head(const Variables& variables) {
        auto records = record(begin, role(1));
        const auto pairs = pairs_of(variables);
        constexpr std::size_t most = 65528;  // of a record, a multiple of eight
        for (std::string_view rest = pairs; !rest.empty();) {
            const auto part = rest.substr(0, most);
            records += record(params, part);
            rest.remove_prefix(part.size());
        }
        return records + record(params, "");
    }
    // The content of a begin record. Role 1 is the responder.
    static std::string role(char number, char flags = 0) {
        return {0, number, flags, 0, 0, 0, 0, 0};
    }
    static std::string pairs_of(const Variables& variables) {
        std::string pairs;
        for (const auto& [name, value] : variables)
            pairs += length(name) + length(value) + name + value;
        return pairs;
    }
    static Variables get(const std::string& target) {
        const auto mark = target.find('?');
        return {{"REQUEST_METHOD", "GET"},
                {"REQUEST_URI", target},
                {"QUERY_STRING", mark == std::string::npos ? "" : target.substr(mark + 1)}};
    }

    // Returns all output up to the end of the request; nullopt when the peer closed before.
    std::optional<std::string> receive() const {
        std::string output_so_far;
        for (;;) {
            const auto header = read(8);
            if (!header) return std::nullopt;
            const auto byte = [&](std::size_t i) {
                return static_cast<std::size_t>(static_cast<unsigned char>((*header)[i]));
            };
            const auto content = read((byte(4) << 8) + byte(5));
            if (!content || !read(byte(6))) return std::nullopt;
            if (byte(1) == end) return output_so_far;
            if (byte(1) == output) output_so_far += *content;
        }
    }
    std::optional<std::string> ask(const std::string& target) const {
        if (!send_request(get(target))) return std::nullopt;
        return receive();
    }

    // Waits for the peer to close. Returns false when it sends something instead.
    bool sees_end() const { return !read(1); }
    // From now on, hang_up() resets the connection instead of ending it.
    void reset_when_closed() const {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    void hang_up() {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }
    int number() const { return socket_; }

   private:
    void open(int family, const sockaddr* address, socklen_t size) {
        socket_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(socket_, address, size) != 0) {
            hang_up();
            throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
        }
        const timeval patience{.tv_sec = 20, .tv_usec = 0};  // so that a defect fails the test
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    std::optional<std::string> read(std::size_t size) const {
        std::string bytes(size, '\0');
        for (std::size_t got = 0; got < size;) {
            const auto count = ::recv(socket_, bytes.data() + got, size - got, 0);
            if (count <= 0) return std::nullopt;
            got += static_cast<std::size_t>(count);
        }
        return bytes;
    }
    static std::string length(const std::string& text) {
        const auto size = text.size();
        if (size < 128) return {static_cast<char>(size)};
        return {static_cast<char>(0x80 | (size >> 24)), static_cast<char>(size >> 16),
                static_cast<char>(size >> 8), static_cast<char>(size)};
    }

    int socket_ = -1;
};

}  // namespace support
