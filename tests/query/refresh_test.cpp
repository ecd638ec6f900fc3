// Objects refreshed release by release, on both engines.
// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>

#include "process.hpp"
#include "query/histories.hpp"
#include "reads.hpp"
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
        return Reads(pool, settings).rows(name, current, request);
    }
};

// The same with a store of its own.
class OwnSite : private support::FreshStore, public Refresher {
   public:
    OwnSite() : FreshStore(GENERATE(support::engines())), Refresher(FreshStore::connect()) {}
};

}  // namespace

TEST_CASE("What a build does not confirm behind the load is not recorded") {
    OwnSite site;
    auto before = build("WS186"), after = build("WS187");
    before.with("Gene", gene.name, one);
    after.with("Gene", gene.name, two);
    REQUIRE(site.refresh(before));
    REQUIRE(site.number_build(after, tables::Publication::first));
    const auto recorded = site.contents();
    after.deny_with({base::ErrorKind::unavailable, "it holds another build now"});
    const auto refused = site.refresh(after);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == base::ErrorKind::unavailable);
    CHECK(site.contents() == recorded);
    const std::vector<ObjectName> names{gene};
    const auto batch = bring_up_to_date({site.pool, site.settings, site.clock, site.labels},
                                        after, nullptr, names, {});
    REQUIRE_FALSE(batch);
    CHECK(batch.error().kind == base::ErrorKind::unavailable);
    CHECK(site.contents() == recorded);
}

TEST_CASE("An object that went and one that came name each other if both alone had the content, "
          "whoever is asked first") {
    const bool vanished_first = GENERATE(true, false);
    struct Release {
        support::Nodes content;
        bool has_another = false;  // which came with the content
        bool is_rename = true;
    };
    const auto [content, has_another, is_rename] =
        GENERATE(Release{one}, Release{one, true, false}, Release{{}, false, false});
    OwnSite site;
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", content).with("Gene", "other", two);
    second.with("Gene", "new", content).with("Gene", "other", two);
    if (has_another) second.with("Gene", "newer", content);
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    const ObjectName names[] = {{"Gene", "old"}, {"Gene", "new"}};
    REQUIRE(site.refresh(second, &first, names[vanished_first ? 0 : 1]));
    REQUIRE(site.refresh(second, &first, names[vanished_first ? 1 : 0]));
    if (has_another) REQUIRE(site.refresh(second, &first, {"Gene", "newer"}));
    const auto to = site.rows(second.release(), names[0]).at(0).renamed_to;
    const auto from = site.rows(second.release(), names[1]).at(0).renamed_from;
    CHECK(to == (is_rename ? std::optional(names[1]) : std::nullopt));
    CHECK(from == (is_rename ? std::optional(names[0]) : std::nullopt));
}

TEST_CASE("Two objects that vanish with the same content are no rename, in whatever order") {
    std::vector<ObjectName> names{{"Gene", "old"}, {"Gene", "older"}, {"Gene", "new"}};
    std::ranges::rotate(names, names.begin() + GENERATE(0, 1, 2));
    if (GENERATE(true, false)) std::swap(names[1], names[2]);
    OwnSite site;
    auto first = build("WS186"), second = build("WS187");
    first.with("Gene", "old", one).with("Gene", "older", one);
    second.with("Gene", "new", one);
    REQUIRE(site.refresh(first, nullptr, {"Gene", "old"}));
    REQUIRE(site.refresh(first, nullptr, {"Gene", "older"}));
    if (GENERATE(true, false))
        REQUIRE(bring_up_to_date({site.pool, site.settings, site.clock, site.labels}, second,
                                 &first, names));
    for (const auto& name : names) REQUIRE(site.refresh(second, &first, name));
    for (const auto& name : names) {
        const auto rows = site.rows(second.release(), name);
        REQUIRE(rows.size() == 1);
        CHECK_FALSE(rows[0].renamed_to);
        CHECK_FALSE(rows[0].renamed_from);
    }
}

TEST_CASE("Releases that a first sight finds are recorded by their names") {
    OwnSite site;
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

TEST_CASE("A past tree is known where it was stored, compared, and in between") {
    OwnSite site;
    REQUIRE(site.refresh(build("WS186").with("Gene", gene.name, one)));
    const auto done = site.refresh(build("WS188").with("Gene", gene.name, two));
    REQUIRE(done);
    site.settings.known_releases = {build("WS187").release(),
                                    {"WS185", *base::parse_date("2008-01-11")}};
    const auto in = [&](const std::string& version) {
        return tree_at(Reads(site.pool, site.settings).of(nullptr), gene, version);
    };
    CHECK(in("WS186")->nodes == one);
    CHECK(in("WS188")->nodes == two);
    CHECK(in("WS187").error().kind == base::ErrorKind::absent);
    CHECK(in("WS187").error().text.find("WS186") != std::string::npos);
    CHECK(in("WS185").error().kind == base::ErrorKind::absent);
    CHECK(in("WS1").error() == query::no_release("WS1").value());
}
