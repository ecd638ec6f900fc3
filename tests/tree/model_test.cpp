// SPDX-License-Identifier: MIT
#include "tree/model.hpp"

#include <rapidcheck.h>

#include "support/catch.hpp"

using tree::CellKind;
using tree::Models;
using tree::Notation;

namespace {

constexpr auto bare = Notation::bare, quoted = Notation::quoted;

// Columns by blanks and, in the second class, by a TAB.
const Models& small_models() {
    static const auto models = Models::parse(
        "// comment\n"
        "word before any class\n"
        "?Gene   Identity Name CGC_name UNIQUE ?gene_name XREF CGC_name_for #Evidence // why\n"
        "                      Other_name ?Gene_name\n"
        "                 Version UNIQUE Int\n"
        "                 Status UNIQUE Live #Evidence\n"
        "                               Dead\n"
        "        History Int UNIQUE DateType UNIQUE ?Person #Action\n"
        "        Position Float #Error\n"
        "        Title Text\n"
        "        ?Other Odd\n"
        "?Gene_name\tCGC_name_for ?Gene\n"
        "\tOther_name_for ?Gene\n"
        "#Evidence Paper_evidence ?Paper\n"
        "          Nested #Evidence\n"
        "#Action   Imported Text\n"
        "#Error    UNIQUE Exact\n"
        "                 About\n"
        "#Lane     Bands UNIQUE Float REPEAT\n");
    return models;
}

Models::Position walk(const Models& models, std::string_view class_name,
                      const std::vector<std::pair<Notation, std::string_view>>& path) {
    auto place = models.of_class(class_name);
    for (const auto& [notation, text] : path) place = models.below(place, notation, text);
    return place;
}

}  // namespace

TEST_CASE("Every class and hash of a models file is found, in any case") {
    const auto& models = small_models();
    CHECK(models.class_count() == 6);
    CHECK(models.of_class("gene") != Models::unknown);
    CHECK(models.of_class("LANE") != Models::unknown);
    CHECK(models.of_class("Protein") == Models::unknown);
    CHECK(models.spelling_of_class("GENE_NAME") == "Gene_name");
    CHECK(models.spelling_of_class("Odd") == "Odd");
}

TEST_CASE("A quoted cell is a reference where the model names a class, spelled as there") {
    const auto& models = small_models();
    const auto place = walk(
        models, "Gene", {{bare, "Identity"}, {bare, "Name"}, {bare, "cgc_NAME"}, {quoted, "x"}});
    const auto cell = models.cell_at(place, quoted, "unc-26");
    CHECK(cell.kind == CellKind::reference);
    CHECK(cell.class_name == "Gene_name");
    const auto title = walk(models, "Gene", {{bare, "Title"}, {quoted, "x"}});
    CHECK(models.cell_at(title, quoted, "x").kind == CellKind::text);
}

TEST_CASE("UNIQUE belongs to the place left of it") {
    const auto& models = small_models();
    CHECK(models.is_unique(walk(models, "Gene", {{bare, "Identity"}, {bare, "Version"}})));
    CHECK(models.is_unique(walk(models, "Gene", {{bare, "Identity"}, {bare, "Status"}})));
    CHECK_FALSE(models.is_unique(
        walk(models, "Gene", {{bare, "Identity"}, {bare, "Name"}, {bare, "Other_name"}})));
    CHECK_FALSE(models.is_unique(walk(models, "Gene", {{bare, "History"}})));
    CHECK(models.is_unique(walk(models, "Gene", {{bare, "History"}, {bare, "1"}})));
    CHECK_FALSE(models.is_unique(walk(models, "Gene", {{bare, "Identity"}})));
    CHECK_FALSE(models.is_unique(Models::unknown));
}

TEST_CASE("Tags aligned below each other are siblings, whatever is between them") {
    const auto& models = small_models();
    CHECK(walk(models, "Gene", {{bare, "Identity"}, {bare, "Status"}, {bare, "Dead"}}) !=
          Models::unknown);
    CHECK(walk(models, "Gene", {{bare, "Identity"}, {bare, "Dead"}}) == Models::unknown);
    CHECK(walk(models, "Gene_name", {{bare, "Other_name_for"}, {quoted, "x"}}) !=
          Models::unknown);
}

TEST_CASE("The tags of a hash are below the value before it") {
    const auto& models = small_models();
    const auto evidence = walk(models, "Gene",
                               {{bare, "Identity"},
                                {bare, "Name"},
                                {bare, "CGC_name"},
                                {quoted, "unc-26"},
                                {bare, "Paper_evidence"},
                                {quoted, "WBPaper1"}});
    CHECK(models.cell_at(evidence, quoted, "WBPaper1").class_name == "Paper");
    const auto event = walk(models, "Gene",
                            {{bare, "History"},
                             {bare, "1"},
                             {bare, "2004-04"},
                             {quoted, "WBPerson1"},
                             {bare, "Imported"},
                             {quoted, "x"}});
    CHECK(event != Models::unknown);
    const auto nested = walk(models, "Gene",
                             {{bare, "Identity"},
                              {bare, "Status"},
                              {bare, "Live"},
                              {bare, "Nested"},
                              {bare, "Nested"},
                              {bare, "Paper_evidence"}});
    CHECK(nested != Models::unknown);
}

