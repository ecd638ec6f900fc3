// net/request.hpp -- an HTTP request to another server, and what comes of it.
// Values. Safe from any thread.
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

#include "base/text.hpp"
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
    // From its turn (see Limits in client.hpp) to the end. Waiting for the turn does not count.
    std::chrono::milliseconds total{30'000};
    // How long it may wait for its turn, after which it fails as busy; nullopt: as long as it takes.
    std::optional<std::chrono::milliseconds> turn = {};
    std::size_t most_body = 1 << 20;  // bytes, decoded
    Needed needed = Needed::whole_body;
    // gzip, deflate, br; decoded by the client. A body that is not what its Content-Encoding says is asked for again
    // without, and left as it is.
    bool asks_for_compression = false;
};

struct Response {
    int status = 0;             // 200 to 999; interim answers (1xx) are left out
    std::vector<Field> fields;  // in their order, names as they were sent; at most 64 KB
    std::string body;           // at most most_body bytes
    bool is_cut = false;        // the body is not whole (Needed::status)
};
// Returns the value of the first field with this name, in any case; nullopt if there is none.
[[nodiscard]] inline std::optional<std::string_view> find_field(const std::vector<Field>& fields,
                                                                std::string_view name) {
    for (const auto& field : fields)
        if (base::equal_ignoring_case(field.name, name)) return field.value;
    return std::nullopt;
}

enum class FailureKind : unsigned char {
    refused,    // by the guard or the rules for fields; nothing was sent
    busy,       // too many requests to its address are open; nothing was sent
    look_up,    // the host has no address, or name servers do not answer
    connect,    // none of its addresses accepts a connection
    timeout,    // of the look-up, the connection, or in all
    too_large,  // the body or the fields
    tls,        // no TLS, or a certificate that does not prove the host
    protocol,   // not HTTP, damaged, cut off, or the connection was lost
};

struct Failure {
    FailureKind kind;
    std::string text;  // for operators alone: it may name addresses
};

using RequestId = std::uint64_t;

}  // namespace net
