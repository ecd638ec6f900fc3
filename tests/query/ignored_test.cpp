// What is ignored is in no row, whatever the list was and is; what is stored knows no list.
// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include "compare/compare.hpp"
#include "compare/ignored.hpp"
#include "history/recorder.hpp"
#include "query/tree_at.hpp"
#include "reads.hpp"
#include "support/catch.hpp"
#include "support/contents.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using namespace tables;
using namespace history;
using namespace query;
using support::SmallBuild;
using support::stamped;
using support::tag;
using support::text;

namespace {

const ObjectName protein{"Protein", "P1"};
const compare::Ignored homol = {{"Protein", {{"Homol"}}}};
const std::vector<compare::Ignored> lists = {
    {}, homol, {{"*", {{"a"}}}}, {{"protein", {{"Z"}, {"b", "a"}, {"1"}}}}};

support::Nodes nodes(const std::string& title, const std::string& homology) {
    support::Nodes made;
    if (!title.empty()) made.push_back(tag("Title", {text(title)}));
    if (!homology.empty()) made.push_back(tag("Other", {tag("Homol", {text(homology)})}));
    return made;
}

enum class By { request, batch };

// A site that goes from release to release.
class ProteinSite : private support::FreshStore, public support::RecordingSite {
   public:
    ProteinSite(By by, compare::Ignored ignored)
        : FreshStore(GENERATE(support::engines())), RecordingSite(FreshStore::connect()),
          by_(by) {
        settings.ignored = std::move(ignored);
    }

    // The next release has the protein so; nullopt: not at all.
    void next(const std::optional<support::Nodes>& protein_is) {
        const auto number = std::to_string(186 + builds_.size());
        auto build = std::make_unique<SmallBuild>(
            "WS" + number, "2008-02-0" + std::to_string(1 + builds_.size()));
        build->with("Gene", "another", {});
        if (protein_is) build->with(protein.class_name, protein.name, *protein_is);
        builds_.push_back(std::move(build));
        bring_up_to_date();
    }

    // "VERSION KIND SINCE CHANGES"
    [[nodiscard]] std::vector<std::string> rows() {
        std::vector<std::string> rows;
        for (const auto& row :
             query("SELECT version, kind, since, notes FROM history ORDER BY version"))
            rows.push_back(row.text(0) + ' ' + row.text(1) + ' ' + row.text(2) + ' ' +
                           std::to_string(notes_from_json(row.text(3)).value().changes.size()));
        return rows;
    }
    [[nodiscard]] std::vector<std::string> trees() {
        std::vector<std::string> versions;
        for (const auto& row :
             query("SELECT t.version FROM trees t JOIN objects o ON o.oid = t.oid"
                   " WHERE o.class = 'Protein' ORDER BY t.version"))
            versions.push_back(row.text(0));
        return versions;
    }
    [[nodiscard]] ObjectRow object() {
        return store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
            return support::row_of(transaction, protein).value();
        });
    }
    [[nodiscard]] base::Result<PastTree> tree(const std::string& version) {
        return tree_at(query::Reads(pool, settings).of(nullptr), protein, version);
    }

   private:
    void bring_up_to_date() {
        const auto* previous = builds_.size() < 2 ? nullptr : builds_[builds_.size() - 2].get();
        const std::vector<ObjectName> names{protein};
        if (by_ == By::batch) {
            REQUIRE(history::bring_up_to_date(context(), *builds_.back(), previous, names, {}));
            return;
        }
        const auto done = support::record(context(), *builds_.back(), previous, protein);
        REQUIRE((done || done.error().kind == base::ErrorKind::absent));
    }

    By by_;
    std::vector<std::unique_ptr<SmallBuild>> builds_;
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("What is ignored changes without a row, and its tree and signature are stored") {
    ProteinSite site(GENERATE(By::request, By::batch), homol);
    site.next(nodes("one", "a"));
    site.next(nodes("one", "b"));
    CHECK(site.rows().empty());
    CHECK(site.trees() == Told{"WS186", "WS187"});
    CHECK(site.tree("WS187")->nodes == nodes("one", "b"));
    const auto object = site.object();
    CHECK(object.signature == tree::signature_of(nodes("one", "b")));
    CHECK(object.build == 2);
    CHECK(base::format_date(object.last_modified) == "2007-01-01");
    site.next(nodes("two", "c"));
    CHECK(site.rows() == Told{"WS188 changed WS187 1"});
}

