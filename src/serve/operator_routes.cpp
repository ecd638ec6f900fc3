// The routes for monitoring: /healthz and /metrics.
// SPDX-License-Identifier: MIT
#include "base/date.hpp"
#include "base/json.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::string_view retry_after = "30";  // seconds

long days_since(base::Date day, base::Seconds now) {
    return (std::chrono::floor<std::chrono::days>(now) - day).count();
}

//   schema  "ok", "unknown", or what is wrong with it
std::string health_report(SiteContext& site, const query::CacheVersion& version, bool healthy,
                          const std::string& schema) {
    const auto& desk = site.desk.operators;
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("status", healthy ? "ok" : "unavailable");
    json.field("store", version.store_reachable ? "reachable" : "unreachable");
    json.field("release", version.version);
    if (const auto release = desk.current_release()) {
        json.field("released_on", base::format_date(release->released_on));
        json.field("age_days", days_since(release->released_on, site.settings.clock()));
    }
    json.field("build", version.build_digest);
    if (const auto reason = desk.refused_build(); !reason.empty())
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

Result<Response> answer_health(SiteContext& site, const Request&) {
    const auto version = site.desk.moment();
    const auto [error, age, is_unknown] =
        site.schema_error.get([&] { return site.desk.operators.schema_fault(); });
    const bool is_known = error != nullptr && !is_unknown;
    const bool fits = !is_known || error->empty();
    const bool healthy = version.store_reachable && !version.version.empty() && fits;
    const auto schema = !is_known ? std::string("unknown") : fits ? "ok" : *error;
    auto response = uncached(healthy ? 200 : 503, "application/json",
                             health_report(site, version, healthy, schema));
    if (!healthy) response.fields.emplace_back("Retry-After", retry_after);
    return response;
}

Result<Response> answer_metrics(SiteContext& site, const Request&) {
    const auto& desk = site.desk.operators;
    Metrics::Gauges gauges;
    gauges.release = desk.current_release();
    gauges.store_up = site.desk.moment().store_reachable;
    const auto counts = site.store_counts.get([&] { return desk.store_counts(); });
    if (counts.value != nullptr && !counts.has_failed) gauges.store = *counts.value;
    const auto effort = desk.effort();
    gauges.computations = effort.computations;
    gauges.store_retries = effort.store_retries;
    gauges.cache_bytes = site.pages.bytes();
    return uncached(200, "text/plain; version=0.0.4; charset=utf-8", site.metrics.text(gauges));
}

}  // namespace serve
