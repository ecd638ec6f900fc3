// net/client.hpp -- many HTTP requests at once in one thread.
// libcurl's multi interface over epoll: an open request costs no thread, and what it does is found in a
// time that does not depend on how many others are open.
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
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/address.hpp"
#include "net/resolver.hpp"
#include "net/url.hpp"

namespace net {

enum class Method : unsigned char { get, post };

struct Field {
    std::string name, value;
    bool operator==(const Field&) const = default;
};

// Which answers are good.
enum class Needed : unsigned char {
    whole_body,  // others fail: with a body that is too long, cut off, or does not come in time
    status,      // every one with a status and whole fields; what came of its body is kept
};

struct Request {
    Url url;
    Method method = Method::get;
    // Sent as they are, besides Host, Accept and what method, body and connection need. Names are tokens,
    // values have no control characters: otherwise the request is refused. The User-Agent belongs here.
    std::vector<Field> fields;
    // Of a POST; nullptr is empty. Shared, because thousands of requests may send the same.
    std::shared_ptr<const std::string> body;
    std::chrono::milliseconds connect{5'000};  // for looking up the host, and for each address
    // From its turn (see Limits) to the end. Waiting for the turn does not count.
    std::chrono::milliseconds total{30'000};
    std::size_t most_body = 1 << 20;  // bytes, decoded
    Needed needed = Needed::whole_body;
    bool asks_for_compression = false;  // gzip, deflate, br; decoded by the client
};

struct Response {
    int status = 0;             // 200 to 999; interim answers (1xx) are left out
    std::vector<Field> fields;  // in their order, names as they were sent; at most 64 KB
    std::string body;           // at most most_body bytes
    bool is_cut = false;        // the body is not whole (Needed::status)
};
// Returns the value of the first field with this name, in any case; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> find_field(const std::vector<Field>& fields,
                                                         std::string_view name);

enum class FailureKind : unsigned char {
    refused,    // by the guard or the rules for fields; nothing was sent
    look_up,    // the host has no address, or name servers do not answer
    connect,    // none of its addresses accepts a connection
    timeout,    // of the look-up, the connection, or in all
    too_large,  // the body or the fields
    tls,        // no TLS, or a certificate that does not prove the host
    protocol,   // not HTTP, damaged, cut off, or the connection was lost
};
[[nodiscard]] std::string_view name_of(FailureKind kind);  // "refused", "look-up", …

struct Failure {
    FailureKind kind;
    std::string
        text;  // for operators: may name addresses, which the writer of the URL must not see
};

using RequestId = std::uint64_t;

struct FinishedRequest {
    RequestId id = 0;
    tl::expected<Response, Failure> response;
};

struct Limits {
    // Open connections. Half of the descriptors that the process may open, if that is less.
    std::size_t connections = 1000;
    // … to one address, whatever names lead there. More requests wait for their turn, in their order;
    // addresses take turns.
    std::size_t connections_to_address = 4;
    Resolver::Limits resolver;
};

class Client {
   public:
    // Loads libcurl.
    //   error  refused: see load_curl(); unavailable: no descriptors
    [[nodiscard]] static base::Result<Client> make(AddressGuard guard, Limits limits = {},
                                                   LookUp look_up = look_up_by_system);
    // Abandons the requests that are open, and closes their connections. Does not wait for look-ups.
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    // Adds a request, which wait() sends and answers. The client holds no limit: a request that waits takes
    // the memory of its value.
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
