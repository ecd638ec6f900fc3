// Objects refreshed release by release, on both engines.
// SPDX-License-Identifier: MIT
#include "history/refresh.hpp"

#include "history/batch.hpp"
#include "query/row_reading.hpp"
#include "query/tree_at.hpp"
#include "support/catch.hpp"
#include "support/faulty_connection.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using namespace tables;
using namespace history;
using namespace query;
using support::SmallBuild;
using support::tag;
using support::text;

namespace {

const ObjectName gene{"Gene", "WBGene00006763"};
const support::Nodes one{tag("Remark", {text("one")})}, two{tag("Remark", {text("two")})};

SmallBuild build(const std::string& version) {
    if (version == "WS186") return {version, "2008-02-01"};
    if (version == "WS187") return {version, "2008-02-15"};
    return {version, "2008-03-22"};
}

// One process's way into the store.
class Desks {
   public:
    explicit Desks(store::Connect connect, store::RetryPolicy retry_policy = {})
        : pool(std::move(connect), 4, std::move(retry_policy)) {}

    base::Result<Refreshed> refresh(const SmallBuild& now, const SmallBuild* before = nullptr,
                                    const ObjectName& name = gene) {
        return history::refresh({pool, settings, clock, renames}, now, before, name);
    }
    std::vector<Row> rows(const Release& current, const ObjectName& name = gene,
                          const PageRequest& window = {}) {
        return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            const auto object = find_object(transaction, name);
            if (!object) return std::vector<Row>();
            const auto releases = known_releases(transaction, settings, nullptr, nullptr);
            auto loaded = load_rows(transaction, *object, current, window, releases);
            REQUIRE(loaded);
            return loaded->rows;
        });
    }
    // Everything that is recorded, as text, times of recording left out.
    std::string contents() {
        std::string all;
        const auto add = [&](std::string_view sql) {
            const auto rows = store::perform(pool, store::Access::read, [&](auto& transaction) {
                return transaction.query(sql);
            });
            for (const auto& row : rows) {
                for (std::size_t i = 0; i < row.size(); ++i) all += row.text(i) + '|';
                all += '\n';
            }
        };
        add("SELECT class, name, name_key, label, signature, last_modification_date, ace_version"
            " FROM objects ORDER BY class, name");
        add("SELECT o.name, h.version, h.since, h.date, h.signature, h.kind, h.label, h.notes"
            " FROM history h JOIN objects o ON o.oid = h.oid ORDER BY o.name, h.version");
        add("SELECT o.name, t.version FROM trees t JOIN objects o ON o.oid = t.oid"
            " ORDER BY o.name, t.version");
        add("SELECT version, released_on, digest FROM releases ORDER BY version");
        return all;
    }

    store::Pool pool;
    Settings settings;
    base::Clock clock = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    CreatedObjects renames;
};

}  // namespace

TEST_CASE("an object asked for in each release has a row for each that changed it") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187"), third = build("WS188");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, one);
    third.with("Gene", gene.name, two);
    REQUIRE(desks.refresh(first));
    REQUIRE(desks.refresh(second));
    const auto done = desks.refresh(third);
    REQUIRE(done);
    CHECK(done->wrote_history);
    const auto rows = desks.rows(third.release());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].kind == RowKind::changed);
    CHECK(rows[0].since == "WS187");
    CHECK(rows[0].object == gene);
    CHECK(rows[0].recorded_at == desks.clock());
}

TEST_CASE("an object compared in this release is not loaded again") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", gene.name, one);
    REQUIRE(desks.refresh(now));
    const auto contents = desks.contents();
    REQUIRE(desks.refresh(now));
    CHECK(now.loads() == 1);
    CHECK(desks.contents() == contents);
}

TEST_CASE("an object that never was is absent, and nothing is stored") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", gene.name, one);
    const auto contents = desks.contents();
    CHECK(desks.refresh(now, nullptr, {"Gene", "nothing"}).error().kind == base::Kind::absent);
    CHECK(desks.contents() == contents);
}

TEST_CASE("what a build does not confirm behind the load is not recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto before = build("WS186"), after = build("WS187");
    before.with("Gene", gene.name, one);
    after.with("Gene", gene.name, two);
    REQUIRE(desks.refresh(before));
    const auto recorded = desks.contents();
    after.deny_with({base::Kind::unavailable, "it holds another build now"});
    const auto refused = desks.refresh(after);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == base::Kind::unavailable);
    CHECK(desks.contents() == recorded);
    const std::vector<ObjectName> names{gene};
    const auto batch = bring_up_to_date({desks.pool, desks.settings, desks.clock, desks.renames},
                                        after, nullptr, names, {});
    REQUIRE_FALSE(batch);
    CHECK(batch.error().kind == base::Kind::unavailable);
    CHECK(desks.contents() == recorded);
}

