// SPDX-License-Identifier: MIT
#include "source/curated/reader.hpp"

#include "base/utf8.hpp"
#include "source/curated/forest.hpp"
#include "source/curated_loading.hpp"

using curated_files::load;
using curated_files::paths_of;
using Paths = std::vector<std::string>;

namespace {

const tree::Models& small_models() {
    static const auto small = tree::Models::parse(
        "?Gene Identity Name CGC_name UNIQUE ?Gene_name XREF CGC_name_for #Evidence\n"
        "                    Other_name ?Gene_name #Evidence\n"
        "               Version UNIQUE Int\n"
        "               Status UNIQUE Live #Evidence\n"
        "                             Dead #Evidence\n"
        "      Phenotype ?Phenotype #Info\n"
        "      Map UNIQUE ?Map UNIQUE Float\n"
        "      Seen DateType Text\n"
        "      Homol ?Gene Float Int\n"
        "      Bands Float REPEAT\n"
        "      Remark ?Text #Evidence\n"
        "      Lost #Nowhere\n"
        "?Gene_name CGC_name_for ?Gene\n"
        "?Phenotype Description Text\n"
        "?Map\n"
        "#Info Penetrance Range UNIQUE Int UNIQUE Int\n"
        "      Recessive #Evidence\n"
        "#Evidence Paper_evidence ?Paper\n"
        "          Curated Text\n"
        "#Round #Round\n"
        "?Paper Title Text\n"
        "?Odd Tag #Round\n");
    return small;
}

curated_files::Loaded small(std::string_view text) { return load(text, small_models()); }
Paths gene(std::string_view lines) {
    const auto loaded = small("Gene : x\n" + std::string(lines) + "\n");
    for (const auto& rejection : loaded.rejections) UNSCOPED_INFO(rejection.reason);
    CHECK(loaded.rejections.empty());
    return paths_of(loaded.at("Gene x"));
}
// Returns the reason why a paragraph is refused.
std::string wrong(std::string_view lines) {
    const auto loaded = small("Gene : x\nRemark kept\n\nGene : x\nRemark new\n" +
                              std::string(lines) + "\nRemark newer\n\nGene : y\n");
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(paths_of(loaded.at("Gene x")) == Paths{"Remark \"kept\""});
    CHECK(loaded.objects.size() == 2);
    const auto& what = loaded.rejections[0].reason;
    REQUIRE(what.starts_with("Gene \"x\": "));
    return what.substr(10);
}
// Returns the reason why a header or command is refused.
std::string refused(std::string_view line) {
    const auto loaded = small(std::string(line) + "\nRemark new\n\nGene : y\n");
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.objects.size() == 1);
    CHECK(loaded.rejections[0].place == "x.ace:1");
    return loaded.rejections[0].reason;
}

}  // namespace

TEST_CASE("Any tag may be named directly, in any case, and gets the spelling of the models") {
    CHECK(gene("cgc_NAME unc-26") == Paths{"Identity Name CGC_name \"unc-26\""});
    CHECK(gene("Identity Name CGC_name unc-26") == Paths{"Identity Name CGC_name \"unc-26\""});
    CHECK(gene("Live") == Paths{"Identity Status Live"});
    CHECK(gene("  Remark : a") == Paths{"Remark \"a\""});
    CHECK(gene("\"Remark\" a") == Paths{"Remark \"a\""});
}

TEST_CASE("A tag after a tag may be any tag of the model") {
    CHECK(gene("Identity Remark a") == Paths{"Identity", "Remark \"a\""});
}

TEST_CASE("The models decide the kind of a word") {
    CHECK(gene("Version \"7\"") == Paths{"Identity Version 7"});
    CHECK(gene("Map 2 007") == Paths{"Map \"2\" 7.000000"});
    CHECK(gene("Seen 92-1-5 1992") == Paths{"Seen 1992-01-05 \"1992\""});
    CHECK(gene("Bands 1 2 3.5") == Paths{"Bands 1.000000 2.000000 3.500000"});
    CHECK(gene("Seen 1992 \"\"") == Paths{"Seen 1992 \"\""});
    CHECK(gene("Other_name \"  two words \"") == Paths{"Identity Name Other_name \"two words\""});
    const auto loaded = small("Gene : x\nVersion 7\nRemark a\nSeen today t\n");
    const auto& nodes = loaded.at("Gene x").nodes;
    CHECK(nodes[0].children[0].children[0].cell.kind == tree::CellKind::integer);
    CHECK(nodes[1].children[0].cell.kind == tree::CellKind::date);
    CHECK(nodes[1].children[0].cell.text == "2008-05-01");
    CHECK(nodes[1].children[0].children[0].cell.kind == tree::CellKind::text);
    CHECK(nodes[2].children[0].cell == tree::Cell{tree::CellKind::reference, "a", "Text"});
}

