// SPDX-License-Identifier: MIT
#include "serve/access_control.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <unistd.h>
#include <utf8.h>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "net/address.hpp"

namespace serve {

namespace {

using namespace std::chrono_literals;
using base::ErrorKind;

// ---- Tokens ----

constexpr std::size_t longest_token_name = 64;     // bytes
constexpr std::size_t longest_token = 256;         // bytes; longer ones are not looked up
constexpr std::size_t longest_credentials = 1024;  // bytes of base64
constexpr auto refresh_after = 500ms;
constexpr auto valid_for = 1s;
constexpr auto valid_without_store_for = 60s;

// True for text without control characters (C0, DEL, C1) and those that change the direction of writing.
bool is_printable(std::string_view text) {
    const auto is_invisible = [](char32_t c) {
        return c < 0x20 || (c >= 0x7f && c < 0xa0) || base::turns_direction(c);
    };
    if (!base::is_legal_text(text)) return false;
    for (const auto* at = text.data(); at != text.data() + text.size();)
        if (is_invisible(static_cast<char32_t>(utf8::unchecked::next(at)))) return false;
    return true;
}

// Returns 256 random bits, as 43 characters that need no escape in a query (RFC 4648 section 5).
std::string new_token() {
    std::array<char, 32> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot get random bytes");
    std::string token;
    base::append_base64(token, {bytes.data(), bytes.size()});
    std::ranges::replace(token, '+', '-');
    std::ranges::replace(token, '/', '_');
    token.erase(token.find('='));
    return token;
}

}  // namespace

base::Result<std::string> add_token(store::Pool& pool, const std::string& name,
                                    base::Seconds now) {
    if (name.empty() || name.size() > longest_token_name || base::trim(name) != name ||
        !is_printable(name))
        return base::fail(
            ErrorKind::refused,
            "\"" + name +
                "\" cannot be the name of a token: use 1 to 64 bytes of printable text");
    auto token = new_token();
    const auto hash = base::sha256_hex(token);
    const auto done =
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            // A commit that was in doubt may have succeeded: the token is then already there.
            const auto found = transaction.query("SELECT token_hash FROM tokens WHERE name = ?",
                                                 {store::Value{name}});
            if (!found.empty()) return found[0].text(0) == hash;
            transaction.execute(
                "INSERT INTO tokens (name, token_hash, created_at) VALUES (?, ?, ?)",
                {store::Value{name}, store::Value{hash},
                 store::Value{base::format_rfc3339(now)}});
            return true;
        });
    if (!done)
        return base::fail(ErrorKind::conflict,
                          name + " already has a token; varve token revoke removes it");
    return token;
}

base::Result<void> revoke_token(store::Pool& pool, const std::string& name) {
    // Checked first, because a second attempt after a commit in doubt finds nothing to delete.
    const auto found = store::perform(pool, store::Access::read, [&](auto& transaction) {
        return transaction.query("SELECT name FROM tokens WHERE name = ?", {store::Value{name}});
    });
    if (found.empty()) return base::fail(ErrorKind::absent, "there is no token for " + name);
    store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
        transaction.execute("DELETE FROM tokens WHERE name = ?", {store::Value{name}});
    });
    return {};
}

std::vector<Token> list_tokens(store::Pool& pool) {
    return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
        std::vector<Token> tokens;
        for (const auto& row :
             transaction.query("SELECT name, created_at FROM tokens ORDER BY name"))
            tokens.push_back({row.text(0), row.text(1)});
        return tokens;
    });
}

TokenHolders::TokenHolders(store::Pool& pool, SteadyClock clock)
    : pool_(pool), names_({.refresh_after = refresh_after,
                           .wait_after = valid_for,
                           .wait_after_failure = valid_without_store_for},
                          std::move(clock)) {}

base::Result<std::optional<std::string>> TokenHolders::holder_of(std::string_view token) {
    using Holder = std::optional<std::string>;
    if (token.empty() || token.size() > longest_token) return Holder();
    return holder_with_digest(base::sha256_hex(token));
}

