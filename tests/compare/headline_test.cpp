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

const tree::Models& models() {
    static const auto of_genes = tree::Models::parse(R"(
?Gene Identity Name Other_name ?Gene_name
               Status Live
               Version Int
      Gene_info GO_term ?GO_term
                Allele ?Variation
                Concise_description ?Text
                Remark ?Text
      Gene ?Gene XREF Gene
      Class Gene_class ?Gene_class
      Map Position Float
          Remark ?Text
)");
    return of_genes;
}

compare::Headline lines(const std::vector<Change>& changes,
                        const compare::References& references = {},
                        std::string_view class_name = "Gene") {
    const auto ranks = ranking();
    const compare::ClassRules rules(ranks, class_name, &models());
    return compare::headline_of(compare::field_changes(changes, rules, references), references);
}
std::string headline(const std::vector<Change>& changes,
                     const compare::References& references = {},
                     std::string_view class_name = "Gene") {
    return lines(changes, references, class_name).title;
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
          "GO term: 2 added, 1 removed");
    CHECK(headline({go_term("GO:1"),
                    removed(at({"Gene_info", "GO_term"}), reference("GO_term", "GO:3"))}) ==
          "GO term GO:1 added, GO:3 removed");
}

TEST_CASE("A headline has every value that a value lies in, and sets it off") {
    const auto cell = [](const std::string& row, const std::string& column) {
        auto path = at({"Matrix"});
        path.push_back({CellKind::integer, row, {}});
        path.push_back({CellKind::integer, column, {}});
        return path;
    };
    const auto number = [](const std::string& digits) { return node(CellKind::integer, digits); };
    CHECK(headline({replaced(cell("1", "2"), number("2"), number("4"))}) ==
          "Matrix 1, 2: 2 \xE2\x86\x92 4");
    CHECK(headline({replaced(cell(std::string(30, '1'), std::string(30, '2')), number("2"),
                             number("4"))}) ==
          "Matrix " + std::string(30, '2') + ": 2 \xE2\x86\x92 4");
}

TEST_CASE("A value for which a title has no room is in the text behind it") {
    const std::string name(60, 'x');
    const auto change = replaced(at({"Depends"}), text(name), text(name + "y"));
    CHECK(headline({change}) == "Depends " + name + " \xE2\x86\x92 " + name + "y");
    const auto both = lines({status, change});
    CHECK(both.title == "Status Live \xE2\x86\x92 Dead, depends replaced");
    CHECK(both.more == "Depends " + name + " \xE2\x86\x92 " + name + "y");
}

TEST_CASE("A headline names up to three values of a field that fit, and its text behind it the "
          "others") {
    std::vector<compare::Change> three, four;
    for (const auto* word : {"a", "b", "c", "d"}) {
        four.push_back(added(at({"Depends"}), text(word)));
        if (three.size() < 3) three.push_back(four.back());
    }
    CHECK(headline(three) == "Depends: a, b, c added");
    CHECK(headline(four) == "Depends: 4 added");
    CHECK(lines(four).more == "Depends: a, b, c, d added");
    four.push_back(removed(at({"Depends"}), text("e")));
    CHECK(headline(four) == "Depends: 4 added, 1 removed");
    CHECK(lines(four).more == "Depends: a, b, c, d added, e removed");
    for (int i = 0; i < 100; ++i)
        four.push_back(removed(at({"Depends"}), text("package" + std::to_string(i))));
    const auto many = lines(four);
    CHECK(many.title == "Depends: 4 added, 101 removed");
    CHECK(many.more.ends_with(", \xE2\x80\xA6 removed"));
    // Texts have no short names.
    const std::string words(81, 'x');
    CHECK(lines({added(at({"Note"}), text(words)), added(at({"Note"}), text(words + "y"))})
              .more.empty());
}

