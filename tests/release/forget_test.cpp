// What is forgotten is deleted with all that depends on it, as if it had never been recorded.
// SPDX-License-Identifier: MIT

#include "release/forgotten_builds.hpp"
#include "release/interleaving.hpp"
#include "store/dialect.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

using namespace release;
using namespace release_tests;

namespace {

const WholeRelease second{"WS187"}, third{"WS188"}, second_and_later{"WS187", true};

// Counts the rows that name the release, except in history.since and in the notes of other
// releases.
std::int64_t traces_of_release(JobSite& site, const std::string& version) {
    std::int64_t traces =
        site.number("SELECT COUNT(*) FROM objects WHERE ace_version = '" + version + "'");
    for (const auto* table : {"releases", "history", "trees", "accepted", "warmed", "failed",
                              "mass_changes", "replacements"})
        traces += site.number("SELECT COUNT(*) FROM " + std::string(table) +
                              " WHERE version = '" + version + "'");
    return traces;
}

std::int64_t orphans(JobSite& site) {
    return site.number("SELECT COUNT(*) FROM history WHERE oid NOT IN"
                       " (SELECT oid FROM objects)") +
           site.number("SELECT COUNT(*) FROM trees WHERE oid NOT IN (SELECT oid FROM objects)");
}

struct ThreeRecorded : SiteWithStore {
    ThreeRecorded() { ask_for_all(site, builds); }
    const Three builds;
};

}  // namespace

TEST_CASE_METHOD(SiteWithStore, "Forgetting the newest release restores the store before it") {
    const Three builds;
    ask_for_all(site, builds.a, nullptr);
    ask_for_all(site, builds.b, &builds.a);
    const auto expected = site.contents(ComparedIn::left_out);
    ask_for_all(site, builds.c, &builds.b);
    site.forget(WholeClass{"Person"});  // did not exist before
    site.forget(third);
    CHECK(site.contents(ComparedIn::left_out) == expected);
    CHECK(site.number("SELECT COUNT(*) FROM objects WHERE ace_version = ''") == 0);
}

TEST_CASE_METHOD(
    SiteWithStore,
    "An object that is gone again, since its return is forgotten, has the names it had") {
    site.settings.names.clear();
    site.settings.search = {{"Gene", {{"Public_name"}}}};
    const Three builds;
    ask_for_all(site, builds);
    const auto names = [&] {
        return site.query("SELECT other_names FROM objects WHERE name = 'back'").at(0).text(0);
    };
    CHECK(names() == "new name");
    site.forget(third);
    CHECK(names() == "old name");
}

TEST_CASE_METHOD(SiteWithStore, "Forgetting all releases leaves nothing") {
    const auto empty = site.contents();
    const Three builds;
    ask_for_all(site, builds);
    const auto with_later = GENERATE(std::vector<std::string>{"WS186"},
                                     std::vector<std::string>{"WS188", "WS187", "WS186"});
    for (const auto& version : with_later) site.forget(WholeRelease{version, true});
    CHECK(site.contents() == empty);
}

TEST_CASE_METHOD(ThreeRecorded, "A release is forgotten with all later ones, or not at all") {
    const auto whole = site.contents();
    const auto refused = site.try_forget(second);
    REQUIRE(!refused);
    CHECK(refused.error().kind == base::ErrorKind::conflict);
    CHECK(site.contents() == whole);
    const auto counted = site.count(second_and_later)->history;
    CHECK(counted == site.forget(second_and_later).history);
    for (const auto* version : {"WS187", "WS188"}) CHECK(traces_of_release(site, version) == 0);
    ask_for_all(site, builds.b, &builds.a);
    ask_for_all(site, builds.c, &builds.b);
    CHECK(site.contents() == whole);
}

TEST_CASE_METHOD(
    ThreeRecorded,
    "An object that loses its only tree and keeps other rows starts again from these rows") {
    site.forget(third);
    const auto rows = site.query("SELECT label, signature, ace_version, last_modification_date"
                                 " FROM objects WHERE name = 'late'");
    CHECK(rows == store::Rows{store::Row({"", "", "", "2008-02-01"})});
}

