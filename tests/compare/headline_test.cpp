// SPDX-License-Identifier: MIT
#include "compare/headline.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"

using compare::Change;
using compare::Op;
using compare::Reference;
using support::node;
using support::reference;
using support::tag;
using support::text;
using tree::Cell;
using tree::CellKind;
using tree::Node;
using Fate = Reference::Fate;

namespace {

std::vector<Cell> at(const std::vector<std::string>& names) {
    std::vector<Cell> cells;
    for (const auto& name : names) cells.push_back({CellKind::tag, name, {}});
    return cells;
}
Change added(std::vector<Cell> path, Node value) {
    return {Op::added, std::move(path), {}, {std::move(value)}};
}
Change removed(std::vector<Cell> path, Node value) {
    return {Op::removed, std::move(path), {std::move(value)}, {}};
}
Change replaced(std::vector<Cell> path, Node before, Node after) {
    return {Op::replaced, std::move(path), {std::move(before)}, {std::move(after)}};
}

compare::Ranking ranking() {
    return {.important = {{"Gene", {{"Identity", "Status"}}}},
            .minor = {{"*", {{"Version"}}}},
            .helper_classes = {}};
}

std::string headline(const std::vector<Change>& changes,
                     const compare::References& references = {}) {
    const auto rules = ranking();
    const compare::Ranker ranker(rules, "Gene");
    return compare::headline_of(compare::field_changes(changes, ranker, references), references);
}

const auto status = replaced(at({"Identity", "Status"}), tag("Live"), tag("Dead"));
const auto version = replaced(at({"Identity", "Version"}), node(CellKind::integer, "1"),
                              node(CellKind::integer, "2"));

Change go_term(const std::string& name) {
    return added(at({"Gene_info", "GO_term"}), reference("GO_term", name));
}

}  // namespace

TEST_CASE("A headline leads with the most important change and counts the others") {
    CHECK(headline({version, go_term("GO:1"), status}) ==
          "Status Live \xE2\x86\x92 Dead, GO term GO:1 added, 1 minor change");
    CHECK(headline({version, status}) == "Status Live \xE2\x86\x92 Dead, 1 minor change");
    CHECK(headline({version}) == "Version 1 \xE2\x86\x92 2");
    CHECK(headline({}).empty());
}

TEST_CASE("A headline counts the values that came and went in one field together") {
    CHECK(headline({go_term("GO:1"), go_term("GO:2"),
                    removed(at({"Gene_info", "GO_term"}), reference("GO_term", "GO:3"))}) ==
          "2 GO terms added, 1 removed");
    CHECK(headline({go_term("GO:1"),
                    removed(at({"Gene_info", "GO_term"}), reference("GO_term", "GO:3"))}) ==
          "GO term GO:1 added, GO:3 removed");
}

TEST_CASE("A headline names the one value that a field lost and the one that it got") {
    // Without models, nobody knows that a status has one value.
    CHECK(headline({removed(at({"Info", "State"}), tag("Live")),
                    added(at({"Info", "State"}), tag("Dead"))}) ==
          "State Live removed, Dead added");
    CHECK(headline({removed(at({"Depends"}), text("libc6 (>= 2.35)")),
                    added(at({"Depends"}), text("libc6 (>= 2.36)"))}) ==
          "Depends \xE2\x80\x9Clibc6 (>= 2.35)\xE2\x80\x9D removed, "
          "\xE2\x80\x9Clibc6 (>= 2.36)\xE2\x80\x9D added");
    const std::string words(60, 'x');
    CHECK(headline({removed(at({"Remark"}), text(words)), added(at({"Remark"}), text("b"))}) ==
          "1 remark removed, 1 added");
    // Where there is no room for two names, they are counted.
    CHECK(headline({status, removed(at({"Depends"}), text("libc6 (>= 2.35)")),
                    added(at({"Depends"}), text("libc6 (>= 2.36)"))}) ==
          "Status Live \xE2\x86\x92 Dead, 1 depends removed, 1 added");
}

