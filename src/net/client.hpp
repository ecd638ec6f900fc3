// net/client.hpp -- many HTTP requests at once in one thread.
// libcurl's multi interface over epoll: an open request has no thread, and those that are silent are not
// looked at to find those that are not.
//
// What holds for every request, whoever wrote its URL:
// - Its host is looked up by the client, and the AddressGuard judges all of its addresses. If it refuses one,
//   the request is refused: a name that leads to a private address besides a public one is no mistake.
// - libcurl is given one of these addresses, never the name, and looks up nothing. So it makes no difference
//   what DNS says afterwards. The addresses of a name are kept for a minute. Each socket is judged
//   once more with the address that it is about to be connected to.
// - A kept connection is used again only for the same host, port and address, which were judged then.
// - Redirects are answers like others: who follows one makes a request of it, which is judged again.
// - No proxy, whatever the environment says; no cookies, no .netrc, no Referer; HTTP/1.1 alone. The path goes
//   out as it was written. TLS is checked against the name in the URL, with the system's certificates or those
//   of SSL_CERT_FILE.
// SIGPIPE must be ignored or blocked by the program: libcurl does not do it for each write.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "net/address.hpp"
#include "net/request.hpp"
#include "net/resolver.hpp"

namespace net {

struct FinishedRequest {
    RequestId id = 0;
    tl::expected<Response, Failure> response;
};

struct Limits {
    // Open connections, kept ones included. Half of the descriptors that the process may open, if that is
    // less.
    std::size_t connections = 1000;
    // Requests at once to one address (network_of()), whatever names lead there. More of them wait for their turn,
    // in their order; addresses take turns,
    // and so do the ports of an address.
    std::size_t requests_to_address = 4;
    std::size_t waiting_for_address = SIZE_MAX;  // for their turn; one more fails as busy
    // How many requests at once a port of an address gets at first. Each answer makes it one more, up to
    // requests_to_address. Silence makes it half as many, once for all requests that were sent before, and not less
    // than 4. nullopt: always requests_to_address.
    std::optional<std::size_t> first_to_port = {};
    Resolver::Limits resolver;
};

class Client {
   public:
    // Loads libcurl.
    //   error  unavailable: no descriptors
    [[nodiscard]] static base::Result<Client> make(AddressGuard guard, Limits limits = {},
                                                   LookUp look_up = look_up_by_system);
    // Abandons the requests that are open, and closes their connections. Does not wait for look-ups.
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    // Adds a request, which wait() sends and answers. Any number may be added. One that waits for its turn
    // takes the memory of its value, and waits as long as those before it take.
    //   returns  1, 2, 3, …
    RequestId add(Request request);

    // Sends and receives until a request is finished, wake() was called or the time is over.
    //   returns  those that are finished, each once, in the order in which they ended; may be empty
    //   throws   std::bad_alloc
    [[nodiscard]] std::vector<FinishedRequest> wait(std::chrono::milliseconds at_most);

    // Makes wait() return: the one that waits, or else the next one. Safe from any thread; all other
    // functions belong to one thread at a time.
    void wake();

    [[nodiscard]] std::size_t open() const;  // requests that are not finished

   private:
    class Loop;
    explicit Client(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace net