TEST_CASE("A headline names the one value that a field lost and the one that it got") {
    // Without models, nobody knows that a status has one value.
    CHECK(headline({removed(at({"State"}), tag("Live")), added(at({"State"}), tag("Dead"))}) ==
          "State Live removed, Dead added");
    CHECK(headline({removed(at({"Depends"}), text("libc6 (>= 2.35)")),
                    added(at({"Depends"}), text("libc6 (>= 2.36)"))}) ==
          "Depends \xE2\x80\x9Clibc6 (>= 2.35)\xE2\x80\x9D removed, "
          "\xE2\x80\x9Clibc6 (>= 2.36)\xE2\x80\x9D added");
    const std::string words(81, 'x');
    CHECK(headline({removed(at({"Note"}), text(words)), added(at({"Note"}), text("b"))}) ==
          "Note: 1 removed, 1 added");
    // Where there is no room for two names, they are counted.
    const std::string name(60, 'x');
    CHECK(headline({status, removed(at({"Depends"}), text(name)),
                    added(at({"Depends"}), text(name + "y"))}) ==
          "Status Live \xE2\x86\x92 Dead, depends: 1 removed, 1 added");
}

TEST_CASE("A headline says that a comment came, went or changed") {
    auto path = at({"A"});
    path.push_back({CellKind::text, "v", {}});
    const auto comment = [](const std::string& words) { return node(CellKind::comment, words); };
    CHECK(headline({added(path, comment("sic"))}) == "A v: comment sic added");
    CHECK(headline({removed(path, comment("old one")), added(path, comment("new one"))}) ==
          "A v: comment \xE2\x80\x9Cold one\xE2\x80\x9D removed, "
          "\xE2\x80\x9Cnew one\xE2\x80\x9D added");
    CHECK(headline({removed(path, text("old")), added(path, comment("sic"))}) ==
          "A v: old removed, comment sic added");
    CHECK(headline({removed(path, comment("sic")), added(path, text("new"))}) ==
          "A v: comment sic removed, value new added");
    const std::string words(81, 'x');
    CHECK(headline({added(path, comment(words))}) == "A v: comment added");
    CHECK(headline({removed(path, comment(words)), added(path, comment(words + "y"))}) ==
          "A v: 1 removed, 1 added");
    CHECK(headline({added(path, comment("a")), added(path, comment("b"))}) ==
          "A v: 2 comments added");
}

TEST_CASE("A headline says what differs between values that look the same") {
    const std::string nfc = "caf\u00E9", nfd = "cafe\u0301";
    struct Pair {
        std::string before, after, difference;
    };
    for (const auto& [before, after, difference] : std::vector<Pair>{
             {nfc, nfd, "only the Unicode form differs (NFC \u2192 NFD)"},
             {nfd + " x", nfc + " x", "only the Unicode form differs (NFD \u2192 NFC)"},
             {nfc + nfd, nfc + nfc, "only the Unicode form differs (mixed \u2192 NFC)"},
             {"\u212B", "\u00C5", "only the Unicode form differs (mixed \u2192 NFC)"},
             {"x y", "x  y ", "only white space differs"},
             {"a b", "a\u00A0b", "only white space differs"},
             {"a", "a\u2003\t", "only white space differs"},
             {nfc + " x", nfd + "\u202Fx", "only white space and the Unicode form differ"},
             {"a\u200Bb", "a\u00ADb\u200F ", "only invisible characters differ"}}) {
        INFO(before + after);
        CHECK(headline({replaced(at({"Name"}), text(before), text(after))}) ==
              "Name: " + difference);
        CHECK(headline({removed(at({"Name"}), reference("Gene", before)),
                        added(at({"Name"}), reference("Gene", after))}) == "Name: " + difference);
    }
    for (const auto& [before, after] :
         std::vector<std::pair<std::string, std::string>>{{nfc, "cafe"},
                                                          {"a b", "ab"},
                                                          {"abc", "abcd"},
                                                          {"\u05D0", "\u05D1"},
                                                          {"e", "e\u0301"}})
        CHECK(headline({replaced(at({"Name"}), text(before), text(after))}).find("only") ==
              std::string::npos);
}

