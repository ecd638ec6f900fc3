// What is forgotten is deleted with all that depends on it, as if it had never been recorded.
// SPDX-License-Identifier: MIT
#include <deque>

#include "release/interleaving.hpp"
#include "release/job_site.hpp"
#include "store/dialect.hpp"
#include "support/faulty_connection.hpp"
#include "tables/releases.hpp"

using namespace release;
using namespace release_tests;

namespace {

const WholeRelease second{"WS187"}, third{"WS188"}, second_and_later{"WS187", true};

support::Nodes named(const std::string& name) { return {tag("Public_name", {text(name)})}; }

// Genes that do everything that a gene can do in the three releases 186, 187 and 188.
class Genes : public SmallBuild {
   public:
    explicit Genes(int release)
        : SmallBuild("WS" + std::to_string(release),
                     "2008-0" + std::to_string(release - 185) + "-01") {
        const auto number = std::to_string(release);
        const bool b = release >= 187, c = release >= 188;
        with("Gene", "same", remark("same"));
        with("Gene", "restamped",
             {tag("Remark",
                  {stamped(text("same"), "2006-01-01_10:00:" + number.substr(1) + "_j")})});
        with("Gene", "in_each", remark(number));
        with("Gene", "in_second", remark(b ? "after" : "before"));
        with("Gene", "in_third", remark(c ? "after" : "before"));
        with("Gene", "renamed_for_people", named(c ? "unc-26" : "unc-1"));
        if (!b) with("Gene", "gone_in_second", named("gone"));
        if (!c) with("Gene", "gone_in_third", remark("gone in third"));
        if (release != 187) with("Gene", "back", named(c ? "new name" : "old name"));
        if (b) with("Gene", "new_in_second", remark("new in second"));
        if (c) with("Gene", "new_in_third", remark("new in third"));
        with("Gene", c ? "new_name" : "old_name", remark("moves"));
        with("Paper", "p1", remark(number));
        with("Paper", "p2", remark("same"));
        with("Person", "late",
             {tag("Name", {stamped(text("one"), "2008-01-20_10:00:00_sylvia"),
                           stamped(text("two"), "2008-02-20_10:00:00_sylvia")})});
    }
};

struct Three {
    Genes a{186}, b{187}, c{188};
};

// Asks for every object seen so far, and for `late` only in the third release.
void ask_for_all(JobSite& site, const SmallBuild& build, const SmallBuild* previous) {
    const auto names = support::names_in(build);
    site.seen.insert(names.begin(), names.end());
    for (const auto& name : site.seen)
        if (build.release().version == "WS188" || name.name != "late")
            site.ask(build, previous, name);
}
void ask_for_all(JobSite& site, const Three& builds) {
    ask_for_all(site, builds.a, nullptr);
    ask_for_all(site, builds.b, &builds.a);
    ask_for_all(site, builds.c, &builds.b);
}

// Counts the rows that name the release, except in columns named since and in the notes of other
// releases.
std::int64_t traces_of_release(JobSite& site, const std::string& version) {
    std::int64_t traces = 0;
    for (const auto* table :
         {"releases", "builds", "history", "trees", "accepted", "mass_changes"})
        traces += site.number("SELECT COUNT(*) FROM " + std::string(table) +
                              " WHERE version = '" + version + "'");
    return traces;
}

struct ThreeRecorded : SiteWithStore {
    ThreeRecorded() { ask_for_all(site, builds); }
    const Three builds;
};

// "BUILD HELD" of an object.
std::string compared(JobSite& site, const std::string& name) {
    const auto row =
        site.query("SELECT CAST(build AS CHAR), held FROM objects WHERE name = '" + name + "'")
            .at(0);
    return row.text(0) + ' ' + row.text(1);
}

}  // namespace

TEST_CASE_METHOD(SiteWithStore, "Forgetting the newest release restores the store before it") {
    const Three builds;
    // The ids of the objects are looked through by two statements.
    site.execute("INSERT INTO objects (oid, class, name, name_key) VALUES (4090, 'C', 'x', 'x')");
    site.execute("DELETE FROM objects");
    ask_for_all(site, builds.a, nullptr);
    ask_for_all(site, builds.b, &builds.a);
    const auto expected = site.contents();
    ask_for_all(site, builds.c, &builds.b);
    site.forget(WholeClass{"Person"});  // did not exist before
    site.forget(third);
    CHECK(site.contents() == expected);
    for (const auto* name : {"same", "restamped"}) CHECK(compared(site, name) == "1 ");
    // It is known to have had then what it had before.
    for (const auto* name : {"in_each", "in_third", "back"})
        CHECK(compared(site, name) == "2 WS186");
}

