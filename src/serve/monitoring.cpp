// SPDX-License-Identifier: MIT
// Before all that knows the namespace compare, which fmt takes for a function of its own.
#include <fmt/format.h>

#include "serve/metrics.hpp"

#include <algorithm>

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

void append_single(std::string& text, std::string_view name, std::string_view type,
                   std::string_view help, std::uint64_t value) {
    describe(text, name, type, help);
    text += fmt::format("{} {}\n", name, value);
}

void append_counts(std::string& text, const history::StoreCounts& counts) {
    append_single(text, "varve_objects", "gauge", "Objects recorded.",
                  static_cast<std::uint64_t>(counts.objects));
    append_single(text, "varve_history_rows", "gauge", "Rows of history recorded.",
                  static_cast<std::uint64_t>(counts.rows));
}

// A version holds nothing that a label would have to escape (base::is_version).
void append_release(std::string& text, const history::Release& release) {
    describe(text, "varve_release_info", "gauge", "The release that is answered from.");
    text += fmt::format("varve_release_info{{version=\"{}\"}} 1\n", release.version);
    describe(text, "varve_release_date_seconds", "gauge", "Its date.");
    text += fmt::format("varve_release_date_seconds {}\n",
                        base::Seconds(release.released_on).time_since_epoch().count());
}

}  // namespace

std::string_view name_of(Route route) {
    constexpr std::array<std::string_view, route_count> names = {
        "none", "home",    "feed", "archive",  "history", "diff",   "release", "release_archive",
        "opml", "suggest", "file", "old_link", "healthz", "metrics"};
    return names[static_cast<std::size_t>(route)];
}

void Metrics::count(Route route, int status, std::chrono::steady_clock::duration took) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    requests_[static_cast<std::size_t>(route)][index_of(status)].fetch_add(1, relaxed);
    const auto* end = std::lower_bound(ends.begin(), ends.end(), microseconds);
    times_[static_cast<std::size_t>(end - ends.begin())].fetch_add(1, relaxed);
    microseconds_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, microseconds)),
                            relaxed);
}

void Metrics::append_requests(std::string& text) const {
    describe(text, "varve_requests_total", "counter", "Requests answered.");
    for (std::size_t route = 0; route < route_count; ++route)
        for (std::size_t i = 0; i < statuses.size(); ++i) {
            const auto count = requests_[route][i].load(std::memory_order_relaxed);
            if (count == 0) continue;
            const auto status = statuses[i] == 0 ? "other" : std::to_string(statuses[i]);
            text += fmt::format("varve_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                                name_of(static_cast<Route>(route)), status, count);
        }
}

void Metrics::append_times(std::string& text) const {
    constexpr std::string_view name = "varve_request_seconds";
    describe(text, name, "histogram", "From a request's arrival to its answer.");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        sum += times_[i].load(std::memory_order_relaxed);
        text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name,
                            static_cast<double>(ends[i]) / microseconds_a_second, sum);
    }
    sum += times_.back().load(std::memory_order_relaxed);
    text += fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name, sum,
                        static_cast<double>(microseconds_.load(std::memory_order_relaxed)) /
                            microseconds_a_second);
}

std::string Metrics::text(const Facts& facts) const {
    std::string text;
    append_requests(text);
    append_times(text);
    append_single(text, "varve_page_cache_hits_total", "counter", "Pages answered from memory.",
                  pages_kept_.load(std::memory_order_relaxed));
    append_single(text, "varve_page_cache_misses_total", "counter", "Pages that were made.",
                  pages_made_.load(std::memory_order_relaxed));
    append_single(text, "varve_page_cache_bytes", "gauge", "Bytes of pages kept.",
                  facts.cache_bytes);
    append_single(text, "varve_computations_total", "counter",
                  "Objects loaded and compared for a request.", facts.effort.computations);
    append_single(text, "varve_store_retries_total", "counter",
                  "Transactions that were run again.", facts.effort.store_retries);
    append_single(text, "varve_store_up", "gauge", "1: the store can be reached.",
                  facts.store_up ? 1 : 0);
    if (facts.counts) append_counts(text, *facts.counts);
    if (facts.release) append_release(text, *facts.release);
    return text;
}

}  // namespace serve
