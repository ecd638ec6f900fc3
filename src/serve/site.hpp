// serve/site.hpp -- a site: from a request to its response, whichever protocol carries them.
// docs/protocols.md describes the responses, field by field.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/date.hpp"
#include "history/current.hpp"
#include "query/history_service.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/http.hpp"
#include "serve/rate_limiter.hpp"
#include "store/pool.hpp"

namespace serve {

class Metrics;
class TokenHolders;
struct SiteContext;

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
    long max_age = 3600;               // seconds
    std::string configuration_digest;  // of everything that changes a page, templates included;
                                       // part of entity tags
    bool count_hits = true;            // false for plain CGI and `varve feed`
    bool private_site = false;         // readers need a token
    RateLimits limits = {};            // for each client
    Metrics* metrics = nullptr;        // outlives the site, and counts for the next one too;
                                       // nullptr: the site has its own
    base::Clock clock = base::system_clock_now;
    SteadyClock steady_clock = std::chrono::steady_clock::now;
};

class Site {
   public:
    Site(const Services& services, render::Site site, render::Templates templates,
         Settings settings);
    ~Site();

    // Returns the response to a request. Never throws: a failure becomes a 5xx with a short page
    // and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

   private:
    std::unique_ptr<SiteContext> context_;
};

}  // namespace serve
