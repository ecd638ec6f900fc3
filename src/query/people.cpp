// SPDX-License-Identifier: MIT
#include "query/people.hpp"

#include "base/log.hpp"

namespace query {
namespace {

using base::Result;

// Of a build that can't be reached.
constexpr std::chrono::seconds ask_again_after{10};

Person unread(const ObjectName& object) { return {object, object.name}; }

Result<Person> person(const history::Settings& settings, const source::Source& build,
                      const ObjectName& object) {
    const auto spelling = build.find(object);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling) return unread(object);
    const auto loaded = build.load(**spelling);
    if (!loaded) return tl::unexpected(loaded.error());
    return Person{**spelling, history::label_of(loaded->nodes, **spelling, settings.names)};
}

}  // namespace

People Curators::of(const history::Settings& settings, const source::Build& build) {
    using Clock = std::chrono::steady_clock;
    if (settings.curators.empty()) return {};
    const std::lock_guard lock(mutex_);
    if (build && digest_ == build->digest() && Clock::now() < good_until_) return people_;
    People people;
    bool is_silent = !build;
    for (const auto& [user, object] : settings.curators) {
        auto found = is_silent ? unread(object) : person(settings, *build, object);
        if (!found) {
            base::log::warning("curator not read",
                               {{"user", user}, {"reason", found.error().text}});
            // The others would be waited for as long, and each request for all of them.
            is_silent = found.error().kind == base::Kind::unavailable;
        }
        people.emplace(user, found ? std::move(*found) : unread(object));
    }
    if (!build) return people;
    digest_ = build->digest();
    people_ = std::move(people);
    good_until_ = is_silent ? Clock::now() + ask_again_after : Clock::time_point::max();
    return people_;
}

}  // namespace query
