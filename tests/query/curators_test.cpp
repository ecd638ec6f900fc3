// SPDX-License-Identifier: MIT
#include "query/context.hpp"

#include "support/blocked_build.hpp"
#include "support/catch.hpp"

namespace {

history::Settings three_curators() {
    history::Settings settings;
    settings.curators = {
        {"anna", {"Person", "P1"}}, {"ben", {"Person", "P2"}}, {"carl", {"Person", "P3"}}};
    return settings;
}

}  // namespace

TEST_CASE("Requests that come while curators are loaded wait for them") {
    const auto settings = three_curators();
    const auto build = std::make_shared<support::BlockedBuild>(tree::ObjectName{"Person", "P1"});
    for (const auto& [user, object] : settings.curators)
        build->with(object.class_name, object.name, {support::tag("Live")});
    query::Curators curators;
    const auto ask = [&] {
        const auto people = curators.of(settings, build);
        CHECK(people.size() == 3);
        CHECK(people.at("carl").label == "P3");
    };
    std::thread first(ask);
    build->wait_until_blocked();
    std::thread second(ask);
    build->unblock();
    first.join();
    second.join();
    CHECK(build->loads() == 3);
    ask();
    CHECK(build->loads() == 3);
}
