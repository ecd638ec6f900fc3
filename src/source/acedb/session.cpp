// SPDX-License-Identifier: MIT
#include "source/acedb/session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

#include "base/digest.hpp"
#include "source/acedb/protocol.hpp"
#include "source/file.hpp"

namespace source::acedb {

// ---- Bytes ----

namespace wire {
namespace {

constexpr std::uint32_t magic = 0x12345678;
constexpr std::size_t type_at = 20;
constexpr std::size_t type_size = header_size - type_at;

enum class Order { little, big };

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 255);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, Order order) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[at + i]);
        const auto place = order == Order::little ? i : 3 - i;
        number |= static_cast<std::uint32_t>(byte) << (8 * place);
    }
    return number;
}

std::int32_t signed_at(std::string_view bytes, std::size_t at, Order order) {
    return static_cast<std::int32_t>(number_at(bytes, at, order));
}

}  // namespace

std::string message(std::string_view type, std::string_view body, std::int32_t client_id) {
    std::string bytes;
    bytes.reserve(header_size + body.size() + 1);
    append_number(bytes, magic);
    append_number(bytes, static_cast<std::uint32_t>(body.size() + 1));
    append_number(bytes, 0);  // the version of a client
    append_number(bytes, static_cast<std::uint32_t>(client_id));
    append_number(bytes, 0);  // the server chooses the size of slices
    bytes += type.substr(0, type_size);
    bytes.resize(header_size, '\0');
    bytes += body;
    bytes += '\0';
    return bytes;
}

base::Result<Header> parse_header(std::string_view bytes, std::size_t most) {
    if (bytes.size() < header_size)
        return base::fail(base::ErrorKind::malformed, "an incomplete header");
    const bool is_little = number_at(bytes, 0, Order::little) == magic;
    if (!is_little && number_at(bytes, 0, Order::big) != magic)
        return base::fail(base::ErrorKind::malformed, "no header of AceDB's protocol");
    const auto order = is_little ? Order::little : Order::big;
    const auto length = signed_at(bytes, 4, order);
    if (length < 0)
        return base::fail(base::ErrorKind::malformed, "a header with a negative length");
    Header header{static_cast<std::size_t>(length), signed_at(bytes, 8, order),
                  signed_at(bytes, 12, order), signed_at(bytes, 16, order),
                  std::string(bytes.substr(type_at, type_size))};
    header.type.resize(std::min(header.type.find('\0'), header.type.size()));
    if (header.length > most)
        return base::fail(base::ErrorKind::too_large, "a message of " + std::to_string(length) +
                                                          " bytes, above " +
                                                          std::to_string(most));
    return header;
}

std::string_view text_of_body(std::string_view body) {
    while (body.ends_with('\0')) body.remove_suffix(1);
    return body;
}

}  // namespace wire

std::string in_seconds(std::chrono::milliseconds time) {
    return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

namespace {

using base::ErrorKind;

// ---- Waiting ----

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

enum class Await { reading, writing };

int milliseconds_until(Deadline deadline) {
    using std::chrono::milliseconds;
    const auto now = Clock::now();
    if (deadline <= now) return 0;
    constexpr milliseconds longest = std::chrono::hours(1);  // callers look at the clock again
    return static_cast<int>(
        std::min(std::chrono::ceil<milliseconds>(deadline - now), longest).count());
}

// Waits until the descriptor can be read (or is at its end) or written. Returns false when it
// can't until `deadline`. After the deadline it only looks.
bool wait_for(int descriptor, Await what, Deadline deadline) {
    pollfd waited{descriptor, static_cast<short>(what == Await::reading ? POLLIN : POLLOUT), 0};
    for (;;) {
        const int ready = ::poll(&waited, 1, milliseconds_until(deadline));
        // If poll fails, read or write will report why.
        if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
        if (Clock::now() >= deadline) return false;
    }
}

// ---- Connecting ----

// Connects, non-blocking and without delaying small messages. libcurl tries each of the host's addresses.
//   patience  for all of it
//   error     unavailable: no such host, nobody listens, silence
base::Result<File> connect_to(const std::string& host, std::uint16_t port,
                              std::chrono::milliseconds patience) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                   curl_easy_cleanup);
    if (curl == nullptr) throw std::bad_alloc();
    const bool is_ipv6 = host.find(':') != std::string::npos;
    const auto url =
        fmt::format("telnet://{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
    std::array<char, CURL_ERROR_SIZE> why{};
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");  // whatever the environment says
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(patience.count()));
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, why.data());
    if (curl_easy_perform(curl.get()) != CURLE_OK)
        return base::fail(ErrorKind::unavailable, why.data());
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(curl.get(), CURLINFO_ACTIVESOCKET, &socket);
    File connection(::fcntl(socket, F_DUPFD_CLOEXEC, 0));  // libcurl closes its own
    if (!connection.is_open()) return fail_errno("connecting", errno);
    return connection;
}

