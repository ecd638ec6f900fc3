// Which build is served, and which is refused.
// SPDX-License-Identifier: MIT
#include "history/current.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "tables/objects.hpp"
#include "tables/releases.hpp"

using namespace tables;
using namespace history;
using support::SmallBuild;

namespace {

using Shared = std::shared_ptr<SmallBuild>;

Shared build(const std::string& version, const std::string& day, int objects,
             const std::string& word = "x") {
    auto made = std::make_shared<SmallBuild>(version, day);
    for (int i = 0; i < objects; ++i)
        made->with("Gene", "g" + std::to_string(i), {support::text(word)});
    return made;
}

// Builds made by the test, one of which is in place.
struct Shelf {
    Shared now;
    std::vector<Shared> kept, swept;
    std::string identity = "1";
    std::optional<base::Error> flaw;  // of `now`

    BuildOpener opener() {
        return {[this]() -> base::Result<std::string> {
                    if (!now)
                        return base::fail(base::ErrorKind::unavailable, "the folder has gone");
                    return identity;
                },
                [this](Wholeness wholeness) -> base::Result<source::Build> {
                    if (flaw && wholeness == Wholeness::required) return tl::unexpected(*flaw);
                    return source::Build(now);
                },
                [this](const base::Release& release, const WasServed& was_served) {
                    std::vector<source::Build> found;
                    for (const auto& each : kept)
                        if (each->release() < release &&
                            was_served(each->release(), each->digest()) &&
                            (found.empty() || found.front()->release() == each->release()))
                            found.push_back(each);
                    return found;
                },
                [this](const IsSuperseded& is_superseded) {
                    swept.clear();
                    for (const auto& each : kept)
                        if (is_superseded(each->release(), each->digest())) swept.push_back(each);
                }};
    }
    void put(Shared next) {
        if (now) kept.insert(kept.begin(), now);
        now = std::move(next);
        identity += '1';
    }
};

void accept_candidate_of(const CurrentBuild& current, store::Pool& pool) {
    const auto candidate = current.candidate().build;
    store::perform(pool, store::Access::write, accept_build, candidate->release().version,
                   candidate->digest(), base::Seconds{*base::parse_date("2008-04-01")});
}

// A store, and what a server over it serves of the builds.
struct Site {
    explicit Site(store::Engine engine) : fresh(engine) {}
    Site(store::Engine engine, Shared first) : Site(engine) { put(std::move(first)); }

    void put(Shared next) {
        shelf.put(std::move(next));
        current.look();
    }

    // Changes what is recorded, and looks again.
    void execute(const std::string& sql) {
        store::perform(pool, store::Access::write,
                       [&](store::Transaction& transaction) { transaction.execute(sql); });
        current.look();
    }
    // Accepts what was refused.
    void accept() {
        accept_candidate_of(current, pool);
        current.look();
    }

    support::FreshStore fresh;
    store::Pool pool{fresh.connect(), 2};
    Shelf shelf;
    CurrentBuild current{shelf.opener(), pool};
};

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

// The same release from AceDB's dump, and from the server, which also lists class Word.
Shared of_dump(const std::string& version, const std::string& day) {
    auto made = build(version, day, 30);
    made->of_kind("AceDB's dumps");
    return made;
}
Shared of_server(const std::string& version, const std::string& day) {
    auto made = build(version, day, 30);
    for (const auto* word : {"muscle", "neuron"}) made->with("Word", word, {});
    made->of_kind("a running AceDB").of_server();
    return made;
}

void record_word(Site& site) {
    store::perform(site.pool, store::Access::write, [](store::Transaction& transaction) {
        ObjectRow row;
        row.object = {"Word", "muscle"};
        const auto* const one = &row;
        REQUIRE(insert_objects(transaction, std::span(&one, 1)).size() == 1);
    });
}

}  // namespace