TEST_CASE(
    "Hashes are entered after the value or tag that carries them, also by tags named directly") {
    CHECK(gene("Phenotype p Range 80 100\nPhenotype p Recessive Paper_evidence w") ==
          Paths{"Phenotype \"p\" Penetrance Range 80 100",
                "Phenotype \"p\" Recessive Paper_evidence \"w\""});
    CHECK(gene("Dead Curated \"by hand\"") == Paths{"Identity Status Dead Curated \"by hand\""});
    CHECK(gene("Remark r Paper_evidence w\nRemark r Paper_evidence v\nRemark r") ==
          Paths{"Remark \"r\" Paper_evidence \"w\"", "Remark \"r\" Paper_evidence \"v\""});
}

TEST_CASE("Where the models say UNIQUE a new value replaces the old one") {
    CHECK(gene("Version 1\nVersion 2") == Paths{"Identity Version 2"});
    CHECK(gene("Live Curated a\nDead") == Paths{"Identity Status Dead"});
    CHECK(gene("Map I 1\nMap I 2") == Paths{"Map \"I\" 2.000000"});
    CHECK(gene("Map I 1\nMap II") == Paths{"Map \"II\""});
    CHECK(gene("CGC_name a -C note\nCGC_name b") == Paths{"Identity Name CGC_name \"b\""});
    CHECK(gene("Version -C note\nVersion 1\nVersion 2") ==
          Paths{"Identity Version -C note", "Identity Version 2"});
}

TEST_CASE("A column holds a set") {
    CHECK(gene("Other_name a\nOther_name b\nOther_name a") ==
          Paths{"Identity Name Other_name \"a\"", "Identity Name Other_name \"b\""});
    CHECK(gene("Remark r -C c\nRemark r -C c") == Paths{"Remark \"r\" -C c"});
}

TEST_CASE("Tags are in the order of the models") {
    CHECK(gene("Remark r\nVersion 1\nOther_name a\nCGC_name b") ==
          Paths{"Identity Name CGC_name \"b\"", "Identity Name Other_name \"a\"",
                "Identity Version 1", "Remark \"r\""});
}

TEST_CASE("-D removes the node and the nodes above it that hold nothing else") {
    CHECK(gene("Other_name a\nOther_name b\n-D Other_name a") ==
          Paths{"Identity Name Other_name \"b\""});
    CHECK(gene("Remark r\nOther_name a\n-D Other_name a") == Paths{"Remark \"r\""});
    CHECK(gene("Other_name a\nOther_name b\nRemark r\n-D Other_name") == Paths{"Remark \"r\""});
    CHECK(gene("Remark r\nRemark s Curated x\n-D Remark s Curated") == Paths{"Remark \"r\""});
    CHECK(gene("Remark r\n-D Remark absent\n-D Version 1") == Paths{"Remark \"r\""});
    CHECK(gene("Remark r -C c\nRemark r Curated x\n-D Remark r -C c") ==
          Paths{"Remark \"r\" Curated \"x\""});
    CHECK(gene("Version 1\n-D Version 2").empty());  // UNIQUE: 2 took the place of 1
    CHECK(gene("Other_name -D") == Paths{"Identity Name Other_name \"-D\""});  // data elsewhere
    CHECK(gene("Remark -5\nHomol g -5 -5") == Paths{"Homol \"g\" -5.000000 -5", "Remark \"-5\""});
}

