// serve/site.hpp -- the routes: from a request to its answer, whatever carried it.
// docs/protocols.md tells what leaves by them, field by field.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/date.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/desk.hpp"
#include "serve/http.hpp"
#include "serve/limiter.hpp"

namespace serve {

class Metrics;
struct Workings;

// [serve] of the configuration, and what a test sets otherwise.
struct Settings {
    std::size_t cache_bytes = 64 << 20;  // 0: no page is kept, each request renders its own
    std::size_t max_items = 1000;
    long max_age = 3600;               // seconds
    std::string configuration_digest;  // of all that can change a page, templates included;
                                       // goes into entity tags
    bool count_hits = true;            // false for plain CGI and `varve feed`
    bool private_site = false;         // a token opens it; desk.operators.token_holder is there
    Limits limits = {};                // of requests by one client
    Metrics* metrics = nullptr;        // outlives the site, and goes on from site to site;
                                       // nullptr: the site counts for itself
    base::Clock clock = base::system_clock_now;
    Ticks ticks = std::chrono::steady_clock::now;
};

class Site {
   public:
    // What `desk` asks outlives the site.
    Site(Desk desk, render::Site look, render::Templates templates, Settings settings);
    ~Site();

    // Never throws; what breaks becomes a 5xx with a short page and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

   private:
    std::unique_ptr<Workings> workings_;
};

}  // namespace serve
