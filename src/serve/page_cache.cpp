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

// A smaller shard could not hold the longest answer (/diff?format=json, 4 MB) beside others.
constexpr std::size_t least_shard_bytes = 8 << 20;
constexpr std::size_t most_shards = 16;

// What an entry costs beside its key and body: list and map nodes, page, version, the allocator's
// headers. Measured with mallinfo2 over 10,000 entries: 626 bytes.
constexpr std::size_t entry_overhead = 640;

struct Entry {
    std::string key;  // complete, because two keys may have the same hash
    query::CacheVersion version;
    RepresentationPtr page;
    [[nodiscard]] std::size_t bytes() const {
        return key.capacity() + page->body->capacity() + entry_overhead;
    }
};

// True when a page of one version is valid for the other. It stays valid when the store cannot be reached.
bool same_version(const query::CacheVersion& a, const query::CacheVersion& b) {
    return same_build(a, b) && a.generation == b.generation;
}

// What is rendered once for all concurrent callers.
struct RenderKey {
    std::string key;
    query::CacheVersion version;
    bool operator==(const RenderKey& other) const {
        return key == other.key && same_version(version, other.version);
    }
};

}  // namespace

bool same_build(const query::CacheVersion& a, const query::CacheVersion& b) {
    return a.version == b.version && a.build_digest == b.build_digest;
}

struct PageCache::Shard {
    explicit Shard(std::size_t most_bytes_) : most_bytes(most_bytes_) {}

    const std::size_t most_bytes;
    std::mutex mutex;          // guards what follows, but for `rendering`
    std::list<Entry> entries;  // most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator>
        by_key;             // views of entries' keys
    std::size_t bytes = 0;  // sum of the entries' bytes(), <= most_bytes
    base::SingleFlight<RenderKey, Result<RepresentationPtr>> rendering;

    // Returns the page of `key` in any version, as the most recently used one. Requires the lock.
    Entry* touch(std::string_view key) {
        const auto found = by_key.find(key);
        if (found == by_key.end()) return nullptr;
        entries.splice(entries.begin(), entries, found->second);
        return &*found->second;
    }

    void evict(std::list<Entry>::iterator entry) {
        bytes -= entry->bytes();
        by_key.erase(entry->key);
        entries.erase(entry);
    }

    void store(const RenderKey& key, const RepresentationPtr& page) {
        if (const auto old = by_key.find(key.key); old != by_key.end()) evict(old->second);
        Entry entry{key.key, key.version, page};
        const auto size = entry.bytes();
        if (size > most_bytes) return;
        while (bytes + size > most_bytes) evict(std::prev(entries.end()));
        entries.push_front(std::move(entry));
        by_key.emplace(entries.front().key, entries.begin());
        bytes += size;
    }

    Result<RepresentationPtr> render_and_store(const RenderKey& key, const Render& render);
};

Result<RepresentationPtr> PageCache::Shard::render_and_store(const RenderKey& key,
                                                             const Render& render) {
    RepresentationPtr before;
    {
        const std::lock_guard lock(mutex);
        const auto* entry = touch(key.key);
        // Another thread may have finished between this caller's look-up and its rendering.
        if (entry != nullptr && same_version(entry->version, key.version)) return entry->page;
        if (entry != nullptr) before = entry->page;
    }
    auto rendered = render();
    if (!rendered || (*rendered)->provisional) return rendered;
    const std::lock_guard lock(mutex);
    const auto* entry = touch(key.key);
    // A page that was stored meanwhile is of a later version.
    if ((entry == nullptr ? nullptr : entry->page) == before) store(key, *rendered);
    return rendered;
}

PageCache::PageCache(std::size_t bytes) {
    if (bytes == 0) return;
    const auto count = std::clamp(bytes / least_shard_bytes, std::size_t{1}, most_shards);
    for (std::size_t i = 0; i < count; ++i)
        shards_.push_back(std::make_unique<Shard>(bytes / count));
}

PageCache::~PageCache() = default;

PageCache::Shard& PageCache::shard_of(const std::string& key) {
    return *shards_[std::hash<std::string>()(key) % shards_.size()];
}

Result<PageCache::Found> PageCache::get(const std::string& key,
                                        const query::CacheVersion& version, const Render& render,
                                        WhileRendering policy) {
    const auto found = [](RepresentationPtr page) { return Found{.page = std::move(page)}; };
    if (shards_.empty()) return render().map(found);

    Shard& shard = shard_of(key);
    RepresentationPtr stale;  // of the same build
    {
        const std::lock_guard lock(shard.mutex);
        const auto* entry = shard.touch(key);
        if (entry != nullptr && same_version(entry->version, version))
            return Found{.page = entry->page, .hit = true};
        if (entry != nullptr && same_build(entry->version, version)) stale = entry->page;
    }
    const RenderKey flight{key, version};
    const auto render_and_store = [&] { return shard.render_and_store(flight, render); };
    auto rendered = policy == WhileRendering::send_stale && stale != nullptr
                        ? shard.rendering.try_run(flight, render_and_store)
                        : shard.rendering.run(flight, render_and_store);
    if (!rendered) return Found{.page = std::move(stale), .stale = true, .hit = true};
    if (!*rendered && rendered->error().status == 503)
        if (auto any = find_stale(key)) return *std::move(any);
    return std::move(*rendered).map(found);
}

std::optional<PageCache::Found> PageCache::find(const std::string& key,
                                                const query::CacheVersion& version) {
    if (shards_.empty()) return std::nullopt;
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto* entry = shard.touch(key);
    if (entry == nullptr || !same_version(entry->version, version)) return std::nullopt;
    return Found{.page = entry->page, .hit = true};
}

std::optional<PageCache::Found> PageCache::find_stale(const std::string& key) {
    if (shards_.empty()) return std::nullopt;
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto* entry = shard.touch(key);
    if (entry == nullptr) return std::nullopt;
    return Found{.page = entry->page, .stale = true, .hit = true};
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
