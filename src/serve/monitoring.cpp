// What operators watch: /metrics for Prometheus, and /healthz.
// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "serve/metrics.hpp"

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <map>
#include <utility>

#include "base/json.hpp"
#include "serve/context.hpp"
#include "serve/responses.hpp"

namespace serve {

namespace {

constexpr double microseconds_a_second = 1e6;

void describe(std::string& text, std::string_view name, std::string_view type,
              std::string_view help) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

// A counter, whose name ends in _total, or a gauge.
struct Single {
    Single(std::string_view name_, std::string_view help_, std::integral auto value_)
        : name(name_), help(help_), value(static_cast<std::uint64_t>(value_)) {}
    std::string_view name, help;
    std::uint64_t value;
};
void append(std::string& text, std::initializer_list<Single> metrics) {
    for (const auto& [name, help, value] : metrics) {
        describe(text, name, name.ends_with("_total") ? "counter" : "gauge", help);
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
std::int64_t age_of(std::optional<base::Seconds> since, base::Seconds now) {
    return since ? std::max<std::int64_t>(0, (now - *since).count()) : 0;
}

void append_harvest(std::string& text, const harvest::HarvestNumbers& harvest,
                    base::Seconds now) {
    append(text,
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
        append(text, {{"varve_harvest_seen_seconds", "Time since a harvester was last active.",
                       age_of(harvest.harvested_at, now)}});
    append_outcomes(text, "varve_harvest_outcomes_total",
                    "Outcomes of fetches and entries, of all harvesters of the store.",
                    harvest.outcomes);
}

// A version contains no character that a label must escape (base::is_version).
void append_release(std::string& text, const base::Release& release) {
    describe(text, "varve_release_info", "gauge", "The release currently being served.");
    text += fmt::format("varve_release_info{{version=\"{}\"}} 1\n", release.version);
    append(text, {{"varve_release_date_seconds", "Date of the release currently being served.",
                   base::Seconds(release.released_on).time_since_epoch().count()}});
}

}  // namespace

void Metrics::count(Route route, int status, std::chrono::steady_clock::duration took) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    requests_[static_cast<std::size_t>(route)]
        .at(static_cast<std::size_t>(status))
        .fetch_add(1, relaxed);
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

std::string Metrics::text() const {
    std::string text;
    describe(text, "varve_requests_total", "counter", "Requests answered.");
    for (std::size_t route = 0; route < route_count; ++route)
        for (std::size_t status = 0; status < requests_[route].size(); ++status)
            if (const auto count = requests_[route][status].load(std::memory_order_relaxed))
                text += fmt::format("varve_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                                    route_names[route], status, count);
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
    append(text, {{"varve_page_cache_hits_total", "Pages served from the cache.",
                   page_hits_.load(std::memory_order_relaxed)},
                  {"varve_page_cache_misses_total", "Pages rendered.",
                   page_misses_.load(std::memory_order_relaxed)}});
    return text;
}

std::string metrics_of_hub(const hub::HubNumbers& hub, base::Seconds now) {
    std::string text;
    append(
        text,
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
        append(text, {{"varve_hub_looked_seconds", "Time since a hub last looked for news.",
                       age_of(hub.looked_at, now)}});
    append_outcomes(text, "varve_hub_outcomes_total",
                    "Outcomes of deliveries and verifications, of all hubs of the store.",
                    hub.outcomes);
    return text;
}

// ---- the routes ----

namespace {

std::optional<base::Release> current_release(const SiteContext& context) {
    const auto build = context.build.build();
    if (!build) return std::nullopt;
    return build->release();
}

// Looks at the store, and writes to it.
//   throws  store::Failure: it cannot be reached
StoreState look_at_store(store::Pool& pool) {
    StoreState state;
    if (const auto fits = store::check_schema(pool); !fits)
        state.schema_error = fits.error().text;
    const auto connection = pool.lease();
    state.has_moved = connection->has_moved();
    if (state.has_moved || !state.schema_error.empty()) return state;
    {
        store::Transaction reading(*connection, store::Access::read);
        state.forgetting = query::forgetting(reading);
    }
    try {
        store::check_writable(*connection);
    } catch (const store::Failure& failure) {
        // Other failures pass: another process is writing, or was first.
        if (failure.kind().needs_operator) state.write_error = failure.what();
    }
    return state;
}

// Returns what a transaction finds, as it was found last; nullopt: the store cannot be reached.
template <class T, class Read>
std::optional<T> known(SiteContext& context, RefreshedValue<T>& value, const Read& read) {
    const auto known = value.get(
        [&] { return std::optional(store::perform(context.pool, store::Access::read, read)); });
    return known.current() == nullptr ? std::nullopt : std::optional(*known.current());
}

// Returns the numbers of the hub; nullopt: they are unknown, or the site has no hub.
std::optional<hub::HubNumbers> numbers_of_hub(SiteContext& context) {
    if (context.site.hub_url.empty()) return std::nullopt;
    return known(context, context.hub_numbers, hub::hub_numbers);
}

// Returns what is wrong with the hub of the site; empty: nothing, or it has nothing to do.
std::string fault_of(const hub::HubNumbers& hub, base::Seconds now) {
    constexpr std::chrono::minutes looks_within{10}, delivers_within{60};
    const bool has_work = hub.topics > 0 || hub.to_verify > 0;
    if (has_work && (!hub.looked_at || *hub.looked_at + looks_within < now))
        return "no hub has looked for news in the last 10 minutes: start varve hub";
    // Subscribers who do not answer keep their part of the queue for days.
    if (hub.waiting > hub.failing && hub.waiting_since &&
        *hub.waiting_since + delivers_within < now)
        return std::to_string(hub.waiting) + " deliveries wait, the oldest one since " +
               base::format_rfc3339(*hub.waiting_since);
    return {};
}

// Returns the numbers of the harvesters; nullopt: they are unknown, or there is no source feed.
std::optional<harvest::HarvestNumbers> numbers_of_harvest(SiteContext& context) {
    auto numbers = known(context, context.harvest_numbers, [&](store::Transaction& transaction) {
        return harvest::harvest_numbers(transaction, context.settings.clock());
    });
    if (numbers && numbers->feeds == 0) numbers.reset();
    return numbers;
}

// What this process can do. Readers are served with what is recorded as long as `can_serve` is true.
struct Health {
    query::ServedBuild build;
    bool store_answers = false;
    std::optional<StoreState> store;  // nullopt: unknown
    // Why the store does not take what is recorded, objects cannot be loaded from the current build, subscribers do
    // not get what is new, or source feeds are not fetched. By their names in the report.
    std::map<std::string_view, std::string> faults;
    bool can_serve = false;
    [[nodiscard]] bool is_ok() const { return can_serve && faults.empty(); }
    void add(std::string_view name, std::string fault) {
        if (!fault.empty()) faults.emplace(name, std::move(fault));
    }
};

std::string fault_of(const StoreState& store) {
    if (store.has_moved)
        return "its files were deleted, moved or replaced while this server had them open: "
               "restart it";
    return store.write_error.empty() ? std::string() : "cannot be written: " + store.write_error;
}

Health health_of(SiteContext& context) {
    Health health;
    health.build = context.history.served_build();
    health.store_answers = context.store_answers();
    const auto look = [&] { return std::optional(look_at_store(context.pool)); };
    const auto known = context.store_state.get(look);
    if (known.current() != nullptr) health.store = *known.current();
    if (health.store) health.add("store_fault", fault_of(*health.store));
    if (context.history.failed_to_record())
        health.add("store_fault", "could not take what a request recorded in the last minute");
    health.add("source_fault", context.build.trouble());
    if (const auto hub = numbers_of_hub(context))
        health.add("hub_fault", fault_of(*hub, context.settings.clock()));
    if (const auto harvest = numbers_of_harvest(context))
        health.add("harvest_fault", harvest::fault_of(*harvest, context.settings.clock()));
    const bool is_ours =
        !health.store || (health.store->schema_error.empty() && !health.store->has_moved);
    health.can_serve = health.store_answers && !health.build.version.empty() && is_ours;
    return health;
}

std::string health_report(const SiteContext& context, const Health& health) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("status", health.is_ok()     ? "ok"
                                        : health.can_serve ? "degraded"
                                                           : "unavailable");
    json.field("store", health.store_answers ? "reachable" : "unreachable");
    json.field("release", health.build.version);
    if (const auto release = current_release(context)) {
        json.field("released_on", base::format_date(release->released_on));
        json.field("age_days", (std::chrono::floor<std::chrono::days>(context.settings.clock()) -
                                release->released_on)
                                   .count());
    }
    json.field("build", health.build.digest);
    for (const auto& [name, fault] : health.faults) json.field(name, fault);
    if (const auto reason = context.build.why(); !reason.empty())
        json.field("refused_build", reason);
    if (const auto reason = context.metrics.rejection(); !reason.empty())
        json.field("rejected_configuration", reason);
    if (health.store && !health.store->forgetting.empty())
        json.field("forgetting", health.store->forgetting);
    json.field("schema", !health.store                        ? "unknown"
                         : health.store->schema_error.empty() ? "ok"
                                                              : health.store->schema_error);
    json.end_object();
    return text + "\n";
}

}  // namespace

Result<Response> answer_health(SiteContext& context, const Request& request, Route route) {
    const auto query = context.parse(route, request);
    if (!query) return fail(query.error());
    const auto health = health_of(context);
    const bool is_healthy = query->has("for") ? health.can_serve : health.is_ok();
    auto response =
        uncached(is_healthy ? 200 : 503, "application/json", health_report(context, health));
    if (!is_healthy) response.fields.emplace_back("Retry-After", std::to_string(retry_after));
    return response;
}

Result<Response> answer_metrics(SiteContext& context, const Request&, Route) {
    const auto counts = known(context, context.store_counts, tables::count_store);
    const auto health = health_of(context);
    const auto release = current_release(context);
    const auto now = context.settings.clock();
    const bool is_writable = health.store_answers && !health.faults.contains("store_fault");
    auto text = context.metrics.text();
    append(
        text,
        {{"varve_page_cache_bytes", "Bytes used by cached pages.", context.pages.bytes()},
         {"varve_computations_total", "Objects loaded and compared for a request.",
          context.history.computations()},
         {"varve_store_retries_total", "Transactions that were retried.", context.pool.retries()},
         {"varve_store_up", "1 if the store can be reached, else 0.", health.store_answers},
         {"varve_store_writable", "1 if the store takes what is recorded, else 0.", is_writable},
         {"varve_source_up", "1 if objects can be loaded from the current build, else 0.",
          release.has_value() && !health.faults.contains("source_fault")}});
    if (counts)
        append(text, {{"varve_objects", "Objects recorded.", counts->objects},
                      {"varve_history_rows", "Rows of history recorded.", counts->rows},
                      {"varve_watch_lists", "Watch lists kept under a short address.",
                       counts->watch_lists}});
    if (const auto hub = numbers_of_hub(context)) text += metrics_of_hub(*hub, now);
    if (const auto harvest = numbers_of_harvest(context)) append_harvest(text, *harvest, now);
    if (release) append_release(text, *release);
    return uncached(200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
}

}  // namespace serve
