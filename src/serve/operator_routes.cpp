// The routes for monitoring: /healthz and /metrics.
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "base/date.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

constexpr std::string_view retry_after = "30";  // seconds

long days_since(base::Date day, base::Seconds now) {
    return (std::chrono::floor<std::chrono::days>(now) - day).count();
}

nlohmann::ordered_json health_report(SiteContext& site, const history::Moment& version,
                                     bool healthy) {
    const auto& desk = site.desk.operators;
    nlohmann::ordered_json report = {
        {"status", healthy ? "ok" : "unavailable"},
        {"store", version.store_reachable ? "reachable" : "unreachable"},
        {"release", version.version}};
    if (const auto release = desk.current_release()) {
        report["released_on"] = base::format_date(release->released_on);
        report["age_days"] = days_since(release->released_on, site.settings.clock());
    }
    report["build"] = version.build_digest;
    if (const auto reason = desk.refused_build(); !reason.empty())
        report["refused_build"] = reason;
    return report;
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
    auto report = health_report(site, version, healthy);
    report["schema"] = !is_known ? "unknown" : fits ? "ok" : *error;
    // A reason may contain any bytes: invalid UTF-8 is replaced.
    auto response = uncached(
        healthy ? 200 : 503, "application/json",
        report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
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
