// SPDX-License-Identifier: MIT
#include "source/ace_object.hpp"

#include <rapidcheck.h>

#include "base/utf8.hpp"
#include "source/dumps.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

using source::parse_object;
using support::node;
using support::Nodes;
using tree::CellKind;

namespace {

const tree::Models no_models;

tree::Object parsed(std::string_view bytes, const tree::Models& models = no_models) {
    auto object = parse_object(bytes, models);
    INFO(bytes);
    INFO((object ? "" : object.error().what));
    REQUIRE(object);
    return *object;
}

void refuses(std::string_view bytes, std::string_view what, std::size_t at) {
    INFO(bytes);
    const auto object = parse_object(bytes, no_models);
    REQUIRE_FALSE(object);
    CHECK(object.error().what == what);
    CHECK(object.error().at == at);
}

// Trees as a dump can hold them: a different text in every cell, bare words that can be bare.
std::vector<tree::Node> random_nodes(int depth) {
    std::vector<tree::Node> nodes;
    const auto count = *rc::gen::inRange(0, depth > 0 ? 5 : 1);
    for (int i = 0; i < count; ++i) {
        const auto shape = *rc::gen::inRange(0, 4);
        tree::Node made;
        if (shape < 2) {
            made.cell.text = *rc::gen::element<std::string>("Tag", "Live", "2", "2.0", "2.50",
                                                            "-7", "1992-03", "2_point", "-0.0");
            made.cell = no_models.cell_at(0, tree::Notation::bare, made.cell.text);
        } else {
            made.cell.kind = shape == 2 ? CellKind::text : CellKind::comment;
            made.cell.text = base::legal_text(*rc::gen::arbitrary<std::string>());
            if (*rc::gen::inRange(0, 2) == 0)
                made.cell.text =
                    *rc::gen::element<std::string>("a", "\n b", "a\"\\", "\\n", "//");
        }
        if (*rc::gen::inRange(0, 3) > 0)
            made.stamp = *rc::gen::element<std::string>("2008-02-01_09:15:20_sylvia", "odd \"one",
                                                        "2004-04-07_11:29:19.3_wormpub");
        made.children = random_nodes(depth - 1);
        nodes.push_back(std::move(made));
    }
    tree::merge_duplicates(nodes);
    return nodes;
}

}  // namespace

TEST_CASE("Lines that repeat a path become one tree, each node with its timestamp") {
    const auto object =
        parsed("Gene : \"WBGene00006763\" -O \"2004-04-07_11:29:19.3_wormpub\"\n"
               "Identity\t -O \"s1\" Name -O \"s2\" CGC_name -O \"s3\" \"unc-26\" -O \"s4\"\n"
               "Identity\t -O \"s1\" Name -O \"s2\" Public_name -O \"s5\" \"unc-26\" -O \"s6\"\n"
               "Identity\t -O \"s1\" Version -O \"s7\" 2 -O \"s8\"\n");
    CHECK(object.id == tree::ObjectName{"Gene", "WBGene00006763"});
    CHECK(object.stamp == "2004-04-07_11:29:19.3_wormpub");
    const auto name = [](const char* tag, const char* stamp, const char* value_stamp) {
        return node(CellKind::tag, tag, {node(CellKind::text, "unc-26", {}, value_stamp)}, stamp);
    };
    CHECK(object.nodes ==
          Nodes{node(
              CellKind::tag, "Identity",
              {node(CellKind::tag, "Name",
                    {name("CGC_name", "s3", "s4"), name("Public_name", "s5", "s6")}, "s2"),
               node(CellKind::tag, "Version", {node(CellKind::integer, "2", {}, "s8")}, "s7")},
              "s1")});
}

TEST_CASE("Objects without timestamps and lines with only a tag are read") {
    const auto object = parsed("Gene : \"x\"\nCGC_name\t \"unc-26\"\nLive\t\nDead\n");
    CHECK(object.stamp.empty());
    CHECK(object.nodes == Nodes{support::tag("CGC_name", {support::text("unc-26")}),
                                support::tag("Live"), support::tag("Dead")});
}

TEST_CASE("The last of several timestamps after a cell counts") {
    const auto object = parsed("Gene : \"x\"\nTag\t -O \"a\" -O \"b\" Other -O \"c\" -O \"d\"\n"
                               "Tag\t -O \"a\" -O \"b\" Other -O \"c\" -O \"d\" -inf\n");
    CHECK(object.nodes ==
          Nodes{support::stamped(
              support::tag(
                  "Tag", {support::stamped(support::tag("Other", {support::tag("-inf")}), "d")}),
              "b")});
}

