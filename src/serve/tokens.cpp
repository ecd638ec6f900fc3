// SPDX-License-Identifier: MIT
#include "serve/tokens.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <openssl/evp.h>
#include <utf8.h>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace serve {

namespace {

using namespace std::chrono_literals;
using base::Kind;

constexpr std::size_t longest_name = 64;    // bytes
constexpr std::size_t longest_token = 256;  // bytes; longer ones are not looked up
constexpr auto refresh_after = 500ms;
constexpr auto valid_for = 1s;
constexpr auto valid_without_store_for = 60s;

// RFC 4648 section 5, without padding: needs no escape in a query.
std::string base64url(const std::array<unsigned char, 32>& bytes) {
    std::array<unsigned char, 45> text{};  // 4 for every 3 bytes, and a NUL
    const int size = ::EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
    std::string encoded(text.begin(), text.begin() + size);
    std::ranges::replace(encoded, '+', '-');
    std::ranges::replace(encoded, '/', '_');
    encoded.erase(encoded.find('='));
    return encoded;
}

std::string new_token() {
    std::array<unsigned char, 32> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot get random bytes");
    return base64url(bytes);
}

// True for control characters (C0, DEL, C1) and those that change the direction of writing.
bool is_invisible(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool is_printable(std::string_view text) {
    if (!base::is_legal_text(text)) return false;
    for (const auto* at = text.data(); at != text.data() + text.size();)
        if (is_invisible(static_cast<char32_t>(utf8::unchecked::next(at)))) return false;
    return true;
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= longest_name && base::trim(name) == name &&
           is_printable(name);
}

bool exists(store::Transaction& transaction, const std::string& name) {
    return !transaction.query("SELECT name FROM tokens WHERE name = ?", {store::Value{name}})
                .empty();
}

}  // namespace

base::Result<std::string> add_token(store::Pool& pool, const std::string& name,
                                    base::Seconds now) {
    if (!is_name(name))
        return base::fail(
            Kind::refused,
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
        return base::fail(Kind::conflict,
                          name + " already has a token; varve token revoke removes it");
    return token;
}

base::Result<void> revoke_token(store::Pool& pool, const std::string& name) {
    // Checked first, because a second attempt after a commit in doubt finds nothing to delete.
    const bool there = store::perform(
        pool, store::Access::read, [&](auto& transaction) { return exists(transaction, name); });
    if (!there) return base::fail(Kind::absent, "there is no token for " + name);
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

TokenHolders::TokenHolders(store::Pool& pool, Clock clock)
    : pool_(pool), names_({.refresh_after = refresh_after,
                           .wait_after = valid_for,
                           .wait_after_failure = valid_without_store_for},
                          std::move(clock)) {}

// Reads all tokens at once, so that guesses of strangers cause no queries.
std::optional<TokenHolders::Names> TokenHolders::read() const {
    try {
        return store::perform(pool_, store::Access::read, [](store::Transaction& transaction) {
            Names names;
            for (const auto& row : transaction.query("SELECT token_hash, name FROM tokens"))
                names.emplace(row.text(0), row.text(1));
            return names;
        });
    } catch (const store::Failure& failure) {
        base::log::warning("cannot read the tokens", {{"reason", failure.what()}});
        return std::nullopt;
    }
}

base::Result<std::optional<std::string>> TokenHolders::holder_of(std::string_view token) {
    using Holder = std::optional<std::string>;
    if (token.empty() || token.size() > longest_token) return Holder();
    const auto names = names_.get([this] { return read(); });
    if (names.value == nullptr || (names.has_failed && names.age >= valid_without_store_for))
        return base::fail(Kind::unavailable, "the tokens cannot be read from the store");
    const auto found = names.value->find(base::sha256_hex(token));
    return found == names.value->end() ? Holder() : Holder(found->second);
}

}  // namespace serve