TEST_CASE_METHOD(
    SiteWithStore,
    "An object that is gone again, since its return is forgotten, has the names it had") {
    site.settings.names = {{"Gene", {{"CGC_name"}}}};
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
    site.forget(second_and_later);
    for (const auto* version : {"WS187", "WS188"}) CHECK(traces_of_release(site, version) == 0);
    ask_for_all(site, builds.b, &builds.a);
    ask_for_all(site, builds.c, &builds.b);
    CHECK(site.contents() == whole);
}

TEST_CASE_METHOD(ThreeRecorded,
                 "What the first sight of an object read from timestamps is forgotten with it") {
    REQUIRE(site.kinds("WS187").at("late") == "reconstructed 0 ");
    const auto whole = site.contents();
    site.forget(third);
    CHECK(site.number("SELECT COUNT(*) FROM objects WHERE name = 'late'") == 0);
    CHECK(!site.kinds("WS187").contains("late"));
    ask_for_all(site, builds.c, &builds.b);
    CHECK(site.contents() == whole);
}

TEST_CASE_METHOD(
    SiteWithStore,
    "Releases are not forgotten where no tree is kept of what an object had before") {
    site.settings.keep_trees = 2;
    std::deque<SmallBuild> builds;
    for (int release = 185; release <= 188; ++release) {
        const auto* previous = builds.empty() ? nullptr : &builds.back();
        auto& build = builds.emplace_back("WS" + std::to_string(release),
                                          "2008-0" + std::to_string(release - 184) + "-01");
        site.ask_for_all(build.with("Gene", "a", remark(std::to_string(release))), previous);
    }
    const auto whole = site.contents();
    const auto refused = site.try_forget(second_and_later);
    REQUIRE(!refused);
    CHECK(refused.error().kind == base::ErrorKind::conflict);
    CHECK_THAT(refused.error().text,
               Catch::Contains("keep_trees has kept no tree that Gene a had"));
    CHECK(site.contents() == whole);
    site.forget(third);
    CHECK(site.kinds("WS187").at("a") == "changed 0 WS186");
}

TEST_CASE("A forgotten class is gone from every table, and other classes stay as they are") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    JobSite site(fresh.connect());
    const Three builds;
    ask_for_all(site, builds);
    site.execute("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
                 " VALUES ('WS188', 'Gene', 'Remark', 9, 9)");
    const auto other = [&] {
        return site.query("SELECT o.class, o.name, o.signature, h.version, h.notes"
                          " FROM objects o JOIN history h ON h.oid = o.oid"
                          " WHERE o.class <> 'Gene' ORDER BY o.name, h.version");
    };
    const auto before = other();
    CHECK(site.forget(WholeClass{"Gene"}).objects == 13);
    for (const auto* table : {"objects", "mass_changes"})
        CHECK(site.number("SELECT COUNT(*) FROM " + std::string(table) +
                          " WHERE class = 'Gene'") == 0);
    CHECK(other() == before);
    CHECK(before.size() > 2);
}

