// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "serve/monitoring.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace serve {

namespace {

constexpr double microseconds_a_second = 1e6;

std::size_t index_of(int status) {
    const auto* found = std::find(Metrics::statuses.begin(), Metrics::statuses.end(), status);
    const auto* last = Metrics::statuses.end() - 1;
    return static_cast<std::size_t>(std::min(found, last) - Metrics::statuses.begin());
}

void describe(std::string& text, std::string_view name, std::string_view type,
              std::string_view help) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

struct Single {
    std::string_view name, help;
    std::uint64_t value;
};
void append(std::string& text, std::string_view type, std::initializer_list<Single> metrics) {
    for (const auto& [name, help, value] : metrics) {
        describe(text, name, type, help);
        text += fmt::format("{} {}\n", name, value);
    }
}

template <class Outcomes>
void append_outcomes(std::string& text, std::string_view name, std::string_view help,
                     const Outcomes& outcomes) {
    describe(text, name, "counter", help);
    for (const auto& [outcome, count] : outcomes)
        text += fmt::format("{}{{outcome=\"{}\"}} {}\n", name, outcome, count);
}

// Returns how many seconds ago something was; 0 when it lies ahead, or was not.
std::uint64_t age_of(std::optional<base::Seconds> since, base::Seconds now) {
    return since ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, (now - *since).count()))
                 : 0;
}

void append_counts(std::string& text, const query::StoreCounts& counts) {
    const auto number = [](auto count) { return static_cast<std::uint64_t>(count); };
    append(text, "gauge",
           {{"varve_objects", "Objects recorded.", number(counts.objects)},
            {"varve_history_rows", "Rows of history recorded.", number(counts.rows)},
            {"varve_watch_lists", "Watch lists kept under a short address.",
             number(counts.watch_lists)}});
}

void append_hub(std::string& text, const hub::HubNumbers& hub, base::Seconds now) {
    append(
        text, "gauge",
        {{"varve_hub_subscriptions", "Subscriptions in force.", hub.subscriptions},
         {"varve_hub_topics", "Feeds that have subscriptions.", hub.topics},
         {"varve_hub_unverified", "Subscription requests that wait for verification.",
          hub.to_verify},
         {"varve_hub_waiting", "Subscriptions that wait for a delivery.", hub.waiting},
         {"varve_hub_failing",
          "Subscriptions that wait for a delivery that has failed at least once.", hub.failing},
         {"varve_hub_waiting_seconds",
          "Age of the oldest change that is not delivered everywhere; 0 if there is none.",
          age_of(hub.waiting_since, now)}});
    if (hub.looked_at)
        append(text, "gauge",
               {{"varve_hub_looked_seconds", "Time since a hub last looked for news.",
                 age_of(hub.looked_at, now)}});
    append_outcomes(text, "varve_hub_outcomes_total",
                    "Outcomes of deliveries and verifications, of all hubs of the store.",
                    hub.outcomes);
}

void append_harvest(std::string& text, const harvest::HarvestNumbers& harvest,
                    base::Seconds now) {
    append(text, "gauge",
           {{"varve_harvest_feeds", "Source feeds.", harvest.feeds},
            {"varve_harvest_disabled", "Source feeds that are disabled.", harvest.disabled},
            {"varve_harvest_due", "Source feeds that are due.", harvest.due},
            {"varve_harvest_queued", "Source feeds that are being fetched.", harvest.queued},
            {"varve_harvest_failing", "Source feeds that have failed since their last success.",
             harvest.failing},
            {"varve_harvest_entries", "Entries of source feeds in the store.", harvest.entries},
            {"varve_harvest_due_seconds",
             "How long the first of the due feeds has waited; 0 if none is due.",
             age_of(harvest.due_since, now)}});
    if (harvest.harvested_at)
        append(text, "gauge",
               {{"varve_harvest_seen_seconds", "Time since a harvester was last active.",
                 age_of(harvest.harvested_at, now)}});
    append_outcomes(text, "varve_harvest_outcomes_total",
                    "Outcomes of fetches and entries, of all harvesters of the store.",
                    harvest.outcomes);
}