// ---- Messages, each within its time ----

constexpr std::size_t reply_block = 1 << 16;
constexpr std::size_t first_block = 1 << 14;  // most replies are smaller, header and all

}  // namespace

class Socket {
   public:
    // Bytes of a message other than a reply: of the log-in and the end.
    static constexpr std::size_t most_words = 1 << 12;

    struct Message {
        std::string type;
        std::string body;  // without the NULs at its end
    };

    //   name    of the server, for error texts
    //   socket  connected and non-blocking
    Socket(std::string name, std::chrono::milliseconds timeout, File socket)
        : name_(std::move(name)), timeout_(timeout), socket_(std::move(socket)) {}
    // The end of the connection is the end of the session. AceDB would answer `quit` in two
    // writes, and the second one would meet a closed connection.

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    // True when it was closed because a deadline ended.
    [[nodiscard]] bool is_silent() const { return is_silent_; }
    // True when nothing came unasked.
    [[nodiscard]] bool is_quiet() const {
        return ahead_.empty() && !wait_for(socket_.descriptor(), Await::reading, Deadline::min());
    }

    // Sends a message and returns the answer, with a body of at most `most` bytes (or
    // most_words).
    //   error  unavailable: silence, an end, no frame of AceDB; too_large. Closes the socket.
    [[nodiscard]] base::Result<Message> exchange(std::string_view type, std::string_view body,
                                                 std::size_t most, Deadline deadline) {
        if (auto sent = send(wire::message(type, body, client_id_), deadline); !sent)
            return tl::unexpected(sent.error());
        return receive(std::max(most, most_words), deadline);
    }

    [[nodiscard]] base::Result<Message> receive(std::size_t most, Deadline deadline) {
        while (ahead_.size() < wire::header_size) {
            const auto begin = ahead_.size();
            ahead_.resize(begin + first_block);
            const auto got = receive_some(ahead_.data() + begin, first_block, deadline);
            if (!got) return tl::unexpected(got.error());
            ahead_.resize(begin + *got);
        }
        auto header = wire::parse_header(ahead_, most);
        if (!header && header.error().kind == ErrorKind::too_large)
            return lost(ErrorKind::too_large, header.error().text);
        if (!header)
            return lost(ErrorKind::unavailable, "the server answers with " + header.error().text +
                                                    ": is it AceDB's socket server?");
        ahead_.erase(0, wire::header_size);
        auto body = receive_body(header->length, deadline);
        if (!body) return tl::unexpected(body.error());
        body->resize(wire::text_of_body(*body).size());
        if (client_id_ == 0) client_id_ = header->client_id;
        return Message{std::move(header->type), std::move(*body)};
    }

    // Closes the socket, since what comes next would look like another answer.
    [[nodiscard]] tl::unexpected<base::Error> lost(ErrorKind kind, const std::string& what) {
        socket_ = File();
        return base::fail(kind, name_ + ": " + what);
    }

