// serve/access_control.hpp -- who may read, and how often. On a private site readers send a token: in
// the query as token= (feed readers), as the password of HTTP Basic (browsers), or as Bearer
// (scripts). On every site, the requests of one client can be limited.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "serve/http.hpp"
#include "serve/refreshed_value.hpp"
#include "store/pool.hpp"

namespace serve {

// A clock that tests can stop.
using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

// ---- Tokens: the table `tokens` ----
// A token is shown once, when it is created. The store keeps its SHA-256, so that a copy of the store
// gives no access.

struct Token {
    std::string name;        // of its holder
    std::string created_at;  // "2008-02-15T09:15:20Z"
};

// Creates a token for `name`.
//   name   1 … 64 bytes of printable text, without blanks at its ends
//   error  refused: another name; conflict: there is a token for this name
//   throws store::Failure
[[nodiscard]] base::Result<std::string> add_token(store::Pool& pool, const std::string& name,
                                                  base::Seconds now);
//   error  absent: there is no token for this name
[[nodiscard]] base::Result<void> revoke_token(store::Pool& pool, const std::string& name);
// Sorted by name.
[[nodiscard]] std::vector<Token> list_tokens(store::Pool& pool);

// Looks tokens up in what was read from the store at most a second ago, or at most a minute ago
// while the store cannot be reached. Safe from any thread.
class TokenHolders {
   public:
    explicit TokenHolders(store::Pool& pool, SteadyClock clock = std::chrono::steady_clock::now);

    // Returns the name of a token's holder; nullopt: the token is not valid.
    //   error  unavailable: the store could not be reached for a minute
    [[nodiscard]] base::Result<std::optional<std::string>> holder_of(std::string_view token);
    // Returns the same for the SHA-256 of a token, in hexadecimal digits.
    [[nodiscard]] base::Result<std::optional<std::string>> holder_with_digest(
        std::string_view digest);

   private:
    using Names = std::map<std::string, std::string, std::less<>>;  // by hash
    store::Pool& pool_;
    RefreshedValue<Names> names_;
};

// ---- Requests to a private site ----

// Returns the token in the field Authorization; empty: there is none. Pure.
[[nodiscard]] std::string token_in(std::string_view authorization);

// Returns the first token that is valid; empty: none is.
//   most    tokens that a client may send; one that sends more is guessing
//   error   503: they cannot be checked
[[nodiscard]] Result<std::string> valid_token(TokenHolders& holders,
                                              std::vector<std::string> tokens, std::size_t most);

// ---- Rate limits: a token bucket for each address ----

struct RateLimits {
    double per_minute = 0;             // requests that a client may make on average; 0: unlimited
    double burst = 60;                 // requests that it may make at once, 1 or more
    std::size_t most_clients = 65536;  // remembered; the least recent one is dropped for another
};

// Returns the client that an address belongs to: a whole IPv4 address, also one written as IPv6, or the
// first 64 bits of an IPv6 address. A text that is not an address stands for itself.
[[nodiscard]] std::string client_of(std::string_view address);

// Returns the network of an address (net::network_of()), by which quotas are held; of what is no address, itself.
[[nodiscard]] std::string network_of(const std::string& client_address);

class RateLimiter {
   public:
    explicit RateLimiter(RateLimits limits) : limits_(limits) {}

    // Counts a request from this address.
    //   returns  nullopt when the request is allowed; otherwise how long to wait, 1 s or more
    //   cost     O(1); one lock
    [[nodiscard]] std::optional<std::chrono::seconds> count_request(
        std::string_view address, std::chrono::steady_clock::time_point now) {
        return take(address, now, 1);
    }
    // Returns the same without counting a request.
    [[nodiscard]] std::optional<std::chrono::seconds> time_to_wait(
        std::string_view address, std::chrono::steady_clock::time_point now) {
        return take(address, now, 0);
    }

   private:
    struct Bucket {
        std::string client;
        double tokens = 0;  // 0 … burst
        std::chrono::steady_clock::time_point filled_at;
    };
    Bucket& bucket_of(std::string client, std::chrono::steady_clock::time_point now);
    std::optional<std::chrono::seconds> take(std::string_view address,
                                             std::chrono::steady_clock::time_point now,
                                             double tokens);

    const RateLimits limits_;
    std::mutex mutex_;           // guards what follows
    std::list<Bucket> buckets_;  // most recent client first; most_clients at most
    std::unordered_map<std::string_view, std::list<Bucket>::iterator>
        by_client_;  // views into buckets_
};

}  // namespace serve
