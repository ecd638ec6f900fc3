// SPDX-License-Identifier: MIT
#include "serve/context.hpp"

#include <utility>

#include "query/search.hpp"
#include "store/store.hpp"

namespace serve {

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
    : Services(services), site(std::move(site_)), page_site(site),
      templates(std::move(templates_)), settings(std::move(settings_)) {}

SiteContext::Moment SiteContext::moment() {
    const auto now = settings.steady_clock().time_since_epoch();
    return {history.served_build(), std::chrono::floor<std::chrono::seconds>(now)};
}

bool SiteContext::store_answers() {
    return store_answer.is_reachable([this] { return store::check_schema(pool).has_value(); });
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
