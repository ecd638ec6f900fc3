// The release job records what requests would have recorded, once, whoever does the work.
// SPDX-License-Identifier: MIT
#include "release/prewarm.hpp"

#include <deque>
#include <random>
#include <thread>

#include "release/interleaving.hpp"
#include "release/job_site.hpp"
#include "support/recording.hpp"

using namespace release;
using namespace release_tests;

namespace {

// A hundred genes; a release changes every tenth, drops the last and adds one. WS188 changes one that
// was unchanged in WS187, too.
class HundredGenes : public SmallBuild {
   public:
    explicit HundredGenes(int release)
        : SmallBuild("WS" + std::to_string(release),
                     "2008-0" + std::to_string(release - 185) + "-01") {
        for (int i = 0; i < 100; ++i) {
            if (i == 99 - (release - 186)) continue;
            const bool changes = i % 10 == 0 || (i == 5 && release == 188);
            with("Gene", "g" + std::to_string(i),
                 remark(changes ? std::to_string(i * release) : std::to_string(i)));
        }
        with("Paper", "p" + std::to_string(release), remark("new in each"));
    }
};

// Objects of two classes whose names differ in case, or not at all.
struct RandomNames : SmallBuild {
    RandomNames(int number, std::mt19937& random)
        : SmallBuild("WS" + std::to_string(number), "2008-02-0" + std::to_string(number)) {
        with("Gene", "x", remark("in each"));
        for (const auto* class_name : {"Gene", "Paper"})
            for (const auto* name : {"a", "A", "b", "ba", "B", "c", "C", "~"})
                if (random() % 3 != 0)
                    with(class_name, name, remark(std::to_string(random() % 2)));
    }
};

// Divides the job into many parts and small batches.
ReleaseJob small_parts(JobSite& site, const SmallBuild& build,
                       const SmallBuild* previous = nullptr) {
    auto job = site.job(build, previous);
    job.options.part_objects = 16;
    job.options.batch_objects = 8;
    return job;
}

// Returns the contents after requests for every object in each of three releases.
std::string asked_for(store::Engine engine, const HundredGenes& a, const HundredGenes& b,
                      const HundredGenes& c) {
    const support::FreshStore fresh(engine);
    JobSite site(fresh.connect());
    site.ask_for_all(a, nullptr);
    site.ask_for_all(b, &a);
    site.ask_for_all(c, &b);
    return site.contents();
}

}  // namespace

TEST_CASE("Warming three releases records the same as requesting each object") {
    const auto engine = GENERATE(support::engines());
    const HundredGenes a(186), b(187), c(188);
    const auto expected = asked_for(engine, a, b, c);
    const support::FreshStore fresh(engine);
    JobSite site(fresh.connect());
    const auto first = site.prewarm(small_parts(site, a));
    CHECK(first.looked_at == 100);
    CHECK(first.added == 100);
    const auto loads = b.loads();
    const auto second = site.prewarm(small_parts(site, b, &a));
    CHECK(second.changed == 9);
    CHECK(second.vanished == 2);
    CHECK(second.added == 2);
    CHECK(second.unchanged == 89);
    CHECK(second.looked_at == 102);
    // It loads the changed and the new objects, and writes no others: they have the same bytes.
    CHECK(b.loads() == loads + 9 + 2);
    CHECK(site.number("SELECT COUNT(*) FROM objects WHERE build = 1") == 89);
    site.ask(b, &a, {"Gene", "g1"});
    CHECK(b.loads() == loads + 9 + 2);
    site.prewarm(small_parts(site, c, &b));
    CHECK(site.contents() == expected);
}

TEST_CASE(
    "A job finds the objects of a build and those that are recorded, however they are spelled") {
    const auto engine = GENERATE(support::engines());
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const support::FreshStore fresh(engine), other(engine);
        JobSite site(fresh.connect()), asking(other.connect());
        const RandomNames a(1, random), b(2, random), c(3, random);
        const SmallBuild* previous = nullptr;
        for (const auto* each : {&a, &b, &c}) {
            auto job = site.job(*each, previous);
            job.options.part_objects = 1 + static_cast<std::uint64_t>(round) % 4;
            site.prewarm(job);
            asking.ask_for_all(*each, previous);
            previous = each;
        }
        CHECK(site.contents() == asking.contents());
    }
}

TEST_CASE_METHOD(SiteWithStore, "A damaged tree fails its object and not the job") {
    const HundredGenes a(186), b(187);
    site.prewarm(small_parts(site, a));
    site.execute("UPDATE trees SET tree = X'00' WHERE oid ="
                 " (SELECT oid FROM objects WHERE name = 'g10')");
    const auto tally = site.prewarm(small_parts(site, b, &a));
    CHECK(tally.failed == 1);
    CHECK(tally.changed == 8);
}