TEST_CASE("A headline says that a comment came, went or changed") {
    auto path = at({"A"});
    path.push_back({CellKind::text, "v", {}});
    const auto comment = [](const std::string& words) { return node(CellKind::comment, words); };
    CHECK(headline({added(path, comment("sic"))}) == "A v: comment sic added");
    CHECK(headline({removed(path, comment("old one")), added(path, comment("new one"))}) ==
          "A v: comment \xE2\x80\x9Cold one\xE2\x80\x9D removed, "
          "\xE2\x80\x9Cnew one\xE2\x80\x9D added");
    const std::string words(60, 'x');
    CHECK(headline({added(path, comment(words))}) == "A v: comment added");
    CHECK(headline({removed(path, comment(words)), added(path, comment(words + "y"))}) ==
          "A v: 1 comment removed, 1 added");
    CHECK(headline({added(path, comment("a")), added(path, comment("b"))}) ==
          "A v: 2 comments added");
}

TEST_CASE("A headline says so where only white space differs") {
    CHECK(headline({replaced(at({"A"}), text("x y"), text("x  y "))}) ==
          "A: only white space differs");
    CHECK(headline({replaced(at({"Other_name"}), reference("Name", "a b"),
                             reference("Name", "a  b"))}) ==
          "Other name: only white space differs");
    CHECK(headline({removed(at({"A"}), text("x y")), added(at({"A"}), text("x\ty"))}) ==
          "A: only white space differs");
}

TEST_CASE("A headline calls a text empty that has become so, and not reworded") {
    const std::string words(60, 'x');
    CHECK(headline({replaced(at({"A"}), text(words), text(""))}) == "A is empty now");
    CHECK(headline({replaced(at({"A"}), text(" "), text(words))}) == "A is no longer empty");
    CHECK(headline({replaced(at({"A"}), text("x"), text(""))}) == "A x \xE2\x86\x92 (empty)");
}

TEST_CASE("A headline counts every value below a tag that was added with all of them") {
    std::vector<Node> alleles;
    for (int i = 0; i < 13; ++i)
        alleles.push_back(reference("Variation", "e" + std::to_string(i)));
    CHECK(headline({added(at({"Gene_info"}), tag("Allele", alleles))}) == "13 alleles added");
}

TEST_CASE("A headline calls objects by their labels") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"}, "nucleus", Fate::stays}}) ==
          "GO term nucleus added");
}

TEST_CASE("A headline has the beginning of a long label, and quotes around several words") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"},
                                        "phosphatidylinositol-4,5-bisphosphate 5-phosphatase",
                                        Fate::stays}}) ==
          "GO term phosphatidylinositol-4,5-bisphosphate 5-\xE2\x80\xA6 added");
    CHECK(headline({added(at({"Remark"}), text("two words"))}) ==
          "Remark \xE2\x80\x9Ctwo words\xE2\x80\x9D added");
}