TEST_CASE("-R after a value replaces it and keeps what is below it") {
    CHECK(gene("Remark old Curated x\nRemark old -R new") ==
          Paths{"Remark \"new\" Curated \"x\""});
    CHECK(gene("Version 1\nVersion 1 -R 2") == Paths{"Identity Version 2"});
    CHECK(gene("Remark a\nRemark b\nRemark a -R b") == Paths{"Remark \"b\""});
    CHECK(gene("Remark a -R") == Paths{"Remark \"a\""});
    CHECK(gene("Remark a -R b\nRemark b -R a\n-D Remark a\nRemark c") == Paths{"Remark \"c\""});
}

TEST_CASE("-O sets the timestamp of the previous cell, and a later line does not change it") {
    CHECK(gene("Other_name -O s1 a -O \"s 2\"\nOther_name a\nOther_name b") ==
          Paths{"Identity Name Other_name@s1 \"a\"@s 2", "Identity Name Other_name@s1 \"b\""});
    CHECK(gene("Remark r -O s -C c -O t") == Paths{"Remark \"r\"@s -C c@t"});
    CHECK(gene("Remark -O a r -O b -O c") == Paths{"Remark@a \"r\"@c"});
    CHECK(gene("Remark a -O s -R b") == Paths{"Remark \"b\""});
    CHECK(gene("Version 1 -O s\nVersion 2") == Paths{"Identity Version 2"});
    CHECK(small("Gene : x -O s\n\nGene : x\n\n").at("Gene x").stamp == "s");
    CHECK(small("Gene : x -O s\nNo_tag\n\n").at("Gene x").stamp.empty());
    CHECK(small("Gene x more -O s\n\n").at("Gene x").stamp.empty());
}

TEST_CASE("A paragraph that the models refuse is dropped and reported") {
    CHECK(wrong("No_such x") == "no tag \"No_such\" in the model");
    CHECK(wrong("Paper_evidence x") == "no tag \"Paper_evidence\" in the model");
    CHECK(wrong("\"\"") == "no tag \"\" in the model");
    CHECK(wrong("-D") == "no tag after -D");
    CHECK(wrong("Version x") == "tag \"Version\": \"x\" is not an integer");
    CHECK(wrong("Map I x") == "tag \"Map\": \"x\" is not a number");
    CHECK(wrong("Seen soon") == "tag \"Seen\": \"soon\" is not a date");
    CHECK(wrong("Version 1 2") == "tag \"Version\": \"2\" is beyond the end of the model");
    CHECK(wrong("Remark \" \"") == "tag \"Remark\": a blank name");
    CHECK(wrong("Remark r Curator x") == "no tag \"Curator\" in the model");
    CHECK(wrong("Remark r -C") == "no comment after -C");
    CHECK(wrong("Remark r -C c d") == "more than a stamp after a comment");
    CHECK(wrong("Remark r -C c -O s d") == "\"d\" follows a comment");
    CHECK(wrong("Remark r -O") == "no stamp after -O");
    CHECK(wrong("Lost x") == "the models lack the hash \"Nowhere\"");
    CHECK(wrong("Version " + std::string(1000, '9') + "x").size() < 120);
    const auto round = small("Odd : o\nTag x\n\n");
    REQUIRE(round.rejections.size() == 1);
    CHECK(round.rejections[0].reason == "Odd \"o\": the hashes of the models form a circle");
}

TEST_CASE("An invalid header is reported and its paragraph skipped") {
    CHECK(refused("Protein : x") == "\"Protein\" is not a class of the models");
    CHECK(refused("Gene:x") == "\"Gene:x\" is not a class of the models");
    CHECK(refused("Gene: x") == "\"Gene:\" is not a class of the models");
    CHECK(refused("Tag : x") == "\"Tag\" is one of AceDB's own classes");
    CHECK(refused("Gene :") == "an object without a name");
    CHECK(refused("Gene : \"  \"") == "an object without a name");
    CHECK(refused(">") == "an object without a name");
    CHECK(refused("-D") == "no class after -D");
    CHECK(refused("-D Gene x") == "there is no Gene \"x\" to delete");
    CHECK(refused("-R Gene x z") == "there is no Gene \"x\" to rename");
    CHECK(refused("-A Protein x z") == "\"Protein\" is not a class of the models");
}

