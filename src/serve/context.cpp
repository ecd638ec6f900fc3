// SPDX-License-Identifier: MIT
#include "serve/context.hpp"

#include <utility>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "query/search.hpp"
#include "render/feed.hpp"

namespace serve {

namespace {

using namespace std::chrono_literals;

constexpr auto wide_pages_follow_writes_after = 60s;

}  // namespace

query::CacheVersion MinuteVersion::of(const query::CacheVersion& current,
                                      std::chrono::steady_clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (!used_ || !same_build(*used_, current) ||
        (used_->generation != current.generation &&
         now - used_since_ >= wide_pages_follow_writes_after)) {
        used_ = current;
        used_since_ = now;
    }
    auto version = *used_;
    version.store_reachable = current.store_reachable;
    return version;
}

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

std::optional<query::CacheVersion> CopyVersions::get(
    std::int64_t feed, std::chrono::steady_clock::time_point now,
    const std::function<std::optional<std::int64_t>()>& read) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = known_.find(feed);
            known != known_.end() && now - known->second.read_at < 1s)
            return known->second.version;
    }
    try {
        const auto writes = read();
        const std::lock_guard lock(mutex_);
        if (!writes) {
            known_.erase(feed);
            return std::nullopt;
        }
        if (known_.size() >= most_known) known_.clear();
        const query::CacheVersion version{
            .version = {}, .build_digest = {}, .generation = *writes};
        known_[feed] = {version, now};
        return version;
    } catch (const store::Failure& failure) {
        base::log::error("cannot reach the store", {{"reason", failure.what()}});
    }
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(feed); known != known_.end()) {
        known->second.version.store_reachable = false;
        return known->second.version;
    }
    return query::CacheVersion{
        .version = {}, .build_digest = {}, .generation = -1, .store_reachable = false};
}

SiteContext::SiteContext(const Services& services, render::Site site_,
                         render::Templates templates_, Settings settings_)
    : history(services.history), build(services.build), pool(services.pool),
      tokens(services.tokens), site(std::move(site_)), page_site(site),
      templates(std::move(templates_)), settings(std::move(settings_)),
      site_id(base::sha256_hex(site.base_url).substr(0, 16)), look(entity_tag_of({})),
      pages(settings.cache_bytes), store_state({.refresh_after = 10s}, settings.steady_clock),
      store_counts({.refresh_after = 60s}, settings.steady_clock),
      hub_numbers({.refresh_after = 60s}, settings.steady_clock),
      harvest_numbers({.refresh_after = 60s}, settings.steady_clock), limiter(settings.limits),
      subscriptions(pool, settings.subscription_limits), wide_gate(settings.wide),
      metrics(settings.metrics != nullptr ? *settings.metrics : own_metrics) {}

base::Result<std::shared_ptr<const query::ReleaseList>> SiteContext::releases(
    const query::CacheVersion& version) {
    return release_list.get(version,
                            [&]() -> base::Result<std::shared_ptr<const query::ReleaseList>> {
                                return std::make_shared<const query::ReleaseList>(
                                    release_details.get(history.read_context()));
                            });
}

base::Result<std::vector<std::string>> SiteContext::classes(const query::CacheVersion& version) {
    return known_classes.get(version, [&]() -> base::Result<std::vector<std::string>> {
        return query::known_classes(history.read_context());
    });
}

std::optional<base::Seconds> SiteContext::shown_since() {
    if (!settings.has_dates) return std::nullopt;
    return history.shown_since(site_id, look);
}

std::string SiteContext::entity_tag_of(std::initializer_list<std::string_view> parts) const {
    base::Digest digest(base::Algorithm::sha256);
    const auto add = [&](std::string_view part) {
        digest.update(std::to_string(part.size()) + ":");
        digest.update(part);
    };
    add(render::source_digest());
    add(settings.page_digest);
    for (const auto part : parts) add(part);
    return "\"" + digest.hex().substr(0, 32) + "\"";
}

}  // namespace serve
