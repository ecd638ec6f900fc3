// SPDX-License-Identifier: MIT
#include "serve/site.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "base/log.hpp"
#include "serve/gate.hpp"
#include "serve/query.hpp"
#include "serve/refusal.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

// What a path leads to.
struct Leading {
    std::string_view path;
    Route route = Route::none;
    Answered<Response> (*answer)(Workings&, const Request&) = nullptr;
    enum class Open : unsigned char { to_all, to_readers } open = Open::to_readers;
};

// For machines, and what the page of a refusal is drawn with: neither limited nor private.
constexpr auto to_all = Leading::Open::to_all;

constexpr std::array<Leading, 13> table = {{
    {"/rss", Route::feed, answer_feed},
    {"/", Route::home, answer_home},
    {"/history", Route::history, answer_history},
    {"/diff", Route::difference, answer_difference},
    {"/rss/archive", Route::archive, answer_archive},
    {"/opml", Route::opml, answer_opml},
    {"/suggest", Route::suggest, answer_suggest},
    {"/db/rss", Route::old_link, answer_old_link},
    {"/style.css", Route::file, answer_file, to_all},
    {"/feed.css", Route::file, answer_file, to_all},
    {"/varve.js", Route::file, answer_file, to_all},
    {"/healthz", Route::health, answer_health, to_all},
    {"/metrics", Route::metrics, answer_metrics, to_all},
}};

Answered<Response> answer_nothing(Workings&, const Request& request) {
    if (request.fault) return refuse(*request.fault);
    return refuse(404, "There is no such page.");
}

Leading leading_of(const Request& request) {
    const std::string_view path = request.path;
    if (request.fault) return {path, Route::none, answer_nothing};
    const auto* found = std::find_if(table.begin(), table.end(), [&](const Leading& candidate) {
        return candidate.path == path;
    });
    if (found != table.end()) return *found;
    if (!path.starts_with("/release/")) return {path, Route::none, answer_nothing};
    if (path.ends_with("/archive")) return {path, Route::release_archive, answer_release_archive};
    return {path, Route::release, answer_release};
}

std::optional<Refusal> over_limit(Workings& workings, const Request& request) {
    const auto wait = workings.limiter.refuse(request.peer, workings.settings.ticks());
    if (!wait) return std::nullopt;
    Refusal refusal{429, "There are too many requests from your address; try again in " +
                             std::to_string(wait->count()) + " s."};
    refusal.retry_after = wait->count();
    return refusal;
}

Answered<Response> answer_by(const Leading& leading, Workings& workings, const Request& request,
                             const std::vector<std::string>& tokens) {
    if (leading.open == Leading::Open::to_readers) {
        if (auto refusal = over_limit(workings, request)) return refuse(std::move(*refusal));
        if (workings.settings.private_site)
            if (auto refusal = stop_at_gate(workings.desk.operators, request, tokens))
                return refuse(std::move(*refusal));
    }
    if (leading.route != Route::none && request.method != "GET" && request.method != "HEAD")
        return refuse(405, "Only GET and HEAD are answered here.");
    return leading.answer(workings, request);
}

// Whatever happens, there is an answer.
Response answer_safely(const Leading& leading, Workings& workings, const Request& request,
                       const std::vector<std::string>& tokens) {
    const Look look{workings.look, workings.templates};
    try {
        auto response = answer_by(leading, workings, request, tokens);
        return response ? std::move(*response) : page_of(response.error(), request, look);
    } catch (const std::exception& broken) {
        base::log::error("request failed", {{"path", request.path},
                                            {"query", request.query.substr(0, 1000)},
                                            {"why", broken.what()}});
        return page_of({500, "Something broke here; it has been noted."}, request, look);
    }
}

Response answer_without_token(Workings& workings, const Request& request,
                              const std::vector<std::string>& tokens) {
    const auto began = workings.settings.ticks();
    const auto leading = leading_of(request);
    auto response = answer_safely(leading, workings, request, tokens);
    if (workings.settings.private_site && leading.open == Leading::Open::to_readers)
        make_private(response, tokens);
    response.send_body = request.method != "HEAD";
    workings.metrics.count(leading.route, response.status, workings.settings.ticks() - began);
    return response;
}

}  // namespace

Site::Site(Desk desk, render::Site look, render::Templates templates, Settings settings)
    : workings_(std::make_unique<Workings>(std::move(desk), std::move(look), std::move(templates),
                                           std::move(settings))) {}

Site::~Site() = default;

// A token is taken out before anything else sees it: canonical addresses, cache keys, logs.
Response Site::answer(const Request& request) {
    constexpr std::string_view name = "token";
    const auto holds = [&](auto what) { return request.query.find(what) != std::string::npos; };
    if (!holds(name) && !holds('%')) return answer_without_token(*workings_, request, {});
    auto taken = take_out(request.query, name);
    if (taken.values.empty()) return answer_without_token(*workings_, request, {});
    auto without = request;
    without.query = std::move(taken.rest);
    return answer_without_token(*workings_, without, taken.values);
}

}  // namespace serve