TEST_CASE("A forgotten class is gone from every table, and other classes stay as they are") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    JobSite site(fresh.connect());
    const Three builds;
    ask_for_all(site, builds);
    site.execute("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
                 " VALUES ('WS188', 'Gene', 'Remark', 9, 9)");
    site.execute("INSERT INTO failed (version, class, name, reason)"
                 " VALUES ('WS188', 'Gene', 'g', 'why')");
    const auto other = [&] {
        return site.query("SELECT o.class, o.name, o.signature, h.version, h.notes"
                          " FROM objects o JOIN history h ON h.oid = o.oid"
                          " WHERE o.class <> 'Gene' ORDER BY o.name, h.version");
    };
    const auto before = other();
    CHECK(site.forget(WholeClass{"Gene"}).objects == 12);
    for (const auto* table : {"objects", "failed", "mass_changes", "warmed"})
        CHECK(site.number("SELECT COUNT(*) FROM " + std::string(table) +
                          " WHERE class = 'Gene'") == 0);
    CHECK(orphans(site) == 0);
    CHECK(other() == before);
    CHECK(before.size() > 2);
}

TEST_CASE_METHOD(ThreeRecorded,
                 "A forgotten object is gone, and its next request is a first sight") {
    const ObjectName object{"Gene", "in_each"};
    CHECK(site.forget(object) == tables::Deleted{1, 2, 3});
    CHECK(site.number("SELECT COUNT(*) FROM objects WHERE name = 'in_each'") == 0);
    CHECK(site.number("SELECT COUNT(*) FROM objects") == 14);
    CHECK(orphans(site) == 0);
    site.ask(builds.c, &builds.b, object);
    CHECK(site.number("SELECT COUNT(*) FROM history h JOIN objects o ON o.oid = h.oid"
                      " WHERE o.name = 'in_each'") == 0);
}

TEST_CASE_METHOD(SiteWithStore, "The next job brings back what was forgotten") {
    const Three builds;
    site.prewarm(builds.a, nullptr);
    site.prewarm(builds.b, &builds.a);
    site.prewarm(builds.c, &builds.b);
    const auto names = [&] {
        return site.query("SELECT class, name, signature FROM objects WHERE signature <> ''"
                          " ORDER BY class, name");
    };
    const auto expected = names();
    const auto contents = site.contents(ComparedIn::left_out);
    SECTION("a class") { site.forget(WholeClass{"Paper"}); }
    SECTION("an object") { site.forget(ObjectName{"Gene", "same"}); }
    SECTION("the newest release") {
        site.forget(third);
        site.prewarm(builds.c, &builds.b);
        CHECK(site.contents(ComparedIn::left_out) == contents);
    }
    site.prewarm(builds.c, &builds.b);
    CHECK(names() == expected);
}

TEST_CASE("Forgetting that fails at any statement continues when it is run again") {
    const support::FreshStore recorded(GENERATE(support::engines()));
    const auto fault = GENERATE(support::Fault::lost, support::Fault::lost_commit,
                                support::Fault::undone_commit);
    const Three builds;
    std::string whole;
    std::set<ObjectName> seen;
    {
        JobSite site(recorded.connect());
        ask_for_all(site, builds);
        whole = site.contents();
        seen = site.seen;
    }
    auto once = support::no_waiting();
    once.attempts = 1;  // it dies of it
    const auto forgotten = [](JobSite& site, const Forgettable& what) {
        const auto gone = site.try_forget(what);
        if (!gone && gone.error().kind != base::ErrorKind::absent) FAIL(gone.error().text);
        return site.contents();
    };
    const auto what = GENERATE(Forgettable(second_and_later), Forgettable(WholeClass{"Gene"}),
                               Forgettable(ObjectName{"Gene", "in_each"}));
    const auto calm = support::FreshStore::copy_of(recorded);
    JobSite undisturbed(calm.connect());
    const auto expected = forgotten(undisturbed, what);
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const auto fresh = support::FreshStore::copy_of(recorded);
        JobSite site(fresh.connect());
        JobSite dying(support::faulty(fresh.connect(), plan), once);
        if (!dying.try_forget(what)) CHECK(orphans(site) == 0);
        REQUIRE(forgotten(site, what) == expected);
        if (std::holds_alternative<WholeRelease>(what)) {
            site.seen = seen;
            ask_for_all(site, builds.b, &builds.a);
            ask_for_all(site, builds.c, &builds.b);
            REQUIRE(site.contents() == whole);
        }
    });
}

