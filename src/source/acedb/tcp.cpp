// SPDX-License-Identifier: MIT
#include "source/acedb/tcp.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "source/acedb/waiting.hpp"

namespace source::acedb {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

tl::unexpected<base::Error> unavailable(std::string what) {
    return base::fail(base::Kind::unavailable, std::move(what));
}

std::string text_of_errno(int code) { return std::generic_category().message(code); }

base::Result<Addresses> look_up(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failed != 0) return unavailable("no such host: " + std::string(::gai_strerror(failed)));
    return Addresses(found);
}

// 0, or the errno of the connection that was begun; ETIMEDOUT at the deadline.
int finish(const File& socket, Deadline deadline) {
    if (!wait_for(socket.descriptor(), Await::writing, deadline)) return ETIMEDOUT;
    int code = 0;
    socklen_t size = sizeof code;
    if (::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) return errno;
    return code;
}

base::Result<File> connect_one(const addrinfo& address, Deadline deadline) {
    File socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                         address.ai_protocol));
    if (!socket.is_open()) return unavailable(text_of_errno(errno));
    const int one = 1;
    // A request that waits for company costs speed, not truth.
    (void)::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (::connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0) return socket;
    const int code = errno == EINPROGRESS ? finish(socket, deadline) : errno;
    if (code != 0) return unavailable(text_of_errno(code));
    return socket;
}

}  // namespace

base::Result<File> connect_to(const std::string& host, std::uint16_t port,
                              std::chrono::milliseconds patience) {
    const auto addresses = look_up(host, port);
    if (!addresses) return tl::unexpected(addresses.error());
    int left = 0;
    for (auto* each = addresses->get(); each != nullptr; each = each->ai_next) ++left;
    const auto deadline = Clock::now() + patience;
    base::Result<File> connection = unavailable("no address");
    for (auto* each = addresses->get(); each != nullptr; each = each->ai_next, --left) {
        // An address that never answers leaves time for those behind it.
        const auto now = Clock::now();
        connection = connect_one(*each, now + (deadline - now) / left);
        if (connection) break;
    }
    return connection;
}

}  // namespace source::acedb
