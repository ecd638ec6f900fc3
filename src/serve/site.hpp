// serve/site.hpp -- the routes: from a request to its answer, whatever carried it.
// docs/protocols.md tells what leaves by them, field by field.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "render/feed.hpp"
#include "serve/desk.hpp"
#include "serve/http.hpp"

namespace serve {

// [serve] of the configuration.
struct Settings {
    std::size_t cache_bytes = 64 << 20;  // 0: no page is kept, each request renders its own
    std::size_t max_items = 1000;
    long max_age = 3600;               // seconds
    std::string configuration_digest;  // of all that can change a page; into entity tags
    bool count_hits = true;            // false for plain CGI and `varve feed`
};

class Site {
   public:
    // What `desk` asks outlives the site.
    Site(Desk desk, render::Site look, Settings settings);
    ~Site();

    // Never throws; what breaks becomes a 5xx with a short page and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace serve
