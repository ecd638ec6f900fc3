// SPDX-License-Identifier: MIT
#include "serve/access_control.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "support/catch.hpp"
#include "support/stores.hpp"

using namespace std::chrono_literals;

namespace {

constexpr auto created_at = base::Seconds{1'000'000'000s};

// A clock that a test moves.
struct Stopped {
    std::chrono::steady_clock::time_point at{1h};
    [[nodiscard]] serve::SteadyClock timer() const {
        return [this] { return at; };
    }
};

store::Rows all_of(store::Pool& pool) {
    return store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
        return transaction.query("SELECT name, token_hash, created_at FROM tokens");
    });
}

}  // namespace

TEST_CASE("A token is stored as its digest and only once under one name") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        const auto token = serve::add_token(pool, "sylvia", created_at);
        REQUIRE(token);
        CHECK(token->size() == 43);
        CHECK(token->find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_") == std::string::npos);
        const auto rows = all_of(pool);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].text(0) == "sylvia");
        CHECK(rows[0].text(1) == base::sha256_hex(*token));
        CHECK(rows[0].text(2) == "2001-09-09T01:46:40Z");
        const auto again = serve::add_token(pool, "sylvia", created_at);
        REQUIRE_FALSE(again);
        CHECK(again.error().kind == base::ErrorKind::conflict);
        CHECK(all_of(pool) == rows);
        const auto other = serve::add_token(pool, "Sylvia", created_at);
        REQUIRE(other);
        CHECK(*other != *token);
        const auto listed = serve::list_tokens(pool);
        REQUIRE(listed.size() == 2);
        CHECK(std::ranges::is_sorted(listed, {}, &serve::Token::name));
    });
}

TEST_CASE("The name of a token is printable text of 1 to 64 bytes") {
    const support::FreshStore fresh(store::Engine::sqlite);
    store::Pool pool(fresh.connect(), 2);
    const std::vector<std::string> wrong = {"",          " ",
                                            " a",        "a\nb",
                                            "a\x1b[31m", std::string("a\0b", 3),
                                            "\xff\xfe",  std::string(65, 'x')};
    for (const auto& name : wrong) {
        const auto refused = serve::add_token(pool, name, created_at);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == base::ErrorKind::refused);
    }
    CHECK(serve::add_token(pool, "Zoë O'Brien; lab 2", created_at));
    CHECK(serve::add_token(pool, std::string(64, 'x'), created_at));
}

TEST_CASE("A token is valid until it is revoked, and for at most a second after that") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        const auto token = serve::add_token(pool, "sylvia", created_at);
        REQUIRE(token);
        Stopped time;
        serve::TokenHolders holders(pool, time.timer());
        CHECK(*holders.holder_of(*token) == "sylvia");
        for (const auto& other : {std::string(), *token + "x", base::sha256_hex(*token),
                                  std::string("' OR 1=1 --"), std::string(100'000, 'x')})
            CHECK_FALSE(holders.holder_of(other)->has_value());
        REQUIRE(serve::revoke_token(pool, "sylvia"));
        time.at += 1s;
        CHECK_FALSE(holders.holder_of(*token)->has_value());
        CHECK(serve::revoke_token(pool, "sylvia").error().kind == base::ErrorKind::absent);
        const auto next = serve::add_token(pool, "sylvia", created_at);
        time.at += 1s;
        CHECK(*holders.holder_of(*next) == "sylvia");
        CHECK_FALSE(holders.holder_of(*token)->has_value());
    });
}

TEST_CASE("While the store is down known tokens are good for a minute, then nobody is let in") {
    const support::FreshStore fresh(store::Engine::sqlite);
    store::RetryPolicy retry_policy;
    retry_policy.attempts = 1;
    retry_policy.wait_for_connection = 0ms;
    store::Pool pool(fresh.connect(), 1, retry_policy);
    Stopped time;
    serve::TokenHolders holders(pool, time.timer());
    const auto token = serve::add_token(pool, "sylvia", created_at);
    CHECK(*holders.holder_of(*token) == "sylvia");
    std::optional taken(pool.lease());  // the only connection: nothing can be read
    time.at += 59s;
    CHECK(*holders.holder_of(*token) == "sylvia");
    time.at += 1s;
    const auto refused = holders.holder_of(*token);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == base::ErrorKind::unavailable);
    taken.reset();
    time.at += 1s;
    CHECK(*holders.holder_of(*token) == "sylvia");
}