TEST_CASE("A build becomes current when it appears, and stays so until the next one does") {
    Site site(GENERATE(support::engines()));
    site.current.look();
    CHECK(site.current.build() == nullptr);
    CHECK(contains(site.current.why(), "has gone"));

    site.put(build("WS186", "2008-02-01", 30));
    REQUIRE(site.current.build());
    CHECK(site.current.build()->release().version == "WS186");
    CHECK(site.current.builds().previous == nullptr);
    CHECK(site.current.why().empty());

    site.put(build("WS187", "2008-02-15", 30, "y"));
    CHECK(site.current.build()->release().version == "WS187");
    REQUIRE(site.current.builds().previous);
    CHECK(site.current.builds().previous->release().version == "WS186");

    site.shelf.now = nullptr;
    site.current.look();
    CHECK(site.current.build()->release().version == "WS187");
    CHECK(contains(site.current.why(), "has gone"));
}

TEST_CASE("A build in which a class lost most of its objects is refused until it is accepted") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    site.put(build("WS187", "2008-02-15", 14, "y"));
    CHECK(site.current.build()->release().version == "WS186");
    CHECK(contains(site.current.why(), "class Gene has 14 of the 30 objects it had in WS186"));
    CHECK(contains(site.current.why(), "varve accept WS187"));
    REQUIRE(site.current.candidate().build);
    CHECK(site.current.candidate().build->release().version == "WS187");

    site.accept();
    CHECK(site.current.build()->release().version == "WS187");
    CHECK(site.current.why().empty());
}

TEST_CASE("A build without objects is refused, also the first one, whatever is accepted") {
    Site site(GENERATE(support::engines()), build("WS187", "2008-02-15", 0));
    CHECK_FALSE(site.current.build());
    site.accept();
    CHECK_FALSE(site.current.build());
    CHECK(site.current.why() == "the build holds no objects");
}

TEST_CASE("Half of a class may vanish, and small classes may lose everything") {
    const auto before = build("WS186", "2008-02-01", 30);
    CHECK(lost_classes(*build("WS187", "2008-02-15", 15), *before).empty());
    CHECK_FALSE(lost_classes(*build("WS187", "2008-02-15", 0), *before).empty());
    const auto counted = build("WS186", "2008-02-01", 20);
    CHECK_FALSE(lost_classes(*build("WS187", "2008-02-15", 9), *counted).empty());
    const auto small = build("WS186", "2008-02-01", 19);
    CHECK(lost_classes(*build("WS187", "2008-02-15", 0), *small).empty());
}

TEST_CASE("A recorded version with another date is refused") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    site.put(build("WS186", "2008-01-31", 30));
    CHECK(contains(site.current.why(), "WS186 is recorded as of 2008-02-01"));
}

TEST_CASE(
    "A new version that comes before a recorded one is refused, one that was current is not") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    site.put(build("WS188", "2008-03-22", 30, "y"));
    // On the same day, the versions decide.
    for (const std::string day : {"2008-02-15", "2008-03-22"}) {
        site.put(build("WS187", day, 30, "z"));
        CHECK(site.current.build()->release().version == "WS188");
        CHECK(contains(site.current.why(),
                       "WS187 of " + day + " is new, and would come before WS188 of 2008-03-22"));
    }
    CHECK(site.current.why().ends_with("varve forget release WS188"));
    site.put(build("WS185", "2008-01-01", 30, "w"));
    CHECK(site.current.why().ends_with("varve forget release WS186 --with-later"));
    site.put(build("WS186", "2008-02-01", 30));
    CHECK(site.current.build()->release().version == "WS186");
    CHECK(site.current.why().empty());
}

TEST_CASE("A version that differs from a recorded one in case alone is refused") {
    Site site(GENERATE(support::both_engines()), build("WS186", "2008-02-01", 30));
    site.put(build("ws186", "2008-02-01", 30));
    CHECK(contains(site.current.why(), "ws186 differs from the recorded release WS186 in case"));
    CHECK(site.current.build()->release().version == "WS186");
    site.put(build("ws187", "2008-02-15", 30));
    CHECK(site.current.why().empty());
}