TEST_CASE("Headers may have a colon with white space before it") {
    for (const auto* header : {"Gene : x", "gene :x", "GENE x", "\"Gene\" : \"x\"", "Gene \"x\"",
                               "  Gene\t:\tx and more words"})
        CHECK(small(std::string(header) + "\nRemark r\n").objects.contains("Gene x"));
}

TEST_CASE("Names in any case are one object with the first spelling") {
    const auto loaded =
        small("Gene : Unc-26\nRemark a\n\ngene : unc-26\nRemark b\nHomol UNC-26\n\n");
    CHECK(loaded.objects.size() == 1);
    CHECK(paths_of(loaded.at("Gene Unc-26")) ==
          Paths{"Homol \"Unc-26\"", "Remark \"a\"", "Remark \"b\""});
}

TEST_CASE("Paragraphs end at an empty line, a blank line and a comment line") {
    const auto loaded = small("Gene : a\nRemark r\n  \t \nGene : b\nRemark r\n// why\n"
                              "Remark header\n\nGene : c // x\nRemark r // y\nRemark s");
    CHECK(loaded.objects.size() == 3);
    CHECK(paths_of(loaded.at("Gene b")) == Paths{"Remark \"r\""});
    CHECK(paths_of(loaded.at("Gene c")).size() == 2);
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].place == "x.ace:7");
    CHECK(loaded.rejections[0].reason == "\"Remark\" is not a class of the models");
}

TEST_CASE("An exclamation mark skips a paragraph, or a line inside one") {
    const auto loaded =
        small("! Gene : a\nGene : b\n\n!\n\nGene : c\n!Remark r\n \"! r\"\nRemark s\n\n");
    CHECK(loaded.objects.size() == 1);
    CHECK(paths_of(loaded.at("Gene c")) == Paths{"Remark \"s\""});
    CHECK(loaded.rejections.empty());
}

TEST_CASE("An included file continues the paragraph, and its end ends it") {
    source::curated::ReaderSettings settings = curated_files::settings_of(small_models());
    settings.included = [](const std::string& name) -> base::Result<std::string> {
        if (name == "more.ace") return std::string("Remark b\nNone\n");
        return base::fail(base::ErrorKind::absent, "there is no such file");
    };
    source::curated::Reader written(settings);
    REQUIRE(written.load("first.ace", "Gene : a\n\n"));
    REQUIRE(written.load("x.ace", "Gene : x\nRemark a\n@more.ace\nGene : y\n@more.ace\n"));
    const auto failed = written.load("z.ace", "Gene : z\n@nothing.ace\n");
    REQUIRE_FALSE(failed);
    CHECK(failed.error().text == "z.ace:2: @nothing.ace: there is no such file");
    const auto loaded = curated_files::taken(written);
    CHECK(loaded.included == Paths{"more.ace"});
    REQUIRE(loaded.rejections.size() == 2);
    CHECK(loaded.rejections[0].place == "more.ace:2");
    CHECK(loaded.in_order.at(2).object.id.name == "y");
    CHECK(loaded.in_order.at(2).line == 4);
    CHECK(loaded.in_order.at(2).file == 1);
}

TEST_CASE("A deleted object is gone and may be written again") {
    const auto loaded = small("Gene : a\nRemark r\n\nGene : b\nHomol a\n\n-D Gene a\n"
                              "-D Gene : b\nGene : b\nVersion 1\n\n");
    CHECK(loaded.rejections.empty());
    CHECK(loaded.objects.size() == 1);
    CHECK(paths_of(loaded.at("Gene b")) == Paths{"Identity Version 1"});
}

TEST_CASE("A renamed object has its new name in every reference") {
    const auto loaded = small("Gene : a\nRemark r\n\nGene : b\nHomol A\n\n-R Gene : a c\n\n"
                              "Gene : c\nVersion 1\n\nGene : a\nRemark new\n\n");
    CHECK(loaded.rejections.empty());
    CHECK(paths_of(loaded.at("Gene c")) == Paths{"Identity Version 1", "Remark \"r\""});
    CHECK(paths_of(loaded.at("Gene b")) == Paths{"Homol \"c\""});
    CHECK(paths_of(loaded.at("Gene a")) == Paths{"Remark \"new\""});
}