TEST_CASE("A release that is published again during the job is not noted as recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const HundredGenes a(186), b(187);
    {
        JobSite site(fresh.connect());
        site.prewarm(small_parts(site, a));
    }
    bool was_replaced = false;
    JobSite site(after_first_part(fresh.connect(), [&] {
        fresh.connect()()->execute("INSERT INTO builds (number, digest, version, accepted_at)"
                                   " VALUES (3, 'x', 'WS187', '')");
        was_replaced = true;
    }));
    const auto prewarmed = site.try_prewarm(small_parts(site, b, &a));
    REQUIRE(was_replaced);
    REQUIRE_FALSE(prewarmed);
    CHECK(prewarmed.error().kind == base::ErrorKind::conflict);
    CHECK(site.number("SELECT COUNT(*) FROM builds WHERE recorded_at <> ''") == 1);
}

TEST_CASE_METHOD(
    SiteWithStore,
    "A job that is run again does nothing, and does not say that the release is newly recorded") {
    const HundredGenes a(186), b(187);
    const auto is_new = [&](const ReleaseJob& job, const Selection& what) {
        return value_of(site.try_prewarm(job, what)).newly_recorded;
    };
    CHECK_FALSE(is_new(small_parts(site, a), OfClass{"Gene"}));
    CHECK_FALSE(is_new(small_parts(site, a), Objects{{"Gene", "g1"}}));
    CHECK(is_new(small_parts(site, a), Everything{}));
    const auto loads = a.loads();
    CHECK(site.prewarm(small_parts(site, a)).compared == 100);
    CHECK(a.loads() == loads);
    CHECK_FALSE(is_new(small_parts(site, a), Everything{}));
    CHECK(is_new(small_parts(site, b, &a), Everything{}));
}

TEST_CASE_METHOD(SiteWithStore,
                 "Unreadable objects are listed, and the next run tries them again") {
    SmallBuild a("WS186", "2008-02-01"), b("WS187", "2008-02-15"), c("WS188", "2008-03-22");
    for (auto* build : {&a, &b, &c}) build->with("Gene", "good", remark("one"));
    a.with("Gene", "bad", remark("one"));
    b.with("Gene", "bad", remark("two"));
    c.with("Gene", "bad", remark("two"));
    site.prewarm(small_parts(site, a));
    b.break_one_with({"Gene", "bad"},
                     {base::ErrorKind::malformed, "dump.ace:7: no closing quote"});
    const auto second = site.prewarm(small_parts(site, b, &a));
    CHECK(second.failed == 1);
    REQUIRE(second.failures.size() == 1);
    CHECK(second.failures[0] ==
          Counters::Failure{{"Gene", "bad"}, "dump.ace:7: no closing quote"});
    CHECK(site.number("SELECT unreadable FROM builds WHERE version = 'WS187'") == 1);
    CHECK(site.prewarm(small_parts(site, b, &a)).failed == 1);
    // Its bytes equal those of the release in which it failed, and still it is loaded.
    const auto third = site.prewarm(small_parts(site, c, &b));
    CHECK(third.changed == 1);
    const auto rows = site.query("SELECT version, since FROM history");
    CHECK(rows == store::Rows{store::Row({"WS188", "WS186"})});
}

TEST_CASE("Jobs of several processes and requests between them record each object once") {
    const auto engine = GENERATE(support::both_engines());
    const HundredGenes a(186), b(187), c(188);
    const auto expected = asked_for(engine, a, b, c);
    const support::FreshStore fresh(engine);
    for (const auto* builds : {&a, &b, &c}) {
        const SmallBuild* previous = builds == &a ? nullptr : builds == &b ? &a : &b;
        std::atomic<int> newly_recorded = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 2; ++i)
                threads.emplace_back([&] {
                    JobSite site(fresh.connect());
                    auto job = small_parts(site, *builds, previous);
                    job.options.threads = 2;
                    if (value_of(site.try_prewarm(job)).newly_recorded) ++newly_recorded;
                });
            threads.emplace_back([&] {
                JobSite site(fresh.connect());
                site.ask_for_all(*builds, previous);
            });
        }
        CHECK(newly_recorded == 1);
    }
    JobSite site(fresh.connect());
    CHECK(site.contents() == expected);
    CHECK(site.number("SELECT COUNT(*) FROM builds WHERE recorded_at <> ''") == 3);
}

