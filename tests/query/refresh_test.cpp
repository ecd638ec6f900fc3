// Objects refreshed release by release, on both engines.
// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>

#include "process.hpp"
#include "query/object_history.hpp"
#include "support/faulty_connection.hpp"
#include "support/recording.hpp"

using namespace tables;
using namespace history;
using namespace query;
using processes::gene;
using support::SmallBuild;
using support::tag;
using support::text;

namespace {

const support::Nodes one = support::remark("one"), two = support::remark("two");

SmallBuild build(const std::string& version) {
    if (version == "WS186") return {version, "2008-02-01"};
    if (version == "WS187") return {version, "2008-02-15"};
    return {version, "2008-03-22"};
}

// One process's way into the store.
struct Refresher : support::RecordingSite {
    using RecordingSite::RecordingSite;

    base::Result<Recorded> refresh(const SmallBuild& now, const SmallBuild* before = nullptr,
                                   const ObjectName& name = gene) {
        return support::record(context(), now, before, name);
    }
    std::vector<Row> rows(const Release& current, const ObjectName& name = gene,
                          const PageRequest& request = {}) {
        return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            const auto object = support::row_of(transaction, name);
            if (!object) return std::vector<Row>();
            const auto releases = known_releases(transaction, settings, nullptr, nullptr);
            auto loaded =
                load_rows(transaction, std::span(&*object, 1), current, request, releases);
            REQUIRE(loaded);
            return loaded->rows;
        });
    }
};

}  // namespace

TEST_CASE("An object asked for in each release has a row for each that changed it") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187"), third = build("WS188");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, one);
    third.with("Gene", gene.name, two);
    REQUIRE(site.refresh(first));
    REQUIRE(site.refresh(second));
    const auto done = site.refresh(third);
    REQUIRE(done);
    CHECK(done->wrote_history);
    const auto rows = site.rows(third.release());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].kind == RowKind::changed);
    CHECK(rows[0].since == "WS187");
    CHECK(rows[0].object == gene);
    CHECK(rows[0].recorded_at == site.clock());
}

TEST_CASE("An object compared in this release is not loaded again") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", gene.name, one);
    REQUIRE(site.refresh(now));
    const auto contents = site.contents();
    REQUIRE(site.refresh(now));
    CHECK(now.loads() == 1);
    CHECK(site.contents() == contents);
}

TEST_CASE("An object that never was is absent, and nothing is stored") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", gene.name, one);
    const auto contents = site.contents();
    CHECK(site.refresh(now, nullptr, {"Gene", "nothing"}).error().kind ==
          base::ErrorKind::absent);
    CHECK(site.contents() == contents);
}

TEST_CASE("What a build does not confirm behind the load is not recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto before = build("WS186"), after = build("WS187");
    before.with("Gene", gene.name, one);
    after.with("Gene", gene.name, two);
    REQUIRE(site.refresh(before));
    const auto recorded = site.contents();
    after.deny_with({base::ErrorKind::unavailable, "it holds another build now"});
    const auto refused = site.refresh(after);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == base::ErrorKind::unavailable);
    CHECK(site.contents() == recorded);
    const std::vector<ObjectName> names{gene};
    const auto batch =
        bring_up_to_date({site.pool, site.settings, site.clock, site.difference, site.labels},
                         after, nullptr, names, {});
    REQUIRE_FALSE(batch);
    CHECK(batch.error().kind == base::ErrorKind::unavailable);
    CHECK(site.contents() == recorded);
}

TEST_CASE("An object that vanished lives on, and may come back") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187"), third = build("WS188");
    first.with("Gene", gene.name, one);
    third.with("Gene", gene.name, two);
    REQUIRE(site.refresh(first));
    REQUIRE(site.refresh(second));
    REQUIRE(site.refresh(second));
    REQUIRE(site.refresh(third));
    const auto rows = site.rows(third.release());
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].kind == RowKind::reappeared);
    CHECK(rows[1].kind == RowKind::vanished);
    CHECK(site.rows(second.release()).size() == 1);
}

TEST_CASE("A request on an older build moves nothing back and shows no newer row") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, two);
    REQUIRE(site.refresh(first));
    REQUIRE(site.refresh(second));
    const auto contents = site.contents();
    REQUIRE(site.refresh(first));
    CHECK(site.contents() == contents);
    CHECK(site.rows(first.release()).empty());
    CHECK(site.rows(second.release()).size() == 1);
}

