// SPDX-License-Identifier: MIT
#include "serve/page_cache.hpp"

#include <algorithm>
#include <future>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace serve {

namespace {

// A shard smaller than this could not hold a few of the largest documents (512 KB).
constexpr std::size_t least_shard = 4 << 20;
constexpr std::size_t most_shards = 16;

// What a slot costs beside its key and body: list and map nodes, page, moment, allocator's
// headers. Measured with mallinfo2 over 10,000 slots: 626 bytes.
constexpr std::size_t slot_overhead = 640;

struct Slot {
    std::string key;  // whole: equal hashes are no equal pages
    history::Moment moment;
    PagePtr page;
    [[nodiscard]] std::size_t bytes() const {
        return key.capacity() + page->body->capacity() + slot_overhead;
    }
};

Answered<PageCache::Found> found(Answered<PagePtr> made) {
    if (!made) return tl::unexpected<Refusal>(std::move(made.error()));
    return PageCache::Found{.page = std::move(*made)};
}

// A page in the making, for those who wait for it.
struct Flight {
    history::Moment moment;
    std::promise<Answered<PagePtr>> promise;
    std::shared_future<Answered<PagePtr>> outcome = promise.get_future().share();
};

}  // namespace

bool same_build(const history::Moment& a, const history::Moment& b) {
    return a.version == b.version && a.build_digest == b.build_digest;
}

bool same_moment(const history::Moment& a, const history::Moment& b) {
    return same_build(a, b) && a.generation == b.generation;
}

struct PageCache::Shard {
    explicit Shard(std::size_t most) : most_bytes(most) {}

    const std::size_t most_bytes;
    std::mutex mutex;       // guards all below
    std::list<Slot> slots;  // last used first
    std::unordered_map<std::string_view, std::list<Slot>::iterator>
        by_key;             // views of slots' keys
    std::size_t bytes = 0;  // sum of slots' bytes(), <= most_bytes
    std::unordered_map<std::string, std::shared_ptr<Flight>> flights;

    // The page kept under `key`, of whatever moment; it becomes the last used.
    Slot* touch(std::string_view key) {
        const auto found = by_key.find(key);
        if (found == by_key.end()) return nullptr;
        slots.splice(slots.begin(), slots, found->second);
        return &*found->second;
    }

    void drop(std::list<Slot>::iterator slot) {
        bytes -= slot->bytes();
        by_key.erase(slot->key);
        slots.erase(slot);
    }

    void keep(const std::string& key, const history::Moment& moment, const PagePtr& page) {
        if (const auto old = by_key.find(key); old != by_key.end()) drop(old->second);
        Slot slot{key, moment, page};
        const auto size = slot.bytes();
        if (size > most_bytes) return;
        while (bytes + size > most_bytes) drop(std::prev(slots.end()));
        slots.push_front(std::move(slot));
        by_key.emplace(slots.front().key, slots.begin());
        bytes += size;
    }

    PagePtr any_kept(const std::string& key) {
        const std::lock_guard lock(mutex);
        const auto* slot = touch(key);
        return slot == nullptr ? nullptr : slot->page;
    }

    Answered<PagePtr> lead(const std::string& key, const std::shared_ptr<Flight>& flight,
                           const Make& make);
};

// Makes the page for all who wait in `flight`, keeps it, and lets the next one lead.
Answered<PagePtr> PageCache::Shard::lead(const std::string& key,
                                         const std::shared_ptr<Flight>& flight,
                                         const Make& make) {
    const auto land = [&](const Answered<PagePtr>* made) {
        const std::lock_guard lock(mutex);
        if (made != nullptr && *made && !(**made)->passing) keep(key, flight->moment, **made);
        flights.erase(key);
    };
    try {
        auto made = make();
        land(&made);
        flight->promise.set_value(made);
        return made;
    } catch (...) {
        land(nullptr);
        flight->promise.set_exception(std::current_exception());
        throw;
    }
}

PageCache::PageCache(std::size_t bytes) {
    if (bytes == 0) return;
    const auto count = std::clamp(bytes / least_shard, std::size_t{1}, most_shards);
    for (std::size_t i = 0; i < count; ++i)
        shards_.push_back(std::make_unique<Shard>(bytes / count));
}

PageCache::~PageCache() = default;

PageCache::Shard& PageCache::shard_of(const std::string& key) {
    return *shards_[std::hash<std::string>()(key) % shards_.size()];
}

Answered<PageCache::Found> PageCache::fetch(const std::string& key, const history::Moment& moment,
                                            const Make& make, Meanwhile meanwhile) {
    if (shards_.empty()) return found(make());

    Shard& shard = shard_of(key);
    std::shared_ptr<Flight> flight;
    bool leads = false;
    {
        const std::lock_guard lock(shard.mutex);
        const auto* slot = shard.touch(key);
        if (slot != nullptr && same_moment(slot->moment, moment))
            return Found{.page = slot->page, .kept = true};
        auto& in_flight = shard.flights[key];
        leads = in_flight == nullptr;
        if (!leads && meanwhile == Meanwhile::older && slot != nullptr &&
            same_build(slot->moment, moment))
            return Found{.page = slot->page, .kept = true};
        if (leads) {
            in_flight = std::make_shared<Flight>();
            in_flight->moment = moment;
        }
        flight = in_flight;
    }
    // Who asks just after a switch must not get what was begun before it.
    auto made = leads                                 ? shard.lead(key, flight, make)
                : same_moment(flight->moment, moment) ? flight->outcome.get()
                                                      : make();
    if (!made && made.error().status == 503)
        if (auto outdated = shard.any_kept(key))
            return Found{.page = std::move(outdated), .outdated = true, .kept = true};
    return found(std::move(made));
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
