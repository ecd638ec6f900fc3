// A re-publication changes each row as its object changed, for all readers at once, and whatever fails.
// SPDX-License-Identifier: MIT
#include "release/republish.hpp"

#include "query/object_history.hpp"
#include "release/republished_builds.hpp"
#include "support/faulty_connection.hpp"
#include "tables/prewarmed.hpp"

using namespace release_tests;

namespace {

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

bool has(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

// Returns the rows of the release's objects without the revision, and without the object of
// which only timestamps differ, whose row stays.
std::string told(JobSite& site) {
    std::string all;
    for (const auto* sql :
         {"SELECT name, label, signature, last_modification_date FROM objects"
          " WHERE signature <> '' OR name IN ('gone_now', 'renamed') ORDER BY name",
          "SELECT o.name, h.version, h.since, h.date, h.signature, h.kind, h.label, h.notes"
          " FROM history h JOIN objects o ON o.oid = h.oid WHERE h.kind <> 'withdrawn'"
          " AND o.name <> 'restamped' ORDER BY o.name, h.version"})
        for (const auto& row : site.query(sql))
            for (std::size_t i = 0; i < row.size(); ++i) all += row.text(i) + "|";
    return all;
}

const std::vector<std::string> names_of_first{"same",    "differs",  "restamped",  "none_left",
                                              "new_row", "gone_now", "back_again", "created",
                                              "dropped", "renamed",  "name_1"};

// Returns everything that readers get about the recorded objects at one moment.
std::string seen_by_readers(JobSite& site, const SmallBuild& build) {
    return store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto releases =
            history::known_releases(transaction, site.settings, &build, nullptr);
        std::string all;
        for (const auto& name : names_of_first) {
            auto row = support::row_of(transaction, {"Gene", name}).value();
            tables::resolve_compared_in(transaction, std::array{&row}, build.release(), releases);
            all += name + ' ' + row.label + ' ' + row.signature + ' ' +
                   base::format_date(row.last_modified) + ' ' + row.compared_in + '\n';
            const auto rows =
                query::load_rows(transaction, std::span(&row, 1), build.release(), {}, releases)
                    .value();
            all += std::to_string(rows.recorded);
            for (const auto& each : rows.rows)
                all += ' ' + each.release.version + '/' + std::to_string(each.revision) + ' ' +
                       std::string(tables::name_of(each.kind)) + ' ' + each.label + ' ' +
                       tables::to_json(each.notes) + '\n';
        }
        return all;
    });
}

}  // namespace

TEST_CASE("A re-publication changes, adds and withdraws the rows that differ") {
    const bool is_kept = GENERATE(true, false);
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    REQUIRE(site.kinds() == published_first);
    const auto before = site.rows();
    const auto done =
        site.republish(builds.again, &builds.before, is_kept ? &builds.first : nullptr);
    CHECK(site.kinds() == published_again);
    CHECK(site.rows().at("restamped") == before.at("restamped"));
    CHECK(site.renames("WS188") == "name_2 from renamed\nrenamed to name_2\n");
    CHECK(has(site.rows().at("none_left"), "{\"changes\":[]"));
    CHECK(done.counters.changed == 3);
    CHECK(done.counters.withdrawn == 4);
    CHECK(done.counters.vanished == 1);
    CHECK(done.counters.added == 2);
    CHECK(site.query("SELECT oid FROM replacements").empty());
    CHECK(site.query("SELECT version FROM releases WHERE replacing <> 0").empty());
    CHECK(site.query("SELECT digest FROM releases WHERE version = 'WS188'").at(0).text(0) ==
          builds.again.digest());
}

TEST_CASE("A re-publication looks as if it had been the first publication") {
    const auto engine = GENERATE(support::engines());
    const support::FreshStore fresh(engine), other(engine);
    const Builds builds;
    JobSite site(fresh.connect()), calm(other.connect());
    for (auto* each : {&site, &calm}) each->prewarm(builds.before);
    site.prewarm(builds.first, &builds.before);
    site.republish(builds.again, &builds.before, &builds.first);
    calm.prewarm(builds.again, &builds.before);
    CHECK(told(site) == told(calm));
    const std::string warmed = "SELECT class, version FROM warmed ORDER BY class, version";
    CHECK(site.query(warmed) == calm.query(warmed));
    SmallBuild next("WS189", "2008-05-01");
    next.with("Gene", "same", remark("two")).with("Gene", "differs", remark("four"));
    next.with("Gene", "none_left", remark("one")).with("Gene", "new_row", remark("one"));
    for (auto* each : {&site, &calm}) each->prewarm(next, &builds.again);
    CHECK(told(site) == told(calm));
}

