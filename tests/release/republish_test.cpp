// A release that is published again is recorded anew, against the trees of the release before.
// SPDX-License-Identifier: MIT
#include "release/interleaving.hpp"
#include "release/job_site.hpp"
#include "support/faulty_connection.hpp"

using namespace release_tests;

namespace {

support::Nodes seen(const std::string& words, const std::string& day) {
    return {tag("Remark", {stamped(text(words), day + "_09:15:20_sylvia")})};
}

// The release before and two publications, with an object for everything that can happen to one.
struct Builds {
    Builds() {
        for (const auto* name :
             {"same", "differs", "restamped", "none_left", "new_row", "gone_now", "back_again"})
            before.with("Gene", name, remark("one"));
        before.with("Gene", "renamed", remark("long-winded"));
        for (auto* each : {&first, &again}) each->with("Gene", "same", remark("one"));
        for (const auto* name : {"differs", "restamped", "none_left", "gone_now"})
            first.with("Gene", name, remark("two"));
        first.with("Gene", "new_row", remark("one")).with("Gene", "created", remark("new"));
        first.with("Gene", "dropped", remark("a slip"));
        first.with("Gene", "name_1", remark("long-winded"));
        again.with("Gene", "differs", remark("three"));
        again.with("Gene", "restamped", seen("two", "2008-02-01"));
        again.with("Gene", "none_left", remark("one")).with("Gene", "new_row", remark("two"));
        again.with("Gene", "back_again", remark("one")).with("Gene", "created", remark("newer"));
        again.with("Gene", "added", remark("in the second only"));
        again.with("Gene", "name_2", remark("long-winded"));
    }
    SmallBuild before{"WS187", "2008-02-15"}, first{"WS188", "2008-03-22"},
        again{"WS188", "2008-03-22"};
};

// A store into which both releases were recorded; tests copy it.
struct Published : support::FreshStore {
    Published(store::Engine engine, const Builds& builds) : FreshStore(engine) {
        JobSite site(connect());
        site.prewarm(builds.before);
        site.prewarm(builds.first, &builds.before);
    }
};

const Kinds published_first{{"differs", "changed 0 WS187"},     {"restamped", "changed 0 WS187"},
                            {"none_left", "changed 0 WS187"},   {"gone_now", "changed 0 WS187"},
                            {"back_again", "vanished 0 WS187"}, {"created", "created 0 WS187"},
                            {"dropped", "created 0 WS187"},     {"name_1", "created 0 WS187"},
                            {"renamed", "vanished 0 WS187"}};
const Kinds published_again{{"differs", "changed 1 WS187"},      {"restamped", "changed 0 WS187"},
                            {"none_left", "withdrawn 1 WS187"},  {"gone_now", "vanished 1 WS187"},
                            {"back_again", "withdrawn 1 WS187"}, {"created", "created 1 WS187"},
                            {"dropped", "withdrawn 1 WS187"},    {"name_1", "withdrawn 1 WS187"},
                            {"renamed", "vanished 0 WS187"},     {"new_row", "changed 0 WS187"},
                            {"added", "created 0 WS187"},        {"name_2", "created 0 WS187"}};

// The rows of the release, whatever their revision; withdrawn ones are none.
std::string rows_that_count(JobSite& site) {
    std::string all;
    for (const auto& [name, row] : site.rows())
        if (!row.starts_with("withdrawn")) all += name + row.substr(row.find("WS187")) + '\n';
    return all;
}

}  // namespace

TEST_CASE("Rows of a release that is published again stand, are revised or withdrawn") {
    const bool by_job = GENERATE(true, false);
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    REQUIRE(site.kinds() == published_first);
    const auto before = site.rows();
    if (by_job) {
        const auto counters = site.republish(builds.again, &builds.before);
        CHECK(counters.changed == 3);
        CHECK(counters.withdrawn == 4);
        CHECK(counters.vanished == 1);
        CHECK(counters.added == 2);
    } else {
        REQUIRE(site.number_build(builds.again, tables::Publication::again));
        for (const auto* build : {&builds.first, &builds.again})
            for (const auto& name : support::names_in(*build))
                site.ask(builds.again, &builds.before, name);
        site.ask(builds.again, &builds.before, {"Gene", "back_again"});
    }
    CHECK(site.kinds() == published_again);
    CHECK(site.rows().at("restamped") == before.at("restamped"));
    CHECK(site.renames("WS188") == "name_2 from renamed\nrenamed to name_2\n");
    CHECK_THAT(site.rows().at("none_left"), Catch::Contains("{\"changes\":[]"));
}