TEST_CASE("Two releases may have one date, unless the configuration gives it to both") {
    Site site(GENERATE(support::engines()), build("WS185", "2008-02-01", 30));
    site.put(build("WS186", "2008-02-01", 30));
    CHECK(site.current.build()->release().version == "WS186");

    auto opener = site.shelf.opener();
    std::set<std::string> listed;  // with a date of their own
    opener.is_dated_by_configuration = [&](const base::Release& release) {
        return !listed.contains(release.version) &&
               release.released_on == base::parse_date("2008-02-01");
    };
    CurrentBuild current(opener, site.pool);
    current.look();
    CHECK(current.build()->release().version == "WS186");  // recorded with this date
    site.shelf.put(build("WS187", "2008-02-01", 30, "y"));
    current.look();
    CHECK(current.build()->release().version == "WS186");
    CHECK(contains(current.why(), "WS187 is dated 2008-02-01 by the configuration, which is the"
                                  " date of WS185"));
    SECTION("and is accepted") { accept_candidate_of(current, site.pool); }
    SECTION("and has the date of its own after all") { listed.insert("WS187"); }
    current.look();
    CHECK(current.build()->release().version == "WS187");
    site.shelf.put(build("WS188", "2008-03-22", 30, "z"));
    current.look();
    CHECK(current.build()->release().version == "WS188");
}

TEST_CASE("An unreadable build is read once, until it changes") {
    Site site(GENERATE(support::engines()));
    int opened = 0;
    auto opener = site.shelf.opener();
    opener.open = [&](Wholeness) -> base::Result<source::Build> {
        ++opened;
        return base::fail(base::ErrorKind::malformed,
                          "dump.ace:3: a line that belongs to no object");
    };
    site.shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(opener, site.pool);
    current.look();
    current.look();
    CHECK(opened == 1);
    site.shelf.put(build("WS186", "2008-02-01", 30));
    current.look();
    CHECK(opened == 2);
    CHECK(contains(current.why(), "dump.ace:3"));
}

TEST_CASE("A truncated build is refused with its place until it is accepted") {
    Site site(GENERATE(support::engines()));
    site.shelf.flaw =
        base::Error{base::ErrorKind::refused, "dump.ace:17: the file ends too early"};
    site.put(build("WS186", "2008-02-01", 30));
    CHECK(site.current.build() == nullptr);
    CHECK(contains(site.current.why(), "dump.ace:17"));
    site.accept();
    REQUIRE(site.current.build());
    CHECK(site.current.why().empty());
}

TEST_CASE("A recorded version with other content is refused, whatever is accepted") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto first = site.current.build();
    site.put(build("WS186", "2008-02-01", 30, "other"));
    CHECK(site.current.build() == first);
    CHECK(contains(site.current.why(), "WS186 was recorded with different content"));
    site.accept();
    CHECK(site.current.build() == first);
}

TEST_CASE("The content of the release before is accepted of files, that of an older one is not") {
    const auto first = build("WS186", "2008-02-01", 30);
    Site site(GENERATE(support::engines()), first);
    auto same = build("WS187", "2008-02-15", 30), late = build("WS189", "2008-05-01", 30);
    for (const auto& each : {same, late}) each->with_digest_of(*first);
    site.put(same);
    CHECK(site.current.why().empty());
    CHECK(site.current.build() == same);
    site.put(build("WS188", "2008-03-22", 30, "y"));
    site.put(late);
    CHECK(contains(site.current.why(), "WS189 holds exactly what is recorded as WS187"));
}

TEST_CASE("What another release held is refused of a server under a new version until accepted") {
    // As when `release =` is changed before the data is, or old data is put in place again.
    const bool is_server = GENERATE(false, true);
    auto first = build("WS186", "2008-02-01", 30), renamed = build("WS187", "2008-02-15", 30);
    auto next = build("WS187", "2008-02-15", 30, "y");
    for (const auto& each : {first, renamed, next}) {
        if (is_server) each->of_server();
        if (each != next) each->with_digest_of(*first);
    }
    Site site(GENERATE(support::engines()), first);
    if (!is_server) site.put(build("WS186b", "2008-02-02", 30, "z"));
    const auto before = site.current.build();
    site.put(renamed);
    CHECK(site.current.build() == before);
    CHECK(contains(site.current.why(), "WS187 holds exactly what is recorded as WS186"));
    CHECK(contains(site.current.why(), "varve accept WS187"));
    SECTION("the data follows") {
        site.put(next);
        CHECK(site.current.why().empty());
        CHECK(site.current.build() == next);
    }
    SECTION("the release changed nothing") {
        site.accept();
        CHECK(site.current.why().empty());
        CHECK(site.current.build() == renamed);
    }
    SECTION("the site is rolled back") {
        site.put(first);
        CHECK(site.current.why().empty());
    }
}