TEST_CASE("A cell whose text begins another one is a cell of its own") {
    const auto object = parsed("A : \"x\"\nTag\t ab\nTag\t a\nTag\t abc\nTa\t a\nTag\t 1 -1\n"
                               "Tag\t 1 -12\nTag\t 1\nTag\t 1 -O \"s\" 3\n");
    const auto number = [](const char* text) { return node(CellKind::integer, text); };
    CHECK(object.nodes ==
          Nodes{support::tag("Tag", {support::tag("ab"), support::tag("a"), support::tag("abc"),
                                     node(CellKind::integer, "1",
                                          {number("-1"), number("-12"), number("3")})}),
                support::tag("Ta", {support::tag("a")})});
}

TEST_CASE("Numbers, dates, comments and opaque timestamps are recognised") {
    const auto object = parsed("A : \"x\"\nTag\t -O \"original\" -1.500000 1992-03 1992 \"t\" "
                               "-C \"a comment\" -O \"not a date at all\"\n");
    const auto* at = &object.nodes.at(0);
    CHECK(at->stamp == "original");
    for (const auto kind :
         {CellKind::real, CellKind::date, CellKind::integer, CellKind::text, CellKind::comment}) {
        REQUIRE(at->children.size() == 1);
        at = &at->children[0];
        CHECK(at->cell.kind == kind);
    }
    CHECK(at->stamp == "not a date at all");
}

TEST_CASE("Escapes are undone: a backslash keeps the next byte, and n is a newline") {
    const auto object = parsed(R"(A : "a\"b\\\/\%\;\t")"
                               "\nTag\t \"with a newline\\n\\\ninside\\\ttab \\z\" 1\n");
    CHECK(object.id.name == "a\"b\\/%;t");
    CHECK(object.nodes.at(0).children.at(0).cell.text == "with a newline\ninside\ttab z");
}

TEST_CASE("Blanks after the dumper's newline are text, and after another fold they are not") {
    CHECK(source::unescape("a\\n\\\n b") == "a\n b");
    CHECK(source::unescape("a\\\n \t b") == "ab");
    CHECK(source::unescape("a\\n\\\n\\n\\\nb") == "a\n\nb");
    CHECK(source::unescape("a\\nb\\") == "a\nb");
}

TEST_CASE("Bytes that are not legal text are made legal cell by cell") {
    const auto object =
        parsed("A : \"caf\xC3\xA9\"\nTag\t \"caf\xC3\xA9\" \"caf\xE9\" \"a\x01\"\n");
    CHECK(object.id.name == "caf\xC3\xA9");
    const auto& first = object.nodes.at(0).children.at(0);
    CHECK(first.cell.text == "caf\xC3\xA9");
    CHECK(first.children.at(0).cell.text == "caf\xC3\xA9");
    CHECK(first.children.at(0).children.at(0).cell.text == "a\xEF\xBF\xBD");
}

TEST_CASE("Duplicates are merged, even when they are apart") {
    const auto object =
        parsed("A : \"x\"\nTag\t \"a\" B\nTag\t \"b\"\nTag\t \"a\" C\nTag\t \"b\"\n");
    CHECK(object.nodes ==
          Nodes{support::tag("Tag", {support::text("a", {support::tag("B"), support::tag("C")}),
                                     support::text("b")})});
}

TEST_CASE("A violation of the syntax is reported with its place") {
    refuses("", "no object header (Class : \"name\")", 0);
    refuses("Gene:x\n", "no object header (Class : \"name\")", 6);
    refuses("Gene : \"\"\n", "an object without a name", 9);
    refuses("Gene : \"x\n", "a quote is not closed", 8);
    refuses("Gene : \"x\" y\n", "more words than a header has", 11);
    refuses("Gene : \"x\"\nTag \"a\nTag\n", "a quote is not closed", 15);
    refuses("Gene : \"x\"\nTag \"a\"b\n", "no blank after a closing quote", 18);
    refuses("Gene : \"x\"\nTag\n\nTag\n", "a blank line inside an object", 15);
    refuses("Gene : \"x\"\n-D Tag\n", "an option that is neither -O nor -C, or that has no text",
            13);
    refuses("Gene : \"x\"\nTag -O x\n",
            "an option that is neither -O nor -C, or that has no text", 17);
    refuses("Gene : \"x\"\nTag a\"b\n", "a quote inside a bare word", 16);
    refuses("Gene : \"x\"\r\nTag\r\n",
            "lines end in CR LF: this is not an AceDB dump, or something converted its line ends",
            10);
}

