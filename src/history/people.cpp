// SPDX-License-Identifier: MIT
#include "history/people.hpp"

#include "base/log.hpp"

namespace history {
namespace {

using base::Result;

Person unread(const ObjectName& object) { return {object, object.name}; }

Result<Person> person(const Settings& settings, const source::Source& build,
                      const ObjectName& object) {
    const auto spelling = build.find(object);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling) return unread(object);
    const auto loaded = build.load(**spelling);
    if (!loaded) return tl::unexpected(loaded.error());
    return Person{**spelling, label_of(loaded->nodes, **spelling, settings.names)};
}

}  // namespace

People Curators::of(const Settings& settings, const source::Build& build) {
    if (settings.curators.empty()) return {};
    const std::lock_guard lock(mutex_);
    if (build && digest_ == build->digest()) return people_;
    People people;
    bool may_pass = !build;
    for (const auto& [user, object] : settings.curators) {
        auto found = build ? person(settings, *build, object) : Result<Person>(unread(object));
        if (!found) {
            base::log::warning("curator not read",
                               {{"user", user}, {"reason", found.error().text}});
            may_pass = may_pass || found.error().kind == base::Kind::unavailable;
        }
        people.emplace(user, found ? std::move(*found) : unread(object));
    }
    if (may_pass) return people;
    digest_ = build->digest();
    people_ = std::move(people);
    return people_;
}

}  // namespace history
