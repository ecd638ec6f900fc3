// base/single_flight.hpp -- expensive values that one thread computes for all who need them.
//   SingleFlight    one caller computes per key; concurrent callers for the same key share its
//                   result. Nothing is kept afterwards
//   VersionedValue  one value, kept for as long as callers ask for the same version
// All are safe from any thread. A computation that fails or throws leaves no lock behind: the
// next caller computes again. A computation must not ask for its own key: it would wait for
// itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace base {

// A key says what the result depends on: put the version of the source into it where a caller
// must not get a result that was begun before the source changed. In front of a cache,
// `compute` looks into the cache again, because the value may have been stored since the caller
// missed it.
//   Key  comparable with ==
//   T    copied to each caller; Result<X> where a computation can fail
template <class Key, class T>
class SingleFlight {
   public:
    // Returns what `compute` gives, called by this thread or by the one that is computing this
    // key already.
    //   throws  what `compute` throws, to each caller that shares the result
    //   blocks  while another thread computes the key
    template <class Compute>
    [[nodiscard]] T run(const Key& key, Compute&& compute) {
        std::unique_lock lock(mutex_);
        if (const auto running = find(key)) {
            const auto outcome = running->outcome;
            lock.unlock();
            return outcome.get();
        }
        return lead(lock, key, std::forward<Compute>(compute));
    }

    // The same, for callers who prefer an old value to waiting.
    //   returns  nullopt when another thread is computing the key
    template <class Compute>
    [[nodiscard]] std::optional<T> try_run(const Key& key, Compute&& compute) {
        std::unique_lock lock(mutex_);
        if (find(key)) return std::nullopt;
        return lead(lock, key, std::forward<Compute>(compute));
    }

   private:
    struct Flight {
        explicit Flight(Key key_) : key(std::move(key_)) {}
        Key key;
        std::promise<T> promise;
        std::shared_future<T> outcome = promise.get_future().share();
    };
    using FlightPtr = std::shared_ptr<Flight>;

    // Requires the lock.
    [[nodiscard]] FlightPtr find(const Key& key) const {
        const auto found = std::ranges::find_if(
            flights_, [&](const auto& flight) { return flight->key == key; });
        return found == flights_.end() ? nullptr : *found;
    }

    template <class Compute>
    [[nodiscard]] T lead(std::unique_lock<std::mutex>& lock, const Key& key, Compute&& compute) {
        const auto flight = std::make_shared<Flight>(key);
        flights_.push_back(flight);
        lock.unlock();
        try {
            T computed = std::forward<Compute>(compute)();
            remove(flight);
            flight->promise.set_value(computed);
            return computed;
        } catch (...) {
            remove(flight);
            flight->promise.set_exception(std::current_exception());
            throw;
        }
    }

    void remove(const FlightPtr& flight) {
        const std::lock_guard lock(mutex_);
        std::erase(flights_, flight);
    }

    std::mutex mutex_;  // guards flights_; not held during a computation
    // At most one for each thread: a search from front to end is fast.
    std::vector<FlightPtr> flights_;
};

// The value of the newest version that was asked for: the releases known in one second, the list of
// curators of one build.
//   Version  comparable with ==
//   T        copied to each caller; a shared_ptr<const X> where that is expensive
template <class Version, class T>
class VersionedValue {
   public:
    // Returns the value of `version`. The first caller makes it, the others wait for it.
    //   make     returns T or Result<T>; an error goes to all who waited, and is not kept
    //   is_good  whether the kept value still serves; otherwise it is made again
    //   error    that of `make`
    //   throws   what `make` throws
    template <class Make, class IsGood>
    [[nodiscard]] Result<T> get(const Version& version, Make&& make, IsGood&& is_good) {
        if (auto kept = find(version, is_good)) return *std::move(kept);
        return flight_.run(version, [&]() -> Result<T> {
            if (auto kept = find(version, is_good)) return *std::move(kept);
            Result<T> made = std::forward<Make>(make)();
            if (made) keep(version, *made);
            return made;
        });
    }
    template <class Make>
    [[nodiscard]] Result<T> get(const Version& version, Make&& make) {
        return get(version, std::forward<Make>(make), [](const T&) { return true; });
    }

   private:
    template <class IsGood>
    [[nodiscard]] std::optional<T> find(const Version& version, IsGood& is_good) {
        const std::lock_guard lock(mutex_);
        newest_ = version;
        if (!kept_ || !(kept_->first == version) || !is_good(kept_->second)) return std::nullopt;
        return kept_->second;
    }
    void keep(const Version& version, const T& value) {
        const std::lock_guard lock(mutex_);
        if (*newest_ == version) kept_.emplace(version, value);
    }

    std::mutex mutex_;  // guards what follows; not held while a value is made
    std::optional<Version> newest_;
    std::optional<std::pair<Version, T>> kept_;
    SingleFlight<Version, Result<T>> flight_;
};

}  // namespace base
