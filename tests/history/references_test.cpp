// SPDX-License-Identifier: MIT
#include "history/build_view.hpp"

#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "support/trees.hpp"

using compare::Reference;
using support::reference;
using support::SmallBuild;
using support::tag;
using support::text;
using Fate = Reference::Fate;

namespace {

const tree::ObjectName named_gene{"Gene", "WBGene1"};
const tree::ObjectName term{"GO_term", "GO:1"};

support::Nodes with_name(const std::string& name) { return {tag("Name", {text(name)})}; }

history::NamePaths label_paths() { return {{"GO_term", {{"Name"}}}, {"Gene", {{"Name"}}}}; }

// The notes of the only row of an object in a release.
tables::Notes notes_of(support::RecordingSite& site, const tree::ObjectName& object,
                       const std::string& version) {
    return store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto oid = support::row_of(transaction, object)->oid;
        const auto rows = support::rows_of_release(transaction, std::span(&oid, 1), version);
        REQUIRE(rows.size() == 1);
        return rows.front().notes;
    });
}

// A site with two releases, whose labels are the names of terms and genes.
struct TwoReleases {
    TwoReleases() : fresh(GENERATE(support::engines())), site(fresh.connect()) {
        site.settings.names = label_paths();
    }
    const support::FreshStore fresh;
    support::RecordingSite site;
    SmallBuild first{"WS1", "2008-01-01"}, second{"WS2", "2008-02-01"};
};

}  // namespace

TEST_CASE_METHOD(
    TwoReleases,
    "References have the labels of their release, whatever was recorded before, and when") {
    const bool label_first = GENERATE(true, false);
    first.with("GO_term", "GO:1", with_name("core")).with("Gene", "WBGene1", {});
    second.with("GO_term", "GO:1", with_name("nucleus"))
        .with("Gene", "WBGene1", {tag("GO_term", {reference("GO_term", "GO:1")})});
    site.ask(first, nullptr, term);
    site.ask(first, nullptr, named_gene);
    if (label_first) site.ask(second, &first, term);
    site.ask(second, &first, named_gene);
    const auto notes = notes_of(site, named_gene, "WS2");
    CHECK(notes.references == compare::References{{term, "nucleus", Fate::stays}});
}

TEST_CASE_METHOD(
    TwoReleases,
    "References to objects of a running database have the labels that the store knows") {
    first.with("GO_term", "GO:1", with_name("core")).with("Gene", "WBGene1", {}).of_server();
    second.with("GO_term", "GO:1", with_name("nucleus"))
        .with("GO_term", "GO:2", with_name("unknown"))
        .with("Gene", "WBGene1",
              {tag("GO_term", {reference("GO_term", "GO:1"), reference("GO_term", "GO:2")})})
        .of_server();
    site.ask(first, nullptr, term);
    site.ask(first, nullptr, named_gene);
    const auto loads = second.loads();
    site.ask(second, nullptr, named_gene);
    CHECK(second.loads() == loads + 1);
    CHECK(notes_of(site, named_gene, "WS2").references ==
          compare::References{{term, "core", Fate::stays}});
}

TEST_CASE_METHOD(
    TwoReleases,
    "References say which objects the release created or lost, unless they are helpers") {
    site.settings.ranking.helper_classes = {"Author"};
    const auto list = [](const std::string& other) {
        return support::Nodes{tag("Gene", {reference("Gene", other)}),
                              tag("Author", {reference("Author", "of " + other)})};
    };
    first.with("GO_term", "GO:1", list("WBGene1"))
        .with("Gene", "WBGene1", with_name("abc-1"))
        .with("Author", "of WBGene1", {});
    second.with("GO_term", "GO:1", list("WBGene2"))
        .with("Gene", "WBGene2", with_name("abc-2"))
        .with("Author", "of WBGene2", {});
    site.ask(first, nullptr, named_gene);
    site.ask(first, nullptr, term);
    site.ask(second, &first, term);
    const auto notes = notes_of(site, term, "WS2");
    // The named_gene that is gone goes by the label that the store has of it.
    CHECK(notes.references == compare::References{{named_gene, "abc-1", Fate::vanished},
                                                  {{"Gene", "WBGene2"}, "abc-2", Fate::created}});
}

TEST_CASE_METHOD(TwoReleases,
                 "References say which objects no build has, whoever was asked for before") {
    const bool asked_before = GENERATE(true, false);
    first.with("GO_term", "GO:1", {}).with("Gene", "WBGene1", {}).with("Gene", "WBGene3", {});
    const auto genes = tag("Gene", {reference("Gene", "WBGene1"), reference("Gene", "nobody"),
                                    reference("Gene", "WBGene3"), reference("Text", "words")});
    second.with("GO_term", "GO:1", {genes})
        .with("GO_term", "GO:2", {genes})
        .with("Gene", "WBGene1", {});
    site.ask(first, nullptr, term);
    if (asked_before) site.ask(first, nullptr, {"Gene", "WBGene3"});
    if (asked_before) site.ask(second, &first, {"Gene", "WBGene3"});
    site.ask(second, &first, term);
    CHECK(notes_of(site, term, "WS2").references ==
          compare::References{{{"Gene", "WBGene3"}, {}, Fate::vanished},
                              {{"Gene", "nobody"}, {}, Fate::absent}});
    site.ask(second, &first, {"GO_term", "GO:2"});
    CHECK(notes_of(site, {"GO_term", "GO:2"}, "WS2").references ==
          compare::References{{{"Gene", "nobody"}, {}, Fate::absent}});
}