TEST_CASE("Another spelling of class and name is the same object") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "unc-26", one);
    second.with("Gene", "UNC-26", two);
    REQUIRE(site.refresh(first, nullptr, {"gene", "Unc-26"}));
    const auto done = site.refresh(second, nullptr, {"Gene", "unc-26"});
    REQUIRE(done);
    CHECK(done->row->object == ObjectName{"Gene", "unc-26"});
    CHECK(site.rows(second.release(), {"Gene", "unc-26"}).size() == 1);
}

TEST_CASE("Two objects that differ by case are asked for exactly or not found") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", "abc", one).with("Gene", "ABC", two);
    REQUIRE(site.refresh(now, nullptr, {"Gene", "abc"}));
    REQUIRE(site.refresh(now, nullptr, {"Gene", "ABC"}));
    const auto neither = site.refresh(now, nullptr, {"Gene", "Abc"});
    REQUIRE_FALSE(neither);
    INFO(neither.error().text);
    CHECK(neither.error().kind == base::ErrorKind::absent);
}

TEST_CASE("A release recorded with other content is a conflict, and nothing is written") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto now = build("WS186"), other = build("WS186");
    now.with("Gene", gene.name, one).with("Gene", "b", one);
    other.with("Gene", "b", two);
    REQUIRE(site.refresh(now));
    const auto contents = site.contents();
    CHECK(site.refresh(other, nullptr, {"Gene", "b"}).error().kind == base::ErrorKind::conflict);
    CHECK(site.contents() == contents);
}

TEST_CASE(
    "A vanished and a created object of equal content name each other, whoever is asked first") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const bool vanished_first = GENERATE(true, false);
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one).with("Gene", "other", two);
    second.with("Gene", "new", one).with("Gene", "other", two);
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    const ObjectName names[] = {{"Gene", "old"}, {"Gene", "new"}};
    REQUIRE(site.refresh(second, &first, names[vanished_first ? 0 : 1]));
    REQUIRE(site.refresh(second, &first, names[vanished_first ? 1 : 0]));
    CHECK(site.rows(second.release(), names[0])[0].notes.renamed_to == names[1]);
    CHECK(site.rows(second.release(), names[1])[0].notes.renamed_from == names[0]);
}

TEST_CASE("Two objects with the content are no rename") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one);
    second.with("Gene", "new", one).with("Gene", "newer", one);
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    REQUIRE(site.refresh(second, &first, {"Gene", "old"}));
    REQUIRE(site.refresh(second, &first, {"Gene", "new"}));
    CHECK_FALSE(site.rows(second.release(), {"Gene", "old"})[0].notes.renamed_to);
    CHECK_FALSE(site.rows(second.release(), {"Gene", "new"})[0].notes.renamed_from);
}

TEST_CASE("An object without content that came is not the new name of one that went") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", {});
    second.with("Gene", "new", {});
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    for (const std::string name : {"old", "new"})
        REQUIRE(site.refresh(second, &first, {"Gene", name}));
    CHECK_FALSE(site.rows(second.release(), {"Gene", "old"}).at(0).notes.renamed_to);
    CHECK_FALSE(site.rows(second.release(), {"Gene", "new"}).at(0).notes.renamed_from);
}

TEST_CASE("Two objects that vanish with the same content are no rename, in whatever order") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    std::vector<ObjectName> names{{"Gene", "old"}, {"Gene", "older"}, {"Gene", "new"}};
    std::ranges::rotate(names, names.begin() + GENERATE(0, 1, 2));
    if (GENERATE(true, false)) std::swap(names[1], names[2]);
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one).with("Gene", "older", one);
    second.with("Gene", "new", one);
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    REQUIRE(site.refresh(first, nullptr, {"Gene", "older"}));
    if (GENERATE(true, false))
        REQUIRE(
            bring_up_to_date({site.pool, site.settings, site.clock, site.difference, site.labels},
                             second, &first, names));
    for (const auto& name : names) REQUIRE(site.refresh(second, &first, name));
    for (const auto& name : names) {
        const auto rows = site.rows(second.release(), name);
        REQUIRE(rows.size() == 1);
        CHECK_FALSE(rows[0].notes.renamed_to);
        CHECK_FALSE(rows[0].notes.renamed_from);
    }
}