TEST_CASE_METHOD(SiteWithStore, "Forgetting something unknown is refused") {
    const Three builds;
    ask_for_all(site, builds.a, nullptr);
    for (const auto& what :
         {Forgettable(third), Forgettable(WholeClass{"gene"}),
          Forgettable(ObjectName{"Gene", "nobody"}), Forgettable(ObjectName{"Gene", "SAME"})}) {
        const auto share = site.count(what);
        REQUIRE(!share);
        CHECK(share.error().kind == base::ErrorKind::absent);
    }
    CHECK(site.count(ObjectName{"Gene", "SAME"}).error().text.find("Gene same") !=
          std::string::npos);
}

TEST_CASE_METHOD(SiteWithStore, "Nothing is forgotten during a release job or a re-publication") {
    const Three builds;
    ask_for_all(site, builds.a, nullptr);
    std::string until;
    const auto lease = [&](std::chrono::seconds from_now, int done) {
        const auto now = store::perform(site.pool, store::Access::read, store::now);
        until = base::format_rfc3339(now + from_now);
        site.execute("DELETE FROM leases");
        site.execute("INSERT INTO leases (task, part, owner, expires_at, done, result)"
                     " VALUES ('t', 0, 'elsewhere 0 1 1 1', '" +
                     until + "', " + std::to_string(done) + ", '')");
    };
    lease(std::chrono::seconds(30), 0);
    REQUIRE(!site.count(WholeRelease{"WS186"}));
    const auto refused = site.count(WholeRelease{"WS186"}).error();
    CHECK(refused.kind == base::ErrorKind::conflict);
    CHECK_THAT(refused.text, Catch::Contains("after " + until));
    lease(std::chrono::seconds(-1), 0);
    CHECK(site.count(WholeRelease{"WS186"}));
    lease(std::chrono::seconds(30), 1);
    CHECK(site.count(WholeRelease{"WS186"}));
    site.execute("UPDATE releases SET replacing = 1");
    REQUIRE(!site.count(WholeClass{"Gene"}));
    CHECK(site.count(WholeClass{"Gene"}).error().kind == base::ErrorKind::conflict);
}

TEST_CASE("What a request records of a release while it is being forgotten is deleted as well") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    JobSite server(fresh.connect());
    const Three builds;
    ask_for_all(server, builds);
    bool was_asked = false;
    JobSite site(after_first_part(fresh.connect(), [&] {
        server.ask(builds.c, &builds.b, {"Gene", "in_each"});
        was_asked = true;
    }));
    REQUIRE(site.try_forget(third));
    CHECK(was_asked);
    CHECK(traces_of_release(site, "WS188") == 0);
}

TEST_CASE_METHOD(ThreeRecorded,
                 "What is recorded beside several sweeps is since a release that stays") {
    JobSite forgetting(after_each_part(
        fresh.connect(), [&] { site.ask(builds.c, &builds.b, {"Gene", "in_each"}); }));
    REQUIRE(forgetting.try_forget(second_and_later));
    CHECK(site.kinds().at("in_each") == "changed 0 WS186");
}

TEST_CASE_METHOD(ThreeRecorded,
                 "Mentions are forgotten with their object or class, and not with a release") {
    const auto mentions = [&](const std::string& where) {
        return site.number("SELECT COUNT(*) FROM mentions WHERE " + where);
    };
    site.execute("INSERT INTO mentions (class, name, first_seen, entry, mentioned_at) VALUES"
                 " ('Gene', 'in_each', '2016-07-18T00:00:00Z', 1, '2016-07-18T00:00:00Z'),"
                 " ('Gene', 'same', '2016-07-18T00:00:00Z', 2, '2016-07-18T00:00:00Z'),"
                 " ('Gene', 'new_in_third', '2016-07-18T00:00:00Z', 3, '2016-07-18T00:00:00Z')");
    site.forget(third);
    CHECK(mentions("name = 'new_in_third'") == 1);
    site.forget(ObjectName{"Gene", "same"});
    CHECK(mentions("name = 'same'") == 0);
    CHECK(mentions("name = 'in_each'") == 1);
    site.forget(WholeClass{"Gene"});
    CHECK(mentions("name = 'in_each'") == 0);
}
