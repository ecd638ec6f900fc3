// serve/routes.hpp -- what all routes of a site share, and the function of each route; the table
// that maps paths to them is in site.cpp.
// For this room only. Each route answers GET; site.cpp derives HEAD. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/single_flight.hpp"
#include "history/current.hpp"
#include "query/history_service.hpp"
#include "query/query.hpp"
#include "serve/http.hpp"
#include "serve/monitoring.hpp"
#include "serve/page_cache.hpp"
#include "serve/rate_limiter.hpp"
#include "serve/requests.hpp"
#include "serve/site.hpp"
#include "serve/tokens.hpp"
#include "store/pool.hpp"

namespace serve {

// The version for pages of many objects. Every write of history makes them stale, and on a busy
// site there is one each second: so they follow a new build at once, but the write generation only
// once a minute.
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

// What every search page shows, whatever it searches for. Expensive to read.
struct HomeLists {
    std::vector<std::string> classes;
    std::vector<query::ReleaseSummary> recent;
};

// What the routes of one site share. The services outlive it.
struct SiteContext {
    SiteContext(const Services& services, render::Site site_, render::Templates templates_,
                Settings settings_);

    query::HistoryService& history;
    const history::CurrentBuild& build;
    store::Pool& pool;
    TokenHolders& tokens;
    const render::Site site;
    const render::Templates templates;
    const Settings settings;
    PageCache pages;
    MinuteVersion minute_version;
    base::RefreshedValue<std::string> schema_error;
    base::RefreshedValue<query::StoreCounts> store_counts;
    base::VersionedValue<query::CacheVersion, HomeLists> home_lists;
    RateLimiter limiter;
    Metrics own_metrics;  // used when the settings name none
    Metrics& metrics;

    [[nodiscard]] query::CacheVersion wide_version() {
        return minute_version.of(history.cache_version(), settings.steady_clock());
    }
    // Returns the absolute URL of "/rss?class=…".
    [[nodiscard]] std::string absolute_url(std::string_view url) const {
        return site.base_url + std::string(url);
    }
    // Returns an entity tag: a digest of these texts, the configuration, the renderer's version and
    // the templates. Strong, in the coding identity, 34 bytes with its quotes.
    [[nodiscard]] std::string entity_tag_of(std::initializer_list<std::string_view> parts) const;
};

[[nodiscard]] Result<Response> answer_feed(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_archive(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_release_archive(SiteContext& site, const Request& request);
// Redirects the links of the first system: /db/rss?name=…;class=…
[[nodiscard]] Result<Response> answer_old_link(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_home(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_history(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_difference(SiteContext& site, const Request& request);
// A page, or a feed when the client asks for one.
[[nodiscard]] Result<Response> answer_release(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_opml(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_suggest(SiteContext& site, const Request& request);
// Style sheets and the script of the pages.
[[nodiscard]] Result<Response> answer_file(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_health(SiteContext& site, const Request& request);
[[nodiscard]] Result<Response> answer_metrics(SiteContext& site, const Request& request);

// Returns the feed of a parsed request, in its format or the one that Accept prefers.
[[nodiscard]] Result<Response> answer_feed_request(SiteContext& site, const Request& request,
                                                   const FeedRequest& feed);

// Returns the version in /release/VERSION and /release/VERSION/archive; 404 when it is not one.
[[nodiscard]] Result<std::string> version_in_path(std::string_view path);

}  // namespace serve
