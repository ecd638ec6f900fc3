// SPDX-License-Identifier: MIT
#include "support/http_peer.hpp"

#include <arpa/inet.h>
#include <array>
#include <exception>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <utility>

#include "base/text.hpp"

namespace support {
namespace {

// The number in the field Content-Length, or 0.
std::size_t length_in(const std::string& head) {
    const auto folded = base::fold_ascii(head);
    constexpr std::string_view name = "\r\ncontent-length:";
    const auto at = folded.find(name);
    return at == std::string::npos ? 0 : std::stoul(folded.substr(at + name.size()));
}

}  // namespace

// False when the server is to end.
bool PeerConnection::is_ready(short events) {
    std::array<pollfd, 2> both = {pollfd{socket_.number(), events, 0}, pollfd{stop_, POLLIN, 0}};
    return ::poll(both.data(), both.size(), -1) > 0 && both[1].revents == 0;
}

std::string PeerConnection::request() {
    for (;;) {
        const auto end = read_.find("\r\n\r\n");
        if (end != std::string::npos) {
            const auto size = end + 4 + length_in(read_.substr(0, end));
            if (read_.size() >= size) {
                auto request = read_.substr(0, size);
                read_.erase(0, size);
                log_.add(request);
                return request;
            }
        }
        std::array<char, 16384> bytes{};
        const auto count =
            is_ready(POLLIN) ? ::recv(socket_.number(), bytes.data(), bytes.size(), 0) : 0;
        if (count <= 0) return {};
        read_.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

std::string PeerConnection::receive(std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count && is_ready(POLLIN)) {
        const auto more = ::recv(socket_.number(), bytes.data() + got, count - got, 0);
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
    }
    bytes.resize(got);
    return bytes;
}

bool PeerConnection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = is_ready(POLLOUT) ? ::send(socket_.number(), bytes.data(),
                                                      bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                             : -1;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool PeerConnection::answer(std::string_view body, std::string_view fields) {
    return send(answer_of(body, fields));
}

bool PeerConnection::wait(std::chrono::milliseconds at_most) {
    return wait_for(static_cast<int>(at_most.count()));
}
bool PeerConnection::wait() { return wait_for(-1); }

bool PeerConnection::wait_for(int milliseconds) {
    std::array<pollfd, 2> both = {pollfd{socket_.number(), POLLRDHUP, 0},
                                  pollfd{stop_, POLLIN, 0}};
    return ::poll(both.data(), both.size(), milliseconds) == 0;
}

void PeerConnection::reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_ = base::Descriptor();
}

HttpPeer::HttpPeer(ServeConnection serve, const std::string& address, std::uint16_t port)
    : serve_(std::move(serve)), address_(address),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    ::inet_pton(AF_INET, address.c_str(), &place.sin_addr);
    const int yes = 1;
    ::setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = sizeof place;
    constexpr int backlog = 1024;
    if (::bind(listener_.number(), reinterpret_cast<sockaddr*>(&place), size) != 0 ||
        ::listen(listener_.number(), backlog) != 0 ||
        ::getsockname(listener_.number(), reinterpret_cast<sockaddr*>(&place), &size) != 0)
        throw std::runtime_error("can't listen on " + address);
    port_ = ntohs(place.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

HttpPeer::HttpPeer(const ServeRequest& serve, const std::string& address)
    : HttpPeer(
          [serve](PeerConnection& connection) {
              for (auto request = connection.request(); !request.empty();
                   request = connection.request())
                  if (!serve(connection, request)) return;
          },
          address) {}

HttpPeer::HttpPeer(const Answer& answer, const std::string& address)
    : HttpPeer(
          [answer](PeerConnection& connection, const std::string& request) {
              const auto bytes = answer(request);
              return !bytes.empty() && connection.send(bytes);
          },
          address) {}

HttpPeer::~HttpPeer() {
    const std::uint64_t one = 1;
    if (::write(stop_.number(), &one, sizeof one) < 0) std::terminate();
    acceptor_.join();
    for (auto& thread : threads_) thread.join();
}

void HttpPeer::accept_all() {
    std::array<pollfd, 2> both = {pollfd{listener_.number(), POLLIN, 0},
                                  pollfd{stop_.number(), POLLIN, 0}};
    while (::poll(both.data(), both.size(), -1) > 0 && both[1].revents == 0) {
        const int socket = ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        const int yes = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        ++accepted_;
        ++open_;
        threads_.emplace_back([this, socket] {
            {
                PeerConnection connection(socket, stop_.number(), log_);
                serve_(connection);
            }
            --open_;
        });
    }
}

std::string HttpPeer::url(std::string_view target) const {
    return "http://" + address_ + ":" + std::to_string(port_) + std::string(target);
}

std::string answer_of(std::string_view body, std::string_view fields, std::string_view status) {
    std::string bytes = "HTTP/1.1 ";
    bytes.append(status).append("\r\nContent-Length: ").append(std::to_string(body.size()));
    return bytes.append("\r\n").append(fields).append("\r\n").append(body);
}

std::string empty_answer(std::string_view status, std::string_view fields) {
    return answer_of("", fields, status);
}

std::string target_in(const std::string& request) {
    const auto begin = request.find(' ') + 1;
    return request.substr(begin, request.find(' ', begin) - begin);
}

std::string field_in(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "(none)";
    const auto begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string body_in(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

}  // namespace support
