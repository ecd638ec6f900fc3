// serve/page_cache.hpp -- rendered pages, kept in memory up to a number of bytes.
// A page is good for one moment of the history (build and generation). Outdated ones stay until
// they are replaced or pushed out, because they are better than nothing when the store is away.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "history/ledger.hpp"
#include "serve/http.hpp"

namespace serve {

// One representation: body in one coding, and what validates it.
struct Page {
    Body body;
    std::string entity_tag;          // quoted, strong
    base::Seconds last_modified{};   // 0: not known
    std::string last_modified_text;  // the same as an HTTP-date, written once; empty: not known
    bool passing = false;  // made while something was out of reach: not kept, short max-age
    bool settled = false;  // will hardly ever change: a full page of an archive
};
using PagePtr = std::shared_ptr<const Page>;

// True when both are of the same build: what was computed in between is of that build too.
[[nodiscard]] bool same_build(const history::Moment& a, const history::Moment& b);
// True when what was good for one is for the other. store_reachable is no part of it: what was
// good when the store went away still is.
[[nodiscard]] bool same_moment(const history::Moment& a, const history::Moment& b);

class PageCache {
   public:
    //   bytes  bodies, keys and what is kept beside them; 0: nothing is kept, each call makes
    explicit PageCache(std::size_t bytes);
    ~PageCache();

    // What is done while another makes the page of this moment: `older` takes the one of an
    // earlier moment of the same build where there is one. For pages that many readers ask for
    // and that take long, lest all threads wait for one.
    enum class Meanwhile : unsigned char { wait, older };

    using Make = std::function<Answered<PagePtr>()>;
    struct Found {
        PagePtr page;
        bool outdated = false;  // of an earlier moment: `make` was refused with 503
        bool kept = false;      // not made for this call, nor waited for
    };

    // The page under `key` as of `moment`, made by `make` where it isn't kept.
    //   make     called at most once at a time for a key and moment: others wait for it and get
    //            what it gave, its refusal or its exception included. A page that is `passing`
    //            is handed out and not kept.
    //   error    make's refusal, unless that is 503 and an outdated page is there
    [[nodiscard]] Answered<Found> fetch(const std::string& key, const history::Moment& moment,
                                        const Make& make, Meanwhile meanwhile = Meanwhile::wait);

    // Bytes kept now; never above the limit.
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct Shard;
    [[nodiscard]] Shard& shard_of(const std::string& key);
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace serve