TEST_CASE("2,000 levels are read, and one more is too large") {
    const auto line = [](std::size_t cells) {
        std::string text = "A : \"x\"\n";
        for (std::size_t i = 0; i < cells; ++i) text += "t ";
        return text + "\n";
    };
    CHECK(tree::count_nodes(parsed(line(tree::deepest_node)).nodes) == tree::deepest_node);
    const auto deeper = parse_object(line(tree::deepest_node + 1), no_models);
    REQUIRE_FALSE(deeper);
    CHECK(deeper.error().kind == base::ErrorKind::too_large);
}

TEST_CASE("A LongText is the lines up to its terminator, whatever they contain") {
    const auto text = [](std::string_view body) {
        const auto object = parsed("LongText : \"l\" -O \"s\"\n" + std::string(body));
        return object.nodes.empty() ? "none" : object.nodes.at(0).cell.text;
    };
    CHECK(text("\nA \"quoted\" // line\\\n\n***LongTextEnd*** not yet\n***LongTextEnd***\n") ==
          "\nA \"quoted\" // line\\\n\n***LongTextEnd*** not yet");
    CHECK(text("\n***LongTextEnd***\n") == "");
    CHECK(text("***LongTextEnd***\n") == "none");
    refuses("LongText : \"l\"\na\n", "a LongText without ***LongTextEnd***", 17);
}

TEST_CASE("DNA and Peptide are one text, and a KeySet is one reference per member") {
    CHECK(parsed("DNA : \"d\"\n         acgt\n         ac-gt\n").nodes ==
          Nodes{support::text("acgtac-gt")});
    CHECK(parsed("Peptide : \"p\"\nMSV\nRG\n").nodes == Nodes{support::text("MSVRG")});
    CHECK(parsed("DNA : \"d\"\n").nodes.empty());
    CHECK(parsed("KeySet : \"k\"\nPaper : \"p 1\"\nGene : \"g\\\"\"\nPaper : \"p 1\"\n").nodes ==
          Nodes{{{CellKind::member, "p 1", "Paper"}, {}, {}},
                {{CellKind::member, "g\"", "Gene"}, {}, {}}});
    CHECK(parsed("BaseQuality : \"b\"\n 1 2\n3\n").nodes == Nodes{support::text(" 1 2\n3")});
    refuses("KeySet : \"k\"\nPaper\n", "no member (Class : \"name\")", 18);
}

TEST_CASE("An object written like the dumper is the same after reading") {
    CHECK(rc::check([] {
        const tree::Object object{{"Gene", "x \"1\"\n\\"}, "created", random_nodes(4)};
        const auto read = parse_object(dumps::written(object), no_models);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == object);
    }));
}

TEST_CASE("Objects of the sample builds and the edge dump have the same signature with and "
          "without models") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    auto files = dumps::sample_files;
    files.emplace_back("tests/data/edge/dump.ace");
    std::size_t objects = 0;
    for (const auto& file : files) {
        for (const auto& bytes : dumps::objects_in(file)) {
            REQUIRE(tree::signature_of(parsed(bytes, models).nodes) ==
                    tree::signature_of(parsed(bytes).nodes));
            ++objects;
        }
    }
    CHECK(objects > 4500);
}

TEST_CASE("An object is the same after writing and reading, with all its timestamps and paths") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    auto files = dumps::sample_files;
    files.emplace_back("tests/data/edge/dump.ace");
    for (const auto& file : files)
        for (const auto& bytes : dumps::objects_in(file)) {
            const auto object = parsed(bytes, models);
            if (source::form_of(object.id.class_name) != source::Form::tree) continue;
            REQUIRE(dumps::written(object) == bytes);
            auto nodes = object.nodes;
            tree::restore_paths(nodes, models, models.of_class(object.id.class_name));
            REQUIRE(nodes == object.nodes);
        }
}

TEST_CASE("Random bytes after a header become legal text or are refused") {
    CHECK(rc::check([](const std::vector<std::uint8_t>& picks) {
        constexpr std::string_view pieces[] = {
            "Tag",   " ",        "\t", "\n",        "\"",      "\\",
            "-O \"", "-C \"",    "1",  "-1",        "2.0",     "\xFF",
            "\x00",  "\xC3\xA9", "//", " -O \"s\"", "\\n\\\n", "ag\t \"a\" -O \"s\"\n"};
        std::string bytes = "Gene : \"x\"\n";
        for (const auto pick : picks) bytes += pieces[pick % std::size(pieces)];
        const auto object = parse_object(bytes, no_models);
        if (!object) return;
        const auto again = parse_object(dumps::written(*object), no_models);
        RC_ASSERT(again.has_value());
        RC_ASSERT(tree::signature_of(again->nodes) == tree::signature_of(object->nodes));
    }));
}