TEST_CASE("A headline calls a text empty that has become so, and not reworded") {
    const std::string words(81, 'x');
    CHECK(headline({replaced(at({"A"}), text(words), text(""))}) == "A is empty now");
    CHECK(headline({replaced(at({"A"}), text(" "), text(words))}) == "A is no longer empty");
    CHECK(headline({replaced(at({"A"}), text("x"), text(""))}) == "A x \xE2\x86\x92 (empty)");
}

TEST_CASE("A text that says what stands for an empty one is quoted") {
    CHECK(headline({replaced(at({"A"}), text("x"), text("(empty)"))}) ==
          "A x \xE2\x86\x92 \xE2\x80\x9C(empty)\xE2\x80\x9D");
}

TEST_CASE("A headline counts every value below a tag that was added with all of them") {
    std::vector<Node> alleles;
    for (int i = 0; i < 13; ++i)
        alleles.push_back(reference("Variation", "e" + std::to_string(i)));
    CHECK(headline({added(at({"Gene_info"}), tag("Allele", alleles))}) == "Allele: 13 added");
}

TEST_CASE("A headline calls objects by their labels") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"}, "nucleus", Fate::stays}}) ==
          "GO term nucleus added");
}

TEST_CASE("A headline has the beginning of a long label, and quotes around several words") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"},
                                        "phosphatidylinositol-4,5-bisphosphate 5-phosphatase",
                                        Fate::stays}}) ==
          "GO term \xE2\x80\x9Cphosphatidylinositol-4,5-bisphosphate 5-\xE2\x80\xA6\xE2\x80\x9D "
          "added");
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
    const std::string words(81, 'x');
    CHECK(headline({added({}, tag("Note", {text(words)}))}) == "Note added");
    CHECK(headline({replaced(at({"Concise_description"}), text(words + " a"),
                             text(words + " b"))}) == "Concise description reworded");
    CHECK(headline({replaced(at({"Concise_description"}), text(words), text(words + " b"))}) ==
          "Concise description extended");
    CHECK(headline({replaced(at({"Concise_description"}), text(words + " a"), text(words))}) ==
          "Concise description shortened");
    CHECK(headline({status, added(at({"Note"}), text(words.substr(1)))}) ==
          "Status Live \xE2\x86\x92 Dead, note added");
}

TEST_CASE("A headline names what a short text was and what it is now") {
    CHECK(headline({replaced(at({"name"}), text("Regular expressions"), text("Regexes"))}) ==
          "Name \xE2\x80\x9CRegular expressions\xE2\x80\x9D \xE2\x86\x92 Regexes");
    // Characters count, not bytes.
    std::string greek;
    for (int i = 0; i < 80; ++i) greek += "\xCE\xB1";
    CHECK(headline({replaced(at({"name"}), text("a"), text(greek))}) ==
          "Name a \xE2\x86\x92 " + greek);
}

TEST_CASE("A headline has the tags of a path that tell it from others of the class") {
    const auto name = replaced(at({"translations", "hrv", "official"}), text("a"), text("b"));
    CHECK(headline({name}, {}, "Country") == "Translations hrv: official a \xE2\x86\x92 b");
    CHECK(headline({added(at({"name", "common"}), text("a")),
                    added(at({"name", "common"}), text("b"))},
                   {}, "Country") == "Name common: a, b added");
    // The model has the tag once, so it says enough; or twice.
    CHECK(headline({added(at({"Gene_info", "Concise_description"}), text("a"))}) ==
          "Concise description a added");
    CHECK(headline({added(at({"Map", "Remark"}), text("a"))}) == "Map: remark a added");
    CHECK(headline({added(at({"Map", "Remark"}), text("a"))}, {}, "Unknown") ==
          "Map: remark a added");
    // Tags that the model does not have.
    CHECK(headline({added(at({"Identity", "New"}), text("a"))}) == "Identity: new a added");
}

