// serve/tokens.hpp -- the access tokens of a private site: the table `tokens`, and who holds a
// token. A token is shown once, when it is created; the store keeps its SHA-256, so that a copy of
// the store gives no access.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "base/single_flight.hpp"
#include "store/pool.hpp"

namespace serve {

struct Token {
    std::string name;        // of its holder
    std::string created_at;  // "2008-02-15T09:15:20Z"
};

// Creates a token for `name`: 256 random bits, as 43 characters of base64url.
//   name   1 … 64 bytes of printable text, without blanks at its ends
//   error  refused: another name; conflict: there is a token for this name
//   throws store::Failure
[[nodiscard]] base::Result<std::string> add_token(store::Pool& pool, const std::string& name,
                                                  base::Seconds now);
//   error  absent: there is no token for this name
[[nodiscard]] base::Result<void> revoke_token(store::Pool& pool, const std::string& name);
// Returns all tokens, sorted by name.
[[nodiscard]] std::vector<Token> list_tokens(store::Pool& pool);

// Looks tokens up in what was read from the store at most a second ago, or at most a minute ago
// while the store cannot be reached. Safe from any thread.
class TokenHolders {
   public:
    using Clock = std::function<std::chrono::steady_clock::time_point()>;
    explicit TokenHolders(store::Pool& pool, Clock clock = std::chrono::steady_clock::now);

    // Returns the name of a token's holder; nullopt: the token is not valid.
    //   error  unavailable: the store could not be reached for a minute
    [[nodiscard]] base::Result<std::optional<std::string>> holder_of(std::string_view token);

   private:
    using Names = std::map<std::string, std::string, std::less<>>;  // by hash
    [[nodiscard]] std::optional<Names> read() const;

    store::Pool& pool_;
    base::RefreshedValue<Names> names_;
};

}  // namespace serve