TEST_CASE("A headline stays short whatever tags, labels and values are made of") {
    std::vector<Change> changes;
    for (int i = 0; i < 50; ++i)
        changes.push_back(added(at({"A", std::string(5'000, 'x') + std::to_string(i)}),
                                reference("Gene", std::string(500, 'y'))));
    CHECK(headline(changes).size() < 300);
}

TEST_CASE("A headline names a value of 40 bytes, and none that is longer") {
    CHECK(headline({go_term(std::string(40, 'x'))}) ==
          "GO term " + std::string(40, 'x') + " added");
    CHECK(headline({go_term(std::string(41, 'x'))}) == "GO term added");
}

TEST_CASE("A headline names no long values, and calls a long text reworded") {
    const std::string words(60, 'x');
    CHECK(headline({added({}, tag("Remark", {text(words)}))}) == "Remark added");
    CHECK(headline({replaced(at({"Concise_description"}), text(words + " a"),
                             text(words + " b"))}) == "Concise description reworded");
    CHECK(headline({added(at({"Remark"}), text("Rate of locomotion is reduced."))}) ==
          "Remark added");
}

TEST_CASE("A headline says of which value the evidence changed") {
    auto path = at({"Gene_info", "GO_term"});
    path.push_back({CellKind::reference, "GO:1", "GO_term"});
    path.push_back({CellKind::tag, "Paper_evidence", {}});
    CHECK(headline({added(path, reference("Paper", "WBPaper1"))}) ==
          "Paper evidence of GO:1 WBPaper1 added");
}

TEST_CASE("Words without a plain plural are counted behind a colon") {
    CHECK(compare::counted(2, "GO term") == "2 GO terms");
    CHECK(compare::counted(2, "gene class") == "2 gene classes");
    CHECK(compare::counted(2, "homology") == "2 homologies");
    CHECK(compare::counted(2, "assay") == "2 assays");
    CHECK(compare::counted(2, "child of") == "child of: 2");
    CHECK(compare::counted(2, "is a") == "is a: 2");
    CHECK(compare::counted(2, "Depends") == "Depends: 2");
    CHECK(compare::counted(2, "DNA") == "DNA: 2");
    CHECK(compare::counted(2, "\xC3\xA9t\xC3\xA9") == "\xC3\xA9t\xC3\xA9: 2");
    CHECK(compare::counted(1, "child of") == "1 child of");
}

TEST_CASE("Words keep their capitals inside of a sentence where they are abbreviations") {
    CHECK(compare::inside_sentence("Other name") == "other name");
    CHECK(compare::inside_sentence("GO term") == "GO term");
    CHECK(compare::inside_sentence("X") == "X");
    CHECK(compare::begins_sentence("other name") == "Other name");
    CHECK(compare::begins_sentence("").empty());
}

TEST_CASE("An object that only lost or got references to others that came or went says so") {
    const auto gene = reference("Gene", "WBGene9");
    const compare::References gone = {{{"Gene", "WBGene9"}, "abc-1", Fate::vanished}};
    const compare::References fresh = {{{"Gene", "WBGene9"}, "abc-1", Fate::created}};
    CHECK(headline({removed(at({"Gene"}), gene)}, gone) ==
          "lost its reference to abc-1, which vanished");
    CHECK(headline({added(at({"Gene"}), gene)}, fresh) ==
          "has a reference to abc-1, which was created in the same release");
    CHECK(headline({replaced(at({"Gene"}), reference("Gene", "WBGene8"), gene)},
                   {{{"Gene", "WBGene8"}, "abc-1", Fate::vanished},
                    {{"Gene", "WBGene9"}, "abc-2", Fate::created}}) ==
          "Gene abc-1 \xE2\x86\x92 abc-2");
}

TEST_CASE("A headline tells two objects of one label apart by the new name") {
    CHECK(
        headline({replaced(at({"Person"}), reference("Person", "p1"), reference("Person", "p2"))},
                 {{{"Person", "p1"}, "Jo", Fate::vanished},
                  {{"Person", "p2"}, "Jo", Fate::created}}) == "Person Jo, now p2");
}

TEST_CASE("A reference is no echo where something new is said of it, or where it is important") {
    const compare::References fresh = {{{"Gene", "WBGene9"}, "abc-1", Fate::created}};
    CHECK(headline({added(at({"Gene"}), reference("Gene", "WBGene9", {text("why")}))}, fresh) ==
          "Gene abc-1 added");
    CHECK(headline({added(at({"Identity", "Status"}), reference("Gene", "WBGene9"))}, fresh) ==
          "Status abc-1 added");
    // The object is there as before: that it is named no more is news of this one.
    CHECK(headline({removed(at({"Gene"}), reference("Gene", "WBGene9"))}) ==
          "Gene WBGene9 removed");
}

TEST_CASE("Tags without values at the top of an object are told one by one, as what they are") {
    CHECK(headline({added({}, tag("Hidden")), added({}, tag("Confirmed"))}) ==
          "Hidden added, Confirmed added");
    CHECK(headline({replaced({}, tag("Live"), tag("Dead"))}) == "Live \xE2\x86\x92 Dead");
}

TEST_CASE("A headline counts what lies below a value by its tag, not by the value") {
    auto path = at({"Gene_info", "GO_term"});
    path.push_back({CellKind::reference, "GO:1", "GO_term"});
    const compare::References names = {{{"GO_term", "GO:1"}, "cytoplasm", Fate::stays}};
    CHECK(headline({added(path, text("a")), added(path, text("b"))}, names) ==
          "GO term cytoplasm: 2 added");
    path.push_back({CellKind::tag, "Paper_evidence", {}});
    CHECK(headline({added(path, text("a")), added(path, text("b"))}, names) ==
          "Paper evidence of cytoplasm: 2 added");
    path.back().text = "Paper";
    CHECK(headline({added(path, text("a")), added(path, text("b"))}, names) ==
          "2 papers of cytoplasm added");
}

TEST_CASE("A headline holds no marks that turn the direction of what follows") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"},
                                        "\xE2\x80\xAE"
                                        "abc\xE2\x81\xA6\xE2\x82\xAC\xE2\x80",
                                        Fate::stays}}) ==
          "GO term abc\xE2\x82\xAC\xE2\x80 added");
}
