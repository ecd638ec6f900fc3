// SPDX-License-Identifier: MIT
#include "serve/workings.hpp"

#include "base/digest.hpp"
#include "render/feed.hpp"

namespace serve {

namespace {

using namespace std::chrono_literals;

constexpr auto wide_for = 60s;

}  // namespace

history::Moment SlowMoment::of(const history::Moment& moment,
                               std::chrono::steady_clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (!taken_ || !same_build(*taken_, moment) ||
        (taken_->generation != moment.generation && now - taken_at_ >= wide_for)) {
        taken_ = moment;
        taken_at_ = now;
    }
    auto slow = *taken_;
    slow.store_reachable = moment.store_reachable;
    return slow;
}

Workings::Workings(Desk desk_, render::Site look_, render::Templates templates_,
                   Settings settings_)
    : desk(std::move(desk_)), look(std::move(look_)), templates(std::move(templates_)),
      settings(std::move(settings_)), pages(settings.cache_bytes), limiter(settings.limits),
      metrics(settings.metrics != nullptr ? *settings.metrics : own_metrics) {}

std::string Workings::entity_tag_of(std::initializer_list<std::string_view> parts) const {
    base::Digest digest(base::Algorithm::sha256);
    const auto add = [&](std::string_view part) {
        digest.update(std::to_string(part.size()) + ":");
        digest.update(part);
    };
    add(render::renderer_version);
    add(settings.configuration_digest);
    for (const auto part : parts) add(part);
    return "\"" + digest.hex().substr(0, 32) + "\"";
}

}  // namespace serve