TEST_CASE("Releases that a first sight finds are recorded by their names") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    site.settings.known_releases = {build("WS186").release(), build("WS187").release()};
    auto now = build("WS188");
    now.with("Gene", gene.name,
             {support::stamped(text("a"), "2008-02-10_14:30:00_sylvia"),
              support::stamped(text("b"), "2008-03-15_08:05:09_x")});
    REQUIRE(site.refresh(now));
    const auto versions = store::perform(site.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT version FROM releases ORDER BY version");
    });
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].text(0) == "WS187");
    CHECK(versions[1].text(0) == "WS188");
    CHECK(site.rows(now.release()).size() == 2);
}

TEST_CASE("Only the newest trees are kept when the configuration says so") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    site.settings.keep_trees = 2;
    for (const auto& [version, nodes] :
         {std::pair{"WS186", one}, {"WS187", two}, {"WS188", support::Nodes{tag("Third")}}})
        REQUIRE(site.refresh(build(version).with("Gene", gene.name, nodes)));
    const auto versions = store::perform(site.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT version FROM trees ORDER BY version");
    });
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].text(0) == "WS187");
}

TEST_CASE("A page shows the newest rows, or those after a release") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    auto third = build("WS188");
    third.with("Gene", gene.name, {tag("Third")});
    REQUIRE(site.refresh(build("WS186").with("Gene", gene.name, one)));
    REQUIRE(site.refresh(build("WS187").with("Gene", gene.name, two)));
    REQUIRE(site.refresh(third));
    CHECK(site.rows(third.release(), gene, {50, ""}).size() == 2);
    const auto newest = site.rows(third.release(), gene, {1, ""});
    REQUIRE(newest.size() == 1);
    CHECK(newest[0].release.version == "WS188");
    CHECK(site.rows(third.release(), gene, {50, "WS187"}).size() == 1);
    CHECK(site.rows(third.release(), gene, {50, "WS188"}).empty());
}

TEST_CASE("A past tree is known where it was stored, compared, and in between") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Refresher site(fresh.connect());
    REQUIRE(site.refresh(build("WS186").with("Gene", gene.name, one)));
    const auto done = site.refresh(build("WS188").with("Gene", gene.name, two));
    REQUIRE(done);
    site.settings.known_releases = {build("WS187").release(),
                                    {"WS185", *base::parse_date("2008-01-11")}};
    const auto in = [&](std::string_view version) {
        return tree_at(site.pool, site.settings, *done->row, version);
    };
    CHECK(in("WS186")->nodes == one);
    CHECK(in("WS188")->nodes == two);
    CHECK(in("WS187").error().kind == base::ErrorKind::absent);
    CHECK(in("WS187").error().text.find("WS186") != std::string::npos);
    CHECK(in("WS185").error().kind == base::ErrorKind::absent);
    CHECK(in("WS1").error() == query::no_release("WS1").value());
}

TEST_CASE("Whatever statement fails, the outcome is one whole row") {
    const auto engine = GENERATE(support::engines());
    const auto fault = GENERATE(support::Fault::lost, support::Fault::deadlock,
                                support::Fault::lost_commit, support::Fault::undone_commit);
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, two);
    const support::FreshStore reference(engine);
    Refresher whole(reference.connect());
    REQUIRE(whole.refresh(first));
    REQUIRE(whole.refresh(second));
    const auto expected = whole.contents();
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const support::FreshStore fresh(engine);
        Refresher site(support::faulty(fresh.connect(), plan), support::no_waiting());
        REQUIRE(site.refresh(first));
        REQUIRE(site.refresh(second));
        CHECK(site.contents() == expected);
    });
}

TEST_CASE("An object vanishes though another spelled alike, recorded apart, stays") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Refresher site(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "abc", one).with("Gene", "ABC", two);
    second.with("Gene", "ABC", two);
    for (const auto* name : {"abc", "ABC"}) REQUIRE(site.refresh(first, nullptr, {"Gene", name}));
    for (const auto* name : {"abc", "ABC"})
        REQUIRE(site.refresh(second, nullptr, {"Gene", name}));
    REQUIRE(site.rows(second.release(), {"Gene", "abc"}).size() == 1);
    CHECK(site.rows(second.release(), {"Gene", "abc"})[0].kind == RowKind::vanished);
    CHECK(site.rows(second.release(), {"Gene", "ABC"}).empty());
}