TEST_CASE("A hash that begins with UNIQUE makes the value before it unique") {
    CHECK(small_models().is_unique(
        walk(small_models(), "Gene", {{bare, "Position"}, {bare, "1.5"}})));
}

TEST_CASE("A year alone is a date where the model wants a date, else an integer") {
    const auto& models = small_models();
    const auto date = walk(models, "Gene", {{bare, "History"}, {bare, "1"}, {bare, "1992"}});
    CHECK(models.cell_at(date, bare, "1992").kind == CellKind::date);
    CHECK(models.cell_at(Models::unknown, bare, "1992").kind == CellKind::integer);
    const auto position = walk(models, "Gene", {{bare, "Position"}, {bare, "2"}});
    CHECK(models.cell_at(position, bare, "2").kind == CellKind::real);
}

TEST_CASE("REPEAT continues to the right of itself") {
    const auto& models = small_models();
    const auto second = walk(models, "Lane", {{bare, "Bands"}, {bare, "1.0"}, {bare, "2.0"}});
    CHECK(second != Models::unknown);
    CHECK(models.below(second, bare, "3.0") == second);
}

TEST_CASE("A cell unknown to the models is classified by its form") {
    const Models none;
    CHECK(none.below(none.of_class("Gene"), bare, "Identity") == Models::unknown);
    CHECK(none.cell_at(Models::unknown, bare, "Identity").kind == CellKind::tag);
    CHECK(none.cell_at(Models::unknown, bare, "7.5").kind == CellKind::real);
    CHECK(none.cell_at(Models::unknown, bare, "1992-03").kind == CellKind::date);
    CHECK(none.cell_at(Models::unknown, quoted, "7.5").kind == CellKind::text);
    CHECK(none.cell_at(Models::unknown, Notation::comment, "x").kind == CellKind::comment);
}

TEST_CASE("Circular hashes come to an end") {
    const auto models = Models::parse("#A #B\n#B #A\n   #C\n#C Deep Text\n?X Tag #A\n");
    CHECK(walk(models, "X", {{bare, "Tag"}, {bare, "Deep"}, {quoted, "x"}}) != Models::unknown);
    CHECK(walk(models, "X", {{bare, "Tag"}, {bare, "Nowhere"}}) == Models::unknown);
    CHECK_FALSE(models.is_unique(walk(models, "X", {{bare, "Tag"}})));
}

TEST_CASE("Any bytes can be parsed as models and searched") {
    CHECK(rc::check([](const std::vector<std::uint8_t>& picks) {
        constexpr std::string_view pieces[] = {"?A",   "#B",  "?B",      "#A",     " ",
                                               "\t",   "\n",  "UNIQUE ", "REPEAT", "XREF",
                                               "Text", "Tag", "//",      "Int ",   "\n  "};
        std::string text;
        for (const auto pick : picks) text += pieces[pick % std::size(pieces)];
        const auto models = Models::parse(text);
        for (const auto* name : {"A", "B"}) {
            auto place = models.of_class(name);
            for (int i = 0; i < 5; ++i) place = models.below(place, bare, "Tag");
            (void)models.is_unique(models.below(models.of_class(name), quoted, "x"));
        }
    }));
}

TEST_CASE("The path to a tag contains only tags, and enters hashes at its start") {
    const auto& models = small_models();
    const auto way = [&](const char* of, const char* tag) {
        std::vector<std::string> names;
        for (const auto place : models.path_to(models.of_class(of), tag))
            names.push_back(models.at(place).name);
        return names;
    };
    using Names = std::vector<std::string>;
    CHECK(way("Gene", "cgc_NAME") == Names{"Identity", "Name", "CGC_name"});
    CHECK(way("Gene", "Dead") == Names{"Identity", "Status", "Dead"});
    CHECK(way("Gene", "History") == Names{"History"});
    CHECK(way("Gene", "Odd").empty());             // it is below a value
    CHECK(way("Gene", "Paper_evidence").empty());  // it is in a deeper hash
    CHECK(way("Gene", "Nothing").empty());
    CHECK(models.path_to(Models::unknown, "History").empty());
    const auto live =
        walk(models, "Gene", {{bare, "Identity"}, {bare, "Status"}, {bare, "Live"}});
    CHECK(models.path_to(live, "Paper_evidence").size() == 1);
    CHECK(models.path_to(live, "Dead").empty());
    const auto identity = walk(models, "Gene", {{bare, "Identity"}});
    CHECK(models.path_to(identity, "CGC_name").size() == 2);
}

TEST_CASE("Names of any bytes become legal text") {
    using namespace std::string_view_literals;
    const auto models = Models::parse("?A\0 T\xE9g ?B\1\n?B\1 U\n"sv);
    const auto place = models.below(models.of_class("A\uFFFD"), bare, "T\u00E9g");
    CHECK(models.cell_at(models.below(place, quoted, "x"), quoted, "x").class_name == "B\uFFFD");
    CHECK(models.path_to(models.of_class("A\uFFFD"), "t\u00E9g").size() == 1);
}
