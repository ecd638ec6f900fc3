// serve/page_cache.hpp -- rendered pages, kept in memory up to a number of bytes.
// A page is valid for one version of what it shows (current build and write generation). Stale
// pages stay until they are replaced or evicted, because they are sent when the store cannot be
// reached.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "query/history_service.hpp"
#include "serve/http.hpp"

namespace serve {

// One representation: the body in one content coding, and its validators.
struct Representation {
    Body body;
    std::string entity_tag;         // quoted, strong
    base::Seconds last_modified{};  // 0: unknown
    bool provisional =
        false;               // the build or store could not be reached: not cached, short max-age
    bool permanent = false;  // almost never changes again: a full page of an archive
};
using RepresentationPtr = std::shared_ptr<const Representation>;

// True when both are of the same build.
[[nodiscard]] bool same_build(const query::CacheVersion& a, const query::CacheVersion& b);

class PageCache {
   public:
    //   bytes  of bodies, keys and overhead; 0: nothing is cached, each call renders
    explicit PageCache(std::size_t bytes);
    ~PageCache();

    // What a caller gets while another one renders the same page: it waits for that page, or takes
    // a stale one of the same build where there is one. Stale pages fit requests that are frequent
    // and slow to render: otherwise all threads would wait for one.
    enum class WhileRendering : unsigned char { wait, send_stale };

    using Render = std::function<Result<RepresentationPtr>()>;
    struct Found {
        RepresentationPtr page;
        // Of an earlier version, because `render` failed with 503 or another caller renders the page:
        // nobody may keep it for long.
        bool stale = false;
        bool hit = false;  // neither rendered nor waited for
    };

    // Returns the page under `key` of `version`, rendering it when it is not cached.
    //   render   called by one thread at a time for a key and version: concurrent callers get its
    //            result, error or exception. A provisional page is returned and not cached.
    //   error    that of `render`, unless it is 503 and a stale page is cached
    [[nodiscard]] Result<Found> get(const std::string& key, const query::CacheVersion& version,
                                    const Render& render,
                                    WhileRendering policy = WhileRendering::wait);

    // Returns the page that is cached under `key` of `version`; nullopt: none is.
    [[nodiscard]] std::optional<Found> find(const std::string& key,
                                            const query::CacheVersion& version);
    // Returns the page that is cached under `key` of any version, as a stale one.
    [[nodiscard]] std::optional<Found> find_stale(const std::string& key);

    // Returns the bytes in use; never above the limit.
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct Shard;
    [[nodiscard]] Shard& shard_of(const std::string& key);
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace serve
