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
