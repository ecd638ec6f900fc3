// serve/workings.hpp -- what the routes of one site work with. For this room only.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/desk.hpp"
#include "serve/limiter.hpp"
#include "serve/metrics.hpp"
#include "serve/page_cache.hpp"
#include "serve/per_moment.hpp"
#include "serve/site.hpp"
#include "serve/slow_answer.hpp"

namespace serve {

// The moment for pages of many objects. Each write of history would make all of them outdated,
// and on a busy site there is one every second: so they follow a build at once, and the
// generation once a minute.
class SlowMoment {
   public:
    [[nodiscard]] history::Moment of(const history::Moment& moment,
                                     std::chrono::steady_clock::time_point now);

   private:
    std::mutex mutex_;  // guards what follows
    std::optional<history::Moment> taken_;
    std::chrono::steady_clock::time_point taken_at_;
};

// What every page of the home address shows, whatever is looked for: dear to count.
struct HomeFrame {
    std::vector<std::string> classes;
    std::vector<history::ReleaseSummary> recent;
};

struct Workings {
    Workings(Desk desk_, render::Site look_, render::Templates templates_, Settings settings_);

    const Desk desk;
    const render::Site look;
    const render::Templates templates;
    const Settings settings;
    PageCache pages;
    SlowMoment slow_moment;
    SlowAnswer<std::string> schema_fault{std::chrono::seconds(10)};
    SlowAnswer<history::StoreCounts> store_counts{std::chrono::seconds(60)};
    PerMoment<HomeFrame> home_frame;
    Limiter limiter;
    Metrics own_metrics;  // used where settings name none
    Metrics& metrics;

    [[nodiscard]] history::Moment wide_moment() {
        return slow_moment.of(desk.moment(), settings.ticks());
    }
    // An address below base_url.
    [[nodiscard]] std::string url_of(std::string_view address) const {
        return look.base_url + std::string(address);
    }
    // Strong, for the coding identity, 34 bytes with its quotes: made of these texts, the
    // configuration, the renderer and the templates.
    [[nodiscard]] std::string entity_tag_of(std::initializer_list<std::string_view> parts) const;
};

}  // namespace serve