TEST_CASE("A headline tells a tag that came with several fields as one") {
    const auto euro =
        added(at({"currencies"}),
              tag("EUR", {tag("name", {text("Euro")}), tag("symbol", {text("\xE2\x82\xAC")})}));
    CHECK(headline({euro}, {}, "Country") ==
          "Currencies EUR added: name Euro, symbol \xE2\x82\xAC");
    const auto kuna =
        removed(at({"currencies"}),
                tag("HRK", {tag("name", {text("Croatian kuna")}), tag("symbol", {text("kn")})}));
    CHECK(headline({euro, kuna}, {}, "Country") ==
          "Currencies EUR added: name Euro, symbol \xE2\x82\xAC, currencies HRK removed: symbol "
          "kn, \xE2\x80\xA6");
    CHECK(lines({euro, kuna}, {}, "Country").more == "Currencies HRK removed: name \xE2\x80\x9C"
                                                     "Croatian kuna\xE2\x80\x9D, symbol kn");
    // A name stands only with its value.
    const std::string words(81, 'x');
    CHECK(headline({added(at({"names"}), tag("ces", {tag("official", {text(words)}),
                                                     tag("common", {text("x")})}))},
                   {}, "Country") == "Names ces added: common x, \xE2\x80\xA6");
    // Nothing is said of the tag above, which was there.
    CHECK(headline(
              {added(at({"currencies"}), tag("EUR", {text("new"), tag("name", {text("Euro")})}))},
              {}, "Country") == "Currencies EUR added: new, name Euro");
    // A damaged store may hold a change of several nodes.
    const Change damaged{Op::added, {}, {}, {tag("A"), tag("B", {text("b")})}};
    CHECK(headline({damaged}, {}, "Country") == "A added, B b added");
    // A model says which fields these are.
    CHECK(headline(
              {added({}, tag("Gene_info", {tag("GO_term", {reference("GO_term", "GO:1")}),
                                           tag("Allele", {reference("Variation", "e1")})}))}) ==
          "GO term GO:1 added, allele e1 added");
}

TEST_CASE("What a title only counts is told behind it") {
    const auto changes = [](std::size_t number) {
        std::vector<Change> all;
        for (std::size_t i = 0; i < number; ++i)
            all.push_back(added(at({"T" + std::to_string(i)}), text(std::string(30, 'x'))));
        return all;
    };
    CHECK(lines(changes(2)).more.empty());
    const std::string words = " " + std::string(30, 'x') + " added";
    const auto five = lines(changes(5));
    CHECK(five.title == "T0" + words + ", T1" + words + ", T2 added, 2 more changes");
    CHECK(five.more == "T3" + words + ", T4" + words);
    CHECK(lines(changes(50)).more.ends_with(" more changes"));
    CHECK(lines({status, version}).more == "Version 1 \xE2\x86\x92 2");
    // Changes that the row lacks.
    const auto none = ranking();
    const std::vector two{status};
    CHECK(
        compare::headline_of(
            compare::field_changes(two, compare::ClassRules(none, "Gene", &models()), {}), {}, 7)
            .title == "Status Live \xE2\x86\x92 Dead, 7 more changes");
}