// A version contains no character that a label must escape (base::is_version).
void append_release(std::string& text, const base::Release& release) {
    describe(text, "varve_release_info", "gauge", "The release currently being served.");
    text += fmt::format("varve_release_info{{version=\"{}\"}} 1\n", release.version);
    describe(text, "varve_release_date_seconds", "gauge",
             "Date of the release currently being served.");
    text += fmt::format("varve_release_date_seconds {}\n",
                        base::Seconds(release.released_on).time_since_epoch().count());
}

}  // namespace

void Metrics::count(Route route, int status, std::chrono::steady_clock::duration took) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    requests_[static_cast<std::size_t>(route)][index_of(status)].fetch_add(1, relaxed);
    const auto* bound = std::lower_bound(bounds.begin(), bounds.end(), microseconds);
    durations_[static_cast<std::size_t>(bound - bounds.begin())].fetch_add(1, relaxed);
    microseconds_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, microseconds)),
                            relaxed);
}

void Metrics::note_rejection(std::string reason) {
    const std::lock_guard lock(mutex_);
    rejection_ = std::move(reason);
}

std::string Metrics::rejection() const {
    const std::lock_guard lock(mutex_);
    return rejection_;
}

void Metrics::append_requests(std::string& text) const {
    describe(text, "varve_requests_total", "counter", "Requests answered.");
    for (std::size_t route = 0; route < route_count; ++route)
        for (std::size_t i = 0; i < statuses.size(); ++i) {
            const auto count = requests_[route][i].load(std::memory_order_relaxed);
            if (count == 0) continue;
            const auto status = statuses[i] == 0 ? "other" : std::to_string(statuses[i]);
            text += fmt::format("varve_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                                route_names[route], status, count);
        }
}

void Metrics::append_durations(std::string& text) const {
    constexpr std::string_view name = "varve_request_seconds";
    describe(text, name, "histogram", "Time from receiving a request to its response.");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        sum += durations_[i].load(std::memory_order_relaxed);
        text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name,
                            static_cast<double>(bounds[i]) / microseconds_a_second, sum);
    }
    sum += durations_.back().load(std::memory_order_relaxed);
    text += fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name, sum,
                        static_cast<double>(microseconds_.load(std::memory_order_relaxed)) /
                            microseconds_a_second);
}

std::string Metrics::text(const Gauges& gauges) const {
    std::string text;
    append_requests(text);
    append_durations(text);
    append(text, "counter",
           {{"varve_page_cache_hits_total", "Pages served from the cache.",
             page_hits_.load(std::memory_order_relaxed)},
            {"varve_page_cache_misses_total", "Pages rendered.",
             page_misses_.load(std::memory_order_relaxed)}});
    append(text, "gauge",
           {{"varve_page_cache_bytes", "Bytes used by cached pages.", gauges.cache_bytes}});
    append(
        text, "counter",
        {{"varve_computations_total", "Objects loaded and compared for a request.",
          gauges.computations},
         {"varve_store_retries_total", "Transactions that were retried.", gauges.store_retries}});
    append(text, "gauge",
           {{"varve_store_up", "1 if the store can be reached, else 0.", gauges.store_up},
            {"varve_store_writable", "1 if the store takes what is recorded, else 0.",
             gauges.store_writable},
            {"varve_source_up", "1 if objects can be loaded from the current build, else 0.",
             gauges.source_up}});
    if (gauges.store) append_counts(text, *gauges.store);
    if (gauges.hub) append_hub(text, *gauges.hub, gauges.now);
    if (gauges.harvest) append_harvest(text, *gauges.harvest, gauges.now);
    if (gauges.release) append_release(text, *gauges.release);
    return text;
}

}  // namespace serve
