// SPDX-License-Identifier: MIT
#include "source/acedb/socket_session.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/digest.hpp"
#include "source/acedb/command.hpp"
#include "source/acedb/reply.hpp"
#include "source/acedb/socket.hpp"
#include "source/acedb/tcp.hpp"
#include "source/acedb/wire.hpp"

namespace source::acedb {
namespace {

using base::Kind;

constexpr std::string_view encore_command = "encore";
constexpr std::size_t block = 1 << 16;

// How long a reply may take. Each slice has the time-out to itself; all of them together have it
// some times, and once more for each block that came, so that a trickle of slices ends too.
class Pace {
   public:
    explicit Pace(std::chrono::seconds timeout) : timeout_(timeout) {}

    // For one slice more behind `received` bytes.
    Deadline next(std::size_t received) {
        constexpr std::size_t free_slices = 4;
        asked_ = Clock::now();
        const auto whole = timeout_ * static_cast<long>(free_slices + received / block);
        return std::min(asked_ + timeout_, begun_ + rested_ + whole);
    }

    // As long as the slice took: the server has one thread, and others wait for it.
    void rest() {
        const auto took = Clock::now() - asked_;
        std::this_thread::sleep_for(took);
        rested_ += took;
    }

   private:
    std::chrono::seconds timeout_;
    Clock::time_point begun_ = Clock::now(), asked_ = begun_;
    Clock::duration rested_{};
};

class SocketSession final : public Session {
   public:
    explicit SocketSession(Socket socket) : socket_(std::move(socket)) {}

    base::Result<void> log_in(const std::string& user, const std::string& password);
    base::Result<std::string> ask(std::string_view command, const ReplyOptions& taking) override;
    bool is_open() const override { return socket_.is_open(); }
    bool is_silent() const override { return socket_.is_silent(); }

   private:
    base::Result<void> require_quiet();
    base::Result<Socket::Message> slice(std::string_view type, std::string_view body,
                                        std::size_t most, Deadline deadline);

    Socket socket_;
};

// ---- Log-in ----

bool can_be_sent(const std::string& word) {
    return !word.empty() && is_command(word) && word.find(' ') == std::string::npos;
}

// What the server keeps of a password, and proves to know, is a hash itself.
std::string proof(const std::string& user, const std::string& password,
                  const std::string& nonce) {
    return base::md5_hex(base::md5_hex(user + password) + nonce);
}

base::Result<void> SocketSession::log_in(const std::string& user, const std::string& password) {
    const auto deadline = Clock::now() + socket_.timeout();
    const auto nonce = socket_.exchange(wire::request, "bonjour", Socket::most_words, deadline);
    if (!nonce) return tl::unexpected(nonce.error());
    if (nonce->type == wire::killed) return socket_.ended(words_of(nonce->body));
    if (nonce->type != wire::ok || !can_be_sent(nonce->body))
        return socket_.lost(Kind::unavailable,
                            "the server answers the log-in otherwise than AceDB does");
    const auto answer =
        socket_.exchange(wire::request, user + ' ' + proof(user, password, nonce->body),
                         Socket::most_words, deadline);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->type == wire::ok) return {};
    const auto words = words_of(answer->body);
    const auto says = [&](const char* word) { return words.find(word) != std::string::npos; };
    if (answer->type == wire::failed || says("password") || says("permission") ||
        says("illegal request"))
        return socket_.lost(Kind::refused, "the server does not take user \"" + user +
                                               "\" or its password: " + words);
    return socket_.ended(words);
}

// ---- Commands ----

// A server that shuts down has said so before we ask.
base::Result<void> SocketSession::require_quiet() {
    if (socket_.is_quiet()) return {};
    const auto message = socket_.receive(Socket::most_words, Clock::now() + socket_.timeout());
    if (!message) return tl::unexpected(message.error());
    if (message->type == wire::killed) return socket_.ended(words_of(message->body));
    return socket_.lost(Kind::unavailable, "the server sent an answer that nobody asked for");
}

// The answer when it is a part of a reply, or all of it.
base::Result<Socket::Message> SocketSession::slice(std::string_view type, std::string_view body,
                                                   std::size_t most, Deadline deadline) {
    auto answer = socket_.exchange(type, body, most, deadline);
    if (!answer || answer->type == wire::ok) return answer;
    if (answer->type == wire::killed) return socket_.ended(words_of(answer->body));
    if (answer->type == wire::failed)
        return base::fail(Kind::refused,
                          socket_.name() + ": the server refuses: " + words_of(answer->body));
    if (answer->type != wire::encore)
        return socket_.lost(Kind::unavailable, "the server answers with another message's type");
    if (answer->body.empty())
        return socket_.lost(Kind::unavailable, "the server promises more and sends nothing");
    return answer;
}

base::Result<std::string> SocketSession::ask(std::string_view command,
                                             const ReplyOptions& taking) {
    if (!is_open())
        return base::fail(Kind::unavailable, socket_.name() + ": the connection has ended");
    if (!is_command(command))
        return base::fail(Kind::malformed, socket_.name() + ": no command of printable ASCII");
    if (auto quiet = require_quiet(); !quiet) return tl::unexpected(quiet.error());
    Pace pace(socket_.timeout());
    std::string reply;
    bool is_whole = false;
    while (!is_whole) {
        const auto [type, body] = reply.empty() ? std::pair(wire::request, command)
                                                : std::pair(wire::encore, encore_command);
        const auto room = taking.most_bytes - reply.size() + 1;  // and its NUL
        auto part = slice(type, body, room, pace.next(reply.size()));
        if (!part) return tl::unexpected(part.error());
        if (part->body.size() > taking.most_bytes - reply.size())
            return socket_.lost(Kind::too_large,
                                "a reply above " + std::to_string(taking.most_bytes) + " bytes");
        is_whole = part->type == wire::ok;
        if (reply.empty())
            reply = std::move(part->body);
        else
            reply += part->body;
        if (taking.gently) pace.rest();
    }
    return reply;
}

}  // namespace

base::Result<SessionPtr> open_socket_session(const ServerAddress& address) {
    const auto name = address.name();
    if (!can_be_sent(address.user))
        return base::fail(Kind::refused, name + ": a user is one word of printable ASCII");
    auto connection = connect_to(address.host, address.port, address.timeout);
    if (!connection) return base::fail_at(name, connection.error());
    auto session =
        std::make_unique<SocketSession>(Socket(name, address.timeout, std::move(*connection)));
    if (auto in = session->log_in(address.user, address.password); !in)
        return tl::unexpected(in.error());
    return session;
}

}  // namespace source::acedb
