// The routes for monitoring: /healthz and /metrics.
// SPDX-License-Identifier: MIT
#include "base/date.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "query/release_contents.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
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

// Returns what `read` returns; nullopt when the store cannot be reached.
template <class Read>
auto if_reachable(Read&& read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const store::Failure& failure) {
        base::log::error("cannot reach the store", {{"reason", failure.what()}});
        return std::nullopt;
    }
}

// Returns why the schema does not fit this program; empty: it does.
std::string schema_error(store::Pool& pool) {
    const auto connection = pool.lease();
    const auto fits = store::check_schema(*connection);
    return fits ? std::string() : fits.error().text;
}

//   schema  "ok", "unknown", or what is wrong with it
std::string health_report(SiteContext& context, const query::CacheVersion& version, bool healthy,
                          const std::string& schema) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("status", healthy ? "ok" : "unavailable");
    json.field("store", version.store_reachable ? "reachable" : "unreachable");
    json.field("release", version.version);
    if (const auto release = current_release(context)) {
        json.field("released_on", base::format_date(release->released_on));
        json.field("age_days", days_since(release->released_on, context.settings.clock()));
    }
    json.field("build", version.build_digest);
    if (const auto reason = context.build.why(); !reason.empty())
        json.field("refused_build", reason);
    json.field("schema", schema).end_object();
    return text + "\n";
}

Response uncached(int status, std::string_view content_type, std::string body) {
    Response response;
    response.status = status;
    response.fields = {{"Content-Type", std::string(content_type)},
                       {"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"}};
    response.body = std::make_shared<const std::string>(std::move(body));
    return response;
}

}  // namespace

Result<Response> answer_health(SiteContext& context, const Request&) {
    const auto version = context.history.cache_version();
    const auto [error, age, is_unknown] = context.schema_error.get(
        [&] { return if_reachable([&] { return schema_error(context.pool); }); });
    const bool is_known = error != nullptr && !is_unknown;
    const bool fits = !is_known || error->empty();
    const bool healthy = version.store_reachable && !version.version.empty() && fits;
    const auto schema = !is_known ? std::string("unknown") : fits ? "ok" : *error;
    auto response = uncached(healthy ? 200 : 503, "application/json",
                             health_report(context, version, healthy, schema));
    if (!healthy) response.fields.emplace_back("Retry-After", std::to_string(retry_after));
    return response;
}

Result<Response> answer_metrics(SiteContext& context, const Request&) {
    Metrics::Gauges gauges;
    gauges.release = current_release(context);
    gauges.store_up = context.history.cache_version().store_reachable;
    const auto counts = context.store_counts.get(
        [&] { return if_reachable([&] { return query::count_store(context.pool); }); });
    if (counts.value != nullptr && !counts.has_failed) gauges.store = *counts.value;
    gauges.computations = context.history.computations();
    gauges.store_retries = context.pool.retries();
    gauges.cache_bytes = context.pages.bytes();
    return uncached(200, "text/plain; version=0.0.4; charset=utf-8",
                    context.metrics.text(gauges));
}

}  // namespace serve
