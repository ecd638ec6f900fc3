// serve/context.hpp -- what the routes of a site share: services, settings, page cache, metrics.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/gate.hpp"
#include "base/log.hpp"
#include "base/single_flight.hpp"
#include "harvest/feeds.hpp"
#include "history/current.hpp"
#include "hub/subscriptions.hpp"
#include "net/address.hpp"
#include "query/history_service.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/access_control.hpp"
#include "serve/metrics.hpp"
#include "serve/page_cache.hpp"
#include "serve/parameters.hpp"
#include "serve/refreshed_value.hpp"
#include "serve/routes.hpp"
#include "store/pool.hpp"
#include "store/store.hpp"

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
    long max_age = 3600;           // seconds
    bool count_hits = true;        // false for plain CGI and `varve feed`
    bool private_site = false;     // readers need a token
    RateLimits limits = {};        // for each client
    base::Gate::Limits wide = {};  // for all clients together
    // Judges the addresses that subscribers of the hub name as their own. Whether there is a hub,
    // render::Site says.
    net::AddressGuard callback_guard = {};
    hub::SubscriptionLimits subscription_limits = {};
    Metrics* metrics = nullptr;  // outlives the site, and counts for the next one too;
                                 // nullptr: the site has its own
    base::Clock clock = base::system_clock_now;
    SteadyClock steady_clock = std::chrono::steady_clock::now;
};

inline constexpr std::size_t most_found = 50;  // objects that a search shows

// What a look at the store found.
struct StoreState {
    std::string schema_error;  // why the schema does not fit this program; empty: it does
    bool has_moved = false;    // its files were deleted, moved or replaced
    std::string write_error;   // why nothing can be written; empty: it can
    std::string forgetting;    // the release that is being forgotten; empty: none
};

// What the routes of one site share. The services outlive it.
struct SiteContext : Services {
    SiteContext(const Services& services, render::Site site_, render::Templates templates_,
                Settings settings_)
        : Services(services), site(std::move(site_)), page_site(site),
          templates(std::move(templates_)), settings(std::move(settings_)) {}

    const render::Site site;           // for feeds and JSON
    const render::PageSite page_site;  // the same for pages
    const render::Templates templates;
    const Settings settings;
    Metrics own_metrics;  // used when the settings name none
    Metrics& metrics = settings.metrics != nullptr ? *settings.metrics : own_metrics;

    // ---- what protects the site from its clients ----

    RateLimiter limiter{settings.limits};
    // Of lists that are kept, by anybody: in two days, after which an unused one gives way, fewer than there is room for.
    RateLimiter kept_lists{{.per_minute = 30, .burst = 100, .most_clients = 1}};
    // Of new lists, by each network: 100 a day.
    RateLimiter list_makers{{.per_minute = 100.0 / (24 * 60), .burst = 100}};
    // Of requests to the hub, each of which sends a verification to the host of its callback.
    RateLimiter hub_clients{{.per_minute = 300, .burst = 500}};
    base::Gate wide_gate{settings.wide};

    // ---- what is kept in memory ----

    PageCache pages{settings.cache_bytes, settings.steady_clock, settings.clock};
    hub::Subscriptions subscriptions{pool, settings.subscription_limits};
    query::ReleaseListCache release_details;
    // What the pages of one build share, kept for a part of the time for which these are fresh.
    using Moment = std::pair<query::ServedBuild, std::chrono::seconds>;
    base::VersionedValue<Moment, std::vector<std::string>> known_classes;
    base::VersionedValue<Moment, std::shared_ptr<const query::ReleaseList>> release_list;
    // What the store says, which is asked now and then while somebody wants to know.
    template <class T>
    using Refreshed = RefreshedValue<T>;
    Refreshed<bool> store_answer{{std::chrono::seconds(1)}, settings.steady_clock};
    Refreshed<StoreState> store_state{{std::chrono::seconds(10)}, settings.steady_clock};
    Refreshed<query::StoreCounts> store_counts{{std::chrono::minutes(1)}, settings.steady_clock};
    Refreshed<hub::HubNumbers> hub_numbers{{std::chrono::minutes(1)}, settings.steady_clock};
    Refreshed<harvest::HarvestNumbers> harvest_numbers{{std::chrono::minutes(1)},
                                                       settings.steady_clock};

    [[nodiscard]] bool has_build() const { return !history.served_build().version.empty(); }
    // Returns whether the store could be read when it was asked last, at most a second ago.
    [[nodiscard]] bool store_answers() {
        const auto fits = [this] { return std::optional(store::check_schema(pool).has_value()); };
        return !store_answer.get(fits).has_failed;
    }
    // Return all releases, as the store had them a second ago at most and with counts that are kept for
    // minutes, and the classes that every search page offers.
    //   throw  store::Failure
    [[nodiscard]] std::shared_ptr<const query::ReleaseList> releases() {
        return *release_list.get(moment(), [this] {
            return std::make_shared<const query::ReleaseList>(
                release_details.get(history.read_context()));
        });
    }
    [[nodiscard]] std::vector<std::string> classes() {
        return *known_classes.get(
            moment(), [this] { return query::known_classes(history.read_context()); });
    }
    // Parses the query of a request, as Query::parse() says.
    [[nodiscard]] Result<Query> parse(Route route, const Request& request) const {
        return Query::parse(route, request.path, request.query, settings.max_items);
    }
    // Returns a URL with the host, for what leaves the site.
    [[nodiscard]] std::string absolute_url(std::string_view url) const {
        return site.base_url + std::string(url);
    }

   private:
    [[nodiscard]] Moment moment() const {
        const auto now = settings.steady_clock().time_since_epoch();
        return {history.served_build(), std::chrono::floor<std::chrono::seconds>(now)};
    }
};

}  // namespace serve