TEST_CASE("an object that vanished lives on, and may come back") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187"), third = build("WS188");
    first.with("Gene", gene.name, one);
    third.with("Gene", gene.name, two);
    REQUIRE(desks.refresh(first));
    REQUIRE(desks.refresh(second));
    REQUIRE(desks.refresh(second));
    REQUIRE(desks.refresh(third));
    const auto rows = desks.rows(third.release());
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].kind == RowKind::reappeared);
    CHECK(rows[1].kind == RowKind::vanished);
    CHECK(desks.rows(second.release()).size() == 1);
}

TEST_CASE("a request on an older build moves nothing back and shows no newer row") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, two);
    REQUIRE(desks.refresh(first));
    REQUIRE(desks.refresh(second));
    const auto contents = desks.contents();
    REQUIRE(desks.refresh(first));
    CHECK(desks.contents() == contents);
    CHECK(desks.rows(first.release()).empty());
    CHECK(desks.rows(second.release()).size() == 1);
}

TEST_CASE("another spelling of class and name is the same object") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "unc-26", one);
    second.with("Gene", "UNC-26", two);
    REQUIRE(desks.refresh(first, nullptr, {"gene", "Unc-26"}));
    const auto done = desks.refresh(second, nullptr, {"Gene", "unc-26"});
    REQUIRE(done);
    CHECK(done->row.object == ObjectName{"Gene", "unc-26"});
    CHECK(desks.rows(second.release(), {"Gene", "unc-26"}).size() == 1);
}

TEST_CASE("two objects that differ by case are asked for exactly or not found") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto now = build("WS186");
    now.with("Gene", "abc", one).with("Gene", "ABC", two);
    REQUIRE(desks.refresh(now, nullptr, {"Gene", "abc"}));
    REQUIRE(desks.refresh(now, nullptr, {"Gene", "ABC"}));
    const auto neither = desks.refresh(now, nullptr, {"Gene", "Abc"});
    REQUIRE_FALSE(neither);
    INFO(neither.error().text);
    CHECK(neither.error().kind == base::Kind::absent);
}

TEST_CASE("a release recorded with other content is a conflict, and nothing is written") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto now = build("WS186"), other = build("WS186");
    now.with("Gene", gene.name, one).with("Gene", "b", one);
    other.with("Gene", "b", two);
    REQUIRE(desks.refresh(now));
    const auto contents = desks.contents();
    CHECK(desks.refresh(other, nullptr, {"Gene", "b"}).error().kind == base::Kind::conflict);
    CHECK(desks.contents() == contents);
}

TEST_CASE(
    "a vanished and a created object of equal content name each other, whoever is asked first") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const bool vanished_first = GENERATE(true, false);
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one).with("Gene", "other", two);
    second.with("Gene", "new", one).with("Gene", "other", two);
    REQUIRE(desks.refresh(first, nullptr, {"Gene", "old"}));
    const ObjectName names[] = {{"Gene", "old"}, {"Gene", "new"}};
    REQUIRE(desks.refresh(second, &first, names[vanished_first ? 0 : 1]));
    REQUIRE(desks.refresh(second, &first, names[vanished_first ? 1 : 0]));
    CHECK(desks.rows(second.release(), names[0])[0].notes.renamed_to == names[1]);
    CHECK(desks.rows(second.release(), names[1])[0].notes.renamed_from == names[0]);
}

TEST_CASE("no rename is told where two objects took the content") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one);
    second.with("Gene", "new", one).with("Gene", "newer", one);
    REQUIRE(desks.refresh(first, nullptr, {"Gene", "old"}));
    REQUIRE(desks.refresh(second, &first, {"Gene", "old"}));
    REQUIRE(desks.refresh(second, &first, {"Gene", "new"}));
    CHECK_FALSE(desks.rows(second.release(), {"Gene", "old"})[0].notes.renamed_to);
    CHECK_FALSE(desks.rows(second.release(), {"Gene", "new"})[0].notes.renamed_from);
}

