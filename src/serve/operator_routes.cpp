// The routes for monitoring: /healthz and /metrics.
// SPDX-License-Identifier: MIT
#include "base/date.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "harvest/feeds.hpp"
#include "hub/subscriptions.hpp"
#include "query/release_contents.hpp"
#include "serve/context.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"
#include "store/store.hpp"

namespace serve {

namespace {

long days_since(base::Date day, base::Seconds now) {
    return (std::chrono::floor<std::chrono::days>(now) - day).count();
}

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

// Returns what `read` finds in a transaction.
template <class Read>
auto in_store(SiteContext& context, const Read& read) {
    return [&context, read] { return store::perform(context.pool, store::Access::read, read); };
}

// Returns the numbers of the hub; nullopt: they are unknown, or the site has no hub.
std::optional<hub::HubNumbers> numbers_of_hub(SiteContext& context) {
    if (context.site.hub_url.empty()) return std::nullopt;
    return context.hub_numbers.get(in_store(context, hub::hub_numbers));
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
    auto numbers =
        context.harvest_numbers.get(in_store(context, [&](store::Transaction& transaction) {
            return harvest::harvest_numbers(transaction, context.settings.clock());
        }));
    if (numbers && numbers->feeds == 0) numbers.reset();
    return numbers;
}

// What this process can do. Readers are served with what is recorded as long as `can_serve` is true.
struct Health {
    query::ServedBuild build;
    bool store_answers = false;
    std::optional<StoreState> store;  // nullopt: unknown
    std::string store_fault;          // empty: it takes what is recorded
    std::string source_fault;         // empty: objects can be loaded from the current build
    std::string hub_fault;            // empty: subscribers get what is new, or there is no hub
    std::string harvest_fault;        // empty: source feeds are fetched, or there are none
    bool can_serve = false;
    [[nodiscard]] bool is_ok() const {
        return can_serve && store_fault.empty() && source_fault.empty() && hub_fault.empty() &&
               harvest_fault.empty();
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
    health.store = context.store_state.get([&] { return look_at_store(context.pool); });
    if (health.store) health.store_fault = fault_of(*health.store);
    if (health.store_fault.empty() && context.history.failed_to_record())
        health.store_fault = "could not take what a request recorded in the last minute";
    health.source_fault = context.build.trouble();
    if (const auto hub = numbers_of_hub(context))
        health.hub_fault = fault_of(*hub, context.settings.clock());
    if (const auto harvest = numbers_of_harvest(context))
        health.harvest_fault = harvest::fault_of(*harvest, context.settings.clock());
    const bool is_ours =
        !health.store || (health.store->schema_error.empty() && !health.store->has_moved);
    health.can_serve = health.store_answers && !health.build.version.empty() && is_ours;
    return health;
}

std::string schema_of(const Health& health) {
    if (!health.store) return "unknown";
    return health.store->schema_error.empty() ? "ok" : health.store->schema_error;
}

std::string health_report(const SiteContext& context, const Health& health) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("status", health.is_ok()     ? "ok"
                                        : health.can_serve ? "degraded"
                                                           : "unavailable");
    json.field("store", health.store_answers ? "reachable" : "unreachable");
    if (!health.store_fault.empty()) json.field("store_fault", health.store_fault);
    json.field("release", health.build.version);
    if (const auto release = current_release(context)) {
        json.field("released_on", base::format_date(release->released_on));
        json.field("age_days", days_since(release->released_on, context.settings.clock()));
    }
    json.field("build", health.build.digest);
    if (!health.source_fault.empty()) json.field("source_fault", health.source_fault);
    if (!health.hub_fault.empty()) json.field("hub_fault", health.hub_fault);
    if (!health.harvest_fault.empty()) json.field("harvest_fault", health.harvest_fault);
    if (const auto reason = context.build.why(); !reason.empty())
        json.field("refused_build", reason);
    if (const auto reason = context.metrics.rejection(); !reason.empty())
        json.field("rejected_configuration", reason);
    if (health.store && !health.store->forgetting.empty())
        json.field("forgetting", health.store->forgetting);
    json.field("schema", schema_of(health)).end_object();
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
    Metrics::Gauges gauges;
    gauges.release = current_release(context);
    gauges.store = context.store_counts.get(
        [&] { return store::perform(context.pool, store::Access::read, tables::count_store); });
    const auto health = health_of(context);
    gauges.store_up = health.store_answers;
    gauges.store_writable = gauges.store_up && health.store_fault.empty();
    gauges.source_up = gauges.release.has_value() && health.source_fault.empty();
    gauges.hub = numbers_of_hub(context);
    gauges.harvest = numbers_of_harvest(context);
    gauges.now = context.settings.clock();
    gauges.computations = context.history.computations();
    gauges.store_retries = context.pool.retries();
    gauges.cache_bytes = context.pages.bytes();
    return uncached(200, "text/plain; version=0.0.4; charset=utf-8",
                    context.metrics.text(gauges));
}

}  // namespace serve