TEST_CASE("A stopped job says so, and the next one continues") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const HundredGenes a(186), b(187), c(188);
    JobSite site(fresh.connect());
    std::stop_source stop;
    auto job = small_parts(site, a);
    Progress progress;
    // The clock, which is read in the middle of the first part, stops the job.
    int asked = 0;
    site.clock = [&] {
        if (++asked == 12) stop.request_stop();
        return base::Seconds{*base::parse_date("2008-04-01")};
    };
    const auto stopped = prewarm(job, Everything{}, progress, stop.get_token());
    REQUIRE(stopped);
    CHECK_FALSE(stopped->finished);
    CHECK(site.number("SELECT COUNT(*) FROM builds WHERE recorded_at <> ''") == 0);
    CHECK(site.number("SELECT COUNT(*) FROM objects") < 100);
    site.prewarm(small_parts(site, a));
    CHECK(site.number("SELECT COUNT(*) FROM objects") == 100);
    CHECK(a.loads() < 100 + 8);
}

TEST_CASE_METHOD(SiteWithStore, "The most requested objects come first") {
    const HundredGenes a(186);
    site.prewarm(small_parts(site, a));
    site.execute("UPDATE objects SET hits = SUBSTR(name, 2) WHERE name IN ('g1', 'g9', 'g4')");
    const auto most_requested = [&](std::size_t most) {
        return store::perform(site.pool, store::Access::read, [&](store::Transaction& read) {
            return tables::most_requested_objects(read, most);
        });
    };
    CHECK(most_requested(2) == Objects{{"Gene", "g9"}, {"Gene", "g4"}});
    CHECK(most_requested(100).size() == 3);
}

TEST_CASE_METHOD(SiteWithStore, "A class is prewarmed without the others") {
    const HundredGenes a(186), b(187);
    CHECK(site.prewarm(small_parts(site, a), OfClass{"Paper"}).looked_at == 1);
    CHECK(site.number("SELECT COUNT(*) FROM objects") == 1);
    const auto second = site.prewarm(small_parts(site, b, &a), OfClass{"Paper"});
    CHECK(second.vanished == 1);
    CHECK(second.added == 1);
    CHECK(site.number("SELECT COUNT(*) FROM builds WHERE recorded_at <> ''") == 0);
}

TEST_CASE("A class that was skipped is compared with the last release in which it counted") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const bool by_job = GENERATE(true, false);
    JobSite site(fresh.connect());
    SmallBuild before("WS186", "2008-02-01"), whole("WS187", "2008-02-15"),
        skipping("WS187", "2008-02-15"), again("WS188", "2008-03-22");
    before.with("Word", "changed", remark("1")).with("Word", "gone", remark("1"));
    for (auto* build : {&whole, &again}) build->with("Word", "changed", remark("2"));
    for (auto* build : {&before, &whole, &skipping, &again})
        build->with("Gene", "g", remark("1"));
    // The index that is kept of the release lists the class once it counts again.
    skipping.skipping("Word").with_digest_of(whole);
    site.prewarm(before);
    site.prewarm(skipping, &before);
    CHECK(site.kinds("WS187").empty());
    site.ask_for_all(before, nullptr);
    if (by_job)
        site.prewarm(again, &whole);
    else
        site.ask_for_all(again, &whole);
    CHECK(site.kinds("WS188") ==
          Kinds{{"changed", "changed 0 WS186"}, {"gone", "vanished 0 WS186"}});
}

TEST_CASE_METHOD(SiteWithStore,
                 "A job goes over a release again for a class that counts again in it") {
    const bool is_word_in_build = GENERATE(true, false);
    SmallBuild before("WS186", "2008-02-01"), whole("WS187", "2008-02-15"),
        skipping("WS187", "2008-02-15");
    before.with("Word", "w", remark("1"));
    if (is_word_in_build) whole.with("Word", "w", remark("2"));
    for (auto* build : {&before, &whole, &skipping}) build->with("Gene", "g", remark("1"));
    skipping.skipping("Word").with_digest_of(whole);
    site.prewarm(before);
    site.prewarm(skipping, &before);
    site.prewarm(whole, &before);
    CHECK(site.kinds("WS187") ==
          Kinds{{"w", is_word_in_build ? "changed 0 WS186" : "vanished 0 WS186"}});
    CHECK(site.prewarm(whole, &before).compared == (is_word_in_build ? 1 : 0));
}