TEST_CASE("releases that a first sight tells of are recorded by their names") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    desks.settings.known_releases = {build("WS186").release(), build("WS187").release()};
    auto now = build("WS188");
    now.with("Gene", gene.name,
             {support::stamped(text("a"), "2008-02-10_14:30:00_sylvia"),
              support::stamped(text("b"), "2008-03-15_08:05:09_x")});
    REQUIRE(desks.refresh(now));
    const auto versions = store::perform(desks.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT version FROM releases ORDER BY version");
    });
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].text(0) == "WS187");
    CHECK(versions[1].text(0) == "WS188");
    CHECK(desks.rows(now.release()).size() == 2);
}

TEST_CASE("only the newest trees are kept when the configuration says so") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    desks.settings.keep_trees = 2;
    for (const auto& [version, nodes] :
         {std::pair{"WS186", one}, {"WS187", two}, {"WS188", support::Nodes{tag("Third")}}})
        REQUIRE(desks.refresh(build(version).with("Gene", gene.name, nodes)));
    const auto versions = store::perform(desks.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT version FROM trees ORDER BY version");
    });
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].text(0) == "WS187");
}

TEST_CASE("a window shows the newest rows, or those after a release") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto third = build("WS188");
    third.with("Gene", gene.name, {tag("Third")});
    REQUIRE(desks.refresh(build("WS186").with("Gene", gene.name, one)));
    REQUIRE(desks.refresh(build("WS187").with("Gene", gene.name, two)));
    REQUIRE(desks.refresh(third));
    CHECK(desks.rows(third.release(), gene, {50, ""}).size() == 2);
    const auto newest = desks.rows(third.release(), gene, {1, ""});
    REQUIRE(newest.size() == 1);
    CHECK(newest[0].release.version == "WS188");
    CHECK(desks.rows(third.release(), gene, {50, "WS187"}).size() == 1);
    CHECK(desks.rows(third.release(), gene, {50, "WS188"}).empty());
}

TEST_CASE("a past tree is known where it was stored, compared, and in between") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    REQUIRE(desks.refresh(build("WS186").with("Gene", gene.name, one)));
    const auto done = desks.refresh(build("WS188").with("Gene", gene.name, two));
    REQUIRE(done);
    desks.settings.known_releases = {build("WS187").release(),
                                     {"WS185", *base::parse_date("2008-01-11")}};
    const auto in = [&](std::string_view version) {
        return tree_at(desks.pool, desks.settings, done->row, version);
    };
    CHECK(in("WS186")->nodes == one);
    CHECK(in("WS188")->nodes == two);
    CHECK(in("WS187").error().kind == base::Kind::absent);
    CHECK(in("WS187").error().text.find("WS186") != std::string::npos);
    CHECK(in("WS185").error().kind == base::Kind::absent);
    CHECK(in("WS1").error().kind == base::Kind::malformed);
}

TEST_CASE("whatever statement fails, the outcome is one whole row") {
    const auto engine = GENERATE(support::engines());
    const auto fault = GENERATE(support::Fault::lost, support::Fault::deadlock,
                                support::Fault::lost_commit, support::Fault::undone_commit);
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", gene.name, one);
    second.with("Gene", gene.name, two);
    const support::FreshStore reference(engine);
    Desks whole(reference.connect());
    REQUIRE(whole.refresh(first));
    REQUIRE(whole.refresh(second));
    const auto expected = whole.contents();
    for (int at = 1;; ++at) {
        const support::FreshStore fresh(engine);
        const auto plan = std::make_shared<support::FaultPlan>(fault, at);
        Desks desks(support::faulty(fresh.connect(), plan), support::no_waiting());
        REQUIRE(desks.refresh(first));
        REQUIRE(desks.refresh(second));
        CHECK(desks.contents() == expected);
        if (!plan->struck()) break;
    }
}

TEST_CASE("an object vanishes though another spelled alike, recorded apart, stays") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Desks desks(fresh.connect());
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "abc", one).with("Gene", "ABC", two);
    second.with("Gene", "ABC", two);
    for (const auto* name : {"abc", "ABC"})
        REQUIRE(desks.refresh(first, nullptr, {"Gene", name}));
    for (const auto* name : {"abc", "ABC"})
        REQUIRE(desks.refresh(second, nullptr, {"Gene", name}));
    REQUIRE(desks.rows(second.release(), {"Gene", "abc"}).size() == 1);
    CHECK(desks.rows(second.release(), {"Gene", "abc"})[0].kind == RowKind::vanished);
    CHECK(desks.rows(second.release(), {"Gene", "ABC"}).empty());
}
