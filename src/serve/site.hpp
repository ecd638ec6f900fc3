// serve/site.hpp -- the routes: from a request to its answer, whatever carried it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "base/date.hpp"
#include "history/ledger.hpp"
#include "render/feed.hpp"
#include "serve/http.hpp"

namespace serve {

// [serve] of the configuration.
struct Settings {
    std::size_t cache_bytes = 64 << 20;
    std::size_t max_items = 1000;
    long max_age = 3600;                  // seconds
    std::string configuration_digest;     // of all that can change a page; into entity tags
    bool count_hits = true;               // false for plain CGI and `varve feed`
};

class Site {
   public:
    Site(history::Ledger& ledger, render::Site look, Settings settings, base::Clock clock);
    ~Site();

    // Never throws; what breaks becomes a 5xx with a short page and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace serve