TEST_CASE("An alias leads to the object while it exists") {
    const auto loaded = small("Gene : old\nRemark r\n\nGene : b\nHomol old\n\n"
                              "-A Gene old new\n\nGene : old\nVersion 1\n\n-A Gene old other\n"
                              "Gene : c\nHomol OLD\n\n-D Gene old\n\nGene : d\nHomol old\n\n");
    CHECK(loaded.rejections.empty());
    CHECK(paths_of(loaded.at("Gene new")) == Paths{"Identity Version 1", "Remark \"r\""});
    CHECK(loaded.objects.size() == 4);
    // `old` is a name of its own again everywhere.
    CHECK(paths_of(loaded.at("Gene b")) == Paths{"Homol \"old\""});
    CHECK(paths_of(loaded.at("Gene d")) == Paths{"Homol \"old\""});
}

TEST_CASE("Renaming to a name in use merges two objects") {
    const auto loaded = small("Gene : a\nRemark r -O s\nVersion 1\nOther_name n Curated x\n\n"
                              "Gene : b\nVersion 2\nOther_name n Curated y\n\n-R Gene a b\n"
                              "Gene : c\nHomol a\n\n-R Gene b B\n-R Gene c c\n");
    CHECK(loaded.rejections.empty());
    CHECK(loaded.objects.size() == 2);
    const auto paths = paths_of(loaded.at("Gene B"));
    CHECK(std::count(paths.begin(), paths.end(), "Identity Version 2") == 1);
    CHECK(std::count(paths.begin(), paths.end(), "Remark \"r\"@s") == 1);
    CHECK(paths.size() == 4);
    CHECK(paths_of(loaded.at("Gene c")) == Paths{"Homol \"a\""});
}

TEST_CASE("Merging is right when the larger object stays in place") {
    for (const bool is_large : {false, true}) {
        std::string text = "Gene : a\nVersion 1\nRemark a\n";
        for (int i = 0; is_large && i < 20; ++i) text += "Remark a" + std::to_string(i) + "\n";
        const auto loaded = small(text + "\nGene : b\nVersion 2\nRemark b\n\n-R Gene a b\n");
        const auto paths = paths_of(loaded.at("Gene b"));
        CHECK(paths.at(0) == "Identity Version 2");
        CHECK(paths.size() == (is_large ? 23 : 3));
    }
}

TEST_CASE("An alias is not renamed again") {
    const auto loaded = small("Gene : a\n\n-A Gene a b\n-R Gene a c\n-A Gene a d\nGene : e\n"
                              "Homol a\nHomol c 1\n\n");
    CHECK(loaded.rejections.empty());
    CHECK(paths_of(loaded.at("Gene e")) == Paths{"Homol \"b\"", "Homol \"c\" 1.000000"});
}

TEST_CASE("A chain of aliases ends where one of them was deleted, also a chain followed before") {
    const std::string chain = "-A Gene a b\n-A Gene b c\n-A Gene c d\n";
    const auto loaded = small("Gene : a\nRemark r\n\n" + chain + "Gene : a\nVersion 1\n\n" +
                              "-D Gene b\nGene : a\nVersion 2\n\n" +
                              "-A Gene b e\nGene : a\nVersion 3\n\nGene : c\nVersion 4\n\n");
    CHECK(loaded.rejections.empty());
    CHECK(loaded.objects.size() == 2);
    CHECK(paths_of(loaded.at("Gene d")) == Paths{"Identity Version 4", "Remark \"r\""});
    CHECK(paths_of(loaded.at("Gene e")) == Paths{"Identity Version 3"});
}

TEST_CASE("A long chain of aliases is not followed for each name in it") {
    source::curated::Texts texts;
    source::curated::Names keys(texts);
    constexpr source::curated::Id length = 100'000;  // walked each time: 5 billion steps
    const auto key = [&](source::curated::Id i) { return keys.add("Gene", std::to_string(i)); };
    for (source::curated::Id i = 0; i < length; ++i)
        keys.make_alias(key(i), key(i + 1), source::curated::Names::OldName::keep);
    const auto last = key(length);
    source::curated::Id led_there = 0;
    for (source::curated::Id i = 0; i < length; ++i)
        if (keys.resolved(key(0)) == last && keys.resolved(key(i)) == last) ++led_there;
    CHECK(led_there == length);
}

