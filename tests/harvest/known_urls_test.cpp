// URLs of archives that are not fetched again.
// SPDX-License-Identifier: MIT
#include "harvest/archives.hpp"

#include "support/catch.hpp"
#include "support/pooled_store.hpp"

namespace {

net::Url url(const std::string& text) { return net::parse_url(text).value(); }

}  // namespace

TEST_CASE("The hash of a URL is that of all its spellings") {
    const auto hash = harvest::hash_of_url(url("https://x.org/a"));
    CHECK(hash == harvest::hash_of_url(url("HTTPS://X.org:443/%61")));
    CHECK(hash != harvest::hash_of_url(url("https://x.org/b")));
    CHECK(hash != harvest::hash_of_url(url("http://x.org/a")));
    // The first 16 digits of: printf https://x.org/a | sha256sum
    CHECK(static_cast<std::uint64_t>(hash) == 0x35ca5f4a9cb0c9f6);
}

TEST_CASE("URLs are known once they are added, to their own feed") {
    support::PooledStore(GENERATE(support::engines())).write([](store::Transaction& transaction) {
        const auto one = url("https://x.org/1"), two = url("https://x.org/2");
        harvest::add_known_url(transaction, 1, one);
        harvest::add_known_url(transaction, 1, one);
        harvest::add_known_url(transaction, 2, two);
        const auto known = harvest::KnownUrls::load(transaction, 1);
        CHECK(known.size() == 1);
        CHECK(known.contains(transaction, one));
        CHECK_FALSE(known.contains(transaction, two));
        CHECK(harvest::is_known_url(transaction, 1, url("https://X.ORG/1")));
        CHECK_FALSE(harvest::is_known_url(transaction, 1, two));
        harvest::forget_known_url(transaction, 1, two);
        CHECK(harvest::is_known_url(transaction, 1, one));
        harvest::forget_known_url(transaction, 1, one);
        CHECK_FALSE(harvest::is_known_url(transaction, 1, one));
        harvest::forget_known_urls(transaction, 2);
        CHECK(harvest::KnownUrls::load(transaction, 2).size() == 0);
    });
}

TEST_CASE("Another URL with the same hash is not known") {
    support::PooledStore(GENERATE(support::engines())).write([](store::Transaction& transaction) {
        const auto one = url("https://x.org/1");
        transaction.execute("INSERT INTO known_urls (feed, hash, url) VALUES (1, ?, ?)",
                            {store::Value{harvest::hash_of_url(one)},
                             store::Value{std::string("https://x.org/other")}});
        const auto known = harvest::KnownUrls::load(transaction, 1);
        CHECK(known.has_hash(harvest::hash_of_url(one)));
        CHECK_FALSE(known.contains(transaction, one));
        CHECK_FALSE(harvest::is_known_url(transaction, 1, one));
        harvest::add_known_url(transaction, 1, one);
        CHECK_FALSE(known.contains(transaction, one));
    });
}

TEST_CASE("All hashes of a feed are loaded, in parts and with the least and the greatest one") {
    support::PooledStore(GENERATE(support::engines())).write([](store::Transaction& transaction) {
        for (const auto hash : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX})
            transaction.execute("INSERT INTO known_urls (feed, hash, url) VALUES (1, ?, 'x')",
                                {store::Value{hash}});
        const auto known = harvest::KnownUrls::load(transaction, 1, 2);
        CHECK(known.size() == 4);
        for (const auto hash : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX})
            CHECK(known.has_hash(hash));
        CHECK_FALSE(known.has_hash(1));
        CHECK(known.bytes() == 4 * 8);
    });
}
