// Jobs that change pages otherwise than by new rows give the pages a later date.
// SPDX-License-Identifier: MIT
#include "release/forgotten_builds.hpp"
#include "release/republished_builds.hpp"
#include "tables/presentations.hpp"

using namespace release_tests;

namespace {

const tables::Presentation presentation{"0123456789abcdef", std::string(32, '0')};

// Returns whether the job gives pages a later date.
template <class Job>
bool dates_pages(JobSite& site, Job&& job) {
    store::perform(site.pool, store::Access::write, [&](store::Transaction& transaction) {
        tables::record_presentation(transaction, presentation,
                                    site.clock() - std::chrono::hours(1));
    });
    job();
    const auto since = store::perform(site.pool, store::Access::read, tables::presentations)
                           .at(presentation.name());
    const auto next_second = site.clock() + std::chrono::seconds(1);
    CHECK(since <= next_second);
    site.execute("DELETE FROM meta WHERE name LIKE 'rewritten-%'");
    return since == next_second;
}

}  // namespace

TEST_CASE("Forgetting gives pages a later date, and recording a release does not") {
    const support::FreshStore fresh(store::Engine::sqlite);
    JobSite site(fresh.connect());
    const Three builds;
    CHECK_FALSE(dates_pages(site, [&] {
        ask_for_all(site, builds.a, nullptr);
        ask_for_all(site, builds.b, &builds.a);
        site.prewarm(builds.b, &builds.a);
    }));
    CHECK(dates_pages(site, [&] { site.forget(ObjectName{"Gene", "in_each"}); }));
    CHECK(dates_pages(site, [&] { site.forget(release::WholeClass{"Gene"}); }));
    CHECK(dates_pages(site, [&] { site.forget(release::WholeRelease{"WS187"}); }));
}

TEST_CASE("A re-publication and mass changes give pages a later date") {
    const Builds builds;
    const Published fresh(store::Engine::sqlite, builds);
    JobSite site(fresh.connect());
    CHECK(
        dates_pages(site, [&] { site.republish(builds.again, &builds.before, &builds.first); }));
    SmallBuild early("WS190", "2008-05-01"), late("WS191", "2008-06-01");
    for (int i = 0; i < 30; ++i) {
        early.with("Clone", "clone_" + std::to_string(i), {tag("Remark", {text("early")})});
        late.with("Clone", "clone_" + std::to_string(i), {tag("Remark", {text("late")})});
    }
    CHECK_FALSE(dates_pages(site, [&] { site.prewarm(early, &builds.again); }));
    CHECK(dates_pages(site, [&] { site.prewarm(late, &early); }));
}