TEST_CASE("A refused build is not compared with the next one") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    site.put(build("WS187", "2008-02-15", 2, "y"));
    site.put(build("WS188", "2008-03-22", 30, "z"));
    CHECK(site.current.build()->release().version == "WS188");
    CHECK(site.current.builds().previous->release().version == "WS186");
}

TEST_CASE("A release published again is accepted when its content is the recorded one") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto again = build("WS186", "2008-02-01", 30, "y");
    site.put(again);
    CHECK(contains(site.current.why(), "varve prewarm --replace WS186"));
    CHECK(site.current.build()->digest() != again->digest());
    // A replacement is checked by all other rules and not recorded.
    CurrentBuild judge(site.shelf.opener(), site.pool, Purpose::republishing);
    judge.look();
    CHECK(judge.why().empty());
    CHECK(judge.build()->digest() == again->digest());
    site.current.look();
    CHECK(site.current.build()->digest() != again->digest());

    REQUIRE(store::perform(site.pool, store::Access::write, number_build, again->release(),
                           again->digest(), Publication::again, base::Seconds{}));
    site.current.look();
    CHECK(site.current.why().empty());
    CHECK(site.current.build()->digest() == again->digest());
}

TEST_CASE("A build that was refused is compared with what was published again meanwhile") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto again = build("WS186", "2008-02-01", 30, "y");
    site.put(build("WS187", "2008-02-15", 5));
    REQUIRE(contains(site.current.why(), "varve accept WS187"));
    REQUIRE(store::perform(site.pool, store::Access::write, number_build, again->release(),
                           again->digest(), Publication::again, base::Seconds{}));
    site.shelf.kept.push_back(again);
    site.accept();
    CHECK(site.current.build()->release().version == "WS187");
    CHECK(site.current.builds().previous == again);
}

TEST_CASE("A current build whose release is published again from another one is named at once") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto first = site.current.build();
    site.execute("UPDATE builds SET digest = 'another'");
    CHECK(contains(site.current.why(), "WS186 was recorded with different content"));
    CHECK(site.current.build() == first);
    site.execute("UPDATE builds SET digest = '" + first->digest() + "'");
    CHECK(site.current.why().empty());
}

TEST_CASE(
    "A current build whose release was forgotten before a later one is not recorded again") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto first = site.current.build();
    site.execute("INSERT INTO releases (version, released_on) VALUES ('WS187', '2008-02-15')");
    site.execute("INSERT INTO builds (number, digest, version, accepted_at)"
                 " VALUES (2, 'x', 'WS187', '')");
    CHECK(site.current.why().empty());
    site.execute("DELETE FROM builds WHERE version = 'WS186'");
    CHECK(
        contains(site.current.why(), "WS186 of 2008-02-01 is new, and would come before WS187"));
    CHECK(site.current.build() == first);
    site.execute("DELETE FROM builds");
    CHECK(site.current.why().empty());
    CHECK(store::perform(site.pool, store::Access::read, [](store::Transaction& transaction) {
              return transaction.query("SELECT version FROM builds");
          }) == store::Rows{store::Row({std::string("WS186")})});
}

TEST_CASE("A release recorded from files can be served from a server, and the other way round") {
    const auto files_first = GENERATE(true, false);
    auto first = build("WS186", "2008-02-01", 30), second = build("WS186", "2008-02-01", 30, "y");
    (files_first ? second : first)->of_server();
    Site site(GENERATE(support::engines()), first);
    CHECK(site.current.build() == first);
    site.put(second);
    CHECK(site.current.why().empty());
    CHECK(site.current.build() == second);
    // Both are one publication, which another build of either kind contradicts.
    const auto builds = store::perform(site.pool, store::Access::read, load_releases).builds();
    REQUIRE(builds.size() == 2);
    CHECK(builds[0].number == builds[1].number);
    auto third = build("WS186", "2008-02-01", 30, "z");
    if (files_first) third->of_server();
    site.put(third);
    CHECK(contains(site.current.why(), "recorded with different content"));
    CHECK(site.current.build() == second);
}

