// SPDX-License-Identifier: MIT
#include "serve/server.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

#include "base/text.hpp"

namespace serve {

namespace {

using base::ErrorKind;

constexpr std::string_view unix_prefix = "unix:";

tl::unexpected<base::Error> no_address(std::string_view address) {
    return base::fail(ErrorKind::malformed,
                      "\"" + std::string(address) + "\" must be unix:PATH, HOST:PORT or -");
}

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

base::Result<sockaddr_un> unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty()) return base::fail(ErrorKind::malformed, "unix: needs a path");
    if (path.size() >= sizeof address.sun_path)
        return base::fail(ErrorKind::unavailable,
                          "unix:" + path + " is longer than " +
                              std::to_string(sizeof address.sun_path - 1) +
                              " bytes, the limit for a socket path");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

// Returns the pointer type that connect() and bind() take for every address family.
const sockaddr* any(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

std::optional<base::Error> is_other_file(const std::string& path) {
    struct stat file{};
    if (::lstat(path.c_str(), &file) != 0 || S_ISSOCK(file.st_mode)) return std::nullopt;
    return base::Error{ErrorKind::unavailable,
                       "unix:" + path + ": the file exists and is not a socket"};
}

// Deletes a socket at `path` that no program listens on.
//   returns  an error when a file or a socket in use occupies the path
std::optional<base::Error> remove_stale_socket(const std::string& path,
                                               const sockaddr_un& address) {
    struct stat file{};
    if (::lstat(path.c_str(), &file) != 0) return std::nullopt;  // bind() reports other errors
    if (auto other = is_other_file(path)) return other;
    const base::Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(probe.number(), any(address), sizeof address) == 0 || errno != ECONNREFUSED)
        return base::Error{ErrorKind::unavailable,
                           "unix:" + path + ": in use by another program"};
    ::unlink(path.c_str());
    return std::nullopt;
}

base::Result<Listener> listen_unix(const std::string& path, unsigned mode) {
    const auto address = unix_address(path);
    if (!address) return tl::unexpected<base::Error>(address.error());
    if (const auto taken = remove_stale_socket(path, *address))
        return tl::unexpected<base::Error>(*taken);
    base::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::bind(socket.number(), any(*address), sizeof *address) != 0)
        return base::fail(ErrorKind::unavailable, "unix:" + path + ": " + reason());
    Listener listener(std::move(socket), Listener::Origin::unix_path, path);
    if (::chmod(path.c_str(), mode) != 0 || ::listen(listener.number(), backlog) != 0)
        return base::fail(ErrorKind::unavailable, "unix:" + path + ": " + reason());
    return listener;
}

base::Result<base::Descriptor> bound(const addrinfo& candidate) {
    base::Descriptor socket(::socket(candidate.ai_family,
                                     candidate.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                     candidate.ai_protocol));
    const int yes = 1;  // lets a restart bind while old connections linger
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(socket.number(), candidate.ai_addr, candidate.ai_addrlen) != 0 ||
        ::listen(socket.number(), backlog) != 0)
        return base::fail(ErrorKind::unavailable, reason());
    return socket;
}

using Candidates = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

base::Result<Candidates> resolve(const std::string& address) {
    const auto colon = address.rfind(':');
    auto host = address.substr(0, colon);
    const auto port = address.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    // getaddrinfo() would use the lower 16 bits of a larger one.
    const auto number = base::parse_integer(port);
    if (host.empty() || !number || *number < 0 || *number > 65535) return no_address(address);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    if (const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
        return base::fail(ErrorKind::unavailable, address + ": " + ::gai_strerror(failed));
    return Candidates(found, ::freeaddrinfo);
}

base::Result<Listener> listen_tcp(const std::string& address) {
    const auto candidates = resolve(address);
    if (!candidates) return tl::unexpected<base::Error>(candidates.error());
    auto socket = bound(**candidates);
    for (auto* next = (*candidates)->ai_next; !socket && next != nullptr; next = next->ai_next)
        socket = bound(*next);
    if (!socket) return base::fail_at(address, socket.error());
    return Listener(std::move(*socket), Listener::Origin::tcp, "");
}

base::Result<Listener> inherited() {
    if (!is_listening(STDIN_FILENO))
        return base::fail(ErrorKind::unavailable,
                          "\"-\": descriptor 0 is not a listening socket");
    const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || ::fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK) != 0)
        return base::fail(ErrorKind::unavailable, "-: " + reason());
    // A copy: closing descriptor 0 itself would let the next open() reuse that number.
    base::Descriptor copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    if (copy.number() < 0) return base::fail(ErrorKind::unavailable, "-: " + reason());
    return Listener(std::move(copy), Listener::Origin::inherited, "");
}

}  // namespace

Listener::Listener(base::Descriptor socket, Origin origin, std::string path)
    : socket_(std::move(socket)), origin_(origin), path_(std::move(path)) {
    struct stat file{};
    if (path_.empty() || ::lstat(path_.c_str(), &file) != 0) return;
    device_ = file.st_dev;
    inode_ = file.st_ino;
}

Listener::~Listener() {
    struct stat file{};
    if (socket_.number() < 0 || path_.empty() || ::lstat(path_.c_str(), &file) != 0) return;
    if (file.st_dev == device_ && file.st_ino == inode_) ::unlink(path_.c_str());
}

bool Listener::is_loopback() const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
    if (address.ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<sockaddr_in6&>(address).sin6_addr);
    return address.ss_family == AF_INET &&
           ntohl(reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

base::Result<Listener> listen_on(std::string_view address, unsigned mode) {
    if (address == "-") return inherited();
    if (address.starts_with(unix_prefix))
        return listen_unix(std::string(address.substr(unix_prefix.size())), mode);
    if (address.find(':') != std::string_view::npos) return listen_tcp(std::string(address));
    return no_address(address);
}

base::Result<void> check_address(std::string_view address) {
    if (address == "-") return {};
    if (address.starts_with(unix_prefix)) {
        const std::string path(address.substr(unix_prefix.size()));
        if (const auto fits = unix_address(path); !fits)
            return tl::unexpected<base::Error>(fits.error());
        if (const auto other = is_other_file(path)) return tl::unexpected<base::Error>(*other);
        return {};
    }
    if (address.find(':') == std::string_view::npos) return no_address(address);
    if (const auto found = resolve(std::string(address)); !found)
        return tl::unexpected<base::Error>(found.error());
    return {};
}

bool is_listening(int descriptor) {
    int listening = 0;
    socklen_t size = sizeof listening;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 &&
           listening != 0;
}

}  // namespace serve