TEST_CASE(
    "An object first seen in a release is seen for the first time again in its re-publication") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const auto seen = [](const std::string& words, const std::string& day) {
        return support::Nodes{support::tag(
            "Remark", {support::stamped(support::text(words), day + "_09:15:20_sylvia")})};
    };
    SmallBuild first("WS188", "2008-03-22"), again("WS188", "2008-03-22");
    first.with("Gene", "stays", seen("one", "2008-03-01"));
    first.with("Gene", "goes", seen("one", "2008-03-01"));
    first.with("Gene", "ages", seen("one", "2008-03-01"));
    again.with("Gene", "stays", seen("two", "2008-03-01"));
    again.with("Gene", "ages", seen("one", "2006-03-01"));
    JobSite site(fresh.connect());
    site.prewarm(first);
    REQUIRE(site.kinds() == Kinds{{"stays", "reconstructed 0 "},
                                  {"goes", "reconstructed 0 "},
                                  {"ages", "reconstructed 0 "}});
    site.republish(again, nullptr, &first);
    CHECK(site.kinds() == Kinds{{"stays", "reconstructed 1 "},
                                {"goes", "withdrawn 1 "},
                                {"ages", "withdrawn 1 "}});
}

TEST_CASE("Only the newest release can be replaced, with the same date and other content") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const Builds builds;
    JobSite site(fresh.connect());
    const auto why = [&](const SmallBuild& with) {
        const auto done = site.try_republish(with, nullptr, nullptr);
        REQUIRE_FALSE(done);
        CHECK(done.error().kind == base::ErrorKind::refused);
        return done.error().text;
    };
    CHECK(has(why(builds.again), "no build of WS188 is recorded"));
    site.prewarm(builds.first);
    CHECK(has(why(builds.first), "exactly this content"));
    SmallBuild other_day("WS188", "2008-03-23");
    CHECK(has(why(other_day), "recorded with the date 2008-03-22"));
    SmallBuild next("WS189", "2008-05-01");
    next.with("Gene", "same", remark("two"));
    site.ask(next, &builds.first, {"Gene", "same"});
    const auto before = site.contents();
    CHECK(has(why(builds.again), "WS189 is recorded after it"));
    CHECK(site.contents() == before);
}

TEST_CASE("An unreadable object is listed, and the others are replaced") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    Again broken;
    broken.break_with({base::ErrorKind::malformed, "dump.ace:7: a cell without an end"});
    const auto done = site.republish(broken, &builds.before, &builds.first);
    CHECK(done.counters.failed > 0);
    CHECK(site.kinds().at("differs") == "changed 0 WS187");
    CHECK(site.kinds().at("gone_now") == "vanished 1 WS187");
    CHECK_FALSE(site.query("SELECT name FROM failed WHERE name = 'new_row'").empty());
    // A request records it once it is readable: its row was that of its class.
    site.ask(builds.again, &builds.before, {"Gene", "new_row"});
    CHECK(site.kinds().at("new_row") == "changed 0 WS187");
}

TEST_CASE("An object that could be read only in the re-publication is recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const Builds builds;
    First broken;
    broken.break_with({base::ErrorKind::malformed, "dump.ace:7: a cell without an end"});
    JobSite site(fresh.connect());
    site.prewarm(builds.before);
    site.prewarm(broken, &builds.before);
    REQUIRE_FALSE(site.query("SELECT name FROM failed").empty());
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(site.query("SELECT name FROM failed").empty());
    CHECK(site.kinds().at("differs") == "changed 0 WS187");
    CHECK(site.kinds().at("created") == "created 0 WS187");
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
    site.prewarm(before);
    site.prewarm(first, &before);
    const auto remarks = [&] {
        return site.query("SELECT objects, of_objects FROM mass_changes");
    };
    CHECK(remarks() == store::Rows{store::Row({std::int64_t{29}, std::int64_t{30}})});
    const auto done = site.republish(again, &before, &first);
    CHECK(remarks() == store::Rows{store::Row({std::int64_t{20}, std::int64_t{30}})});
    CHECK(done.mass_changes.size() == 1);
    site.republish(third, &before, &again);
    CHECK(remarks().empty());
}

