// SPDX-License-Identifier: MIT
#include "serve/page_cache.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "base/single_flight.hpp"

namespace serve {

namespace {

// A smaller shard could not hold long answers (/diff?format=json, 4 MB) beside others.
constexpr std::size_t least_shard_bytes = 8 << 20;
constexpr std::size_t most_shards = 16;

// What an entry costs beside its key and body: list and map nodes, page, version, the allocator's
// headers. Measured with mallinfo2 over 10,000 entries: 626 bytes.
constexpr std::size_t entry_overhead = 640;

using SteadyTime = std::chrono::steady_clock::time_point;

struct Entry {
    std::string key;  // complete, because two keys may have the same hash
    query::ServedBuild build;
    SteadyTime rendered_at;  // when its rendering began
    RepresentationPtr page;
    [[nodiscard]] std::size_t bytes() const {
        return key.capacity() + page->body->capacity() + entry_overhead;
    }
};

// The page that is kept under a key, of any build and age; nullptr: none.
struct Kept {
    RepresentationPtr page = nullptr;
    bool is_of_build = false, is_fresh = false;
};

// What is rendered once for all concurrent callers.
struct RenderKey {
    std::string key;
    query::ServedBuild build;
    bool operator==(const RenderKey&) const = default;
};

}  // namespace

struct PageCache::Shard {
    explicit Shard(std::size_t most_bytes_) : most_bytes(most_bytes_) {}

    const std::size_t most_bytes;
    std::mutex mutex;          // guards what follows, but for the last one
    std::list<Entry> entries;  // most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator>
        by_key;                    // views of entries' keys
    std::size_t bytes = 0;         // sum of the entries' bytes(), <= most_bytes
    base::Seconds next_date = {};  // later than Last-Modified of all pages that were dropped
    base::SingleFlight<RenderKey, Result<RepresentationPtr>> rendering;

    // Returns the page of `key` of any build and age, as the most recently used one. Requires the lock.
    Entry* touch(std::string_view key) {
        const auto found = by_key.find(key);
        if (found == by_key.end()) return nullptr;
        entries.splice(entries.begin(), entries, found->second);
        return &*found->second;
    }
    // Returns what is kept under `key`.
    Kept look(const std::string& key, const query::ServedBuild& build, SteadyTime now) {
        const std::lock_guard lock(mutex);
        const auto* entry = touch(key);
        if (entry == nullptr) return {};
        const bool is_of_build = entry->build == build;
        return {entry->page, is_of_build, is_of_build && now - entry->rendered_at < fresh_for};
    }

    void drop(std::list<Entry>::iterator entry) {
        next_date = std::max(next_date, entry->page->last_modified + std::chrono::seconds(1));
        bytes -= entry->bytes();
        by_key.erase(entry->key);
        entries.erase(entry);
    }

    // Keeps a page, unless it is too large. Requires the lock.
    RepresentationPtr store(const RenderKey& key, Representation page, SteadyTime rendered_at,
                            base::Seconds now) {
        if (const auto old = by_key.find(key.key); old != by_key.end()) {
            auto& entry = *old->second;
            if (entry.page->entity_tag == page.entity_tag) {
                entry.build = key.build;
                entry.rendered_at = rendered_at;
                return entry.page;
            }
            drop(old->second);
        }
        if (page.last_modified == base::Seconds{}) page.last_modified = std::max(now, next_date);
        Entry entry{key.key, key.build, rendered_at,
                    std::make_shared<const Representation>(std::move(page))};
        const auto size = entry.bytes();
        if (size > most_bytes) return without_date(*entry.page);
        while (bytes + size > most_bytes) drop(std::prev(entries.end()));
        entries.push_front(std::move(entry));
        by_key.emplace(entries.front().key, entries.begin());
        bytes += size;
        return entries.front().page;
    }

    // Nobody knows later since when a page is what it is that was not kept.
    static RepresentationPtr without_date(Representation page) {
        page.last_modified = {};
        return std::make_shared<const Representation>(std::move(page));
    }
};

PageCache::PageCache(std::size_t bytes, SteadyClock steady, base::Clock clock)
    : steady_(std::move(steady)), clock_(std::move(clock)) {
    const auto count = std::clamp(bytes / least_shard_bytes, std::size_t{1}, most_shards);
    for (std::size_t i = 0; i < count; ++i)
        shards_.push_back(std::make_unique<Shard>(bytes / count));
}

PageCache::~PageCache() = default;

PageCache::Shard& PageCache::shard_of(const std::string& key) {
    return *shards_[std::hash<std::string>()(key) % shards_.size()];
}

Result<PageCache::Found> PageCache::get(const std::string& key, const query::ServedBuild& build,
                                        const Render& render, PageCost cost) {
    Shard& shard = shard_of(key);
    const auto known = shard.look(key, build, steady_());
    if (known.is_fresh) return Found{.page = known.page, .hit = true};
    const RenderKey flight{key, build};
    const auto render_and_store = [&]() -> Result<RepresentationPtr> {
        const auto began = steady_();
        // Another thread may have finished between this caller's look-up and its rendering.
        const auto before = shard.look(key, build, began);
        if (before.is_fresh) return before.page;
        auto rendered = render();
        if (!rendered) return fail(std::move(rendered.error()));
        const std::lock_guard lock(shard.mutex);
        const auto* entry = shard.touch(key);
        // Another thread has stored one meanwhile, of a later build perhaps, or this one was evicted.
        if (rendered->provisional || (entry == nullptr ? nullptr : entry->page) != before.page)
            return Shard::without_date(*std::move(rendered));
        return shard.store(flight, *std::move(rendered), began, clock_());
    };
    auto rendered = cost == PageCost::wide && known.is_of_build
                        ? shard.rendering.try_run(flight, render_and_store)
                        : shard.rendering.run(flight, render_and_store);
    if (!rendered) return Found{.page = known.page, .stale = true, .hit = true};
    if (!*rendered && rendered->error().status == 503)
        if (auto kept = find(key, build)) return *std::move(kept);
    return std::move(*rendered).map(
        [](RepresentationPtr page) { return Found{.page = std::move(page)}; });
}

std::optional<PageCache::Found> PageCache::find(const std::string& key,
                                                const query::ServedBuild& build) {
    auto kept = shard_of(key).look(key, build, steady_());
    if (kept.page == nullptr) return std::nullopt;
    return Found{.page = std::move(kept.page), .stale = !kept.is_fresh, .hit = true};
}

std::size_t PageCache::bytes() const {
    std::size_t sum = 0;
    for (const auto& shard : shards_) {
        const std::lock_guard lock(shard->mutex);
        sum += shard->bytes;
    }
    return sum;
}

}  // namespace serve
