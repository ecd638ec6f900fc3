// SPDX-License-Identifier: MIT
#include "app/tokens.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <openssl/evp.h>

#include "app/print.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::Kind;
using base::Result;

constexpr std::size_t longest_name = 64;    // bytes
constexpr std::size_t longest_token = 256;  // of ours have 43; others are nobody's unread
constexpr auto read_each = 500ms;
constexpr std::chrono::seconds good = 1s, good_without_store = 60s;

// RFC 4648 section 5, without padding: stands in a query as it is.
std::string base64url(const std::array<unsigned char, 32>& bytes) {
    std::array<unsigned char, 45> text{};  // 4 for each 3 bytes begun, and a NUL
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
        throw std::system_error(errno, std::generic_category(), "no random bytes");
    return base64url(bytes);
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= longest_name && base::trim(name) == name &&
           on_one_line(name) == name;
}

bool is_there(store::Transaction& transaction, const std::string& name) {
    return !transaction.query("SELECT name FROM tokens WHERE name = ?", {store::Value{name}})
                .empty();
}

}  // namespace

Result<std::string> add_token(store::Pool& pool, const std::string& name, base::Seconds now) {
    if (!is_name(name))
        return base::fail(Kind::refused, "\"" + name +
                                             "\" cannot name a token: a name is 1 to 64 "
                                             "bytes of printable text");
    auto token = new_token();
    const auto hash = base::sha256_hex(token);
    const auto done =
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            // Ours already: a commit that was in doubt was one.
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
                          name + " has a token already; varve token revoke removes it");
    return token;
}

Result<void> revoke_token(store::Pool& pool, const std::string& name) {
    // Looked for first: when a commit was in doubt, the second attempt finds nothing.
    const bool there = store::perform(pool, store::Access::read, [&](auto& transaction) {
        return is_there(transaction, name);
    });
    if (!there) return base::fail(Kind::absent, "there is no token named " + name);
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

// All of them at once: a stranger's guesses then cost the store nothing.
TokenHolders::Names TokenHolders::read() const {
    return store::perform(pool_, store::Access::read, [](store::Transaction& transaction) {
        Names names;
        for (const auto& row : transaction.query("SELECT token_hash, name FROM tokens"))
            names.emplace(row.text(0), row.text(1));
        return names;
    });
}

// Reads with the lock let go, so that others go on with what there is.
void TokenHolders::read_anew(std::unique_lock<std::mutex>& lock) {
    reading_ = true;
    tried_at_ = timer_();
    const auto began = tried_at_;
    lock.unlock();
    std::optional<std::string> failure;
    Names names;
    try {
        names = read();
    } catch (const std::exception& failed) {  // whatever it is, those who wait are let go
        failure = failed.what();
        base::log::warning("tokens not read", {{"error", *failure}});
    }
    lock.lock();
    reading_ = false;
    failed_ = failure.has_value();
    if (!failed_) {
        names_ = std::move(names);
        read_at_ = began;  // what was read is no older than that
    }
    read_.notify_all();
}

bool TokenHolders::is_younger(std::chrono::seconds age) const {
    return read_at_ && timer_() - *read_at_ < age;
}

Result<std::optional<std::string>> TokenHolders::holder_of(std::string_view token) {
    using Holder = std::optional<std::string>;
    if (token.empty() || token.size() > longest_token) return Holder();
    const auto hash = base::sha256_hex(token);
    std::unique_lock lock(mutex_);
    if (!reading_ && (!tried_at_ || timer_() - *tried_at_ >= read_each)) read_anew(lock);
    // While the store is away nobody waits for it but the one who tries.
    if (!is_younger(failed_ ? good_without_store : good))
        read_.wait(lock, [&] { return !reading_; });
    if (failed_ && !is_younger(good_without_store))
        return base::fail(Kind::unavailable, "the tokens cannot be read");
    const auto found = names_.find(hash);
    return found == names_.end() ? Holder() : Holder(found->second);
}

}  // namespace app