TEST_CASE("An alias of itself is refused") {
    const auto loaded = small("Gene : a\n\n-A Gene a b\n-A Gene b a\n");
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].reason == "Gene \"b\" would become an alias of itself");
}

TEST_CASE("After an error the rest of the paragraph is skipped and the next command is obeyed") {
    const auto loaded =
        small("Gene : a\n\nGene : b\nNo_tag\nRemark r\n-D Gene a\nGene : c\nRemark r\n\n");
    CHECK(loaded.rejections.size() == 1);
    CHECK(loaded.objects.size() == 2);
    CHECK(loaded.objects.contains("Gene c"));
}

TEST_CASE("DNA is read with gaps, digits and FASTA headers") {
    const auto loaded =
        small("DNA : d -O s\n 1 acgtNNU-x*\nACGT 10\n\n>f1 words\nac\n; note\ngt\n"
              ">f2\nggg\n\ndna : e\n\nDNA : wrong\nacgt!\nacgt\n\nGene : y\n");
    CHECK(paths_of(loaded.at("DNA d")) == Paths{"\"acgtnnt--acgt\""});
    CHECK(loaded.at("DNA d").stamp.empty());
    CHECK(paths_of(loaded.at("DNA f1")) == Paths{"\"acgt\""});
    CHECK(paths_of(loaded.at("DNA f2")) == Paths{"\"ggg\""});
    CHECK(loaded.at("DNA e").nodes.empty());
    CHECK(loaded.at("DNA wrong").nodes.empty());
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].reason == "DNA \"wrong\": '!' that is not a letter of DNA");
    CHECK(loaded.objects.contains("Gene y"));
}

TEST_CASE("A Peptide becomes upper case and loses the asterisk at its end") {
    const auto loaded = small("Peptide : p\nMSV* 10 .X\nKK*\n\nPeptide : q\nmsv\n\n");
    CHECK(paths_of(loaded.at("Peptide p")) == Paths{"\"MSV*.XKK\""});
    CHECK(loaded.at("Peptide q").nodes.empty());
    CHECK(loaded.rejections.size() == 1);
}

TEST_CASE("A KeySet has one member per line, of existing classes") {
    const auto loaded = small("keyset : k\nGene : \"x\"\nGene y\nPaper:z\nModel m\nGENE X\n\n"
                              "KeySet : wrong\nNothing : x\n\nKeySet : e\n\n-R Gene x new\n");
    CHECK(paths_of(loaded.at("KeySet k")) == Paths{"Gene:new", "Gene:y", "Paper:z"});
    CHECK(loaded.at("KeySet wrong").nodes.empty());
    CHECK(loaded.at("KeySet e").nodes.empty());
    CHECK(loaded.rejections.size() == 1);
}

TEST_CASE("A LongText is read unchanged up to its terminator") {
    const auto loaded = small("LongText : t\n\n a // b \\x\n@c\n***LongTextEnd***\nGene : y\n\n"
                              "LongText : e\n***LongTextEnd***\n\nLongText : one\n\n"
                              "***LongTextEnd***\n\nLongText : cut\nx\n");
    CHECK(loaded.at("LongText t").nodes.at(0).cell.text == "\n a // b \\x\n@c");
    CHECK(loaded.at("LongText e").nodes.empty());
    CHECK(paths_of(loaded.at("LongText one")) == Paths{"\"\""});
    CHECK(loaded.at("LongText cut").nodes.empty());
    CHECK(loaded.objects.contains("Gene y"));
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].reason ==
          "LongText \"cut\": a LongText without ***LongTextEnd***");
}

TEST_CASE("Array objects are replaced whole and cannot be merged") {
    const auto loaded = small("DNA : d\nacgt\n\nDNA : d\ngg\n\nDNA : e\nc\n\n-R DNA d e\n"
                              "-R DNA d f\n");
    CHECK(paths_of(loaded.at("DNA f")) == Paths{"\"gg\""});
    CHECK(paths_of(loaded.at("DNA e")) == Paths{"\"c\""});
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].reason == "two objects of class DNA can't be merged");
}