TEST_CASE(
    "An object that was gone before the release is absent, whether or not it was recorded") {
    const bool asked_before = GENERATE(true, false);
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    site.settings.names = label_paths();
    auto first = SmallBuild("WS1", "2008-01-01");
    first.with("GO_term", "GO:1", {}).with("Gene", "WBGene3", with_name("abc-3"));
    auto second = SmallBuild("WS2", "2008-02-01");
    second.with("GO_term", "GO:1", {});
    auto third = SmallBuild("WS3", "2008-03-01");
    third.with("GO_term", "GO:1", {tag("Gene", {reference("Gene", "WBGene3")})});
    site.ask(first, nullptr, term);
    if (asked_before) site.ask(first, nullptr, {"Gene", "WBGene3"});
    site.ask(second, &first, term);
    site.ask(third, &second, term);
    // What it was called is known to the store alone.
    const std::string label = asked_before ? "abc-3" : "";
    CHECK(notes_of(site, term, "WS3").references ==
          compare::References{{{"Gene", "WBGene3"}, label, Fate::absent}});
}

TEST_CASE_METHOD(TwoReleases, "Without the build before nothing is known to be new or gone") {
    first.with("GO_term", "GO:1", {tag("Gene", {reference("Gene", "WBGene1")})})
        .with("Gene", "WBGene1", {});
    second.with("GO_term", "GO:1", {});
    site.ask(first, nullptr, term);
    site.ask(second, nullptr, term);
    const auto notes = notes_of(site, term, "WS2");
    CHECK(notes.references.empty());
}

TEST_CASE_METHOD(TwoReleases, "A row of thousands of references names 200 of them") {
    support::Nodes terms;
    for (int i = 0; i < 3000; ++i) {
        const auto id = "GO:" + std::to_string(10'000 + i);
        terms.push_back(reference("GO_term", id));
        second.with("GO_term", id, with_name("term " + std::to_string(i)));
    }
    second.with("Gene", "WBGene1", {tag("GO_term", terms)});
    first.with("Gene", "WBGene1", {});
    site.ask(first, nullptr, named_gene);
    site.ask(second, &first, named_gene);
    const auto notes = notes_of(site, named_gene, "WS2");
    CHECK(notes.references.size() == 200);
}

TEST_CASE("Labels are loaded once, and anew for another build") {
    history::LabelCache labels;
    auto first = SmallBuild("WS1", "2008-01-01");
    first.with("GO_term", "GO:1", with_name("core"));
    auto second = SmallBuild("WS2", "2008-02-01");
    second.with("GO_term", "GO:1", with_name("nucleus"));
    CHECK(*labels.of(term, first, label_paths()) == "core");
    CHECK(*labels.of(term, first, label_paths()) == "core");
    CHECK(first.loads() == 1);
    CHECK(*labels.of(term, second, label_paths()) == "nucleus");
    CHECK(labels.of({"GO_term", "GO:9"}, second, label_paths())->empty());
}

TEST_CASE(
    "An object that cannot be read has no label, and a build that cannot is no reason for one") {
    history::LabelCache labels;
    auto build = SmallBuild("WS1", "2008-01-01");
    build.with("GO_term", "GO:1", with_name("core")).with("GO_term", "GO:2", with_name("other"));
    build.break_one_with(term, {base::ErrorKind::malformed, "bad"});
    build.break_one_with({"GO_term", "GO:2"}, {base::ErrorKind::unavailable, "away"});
    CHECK(labels.of(term, build, label_paths())->empty());
    CHECK(labels.of({"GO_term", "GO:2"}, build, label_paths()).error().kind ==
          base::ErrorKind::unavailable);
}

TEST_CASE_METHOD(
    TwoReleases,
    "Changes of many MB are recorded without what is below them, and the title counts all") {
    support::Nodes texts;
    for (int i = 0; i < 5'000; ++i)
        texts.push_back(text(std::to_string(i) + std::string(1'000, 'x')));
    first.with("Gene", "WBGene1", {});
    second.with("Gene", "WBGene1", {tag("Small", {text("one")}), tag("Sequence", texts)});
    site.ask(first, nullptr, named_gene);
    site.ask(second, &first, named_gene);
    const auto notes = notes_of(site, named_gene, "WS2");
    REQUIRE(notes.changes.size() == 2);
    CHECK(notes.changes[0].left_out + notes.changes[1].left_out > 5'000'000);
}