    // Closes it because the server ended it, with these words or none.
    [[nodiscard]] tl::unexpected<base::Error> ended(const std::string& words) {
        return lost(ErrorKind::unavailable, words.empty()
                                                ? "the server ended the connection"
                                                : "the server ended the connection: " + words);
    }

   private:
    [[nodiscard]] base::Result<void> send(std::string_view bytes, Deadline deadline) {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_.descriptor(), bytes.data(), bytes.size(),
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
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

    // Memory grows with what has come, not with what was announced.
    [[nodiscard]] base::Result<std::string> receive_body(std::size_t length, Deadline deadline) {
        std::string body = ahead_.substr(0, length);
        ahead_.erase(0, body.size());
        while (body.size() < length) {
            const auto begin = body.size();
            body.resize(std::min(length, begin + reply_block));
            const auto got = receive_some(body.data() + begin, body.size() - begin, deadline);
            if (!got) return tl::unexpected(got.error());
            body.resize(begin + *got);
        }
        return body;
    }

    [[nodiscard]] base::Result<std::size_t> receive_some(char* into, std::size_t size,
                                                         Deadline deadline) {
        for (;;) {
            if (!wait_for(socket_.descriptor(), Await::reading, deadline)) return silent();
            const auto got = ::recv(socket_.descriptor(), into, size, MSG_DONTWAIT);
            if (got > 0) return static_cast<std::size_t>(got);
            if (got == 0) return ended("");
            if (errno != EINTR && errno != EAGAIN)
                return ended(std::generic_category().message(errno));
        }
    }

    [[nodiscard]] tl::unexpected<base::Error> silent() {
        is_silent_ = true;
        return lost(ErrorKind::unavailable,
                    "no whole answer within " + in_seconds(timeout_) +
                        " (the server may be busy, or is not an AceDB server)");
    }

    std::string name_;
    std::chrono::milliseconds timeout_;
    File socket_;
    std::string ahead_;  // bytes that are read but not yet used
    std::int32_t client_id_ = 0;
    bool is_silent_ = false;
};

// ---- The session ----

Session::Session(Socket socket) : socket_(std::make_unique<Socket>(std::move(socket))) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;
bool Session::is_open() const { return socket_->is_open(); }
bool Session::is_silent() const { return socket_->is_silent(); }

namespace {

constexpr std::string_view encore_command = "encore";

// Deadlines of a reply. Each slice may take the full time-out. All slices together may take a few
// time-outs, and one more for each block received, so that a trickle of slices ends, too.
class Pace {
   public:
    explicit Pace(std::chrono::milliseconds timeout) : timeout_(timeout) {}

    // Returns the deadline of the next slice, after `received` bytes.
    Deadline next(std::size_t received) {
        constexpr std::size_t free_slices = 4;
        asked_ = Clock::now();
        const auto whole = timeout_ * static_cast<long>(free_slices + received / reply_block);
        return std::min(asked_ + timeout_, begun_ + rested_ + whole);
    }

    // Waits as long as the slice took, since the server has one thread and others wait for it.
    void rest() {
        const auto took = Clock::now() - asked_;
        std::this_thread::sleep_for(took);
        rested_ += took;
    }

   private:
    std::chrono::milliseconds timeout_;
    Clock::time_point begun_ = Clock::now(), asked_ = begun_;
    Clock::duration rested_{};
};

// ---- Log-in ----

bool can_be_sent(const std::string& word) {
    return !word.empty() && is_command(word) && word.find(' ') == std::string::npos;
}

// Returns the proof of knowing the password. The server itself keeps a hash of it.
std::string proof(const std::string& user, const std::string& password,
                  const std::string& nonce) {
    return base::md5_hex(base::md5_hex(user + password) + nonce);
}

}  // namespace

base::Result<void> Session::log_in(const std::string& user, const std::string& password) {
    const auto deadline = Clock::now() + socket_->timeout();
    const auto nonce = socket_->exchange(wire::request, "bonjour", Socket::most_words, deadline);
    if (!nonce) return tl::unexpected(nonce.error());
    if (nonce->type == wire::killed) return socket_->ended(words_of(nonce->body));
    if (nonce->type != wire::ok || !can_be_sent(nonce->body))
        return socket_->lost(ErrorKind::unavailable,
                             "the server answers the log-in differently from AceDB");
    const auto answer =
        socket_->exchange(wire::request, user + ' ' + proof(user, password, nonce->body),
                          Socket::most_words, deadline);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->type == wire::ok) return {};
    const auto words = words_of(answer->body);
    const auto says = [&](const char* word) { return words.find(word) != std::string::npos; };
    if (answer->type == wire::failed || says("password") || says("permission") ||
        says("illegal request"))
        return socket_->lost(ErrorKind::refused, "the server rejects user \"" + user +
                                                     "\" or its password: " + words);
    return socket_->ended(words);
}

