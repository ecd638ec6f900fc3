// SPDX-License-Identifier: MIT
#include "query/context.hpp"

#include <latch>
#include <thread>

#include "support/catch.hpp"
#include "support/small_build.hpp"

namespace {

// A build in memory in which the load of one object waits until the test lets it go.
class BlockedBuild final : public support::SmallBuild {
   public:
    explicit BlockedBuild(tree::ObjectName blocked)
        : SmallBuild("WS2", "2008-02-01"), blocked_(std::move(blocked)) {}

    void wait_until_blocked() const { reached_.wait(); }
    void unblock() const { let_go_.count_down(); }

    [[nodiscard]] base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (name == blocked_) {
            reached_.count_down();
            let_go_.wait();
        }
        return SmallBuild::load(name);
    }

   private:
    tree::ObjectName blocked_;
    mutable std::latch reached_{1}, let_go_{1};
};

history::Settings three_curators() {
    history::Settings settings;
    settings.curators = {
        {"anna", {"Person", "P1"}}, {"ben", {"Person", "P2"}}, {"carl", {"Person", "P3"}}};
    return settings;
}

}  // namespace

TEST_CASE("Requests that come while curators are loaded wait for them") {
    const auto settings = three_curators();
    const auto build = std::make_shared<BlockedBuild>(tree::ObjectName{"Person", "P1"});
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