TEST_CASE_METHOD(
    SiteWithStore,
    "A class that was skipped in a re-publication is compared with it once it counts again") {
    SmallBuild before("WS187", "2008-02-15"), first("WS188", "2008-03-22"),
        skipping("WS188", "2008-03-22"), whole("WS188", "2008-03-22"),
        next("WS189", "2008-04-19");
    for (auto* build : {&before, &first})
        build->with("Gene", "g", remark("1")).with("Word", "same_at_first", remark("1"));
    for (auto* build : {&whole, &next})
        build->with("Gene", "g", remark("2")).with("Word", "same_at_first", remark("2"));
    for (auto* build : {&before, &whole, &next}) build->with("Word", "changed", remark("1"));
    first.with("Word", "changed", remark("2")).with("Word", "gone", remark("2"));
    // The index that is kept of the release lists the class once it counts again.
    skipping.with("Gene", "g", remark("2")).skipping("Word").with_digest_of(whole);
    site.prewarm(before);
    site.prewarm(first, &before);
    site.republish(skipping, &before, &first);
    const Kinds of_first{
        {"changed", "changed 0 WS187"}, {"gone", "created 0 WS187"}, {"g", "changed 0 WS187"}};
    REQUIRE(site.kinds() == of_first);
    auto expected = of_first,
         expected_next = Kinds{{"changed", "changed 0 WS188"}, {"gone", "vanished 0 WS188"}};
    SECTION("by a request") {
        site.ask(whole, &before, {"Word", "same_at_first"});
        expected["same_at_first"] = "changed 0 WS187";
    }
    SECTION("by a job over the release") {
        site.prewarm(whole, &before);
        expected["same_at_first"] = "changed 0 WS187";
    }
    SECTION("by the job of the next release") {
        expected_next["same_at_first"] = "changed 0 WS187";
    }
    CHECK(site.kinds() == expected);
    site.prewarm(next, &whole);
    CHECK(site.kinds("WS189") == expected_next);
}

TEST_CASE("A row that was too long for its table stays where only timestamps differ") {
    const support::FreshStore fresh(store::Engine::sqlite);
    const auto build = [](const std::string& version, const std::string& day, int texts,
                          const std::string& user, const std::string& other) {
        support::Nodes nodes;
        for (int each = 0; each < texts; ++each)
            nodes.push_back(
                support::stamped(support::text(std::to_string(each) + std::string(1'000, 'x')),
                                 "2008-02-01_09:15:20_" + user));
        auto made = std::make_unique<SmallBuild>(version, day);
        made->with("Gene", "long",
                   {support::tag("Remark", std::move(nodes)), support::tag("Live")});
        made->with("Gene", "other", remark(other));
        return made;
    };
    const auto before = build("WS187", "2008-02-15", 1, "al", "one");
    const auto first = build("WS188", "2008-03-22", 5'000, "al", "two");
    const auto again = build("WS188", "2008-03-22", 5'000, std::string(100, 'u'), "three");
    JobSite site(fresh.connect());
    site.prewarm(*before);
    site.prewarm(*first, before.get());
    const auto row = site.rows().at("long");
    CHECK(row.find("\"left_out\":") != std::string::npos);
    (void)site.republish(*again, before.get(), nullptr);
    CHECK(site.kinds() == Kinds{{"long", "changed 0 WS187"}, {"other", "changed 1 WS187"}});
    CHECK(site.rows().at("long") == row);
}

TEST_CASE("Readers see either all old rows or all new ones") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite reader(fresh.connect());
    const auto old_rows = seen_by_readers(reader, builds.first);
    std::vector<std::string> seen{old_rows};
    int looks = 0;
    JobSite site(support::watched(fresh.connect(), [&](support::Statement, std::string_view) {
        ++looks;
        auto now = seen_by_readers(reader, builds.first);
        if (now != seen.back()) seen.push_back(std::move(now));
    }));
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(looks > 100);
    REQUIRE(seen.size() == 2);
    CHECK(seen.back() == seen_by_readers(reader, builds.again));
}

TEST_CASE("A job that meets a fault or dies of it at any statement ends with the same result") {
    using support::Fault;
    const auto fault = GENERATE(from_range(support::all_faults));
    const bool dies = GENERATE(false, true);
    const Builds builds;
    const Published published(GENERATE(support::engines()), builds);
    const auto expected = republished_alone(published, builds);
    auto retry_policy = support::no_waiting();
    if (dies) retry_policy.attempts = 1;
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const auto fresh = support::FreshStore::copy_of(published);
        JobSite site(support::faulty(fresh.connect(), plan), retry_policy);
        const auto done = site.try_republish(builds.again, &builds.before, &builds.first);
        JobSite after(fresh.connect());
        if (!dies) {
            CHECK(done);
        } else {
            const auto next = after.try_republish(builds.again, &builds.before, &builds.first);
            if (!next) CHECK(next.error().kind == base::ErrorKind::refused);  // it was finished
        }
        check_is_ended(after);
        CHECK(after.query("SELECT task FROM leases WHERE task = 'WS188 replacing'").empty());
        CHECK(after.contents() == expected);
    });
}

TEST_CASE("The rows of an interrupted job without a lease are computed again") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    republish_until(fresh.connect(), builds,
                    [&] { return site.query("SELECT oid FROM replacements").size() > 5; });
    site.execute("DELETE FROM leases");
    site.execute("UPDATE replacements SET notes = 'stale'");
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(site.rows().at("differs").find("three") != std::string::npos);
}