base::Result<std::optional<std::string>> TokenHolders::holder_with_digest(
    std::string_view digest) {
    using Holder = std::optional<std::string>;
    // Reads all tokens at once, so that guesses of strangers cause no queries.
    const auto names = names_.get([this] {
        return store::perform(pool_, store::Access::read, [](store::Transaction& reading) {
            Names found;
            for (const auto& row : reading.query("SELECT token_hash, name FROM tokens"))
                found.emplace(row.text(0), row.text(1));
            return found;
        });
    });
    if (names.value == nullptr || (names.has_failed && names.age >= valid_without_store_for))
        return base::fail(ErrorKind::unavailable, "the tokens cannot be read from the store");
    const auto found = names.value->find(digest);
    return found == names.value->end() ? Holder() : Holder(found->second);
}

// ---- Requests to a private site ----

std::string token_in(std::string_view authorization) {
    const auto [scheme, rest] = halves_of(authorization, ' ');
    const auto credentials = base::trim(rest);
    if (base::equal_ignoring_case(scheme, "Bearer")) return std::string(credentials);
    if (!base::equal_ignoring_case(scheme, "Basic")) return {};
    if (credentials.size() > longest_credentials) return {};
    const auto user_and_password = base::from_base64(credentials).value_or("");
    return std::string(halves_of(user_and_password, ':').second);
}

Result<std::string> valid_token(TokenHolders& holders, std::vector<std::string> tokens,
                                std::size_t most) {
    if (tokens.size() > most) tokens.clear();
    for (auto& token : tokens) {
        const auto holder = holders.holder_of(token);
        if (!holder) {
            base::log::warning("token lookup failed", {{"reason", holder.error().text}});
            return fail(503,
                        "Your token cannot be checked right now. Please try again in a minute.");
        }
        if (*holder) return std::move(token);
    }
    return std::string();
}

// ---- Rate limits ----

std::string client_of(std::string_view address) {
    constexpr std::size_t longest_client = 64;
    constexpr std::ptrdiff_t bytes_of_ipv6_client = 8;
    const auto text = address.substr(0, longest_client);
    const auto parsed = net::parse_address(text);
    if (!parsed) return std::string(text);
    auto client = net::network_of(*parsed);
    if (client.family == net::Address::Family::ipv6)
        std::copy_n(parsed->bytes.begin(), bytes_of_ipv6_client, client.bytes.begin());
    return net::text_of(client);
}

std::string network_of(const std::string& client_address) {
    const auto address = net::parse_address(client_address);
    return address ? net::text_of(net::network_of(*address)) : client_address;
}

RateLimiter::Bucket& RateLimiter::bucket_of(std::string client,
                                            std::chrono::steady_clock::time_point now) {
    if (const auto known = by_client_.find(client); known != by_client_.end()) {
        buckets_.splice(buckets_.begin(), buckets_, known->second);
        return buckets_.front();
    }
    if (buckets_.size() >= limits_.most_clients) {
        by_client_.erase(buckets_.back().client);
        buckets_.pop_back();
    }
    buckets_.push_front({std::move(client), limits_.burst, now});
    by_client_.emplace(buckets_.front().client, buckets_.begin());
    return buckets_.front();
}

std::optional<std::chrono::seconds> RateLimiter::take(std::string_view address,
                                                      std::chrono::steady_clock::time_point now,
                                                      double tokens) {
    if (limits_.per_minute <= 0) return std::nullopt;
    const double per_second = limits_.per_minute / 60;
    const std::lock_guard lock(mutex_);
    Bucket& bucket = bucket_of(client_of(address), now);
    // Threads read the clock before they wait for the lock, so time may seem to go back.
    const std::chrono::duration<double> passed = now - bucket.filled_at;
    if (passed.count() > 0) {
        bucket.tokens = std::min(limits_.burst, bucket.tokens + passed.count() * per_second);
        bucket.filled_at = now;
    }
    if (bucket.tokens >= 1) {
        bucket.tokens -= tokens;
        return std::nullopt;
    }
    const auto wait = std::ceil((1 - bucket.tokens) / per_second);
    return std::chrono::seconds(static_cast<long>(std::max(1.0, wait)));
}

}  // namespace serve