TEST_CASE("Without models tags keep their names and words their notation") {
    const tree::Models none;
    const auto loaded =
        load("any_Class : x -O s\nRemark \"7\" 7 2008-01 Tag \"\"\nremark b -O t -C c\n-D Tag\n"
             "Foo \"a\" -R 5\n\n-R Any_class x y\n",
             none);
    CHECK(paths_of(loaded.at("any_Class y")) ==
          Paths{"Remark \"7\" 7 2008-01 Tag \"\"", "Remark b@t -C c", "Foo 5"});
    CHECK(loaded.rejections.empty());
    const auto refused = load("X : x\nFoo -R \"c\"\n\n", none);
    REQUIRE(refused.rejections.size() == 1);
    CHECK(refused.rejections[0].reason == "X \"x\": -R after a tag");
}

TEST_CASE("No node is deeper than the limit") {
    std::string line = "Bands";
    for (std::size_t i = 0; i < tree::deepest_node; ++i) line += " 1";
    CHECK(wrong(line) == "nodes nest deeper than 2000 levels");
    CHECK(gene(line.substr(0, line.size() - 2)).size() == 1);
}

TEST_CASE("Any bytes are read as legal text") {
    const auto loaded = load(
        "Gene : \"a\\\xC3\x01\\\x02\"\nRemark \"\\\xFF\\\x1B\" -O \"\\\xE9\"\n", tree::Models());
    REQUIRE(loaded.in_order.size() == 1);
    const auto& object = loaded.in_order[0].object;
    CHECK(base::is_legal_text(object.id.name));
    for (const auto& path : paths_of(object)) CHECK(base::is_legal_text(path));
}

TEST_CASE("At most a thousand rejections are kept, and all are counted") {
    std::string text;
    for (int i = 0; i < 1500; ++i) text += "Nothing : x\n\n";
    source::curated::Reader written(curated_files::settings_of(small_models()));
    REQUIRE(written.load("x.ace", text));
    CHECK(written.rejections().size() == 1000);
    CHECK(written.rejection_count() == 1500);
}

TEST_CASE("Content that needs too much memory is refused") {
    auto settings = curated_files::settings_of(small_models());
    settings.most_bytes = 1 << 20;
    std::string text = "Gene : x\n";
    for (int i = 0; i < 20'000; ++i) text += "Remark " + std::to_string(i) + '\n';
    std::string objects;
    for (int i = 0; i < 20'000; ++i) objects += "Gene : " + std::to_string(i) + "\n\n";
    const auto long_text = "LongText : t\n" + std::string(1 << 20, 'x') + "\nx\n";
    for (const auto& each : {text, objects, long_text}) {
        source::curated::Reader written(settings);
        const auto ok = written.load("x.ace", each);
        REQUIRE_FALSE(ok);
        CHECK(ok.error().kind == base::ErrorKind::too_large);
        CHECK(ok.error().text.starts_with("x.ace:"));
    }
}

TEST_CASE("Tens of thousands of lines on one tag, and removals, take linear time") {
    std::string text = "Gene : x\n";
    for (int i = 0; i < 30'000; ++i) text += "Remark " + std::to_string(i) + '\n';
    for (int i = 0; i < 30'000; ++i) text += "-D Remark a" + std::to_string(i) + '\n';
    for (int i = 0; i < 29'999; ++i) text += "-D Remark " + std::to_string(i) + '\n';
    CHECK(paths_of(small(text).at("Gene x")) == Paths{"Remark \"29999\""});
}

TEST_CASE("A large object is changed and renamed many times in linear time") {
    std::string text = "Gene : x\n";
    for (int i = 0; i < 30'000; ++i) text += "Remark " + std::to_string(i) + '\n';
    text += '\n';
    for (int i = 0; i < 30'000; ++i) text += "Gene : x\nVersion " + std::to_string(i) + "\n\n";
    for (int i = 0; i < 9'000; ++i) {
        const auto name = "g" + std::to_string(i);
        const auto before = i == 0 ? "x" : "g" + std::to_string(i - 1);
        text +=
            "Gene : " + name + "\nRemark " + name + "\n\n-R Gene " + before + ' ' + name + '\n';
    }
    const auto loaded = small(text);
    CHECK(loaded.objects.size() == 1);
    CHECK(paths_of(loaded.at("Gene g8999")).size() == 39'001);
}