TEST_CASE_METHOD(
    SiteWithStore,
    "What changed in most objects of a class is a mass change, and rows that say nothing"
    " else, or that only follow from others, are marked") {
    SmallBuild a("WS186", "2008-02-01"), b("WS187", "2008-02-15");
    for (int i = 0; i < 40; ++i) {
        const auto name = "g" + std::to_string(i);
        a.with("Gene", name, remark("same"));
        auto nodes = remark(i < 5 ? "other" : "same");
        if (i < 30) nodes.push_back(tag("Checked", {text("yes")}));
        if (i < 20) nodes.push_back(tag("Half", {text("yes")}));  // is not most of them
        b.with("Gene", name, nodes);
    }
    a.with("Paper", "p", {tag("Gene", {support::reference("Gene", "gone")})})
        .with("Gene", "gone", {});
    b.with("Paper", "p", {});
    site.prewarm(small_parts(site, a));
    auto job = small_parts(site, b, &a);
    job.options.threads = 2;
    const auto prewarmed = site.try_prewarm(job);
    REQUIRE(prewarmed);
    const std::vector<MassChange> expected{{"WS187", "Gene", "Checked", 30, 40}};
    CHECK(prewarmed->mass_changes == expected);
    CHECK(site.number("SELECT objects FROM mass_changes WHERE version = 'WS187'") == 30);
    const auto marked = [&](const std::string& quiet) {
        return site.number("SELECT COUNT(*) FROM history WHERE kind = 'changed' AND quiet = '" +
                           quiet + "'");
    };
    CHECK(marked("") == 20);
    CHECK(marked("mass") == 10);
    CHECK(marked("echo") == 1);
    // Another job counts again.
    job.mass_change.percent = 80;
    CHECK(site.try_prewarm(job)->mass_changes.empty());
    CHECK(marked("mass") == 0);
    CHECK(marked("") == 30);
}

TEST_CASE_METHOD(SiteWithStore,
                 "A job ends where the notes of a row are damaged, and counts the others") {
    SmallBuild a("WS186", "2008-02-01"), b("WS187", "2008-02-15");
    for (int i = 0; i < 40; ++i) {
        const auto name = "g" + std::to_string(i);
        a.with("Gene", name, remark("one"));
        b.with("Gene", name, remark("two"));
    }
    site.prewarm(small_parts(site, a));
    site.ask(b, &a, {"Gene", "g39"});
    site.execute("UPDATE history SET notes = '{\"changes\":[{}]}'");
    const auto prewarmed = site.try_prewarm(small_parts(site, b, &a));
    REQUIRE(prewarmed);
    CHECK(prewarmed->finished);
    REQUIRE(prewarmed->mass_changes.size() == 1);
    CHECK(prewarmed->mass_changes[0].objects == 39);
}

TEST_CASE("A failing store stops the job with its error text") {
    const support::FreshStore fresh(store::Engine::sqlite);
    JobSite site(fresh.connect());
    const HundredGenes a(186);
    site.execute("CREATE TRIGGER full BEFORE INSERT ON trees BEGIN SELECT"
                 " RAISE(FAIL, 'database or disk is full'); END");
    const auto failed = site.try_prewarm(small_parts(site, a));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == base::ErrorKind::unavailable);
    CHECK_THAT(failed.error().text, Catch::Contains("disk is full"));
    site.execute("DROP TRIGGER full");
    CHECK(site.prewarm(small_parts(site, a)).added == 100);
}

TEST_CASE_METHOD(SiteWithStore,
                 "Names that differ in case alone are two objects where a build has both") {
    using Genes = std::map<std::string, std::string>;
    const bool by_requests = GENERATE(false, true);
    std::deque<SmallBuild> builds;
    const auto record = [&](const std::vector<Genes>& releases) {
        for (const auto& genes : releases) {
            const auto number = std::to_string(builds.size() + 1);
            const auto* previous = builds.empty() ? nullptr : &builds.back();
            auto& build = builds.emplace_back("WS" + number, "2008-0" + number + "-01");
            for (const auto& [name, text] : genes) build.with("Gene", name, remark(text));
            if (by_requests)
                site.ask_for_all(build, previous);
            else
                site.prewarm(build, previous);
        }
    };
    SECTION("one comes") {
        record({{{"abc", "1"}}, {{"abc", "1"}, {"ABC", "2"}}});
        CHECK(site.kinds("WS2") == Kinds{{"ABC", "created 0 WS1"}});
    }
    SECTION("one goes, and comes back") {
        record({{{"abc", "1"}, {"ABC", "2"}},
                {{"ABC", "2"}},
                {{"ABC", "3"}},
                {{"abc", "1"}, {"ABC", "3"}}});
        CHECK(site.kinds("WS2") == Kinds{{"abc", "vanished 0 WS1"}});
        CHECK(site.kinds("WS3") == Kinds{{"ABC", "changed 0 WS2"}});
        CHECK(site.kinds("WS4") == Kinds{{"abc", "reappeared 0 WS3"}});
    }
    SECTION("a third one comes for both") {
        record({{{"abc", "1"}, {"ABC", "2"}}, {{"aBc", "3"}}});
        CHECK(site.kinds("WS2") == Kinds{{"ABC", "vanished 0 WS1"},
                                         {"abc", "vanished 0 WS1"},
                                         {"aBc", "created 0 WS1"}});
    }
}
