// SPDX-License-Identifier: MIT
#include "harvest/known_urls.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/digest.hpp"
#include "store/dialect.hpp"

namespace harvest {

namespace {

using store::Transaction;
using store::Value;

const store::Insert a_known_url{"known_urls", {"feed", "hash", "url"}, {"feed", "hash"}};

}  // namespace

std::int64_t hash_of_url(const net::Url& url) {
    thread_local base::Digest digest(base::Algorithm::sha256);
    digest.update(net::normalized(url));
    const auto bytes = digest.raw();
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < 8; ++i) hash = hash << 8U | static_cast<unsigned char>(bytes[i]);
    return static_cast<std::int64_t>(hash);
}

KnownUrls KnownUrls::load(Transaction& transaction, std::int64_t feed, std::size_t rows_at_once) {
    const auto count =
        transaction.query("SELECT COUNT(*) FROM known_urls WHERE feed = ?", {Value{feed}});
    std::vector<std::int64_t> hashes;
    hashes.reserve(static_cast<std::size_t>(count.at(0).integer(0)));
    for (Value last{INT64_MIN};;) {
        // The first number may itself be the least one.
        const auto rows = transaction.query(
            hashes.empty() ? "SELECT hash FROM known_urls WHERE feed = ? AND hash >= ? ORDER BY "
                             "hash LIMIT ?"
                           : "SELECT hash FROM known_urls WHERE feed = ? AND hash > ? ORDER BY "
                             "hash LIMIT ?",
            {Value{feed}, last, Value{static_cast<std::int64_t>(rows_at_once)}});
        for (const auto& row : rows) hashes.push_back(row.integer(0));
        if (rows.size() < rows_at_once) break;
        last = rows.back().value(0);
    }
    return {feed, std::move(hashes)};
}

bool KnownUrls::contains(Transaction& transaction, const net::Url& url) const {
    return has_hash(hash_of_url(url)) && is_known_url(transaction, feed_, url);
}

bool KnownUrls::has_hash(std::int64_t hash) const {
    return std::ranges::binary_search(hashes_, hash);
}

bool is_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    const auto rows = transaction.query("SELECT url FROM known_urls WHERE feed = ? AND hash = ?",
                                        {Value{feed}, Value{hash_of_url(url)}});
    return !rows.empty() && rows.front().text(0) == net::normalized(url);
}

void add_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    store::insert_unless_there(
        transaction, a_known_url,
        std::vector{Value{feed}, Value{hash_of_url(url)}, Value{net::normalized(url)}});
}

void forget_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    transaction.execute("DELETE FROM known_urls WHERE feed = ? AND hash = ? AND url = ?",
                        {Value{feed}, Value{hash_of_url(url)}, Value{net::normalized(url)}});
}

void forget_known_urls(Transaction& transaction, std::int64_t feed) {
    transaction.execute("DELETE FROM known_urls WHERE feed = ?", {Value{feed}});
}

}  // namespace harvest
