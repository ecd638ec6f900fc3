// serve/context.hpp -- what the routes of a site share: services, settings, page cache, metrics.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/date.hpp"
#include "base/single_flight.hpp"
#include "harvest/feeds.hpp"
#include "history/current.hpp"
#include "hub/subscriptions.hpp"
#include "net/address.hpp"
#include "query/history_service.hpp"
#include "query/release_contents.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/access_control.hpp"
#include "serve/monitoring.hpp"
#include "serve/page_cache.hpp"
#include "serve/wide_gate.hpp"
#include "store/pool.hpp"

namespace serve {

// What a site reads from. All of it outlives the site.
struct Services {
    query::HistoryService& history;
    const history::CurrentBuild& build;
    store::Pool& pool;  // for /healthz and /metrics
    TokenHolders& tokens;
};

// [serve] of the configuration, and what tests replace.
struct Settings {
    std::size_t cache_bytes = 64 << 20;  // 0: no page is cached, each request renders
    std::size_t max_items = 1000;
    long max_age = 3600;      // seconds
    std::string page_digest;  // of everything that changes a page, templates included;
                              // part of entity tags
    bool count_hits = true;   // false for plain CGI and `varve feed`
    bool has_dates = true;  // false for `varve feed`: pages have no Last-Modified, and the store
                            // is not told since when they look as they do
    bool private_site = false;   // readers need a token
    RateLimits limits = {};      // for each client
    WideGate::Limits wide = {};  // for all clients together
    // Judges the addresses that subscribers of the hub name as their own. Whether there is a hub,
    // render::Site says.
    net::AddressGuard callback_guard = {};
    hub::SubscriptionLimits subscription_limits = {};
    Metrics* metrics = nullptr;  // outlives the site, and counts for the next one too;
                                 // nullptr: the site has its own
    base::Clock clock = base::system_clock_now;
    SteadyClock steady_clock = std::chrono::steady_clock::now;
};

// The version for pages of many objects: they follow a new build at once, but the write generation, which a busy
// site moves each second, only once a minute.
class MinuteVersion {
   public:
    // Returns the version to use when `current` is the current one.
    [[nodiscard]] query::CacheVersion of(const query::CacheVersion& current,
                                         std::chrono::steady_clock::time_point now);

   private:
    std::mutex mutex_;  // guards what follows
    std::optional<query::CacheVersion> used_;
    std::chrono::steady_clock::time_point used_since_;
};

inline constexpr std::size_t most_found = 50;  // objects that a search shows

// What a look at the store found.
struct StoreState {
    std::string schema_error;  // why the schema does not fit this program; empty: it does
    bool has_moved = false;    // its files were deleted, moved or replaced
    std::string write_error;   // why nothing can be written; empty: it can
};

// The source feeds of which somebody asked for our copy today, so that the store is written to once a day.
class NotedReaders {
   public:
    // Returns whether the feed has not been noted on this day, and notes it.
    [[nodiscard]] bool note(std::int64_t feed, base::Date day);
    // Lets the next request note it again.
    void forget(std::int64_t feed);

   private:
    std::mutex mutex_;  // guards what follows
    base::Date day_{};
    std::unordered_set<std::int64_t> feeds_;
};

// The versions of our copies of source feeds, kept for a second. They depend on no build: the generation is how often
// what they show was written.
class CopyVersions {
   public:
    // Returns nullopt when there is no such feed.
    //   read    returns the writes of the feed; store::Failure: the version is the last one seen
    //   throws  what else `read` throws
    [[nodiscard]] std::optional<query::CacheVersion> get(
        std::int64_t feed, std::chrono::steady_clock::time_point now,
        const std::function<std::optional<std::int64_t>()>& read);

   private:
    struct Known {
        query::CacheVersion version;
        std::chrono::steady_clock::time_point read_at;
    };
    static constexpr std::size_t most_known = 10'000;  // feeds; then all are read again
    std::mutex mutex_;                                 // guards what follows
    std::unordered_map<std::int64_t, Known> known_;
};

// What the routes of one site share. The services outlive it.
struct SiteContext {
    SiteContext(const Services& services, render::Site site_, render::Templates templates_,
                Settings settings_);

    query::HistoryService& history;
    const history::CurrentBuild& build;
    store::Pool& pool;
    TokenHolders& tokens;
    const render::Site site;           // for feeds and JSON
    const render::PageSite page_site;  // the same for pages
    const render::Templates templates;
    const Settings settings;
    const std::string site_id;  // 16 hex digits: which site this is among those over one store
    const std::string look;     // entity_tag_of() nothing: what decides how pages look
    PageCache pages;
    // Stands for the token in the cached feeds of readers who send theirs in the query; replaced in
    // each answer. Random, so that no history contains it.
    const std::string token_place = new_token();
    MinuteVersion minute_version;
    base::RefreshedValue<StoreState> store_state;
    base::RefreshedValue<query::StoreCounts> store_counts;
    base::RefreshedValue<hub::HubNumbers> hub_numbers;
    base::RefreshedValue<harvest::HarvestNumbers> harvest_numbers;
    base::VersionedValue<query::CacheVersion, std::vector<std::string>> known_classes;
    query::ReleaseListCache release_details;
    base::VersionedValue<query::CacheVersion, std::shared_ptr<const query::ReleaseList>>
        release_list;
    RateLimiter limiter;
    // Of lists that are kept, by anybody: a stranger who fills the store needs days.
    RateLimiter kept_lists{{.per_minute = 30, .burst = 100, .most_clients = 1}};
    // Of requests to the hub, each of which sends a verification to the host of its callback.
    RateLimiter hub_clients{{.per_minute = 300, .burst = 500}};
    RateLimiter hub_callbacks{{.per_minute = 300, .burst = 500}};
    hub::Subscriptions subscriptions;
    NotedReaders noted_readers;
    CopyVersions copy_versions;
    WideGate wide_gate;
    Metrics own_metrics;  // used when the settings name none
    Metrics& metrics;

    [[nodiscard]] query::CacheVersion wide_version() {
        return minute_version.of(history.cache_version(), settings.steady_clock());
    }
    // Return all releases, and the classes that every search page offers.
    //   throw  store::Failure
    [[nodiscard]] base::Result<std::shared_ptr<const query::ReleaseList>> releases(
        const query::CacheVersion& version);
    [[nodiscard]] base::Result<std::vector<std::string>> classes(
        const query::CacheVersion& version);
    // Returns a URL with the host, for what leaves the site.
    [[nodiscard]] std::string absolute_url(std::string_view url) const {
        return site.base_url + std::string(url);
    }
    // Returns since when the site shows the history as it does now: no page had other bytes since then,
    // except by new rows. Ask before the rows are read.
    //   returns  nullopt: unknown
    [[nodiscard]] std::optional<base::Seconds> shown_since();
    // Returns an entity tag: a digest of these texts, the configuration, the renderer's version and
    // the templates. Strong, in the coding identity, 34 bytes with its quotes.
    [[nodiscard]] std::string entity_tag_of(std::initializer_list<std::string_view> parts) const;
};

}  // namespace serve
