// app/tokens.hpp -- the tokens of a private site: who may read it. A token is shown once, when it
// is made; the store keeps its SHA-256, which is of no use to who reads the store.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "store/pool.hpp"

namespace app {

struct Token {
    std::string name;
    std::string created_at;  // "2008-02-15T09:15:20Z"
};

// Makes a token for `name`: 256 bits from the system, 43 characters of base64url.
//   name   1 … 64 bytes of printable text, no blanks at its ends
//   error  refused: another shape; conflict: there is one of this name
//   throws store::Failure
[[nodiscard]] base::Result<std::string> add_token(store::Pool& pool, const std::string& name,
                                                  base::Seconds now);
//   error  absent: there is none of this name
[[nodiscard]] base::Result<void> revoke_token(store::Pool& pool, const std::string& name);
// By name.
[[nodiscard]] std::vector<Token> list_tokens(store::Pool& pool);

// Whose a token is, as read from the store at most a second ago, or at most a minute while the
// store can't be reached. Safe from any thread.
class TokenHolders {
   public:
    using Timer = std::function<std::chrono::steady_clock::time_point()>;
    explicit TokenHolders(store::Pool& pool, Timer timer = std::chrono::steady_clock::now)
        : pool_(pool), timer_(std::move(timer)) {}

    // nullopt: nobody's.
    //   error  unavailable: the store has not been reached for a minute
    [[nodiscard]] base::Result<std::optional<std::string>> holder_of(std::string_view token);

   private:
    using Names = std::map<std::string, std::string, std::less<>>;  // by hash
    using Time = std::chrono::steady_clock::time_point;

    [[nodiscard]] Names read() const;
    void read_anew(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] bool is_younger(std::chrono::seconds age) const;  // needs: the lock

    store::Pool& pool_;
    const Timer timer_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable read_;
    bool reading_ = false;
    Names names_;
    std::optional<Time> read_at_, tried_at_;
    bool failed_ = false;  // the last reading
};

}  // namespace app
