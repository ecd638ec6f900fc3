// A preview compares only the indexes.
// SPDX-License-Identifier: MIT
#include "release/preview.hpp"

#include "release/job_site.hpp"

using namespace release;
using namespace release_tests;

namespace {

struct Pair {
    SmallBuild before{"WS186", "2008-02-01"}, after{"WS187", "2008-02-15"};
    Pair() {
        before.with("Gene", "same", remark("a")).with("Gene", "other", remark("a"));
        before.with("Gene", "gone", remark("a")).with("Paper", "p", remark("a"));
        after.with("Gene", "same", remark("a")).with("Gene", "other", remark("b"));
        after.with("Gene", "new", remark("a")).with("Paper", "p", remark("a"));
    }
};

}  // namespace

TEST_CASE("A preview counts unchanged, changed, new and vanished objects by class") {
    const Pair builds;
    const auto all = preview(builds.after, &builds.before, Everything{});
    REQUIRE(all);
    CHECK(*all == std::vector<ClassPreview>{{"Gene", 1, 1, 1, 1}, {"Paper", 1, 0, 0, 0}});
    CHECK(all->front().objects() == 3);
    CHECK(builds.after.loads() == 0);
}

TEST_CASE("A preview of a class or a list counts only its objects") {
    const Pair builds;
    const auto papers = preview(builds.after, &builds.before, OfClass{"Paper"});
    REQUIRE(papers);
    CHECK(*papers == std::vector<ClassPreview>{{"Paper", 1, 0, 0, 0}});
    const Objects list{{"Gene", "other"}, {"Gene", "gone"}, {"Gene", "never"}};
    const auto some = preview(builds.after, &builds.before, list);
    REQUIRE(some);
    CHECK(*some == std::vector<ClassPreview>{{"Gene", 0, 1, 0, 1}});
}

TEST_CASE("Without a previous build everything is new") {
    const Pair builds;
    const auto all = preview(builds.after, nullptr, Everything{});
    REQUIRE(all);
    CHECK(*all == std::vector<ClassPreview>{{"Gene", 0, 0, 3, 0}, {"Paper", 0, 0, 1, 0}});
    const auto list = preview(builds.after, nullptr, Objects{{"Gene", "never"}});
    REQUIRE(list);
    CHECK(list->empty());
}

TEST_CASE("A preview of a server's build does not say which objects differ") {
    Pair builds;
    (GENERATE(true, false) ? builds.after : builds.before).of_server();
    const auto all = preview(builds.after, &builds.before, Everything{});
    REQUIRE(all);
    CHECK(*all == std::vector<ClassPreview>{{"Gene", 0, 0, 1, 1, 2}, {"Paper", 0, 0, 0, 0, 1}});
    CHECK(all->front().objects() == 3);
}