// ---- Commands ----

namespace {

// Checks that nothing came unasked: a server that shuts down says so before we ask.
base::Result<void> require_quiet(Socket& socket) {
    if (socket.is_quiet()) return {};
    const auto message = socket.receive(Socket::most_words, Clock::now() + socket.timeout());
    if (!message) return tl::unexpected(message.error());
    if (message->type == wire::killed) return socket.ended(words_of(message->body));
    return socket.lost(ErrorKind::unavailable, "the server sent an answer without being asked");
}

// Returns the answer if it is a part of a reply, or all of it.
base::Result<Socket::Message> slice(Socket& socket, std::string_view type, std::string_view body,
                                    std::size_t most, Deadline deadline) {
    auto answer = socket.exchange(type, body, most, deadline);
    if (!answer || answer->type == wire::ok) return answer;
    if (answer->type == wire::killed) return socket.ended(words_of(answer->body));
    if (answer->type == wire::failed)
        return base::fail(ErrorKind::refused,
                          socket.name() + ": the server refuses: " + words_of(answer->body));
    if (answer->type != wire::encore)
        return socket.lost(ErrorKind::unavailable,
                           "the server answers with a message of another type");
    if (answer->body.empty())
        return socket.lost(ErrorKind::unavailable, "the server promises more and sends nothing");
    return answer;
}

}  // namespace

base::Result<std::string> Session::ask(std::string_view command, const ReplyOptions& options) {
    if (!is_open())
        return base::fail(ErrorKind::unavailable, socket_->name() + ": the connection has ended");
    if (!is_command(command))
        return base::fail(ErrorKind::malformed,
                          socket_->name() + ": a command is not printable ASCII");
    if (auto quiet = require_quiet(*socket_); !quiet) return tl::unexpected(quiet.error());
    Pace pace(socket_->timeout());
    std::string reply;
    bool is_whole = false;
    while (!is_whole) {
        const auto [type, body] = reply.empty() ? std::pair(wire::request, command)
                                                : std::pair(wire::encore, encore_command);
        const auto room = options.most_bytes - reply.size() + 1;  // and its NUL
        auto part = slice(*socket_, type, body, room, pace.next(reply.size()));
        if (!part) return tl::unexpected(part.error());
        if (part->body.size() > options.most_bytes - reply.size())
            return socket_->lost(ErrorKind::too_large, "a reply above " +
                                                           std::to_string(options.most_bytes) +
                                                           " bytes");
        is_whole = part->type == wire::ok;
        if (reply.empty())
            reply = std::move(part->body);
        else
            reply += part->body;
        if (options.gently) pace.rest();
    }
    return reply;
}

base::Result<Session> Session::open(const ServerAddress& address) {
    const auto name = address.name();
    if (!can_be_sent(address.user))
        return base::fail(ErrorKind::refused,
                          name + ": the user must be one word of printable ASCII");
    auto connection = connect_to(address.host, address.port, address.timeout);
    if (!connection) return base::fail_at(name, connection.error());
    Session session(Socket(name, address.timeout, std::move(*connection)));
    if (auto in = session.log_in(address.user, address.password); !in)
        return tl::unexpected(in.error());
    return session;
}

}  // namespace source::acedb
