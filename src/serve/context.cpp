// SPDX-License-Identifier: MIT
#include "serve/context.hpp"

#include <utility>

#include "base/log.hpp"
#include "query/search.hpp"
#include "store/store.hpp"

namespace serve {

namespace {

using namespace std::chrono_literals;

// Returns whether the store can be read.
bool answers(store::Pool& pool) {
    try {
        (void)store::check_schema(pool);
        return true;
    } catch (const store::Failure& failure) {
        base::log::error("cannot reach the store", {{"reason", failure.what()}});
        return false;
    }
}

}  // namespace

bool NotedReaders::note(std::int64_t feed, base::Date day) {
    const std::lock_guard lock(mutex_);
    if (day_ != day) feeds_.clear();
    day_ = day;
    return feeds_.insert(feed).second;
}

void NotedReaders::forget(std::int64_t feed) {
    const std::lock_guard lock(mutex_);
    feeds_.erase(feed);
}

SiteContext::SiteContext(const Services& services, render::Site site_,
                         render::Templates templates_, Settings settings_)
    : history(services.history), build(services.build), pool(services.pool),
      tokens(services.tokens), site(std::move(site_)), page_site(site),
      templates(std::move(templates_)), settings(std::move(settings_)),
      pages(settings.cache_bytes, settings.steady_clock, settings.clock),
      store_answer({.refresh_after = 1s}, settings.steady_clock),
      store_state({.refresh_after = 10s}, settings.steady_clock),
      store_counts({.refresh_after = 60s}, settings.steady_clock),
      hub_numbers({.refresh_after = 60s}, settings.steady_clock),
      harvest_numbers({.refresh_after = 60s}, settings.steady_clock), limiter(settings.limits),
      subscriptions(pool, settings.subscription_limits), wide_gate(settings.wide),
      metrics(settings.metrics != nullptr ? *settings.metrics : own_metrics) {}

SiteContext::Moment SiteContext::moment() {
    const auto now = settings.steady_clock().time_since_epoch();
    return {history.served_build(), std::chrono::floor<std::chrono::seconds>(now)};
}

bool SiteContext::store_answers() {
    const auto known = store_answer.get([this]() -> std::optional<bool> {
        return answers(pool) ? std::optional(true) : std::nullopt;
    });
    return !known.has_failed;
}

std::shared_ptr<const query::ReleaseList> SiteContext::releases() {
    return *release_list.get(moment(), [&] {
        return std::make_shared<const query::ReleaseList>(
            release_details.get(history.read_context()));
    });
}

std::vector<std::string> SiteContext::classes() {
    return *known_classes.get(moment(),
                              [&] { return query::known_classes(history.read_context()); });
}

}  // namespace serve