TEST_CASE("What is ignored today decides what is recorded today, and recorded rows stay") {
    ProteinSite site(GENERATE(By::request, By::batch), homol);
    site.next(nodes("one", "a"));
    site.next(nodes("one", "b"));
    site.settings.ignored.clear();
    site.next(nodes("one", "b"));
    CHECK(site.rows().empty());
    site.next(nodes("two", "b"));
    site.next(nodes("two", "c"));
    const Told both{"WS189 changed WS188 1", "WS190 changed WS189 1"};
    CHECK(site.rows() == both);
    site.settings.ignored = homol;
    site.next(nodes("two", ""));
    CHECK(site.rows() == both);
}

TEST_CASE("An object with ignored content alone comes, goes and comes back without changes") {
    ProteinSite site(GENERATE(By::request, By::batch), homol);
    site.next(std::nullopt);
    site.next(nodes("", "a"));
    site.next(std::nullopt);
    site.next(nodes("", "b"));
    CHECK(site.rows() ==
          Told{"WS187 created WS186 0", "WS188 vanished WS187 0", "WS189 reappeared WS188 0"});
    CHECK(site.tree("WS187")->nodes == nodes("", "a"));
}

TEST_CASE("At first sight the timestamps of ignored nodes are no evidence") {
    ProteinSite site(GENERATE(By::request, By::batch), homol);
    const std::string old = "2005-03-09_16:30:50_lstein", lately = "2008-01-20_09:15:20_sylvia";
    const auto with_homology = [&](const std::string& of_homology, const std::string& of_title) {
        return support::Nodes{tag("DB_info", {tag("Homol", {stamped(text("a"), of_homology)}),
                                              tag("Title", {stamped(text("one"), of_title)})})};
    };
    SECTION("what is ignored is news") {
        site.next(with_homology(lately, old));
        CHECK(site.rows().empty());
        CHECK(site.tree("WS186")->nodes == with_homology(lately, old));
    }
    SECTION("the tag above is as old as what is left of it") {
        site.next(with_homology(old, lately));
        REQUIRE(site.rows() == Told{"WS186 reconstructed  1"});
        const auto notes =
            notes_from_json(site.query("SELECT notes FROM history").at(0).text(0)).value();
        CHECK(notes.changes[0].after[0].cell.text == "DB_info");
        CHECK(notes.changes[0].after[0].children.size() == 1);
    }
}

TEST_CASE("Two releases compared differ in what is not ignored today") {
    ProteinSite site(By::request, homol);
    site.next(nodes("one", "a"));
    site.next(nodes("two", "b"));
    const auto before = site.tree("WS186"), after = site.tree("WS187");
    REQUIRE((before && after));
    const auto between = [&](const compare::Ignored& ignored) {
        return difference_between(*before, *after, protein, tree::Models{}, ignored)
            ->changes.size();
    };
    CHECK(between(homol) == 1);
    CHECK(between({}) == 2);
    CHECK(between({{"*", {{"Title"}, {"Other"}}}}) == 0);
}

TEST_CASE("A row has what differs from the tree before, without what was ignored at the time") {
    CHECK(rc::check([] {
        const auto one = support::random_nodes(3), two = support::random_nodes(3);
        const auto list = *rc::gen::elementOf(lists);
        const tree::Models models;
        const NamePaths names;
        const std::vector<Release> releases = {{"WS186", *base::parse_date("2008-02-01")},
                                               {"WS187", *base::parse_date("2008-02-15")}};
        Before before;
        before.row.emplace().object = protein;
        before.tree = KnownTree{"WS186", one};
        const After after{protein, two, tree::signature_of(two)};
        const auto outcome =
            decide(before, after, {releases.back(), "WS186", names, names, list, models, {}, {}});
        const auto expected = compare::without_ignored(
            compare::compare(one, two, models, models.of_class("Protein")), list, "Protein");
        RC_ASSERT(outcome.rows.size() == (expected.empty() ? 0U : 1U));
        if (!expected.empty()) RC_ASSERT(outcome.rows[0].notes.changes == expected);
        RC_ASSERT(outcome.row.signature == tree::signature_of(two));
        RC_ASSERT(outcome.stores_tree == (tree::signature_of(one) != tree::signature_of(two)));
    }));
}