TEST_CASE("An object is introduced by its definition, else by a text, else by a value") {
    const auto introduction = [](Node node) {
        const std::vector changes{added({}, tag("name", {text("nucleus")})),
                                  added({}, std::move(node))};
        return compare::introduction_of(changes, "nucleus", {});
    };
    const auto remark = tag("remark", {text("Some words of a curator.")});
    const auto definition = tag("def", {text("The part of a cell that has DNA.")});
    CHECK(introduction(tag("about", {remark, definition})).title ==
          "The part of a cell that has DNA.");
    CHECK(introduction(tag("about", {remark})).title == "Some words of a curator.");
    CHECK(introduction(tag("Part_of", {reference("GO_term", "GO:5")})).title == "Part of GO:5");
    CHECK(introduction(tag("name", {tag("native", {text("a")})})).title == "Native a");
    // What is told of few tags comes first.
    CHECK(introduction(tag("about", {tag("x", {tag("y", {text("deep")})}), text("b")})).title ==
          "About b");
    CHECK(introduction(tag("Live")).title.empty());
    std::string longer;
    for (int i = 0; i < 100; ++i) longer += "word ";
    const auto cut = introduction(tag("Description", {text(longer)}));
    CHECK(cut.title.ends_with("word\xE2\x80\xA6"));
    CHECK(cut.title.size() < 110);
    CHECK(cut.more.size() > cut.title.size());
}

TEST_CASE("Several objects are called by the plural of their class where it has a plain one") {
    CHECK(compare::several("Gene") == "genes");
    CHECK(compare::several("GO_term") == "GO terms");
    CHECK(compare::several("Country") == "countries");
    CHECK(compare::several("RNAi_data") == "objects of class RNAi_data");
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
    CHECK(compare::counted(2, "y") == "2 ys");
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
    CHECK(lines({removed(at({"Gene"}), gene)}, gone).rank == compare::Rank::echo);
}

TEST_CASE("A headline tells two objects of one label apart by the new name") {
    const auto person =
        replaced(at({"Person"}), reference("Person", "p1"), reference("Person", "p2"));
    CHECK(headline({person}, {{{"Person", "p1"}, "Jo Lee", Fate::vanished},
                              {{"Person", "p2"}, "Jo Lee", Fate::created}}) ==
          "Jo Lee has a new record, p2");
    CHECK(headline({person}, {{{"Person", "p1"}, "Jo", Fate::stays},
                              {{"Person", "p2"}, "Jo", Fate::stays}}) == "Person Jo, now p2");
}

TEST_CASE("A reference to an object that came is news of the object that names it") {
    const compare::References fresh = {{{"Term", "T:2"}, "cell part", Fate::created}};
    const auto is_a = added(at({"is_a"}), reference("Term", "T:2"));
    // Without a model, nothing says that the other object names this one.
    CHECK(headline({is_a}, fresh, "Term") == "Is a \xE2\x80\x9C"
                                             "cell part\xE2\x80\x9D added");
    CHECK(headline({added(at({"Class", "Gene_class"}), reference("Term", "T:2"))}, fresh) ==
          "Gene class \xE2\x80\x9C"
          "cell part\xE2\x80\x9D added");
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
          "GO term cytoplasm: a, b added");
    path.push_back({CellKind::tag, "Paper_evidence", {}});
    CHECK(headline({added(path, text("a")), added(path, text("b"))}, names) ==
          "Paper evidence of cytoplasm: a, b added");
    path.back().text = "Paper";
    CHECK(headline({added(path, text("a")), added(path, text("b"))}, names) ==
          "Paper of cytoplasm: a, b added");
}

TEST_CASE("A headline isolates values and tags that run from right to left") {
    const std::string first = "\u2068\u05D0\u2069", second = "\u2068\u05D1\u2069";
    CHECK(headline({replaced(at({"Name"}), text("\u05D0"), text("\u05D1"))}) ==
          "Name " + first + " \u2192 " + second);
    CHECK(headline({added(at({"\u05D0"}), text("\u05D1 c"))}) ==
          first + " \u201C\u2068\u05D1 c\u2069\u201D added");
}

TEST_CASE("A headline holds no marks that turn the direction of what follows") {
    CHECK(headline({go_term("GO:1")}, {{{"GO_term", "GO:1"},
                                        "\xE2\x80\xAE"
                                        "abc\xE2\x81\xA6\xE2\x82\xAC\xE2\x80",
                                        Fate::stays}}) ==
          "GO term abc\xE2\x82\xAC\xE2\x80 added");
}