TEST_CASE("An object first seen in a release is first seen again in its next publication") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    SmallBuild first("WS188", "2008-03-22"), again("WS188", "2008-03-22");
    for (const auto* name : {"stays", "goes", "ages"})
        first.with("Gene", name, seen("one", "2008-03-01"));
    again.with("Gene", "stays", seen("two", "2008-03-01"));
    again.with("Gene", "ages", seen("one", "2006-03-01"));
    JobSite site(fresh.connect());
    site.prewarm(first);
    REQUIRE(site.kinds() == Kinds{{"stays", "reconstructed 0 "},
                                  {"goes", "reconstructed 0 "},
                                  {"ages", "reconstructed 0 "}});
    site.republish(again, nullptr);
    CHECK(site.kinds() == Kinds{{"stays", "reconstructed 1 "},
                                {"goes", "withdrawn 1 "},
                                {"ages", "reconstructed 0 "}});
}

TEST_CASE("A job over a release published again that dies at any statement goes on later") {
    const auto fault = GENERATE(from_range(support::all_faults));
    const Builds builds;
    const Published published(GENERATE(support::engines()), builds);
    const auto calm = support::FreshStore::copy_of(published);
    JobSite alone(calm.connect());
    alone.republish(builds.again, &builds.before);
    const auto expected = alone.contents();
    auto once = support::no_waiting();
    once.attempts = 1;
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const auto fresh = support::FreshStore::copy_of(published);
        JobSite dying(support::faulty(fresh.connect(), plan), once);
        try {
            (void)dying.try_republish(builds.again, &builds.before);
        } catch (const store::Failure&) {
            // Before the job began.
        }
        JobSite site(fresh.connect());
        site.republish(builds.again, &builds.before);
        CHECK(site.contents() == expected);
    });
}

TEST_CASE(
    "Whatever another process writes meanwhile, the rows are those of the new publication") {
    const auto engine = GENERATE(support::both_engines());
    const Builds builds;
    const auto* const asked = GENERATE("differs", "new_row", "");  // empty: another job
    const support::FreshStore recorded(engine);
    {
        JobSite site(recorded.connect());
        site.prewarm(builds.before);
        site.ask(builds.first, &builds.before, {"Gene", "same"});
    }
    const auto republish = [&](const store::Connect& connect) {
        JobSite(connect).republish(builds.again, &builds.before);
    };
    const auto calm = support::FreshStore::copy_of(recorded);
    republish(calm.connect());
    JobSite alone(calm.connect());
    const auto expected = rows_that_count(alone);
    interleave([&](int at) {
        INFO(asked);
        const auto fresh = support::FreshStore::copy_of(recorded);
        Interleaving both(fresh, at, [&] {
            if (*asked == '\0') return republish(fresh.connect());
            JobSite site(fresh.connect());
            (void)support::record(site.context(), builds.first, &builds.before, {"Gene", asked});
        });
        republish(both.connect());
        both.join();
        JobSite site(fresh.connect());
        CHECK(rows_that_count(site) == expected);
        return both.statements();
    });
}

TEST_CASE_METHOD(SiteWithStore, "Mass changes are counted again") {
    struct Genes : SmallBuild {
        Genes(const std::string& version, const std::string& day, int changed)
            : SmallBuild(version, day) {
            for (int i = 0; i < 30; ++i)
                with("Gene", "g" + std::to_string(i), remark(i < changed ? "two" : "one"));
        }
    };
    const Genes before("WS187", "2008-02-15", 0), first("WS188", "2008-03-22", 29),
        again("WS188", "2008-03-22", 20), third("WS188", "2008-03-22", 10);
    const auto remarks = [&] {
        return site.query("SELECT objects, of_objects FROM mass_changes");
    };
    const auto counted = [](std::int64_t objects) {
        return store::Rows{store::Row({objects, std::int64_t{30}})};
    };
    site.prewarm(before);
    site.prewarm(first, &before);
    CHECK(remarks() == counted(29));
    site.republish(again, &before);
    CHECK(remarks() == counted(20));
    site.republish(third, &before);
    CHECK(remarks().empty());
}
