// harvest/known_urls.hpp -- the table known_urls: the pages of an archive that a walk has read already, so that it does
// not fetch them again. A set in memory takes 8 bytes for each: 8 bytes of a SHA-256.
// Functions that take a transaction throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "net/url.hpp"
#include "store/pool.hpp"

namespace harvest {

// Returns the key of a URL: the first 8 bytes of the SHA-256 of its normalized spelling.
[[nodiscard]] std::int64_t hash_of_url(const net::Url& url);

// The known URLs of a feed, as they were when they were loaded: their hashes in order, since the table has them in order.
class KnownUrls {
   public:
    //   hashes  ascending
    KnownUrls(std::int64_t feed, std::vector<std::int64_t> hashes)
        : feed_(feed), hashes_(std::move(hashes)) {}
    //   cost  reads all hashes of the feed
    [[nodiscard]] static KnownUrls load(store::Transaction& transaction, std::int64_t feed,
                                        std::size_t rows_at_once = 50'000);

    // Returns whether the URL is known. Asks the store only if its hash is, because another URL may have the same hash.
    [[nodiscard]] bool contains(store::Transaction& transaction, const net::Url& url) const;
    // Returns false for the hash of a URL that is not known.
    //   cost  O(log n)
    [[nodiscard]] bool has_hash(std::int64_t hash) const;
    [[nodiscard]] std::size_t size() const { return hashes_.size(); }
    [[nodiscard]] std::size_t bytes() const { return hashes_.capacity() * sizeof hashes_[0]; }

   private:
    std::int64_t feed_;
    std::vector<std::int64_t> hashes_;
};

// Returns the same for one URL. Costs an index look-up.
[[nodiscard]] bool is_known_url(store::Transaction& transaction, std::int64_t feed,
                                const net::Url& url);
// Of two URLs with the same hash only the first becomes known; the other one is fetched again.
void add_known_url(store::Transaction& transaction, std::int64_t feed, const net::Url& url);
void forget_known_url(store::Transaction& transaction, std::int64_t feed, const net::Url& url);
void forget_known_urls(store::Transaction& transaction, std::int64_t feed);

}  // namespace harvest