TEST_CASE_METHOD(ThreeRecorded,
                 "A forgotten object is gone, and its next request is a first sight") {
    const ObjectName object{"Gene", "in_each"};
    CHECK(site.forget(object) == tables::Deleted{1, 2, 3});
    CHECK(site.number("SELECT COUNT(*) FROM objects WHERE name = 'in_each'") == 0);
    CHECK(site.number("SELECT COUNT(*) FROM objects") == 15);
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
    const auto contents = site.contents();
    SECTION("a class") { site.forget(WholeClass{"Paper"}); }
    SECTION("an object") { site.forget(ObjectName{"Gene", "same"}); }
    SECTION("the newest release") {
        site.forget(third);
        site.prewarm(builds.c, &builds.b);
        CHECK(site.contents() == contents);
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
        (void)dying.try_forget(what);
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

TEST_CASE_METHOD(SiteWithStore, "No class is forgotten during a release job") {
    const Three builds;
    ask_for_all(site, builds.a, nullptr);
    std::string until;
    const auto lease = [&](std::chrono::seconds from_now) {
        const auto now = store::perform(site.pool, store::Access::read, store::now);
        until = base::format_rfc3339(now + from_now);
        site.execute("DELETE FROM parts");
        site.execute("INSERT INTO parts (task, part, owner, expires_at, result)"
                     " VALUES ('t', 0, 'elsewhere 0 1 1 1', '" +
                     until + "', '')");
    };
    lease(std::chrono::seconds(30));
    const auto refused = site.count(WholeClass{"Gene"});
    REQUIRE(!refused);
    CHECK(refused.error().kind == base::ErrorKind::conflict);
    CHECK_THAT(refused.error().text, Catch::Contains("after " + until));
    CHECK(site.count(WholeRelease{"WS186"}));
    lease(std::chrono::seconds(-1));
    CHECK(site.count(WholeClass{"Gene"}));
}

TEST_CASE_METHOD(ThreeRecorded, "No build gets a number until what is being forgotten is gone") {
    std::stop_source stopped;
    stopped.request_stop();
    release::Progress progress;
    CHECK(!value_of(forget({site.context()}, second_and_later, progress, stopped.get_token()))
               .finished);
    const ObjectName object{"Gene", "in_each"};
    const auto command = Catch::Contains("varve forget release WS187 --with-later");
    const auto refused = support::record(site.context(), builds.c, &builds.b, object);
    REQUIRE(!refused);
    CHECK_THAT(refused.error().text, command);
    CHECK(!site.try_prewarm(site.job(builds.c, &builds.b)));
    REQUIRE(!site.count(third));
    CHECK_THAT(site.count(third).error().text, command);
    CHECK(support::record(site.context(), builds.a, nullptr, object));
    site.forget(second_and_later);
    CHECK(support::record(site.context(), builds.b, &builds.a, object));
}

TEST_CASE("While releases are forgotten, others record one of them or forget more") {
    const support::FreshStore recorded(GENERATE(support::both_engines()));
    const Three builds;
    {
        JobSite site(recorded.connect());
        ask_for_all(site, builds);
    }
    const ObjectName object{"Gene", "in_each"};
    const bool is_request = GENERATE(true, false);
    interleave([&](int at) {
        const auto fresh = support::FreshStore::copy_of(recorded);
        JobSite other(fresh.connect());
        bool has_forgotten = false;
        Interleaving both(fresh, at, [&] {
            if (is_request)
                (void)support::record(other.context(), builds.c, &builds.b, object);
            else
                has_forgotten = other.try_forget(second_and_later).has_value();
        });
        JobSite site(both.connect());
        const auto done = site.try_forget(is_request ? second_and_later : third);
        both.join();
        CHECK((is_request ? done.has_value() : has_forgotten));
        CHECK(traces_of_release(other, "WS187") == 0);
        if (is_request) other.ask(builds.c, &builds.b, object);
        CHECK(other.kinds() == (is_request ? Kinds{{"in_each", "changed 0 WS186"}} : Kinds()));
        CHECK(other.number("SELECT COUNT(*) FROM objects WHERE build <> 0 AND"
                           " build NOT IN (SELECT number FROM builds)") == 0);
        CHECK(other.number("SELECT COUNT(*) FROM meta WHERE text <> ''") == 0);
        return both.statements();
    });
}

TEST_CASE_METHOD(ThreeRecorded, "Mentions are forgotten with their objects") {
    const auto mentions = [&](const std::string& where) {
        return site.number("SELECT COUNT(*) FROM mentions WHERE " + where);
    };
    site.execute("INSERT INTO mentions (class, name, first_seen, entry, mentioned_at) VALUES"
                 " ('Gene', 'in_each', '2016-07-18T00:00:00Z', 1, '2016-07-18T00:00:00Z'),"
                 " ('Gene', 'same', '2016-07-18T00:00:00Z', 2, '2016-07-18T00:00:00Z'),"
                 " ('Gene', 'new_in_third', '2016-07-18T00:00:00Z', 3, '2016-07-18T00:00:00Z')");
    site.forget(third);
    CHECK(mentions("name = 'new_in_third'") == 0);
    site.forget(ObjectName{"Gene", "same"});
    CHECK(mentions("name = 'same'") == 0);
    CHECK(mentions("name = 'in_each'") == 1);
    site.forget(WholeClass{"Gene"});
    CHECK(mentions("name = 'in_each'") == 0);
}