TEST_CASE(
    "A class that only a server lists is not created when a dump is followed by the server") {
    Site site(GENERATE(support::engines()), of_dump("WS186", "2008-02-01"));
    const auto next = of_server("WS187", "2008-02-15");
    site.put(next);
    CHECK(
        contains(site.current.why(),
                 "WS187 comes from a running AceDB, WS186 came from AceDB's dumps, and the two "
                 "may not list the same classes: class Word has 2 objects and had none in WS186; "
                 "name the classes that did not come or go with the release in the "
                 "configuration, [source] skip_classes; if this is intended, run: varve accept "
                 "WS187"));
    CHECK(site.current.build()->release().version == "WS186");
    site.accept();
    CHECK(site.current.build() == next);
    // From one server to the next there is nothing to ask.
    site.put(of_server("WS188", "2008-03-22"));
    CHECK(site.current.why().empty());
}

TEST_CASE("A class that only a server lists does not vanish when a dump follows the server") {
    Site site(GENERATE(support::engines()), of_server("WS186", "2008-02-01"));
    SECTION("recorded") {
        record_word(site);
        // Not even where the release was served from a dump since, whose index was kept too.
        if (GENERATE(true, false)) site.put(of_dump("WS186", "2008-02-01"));
        CHECK(site.current.why().empty());
        site.put(of_dump("WS187", "2008-02-15"));
        CHECK(contains(site.current.why(), "class Word has none and had 2 objects in WS186"));
        CHECK(site.current.build()->release().version == "WS186");
    }
    SECTION("never recorded, it cannot vanish") {
        site.put(of_dump("WS187", "2008-02-15"));
        CHECK(site.current.why().empty());
    }
}

TEST_CASE("The kept index of a release is found, of the same kind of source where there is one") {
    const auto dump = of_dump("WS186", "2008-02-01"), server = of_server("WS186", "2008-02-01");
    Site site(GENERATE(support::engines()), server);
    site.put(dump);
    SECTION("of the same kind") {
        site.put(of_server("WS187", "2008-02-15"));
        CHECK(site.current.builds().previous == server);
    }
    SECTION("of the other kind, since no other was kept") {
        site.shelf.kept.clear();
        site.shelf.now = server;
        site.put(of_dump("WS187", "2008-02-15"));
        CHECK(site.current.builds().previous == server);
    }
    CHECK(site.current.why().empty());
}

TEST_CASE("The indexes of builds that were refused are swept when another build is accepted") {
    Site site(GENERATE(support::engines()), build("WS186", "2008-02-01", 30));
    const auto refused = build("WS186", "2008-02-01", 30, "other");
    site.put(refused);
    CHECK(site.current.build() != refused);
    CHECK(site.shelf.swept.empty());
    // Of another kind, or of no recorded release: they may be needed.
    site.shelf.kept.push_back(of_server("WS186", "2008-02-01"));
    site.shelf.kept.push_back(build("WS190", "2008-05-01", 30));
    site.put(build("WS187", "2008-02-15", 30));
    CHECK(site.shelf.swept == std::vector<Shared>{refused});
}

TEST_CASE(
    "Of several reasons, the one that nobody can accept is given, then what the build lacks") {
    Site site(GENERATE(support::engines()), of_server("WS186", "2008-02-01"));
    record_word(site);
    const auto why_not = [&](const Shared& next) {
        site.put(next);
        return site.current.why();
    };
    // It lacks a class, and most genes.
    auto next = build("WS187", "2008-02-15", 1);
    next->of_kind("AceDB's dumps");
    auto why = why_not(next);
    CHECK(contains(why, "class Word has none"));
    CHECK_FALSE(contains(why, "class Gene has 1"));
    // It is cut off, too.
    site.shelf.flaw = base::Error{base::ErrorKind::refused, "dump.ace:17: ends too early"};
    why = why_not(next);
    CHECK(contains(why, "dump.ace:17"));
    CHECK_FALSE(contains(why, "class Word"));
    // It is named like a release with another date, and then spelled like another release.
    why = why_not(build("WS186", "2008-02-03", 1));
    CHECK(contains(why, "WS186 is recorded as of 2008-02-01"));
    CHECK_FALSE(contains(why, "dump.ace:17"));
    CHECK(contains(why_not(build("ws186", "2008-02-03", 1)),
                   "differs from the recorded release WS186 in case"));
}
