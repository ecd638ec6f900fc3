// serve/page_cache.hpp -- rendered pages, kept in memory up to a number of bytes.
// A page is fresh for a minute, while the same build is served. Older ones stay until they are
// replaced or evicted, because they are sent when the store cannot be reached.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "query/history_service.hpp"
#include "serve/access_control.hpp"
#include "serve/http.hpp"

namespace serve {

// One representation: the body in one content coding, and its validators. Each coding is kept under a key of its own.
struct Representation {
    Body body;
    std::string entity_tag;  // quoted, strong
    // When this process rendered these bytes first; 0: unknown. It may lie ahead by a few seconds, so
    // that no two bodies of one address have the same.
    base::Seconds last_modified{};
    bool provisional =
        false;  // the build or store could not be reached: not cached, short max-age
    bool changes_soon = false;  // short max-age
};
using RepresentationPtr = std::shared_ptr<const Representation>;

// What it takes to render a page. A wide page is made of many objects, or of two whole trees: it takes its turn
// (base/gate.hpp), and a stale page of the same build is sent while another thread renders it, since
// otherwise all threads would wait for one. For an ordinary page they wait.
enum class PageCost : unsigned char { ordinary, wide };

class PageCache {
   public:
    static constexpr std::chrono::seconds fresh_for{60};

    //   bytes  of bodies, keys and overhead; 0: nothing is cached, each call renders
    explicit PageCache(std::size_t bytes, SteadyClock steady = std::chrono::steady_clock::now,
                       base::Clock clock = base::system_clock_now);
    ~PageCache();

    using Render = std::function<Result<Representation>()>;
    struct Found {
        RepresentationPtr page;
        // Older than fresh_for or of another build, because `render` failed with 503 or another
        // caller renders the page: no cache may keep it for long.
        bool stale = false;
        bool hit = false;  // neither rendered nor waited for
    };

    // Returns the fresh page under `key` of `build`, rendering it when there is none. A page that is
    // kept has the time for Last-Modified: that of its last rendering with other bytes.
    //   render  called by one thread at a time for a key and build: concurrent callers get its
    //           result, error or exception. A provisional page is returned and not cached.
    //   error   that of `render`, unless it is 503 and a stale page is cached
    [[nodiscard]] Result<Found> get(const std::string& key, const query::ServedBuild& build,
                                    const Render& render, PageCost cost = PageCost::ordinary);

    // Returns the page that is cached under `key`, of any build and age; nullopt: none is.
    [[nodiscard]] std::optional<Found> find(const std::string& key,
                                            const query::ServedBuild& build);

    // Returns the bytes in use; never above the limit.
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct Shard;
    [[nodiscard]] Shard& shard_of(const std::string& key);
    const SteadyClock steady_;
    const base::Clock clock_;
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace serve
