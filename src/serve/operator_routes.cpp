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

nlohmann::ordered_json report_of(Workings& workings, const history::Moment& moment, bool well) {
    const auto& desk = workings.desk.operators;
    nlohmann::ordered_json report = {
        {"status", well ? "ok" : "unavailable"},
        {"store", moment.store_reachable ? "reachable" : "unreachable"},
        {"release", moment.version}};
    if (const auto release = desk.current_release()) {
        report["released_on"] = base::format_date(release->released_on);
        report["age_days"] = days_since(release->released_on, workings.settings.clock());
    }
    report["build"] = moment.build_digest;
    if (const auto why = desk.refused_build(); !why.empty()) report["refused_build"] = why;
    return report;
}

Response plain(int status, std::string_view content_type, std::string body) {
    Response response;
    response.status = status;
    response.fields = {{"Content-Type", std::string(content_type)},
                       {"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"}};
    response.body = std::make_shared<const std::string>(std::move(body));
    return response;
}

}  // namespace

Answered<Response> answer_health(Workings& workings, const Request&) {
    const auto moment = workings.desk.moment();
    const auto fault =
        workings.schema_fault.of(workings.desk.operators.schema_fault, workings.settings.ticks());
    const bool fits = !fault || fault->empty();
    const bool well = moment.store_reachable && !moment.version.empty() && fits;
    auto report = report_of(workings, moment, well);
    report["schema"] = !fault ? "unknown" : fits ? "ok" : *fault;
    // Any bytes may stand in a reason: replaced, not thrown at.
    auto response = plain(
        well ? 200 : 503, "application/json",
        report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    if (!well) response.fields.emplace_back("Retry-After", retry_after);
    return response;
}

Answered<Response> answer_metrics(Workings& workings, const Request&) {
    const auto& desk = workings.desk.operators;
    Metrics::Facts facts;
    facts.release = desk.current_release();
    facts.store_up = workings.desk.moment().store_reachable;
    facts.counts = workings.store_counts.of(desk.store_counts, workings.settings.ticks());
    facts.effort = desk.effort();
    facts.cache_bytes = workings.pages.bytes();
    return plain(200, "text/plain; version=0.0.4; charset=utf-8", workings.metrics.text(facts));
}

}  // namespace serve
