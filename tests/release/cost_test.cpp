// What recording a release costs where thousands of objects have new names, in statements, loads and
// look-ups.
// SPDX-License-Identifier: MIT
#include <atomic>

#include "release/job_site.hpp"
#include "support/faulty_connection.hpp"

using namespace release_tests;

namespace {

constexpr int renamed_objects = 5'000;
constexpr int releases = 300;

// Knows names in their spelling only, and counts what is asked.
struct CountingBuild : SmallBuild {
    using SmallBuild::SmallBuild;
    [[nodiscard]] base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override {
        ++finds;
        const auto there = digest_of(asked);
        return *there ? std::optional(asked) : std::nullopt;
    }
    mutable std::atomic<int> finds{0};
};

// All objects of a class get new names.
struct Renamed {
    Renamed() : before("WS299", "2024-11-01"), now("WS300", "2024-12-01") {
        for (int i = 0; i < renamed_objects; ++i) {
            const auto own = std::to_string(i);
            before.with("Gene", "old " + own, remark(own));
            now.with("Gene", "new " + own, remark(own));
        }
    }
    CountingBuild before, now;
};

int number_of_renames(JobSite& site) {
    return static_cast<int>(site.number("SELECT COUNT(*) FROM history WHERE kind IN"
                                        " ('created', 'vanished') AND notes LIKE '%renamed_%'"));
}

}  // namespace

TEST_CASE("The cost of a release grows with its objects, whatever number of them is renamed") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const auto plan = std::make_shared<support::FaultPlan>(support::Fault::lost, 0);
    JobSite site(support::faulty(fresh.connect(), plan));
    for (int i = 1; i < releases; ++i)
        site.settings.known_releases.push_back(
            {"WS" + std::to_string(i),
             *base::parse_date("2000-01-01") + std::chrono::days(30 * i)});
    const Renamed builds;
    site.prewarm(builds.before);

    // By requests: the first one reads both lists of names, the others what they need.
    site.ask(builds.now, &builds.before, {"Gene", "new 0"});
    const auto statements = plan->seen();
    const auto finds = builds.now.finds + builds.before.finds;
    const auto loads = builds.now.loads();
    CHECK(loads <= renamed_objects + 1);
    for (const std::string own : {"1", "2", "3", "4", "5"}) {
        site.ask(builds.now, &builds.before, {"Gene", "new " + own});
        site.ask(builds.now, &builds.before, {"Gene", "old " + own});
    }
    CHECK(plan->seen() - statements <= 10 * 40);
    CHECK(builds.now.finds + builds.before.finds - finds <= 10 * 10);
    CHECK(builds.now.loads() - loads <= 10);

    // By a job.
    const auto before_job = plan->seen();
    site.prewarm(builds.now, &builds.before);
    CHECK(number_of_renames(site) == 2 * renamed_objects);
    CHECK(plan->seen() - before_job <= 10 * 2 * renamed_objects);
    CHECK(builds.now.finds + builds.before.finds <= 10 * 2 * renamed_objects);
    CHECK(builds.now.loads() <= 2 * renamed_objects);
}
