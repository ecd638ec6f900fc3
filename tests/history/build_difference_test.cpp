// SPDX-License-Identifier: MIT
#include "history/build_difference.hpp"

#include "support/blocked_build.hpp"
#include "support/catch.hpp"

using history::BuildDifference;
using support::BlockedBuild;
using tree::ObjectName;

namespace {

const ObjectName blocked{"Gene", "new-1"};

// Against an empty build, everything is new.
const support::SmallBuild empty("WS1", "2008-01-01");

void fill(BlockedBuild& build) {
    for (const auto* name : {"new-1", "new-2", "new-3"})
        build.with("Gene", name, {support::tag(name)});
    build.with("Paper", "new", {support::tag("Live")});
}

}  // namespace

TEST_CASE("A class does not wait while new objects of another one are loaded") {
    BlockedBuild build(blocked, 0);
    fill(build);
    BuildDifference difference;
    std::thread other([&] { CHECK(difference.of_class("Gene", build, &empty)); });
    build.wait_until_blocked();
    const auto paper = difference.of_class("Paper", build, &empty);
    REQUIRE(paper);
    CHECK((*paper)->created.size() == 1);
    build.unblock();
    other.join();
}

TEST_CASE("What two builds list is compared once for all classes") {
    class CountingBuild : public support::SmallBuild {
       public:
        using SmallBuild::SmallBuild;
        void each(std::uint64_t from, std::uint64_t to,
                  const std::function<bool(const source::Listed&)>& visit) const override {
            ++walks;
            SmallBuild::each(from, to, visit);
        }
        mutable int walks = 0;
    };
    CountingBuild before("WS1", "2008-01-01"), build("WS2", "2008-02-01");
    for (const auto* class_name : {"Gene", "Paper", "Person"}) {
        before.with(class_name, "gone", {});
        build.with(class_name, "new", {support::tag("Live")});
    }
    BuildDifference difference;
    for (const auto* class_name : {"Gene", "Paper", "Person"}) {
        const auto found = difference.of_class(class_name, build, &before);
        REQUIRE(found);
        CHECK((*found)->created.size() == 1);
        CHECK((*found)->vanished_keys == std::vector<std::string>{"gone"});
    }
    CHECK(before.walks + build.walks == 2);
}

TEST_CASE("Threads that need the same class load its new objects together") {
    BlockedBuild build(blocked, 2);
    fill(build);
    BuildDifference difference;
    const auto ask = [&] {
        const auto found = difference.of_class("Gene", build, &empty);
        CHECK((found && (*found)->created.size() == 3));
    };
    std::thread first(ask);
    build.wait_until_blocked();
    std::thread second(ask);
    build.wait_for_others();  // loaded by the second thread, while the first one is blocked
    build.unblock();
    first.join();
    second.join();
    CHECK(build.loads() == 3);
    ask();
    CHECK(build.loads() == 3);
}

TEST_CASE("New objects that could not be reached are loaded again") {
    support::SmallBuild build("WS2", "2008-02-01");
    build.with("Gene", "new-1", {support::tag("Live")}).with("Gene", "new-2", {});
    build.break_with({base::ErrorKind::unavailable, "no server"});
    BuildDifference difference;
    CHECK(!difference.of_class("Gene", build, &empty));
    build.break_with({base::ErrorKind::malformed, "damaged"});
    const auto found = difference.of_class("Gene", build, &empty);
    REQUIRE(found);
    CHECK((*found)->created.empty());
}
