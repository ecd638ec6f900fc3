// SPDX-License-Identifier: MIT
#include "source/acedb/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>

#include "source/acedb/wire.hpp"

namespace source::acedb {
namespace {

using base::Kind;

constexpr std::size_t first_block = 1 << 14;  // most replies are smaller, header and all
constexpr std::size_t block = 1 << 16;

}  // namespace

bool Socket::is_quiet() const { return ahead_.empty() && !is_readable(socket_.descriptor()); }

tl::unexpected<base::Error> Socket::lost(Kind kind, const std::string& what) {
    socket_ = File();
    return base::fail(kind, name_ + ": " + what);
}

tl::unexpected<base::Error> Socket::ended(const std::string& words) {
    return lost(Kind::unavailable, words.empty() ? "the server ended the connection"
                                                 : "the server ended the connection: " + words);
}

tl::unexpected<base::Error> Socket::silent() {
    is_silent_ = true;
    return lost(Kind::unavailable, "no whole answer within " + std::to_string(timeout_.count()) +
                                       " s (the server may be busy, or is no AceDB server)");
}

base::Result<void> Socket::send(std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const auto sent =
            ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return ended(std::generic_category().message(errno));
        if (!wait_for(socket_.descriptor(), Await::writing, deadline)) return silent();
    }
    return {};
}

base::Result<std::size_t> Socket::receive_some(char* into, std::size_t size, Deadline deadline) {
    for (;;) {
        if (!wait_for(socket_.descriptor(), Await::reading, deadline)) return silent();
        const auto got = ::recv(socket_.descriptor(), into, size, MSG_DONTWAIT);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got == 0) return ended("");
        if (errno != EINTR && errno != EAGAIN)
            return ended(std::generic_category().message(errno));
    }
}

// Memory grows with what has come, not with what is promised.
base::Result<std::string> Socket::receive_body(std::size_t length, Deadline deadline) {
    std::string body = ahead_.substr(0, length);
    ahead_.erase(0, body.size());
    while (body.size() < length) {
        const auto begin = body.size();
        body.resize(std::min(length, begin + block));
        const auto got = receive_some(body.data() + begin, body.size() - begin, deadline);
        if (!got) return tl::unexpected(got.error());
        body.resize(begin + *got);
    }
    return body;
}

base::Result<Socket::Message> Socket::receive(std::size_t most, Deadline deadline) {
    while (ahead_.size() < wire::header_size) {
        const auto begin = ahead_.size();
        ahead_.resize(begin + first_block);
        const auto got = receive_some(ahead_.data() + begin, first_block, deadline);
        if (!got) return tl::unexpected(got.error());
        ahead_.resize(begin + *got);
    }
    auto header = wire::parse_header(ahead_, most);
    if (!header && header.error().kind == Kind::too_large)
        return lost(Kind::too_large, header.error().text);
    if (!header)
        return lost(Kind::unavailable, "the server answers with " + header.error().text +
                                           ": is it AceDB's socket server?");
    ahead_.erase(0, wire::header_size);
    auto body = receive_body(header->length, deadline);
    if (!body) return tl::unexpected(body.error());
    body->resize(wire::text_of_body(*body).size());
    if (client_id_ == 0) client_id_ = header->client_id;
    return Message{std::move(header->type), std::move(*body)};
}

base::Result<Socket::Message> Socket::exchange(std::string_view type, std::string_view body,
                                               std::size_t most, Deadline deadline) {
    if (auto sent = send(wire::message(type, body, client_id_), deadline); !sent)
        return tl::unexpected(sent.error());
    return receive(std::max(most, most_words), deadline);
}

}  // namespace source::acedb
