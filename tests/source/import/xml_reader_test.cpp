// Objects in XML as AcePerl's asXML writes them (tests/data/formats: recorded from AcePerl 1.92).
// SPDX-License-Identifier: MIT
#include "source/ace_object.hpp"
#include "source/dumps.hpp"
#include "source/xml.hpp"
#include "support/trees.hpp"
#include "tree/json.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using support::node;
using support::Nodes;
using support::reference;
using support::tag;
using support::text;

namespace {

const std::string formats = "tests/data/formats/";

std::string recorded_xml() {
    const auto all = dumps::read(formats + "Strain.CB205.aceperl-asxml-asace.txt");
    return all.substr(0, all.find("-----ACE"));
}

// Returns the last node at the path of cell texts.
tree::Node& at(std::vector<tree::Node>& nodes, const std::vector<std::string>& path) {
    auto* level = &nodes;
    tree::Node* found = nullptr;
    for (const auto& word : path) {
        const auto place = std::find_if(level->begin(), level->end(), [&](const auto& child) {
            return child.cell.text == word;
        });
        INFO(word);
        REQUIRE(place != level->end());
        found = &*place;
        level = &found->children;
    }
    return *found;
}

std::string json(const Nodes& nodes) {
    std::string out;
    tree::append_json(out, nodes);
    return out;
}

std::string in_strain(const std::string& inside) {
    return "<Strain class=\"Strain\" value=\"CB205\">" + inside + "</Strain>";
}

}  // namespace

TEST_CASE("AcePerl's XML gives what the dump has, except for what AcePerl loses") {
    auto from_xml = xml::only(recorded_xml());
    const auto bytes = dumps::objects_in(formats + "Strain.CB205.aT");
    REQUIRE(bytes.size() == 1);
    auto from_dump = *source::parse_object(bytes[0], {});
    CHECK(from_xml.id == from_dump.id);

    // AcePerl loses precision: it pads dates, drops times without seconds,
    // and writes floats with %g (the dump writes %f and loses the small one).
    at(from_dump.nodes, {"Properties", "CGC_received", "1992-03"}).cell.text = "1992-03-01";
    at(from_dump.nodes, {"Properties", "CGC_received", "1992-03-15_10:22"}).cell.text += ":00";
    at(from_dump.nodes, {"Isolation", "GPS", "52.205299"}).cell.text = "52.2053";
    at(from_dump.nodes, {"Isolation", "GPS", "52.2053", "0.000000"}).cell.text = "1.2e-07";
    CHECK(tree::signature_of(from_xml.nodes) == tree::signature_of(from_dump.nodes));

    // Text in two lines keeps its newline.
    at(from_xml.nodes, {"Remark", "with a newline\ninside it"});
    // AcePerl 1.92 drops the last letter of a timestamp, and that of a tag that has a value.
    CHECK(at(from_xml.nodes, {"Remark"}).stamp.empty());
    CHECK(at(from_xml.nodes, {"Remark", "two words"}).stamp ==
          "2008-03-15_08:05:09_caltech_juancarlo");
    CHECK(at(from_xml.nodes, {"Contains"}).stamp == "2005-03-09_16:30:50_lstei");
    CHECK(from_xml.stamp == "2005-03-09_16:30:50_lstei");
}

TEST_CASE("The class of an element gives the kind of its value") {
    const auto object = xml::only(in_strain(R"(
        <A class="#txt" value="1" /> <B class="#int" value="-7" /> <C class="#float" value="5" />
        <D class="#date" value="1992-03-15" /> <E class="Gene" value="g1" />
        <F class="#Text" value="t" /> <G class="#Comment" value="c" /> <H class="#int" value="x" />
        <I class="#float" value="1e-07" /> <J class="#float" value="nan" />
        <K class="#int" value="two words" />)"));
    CHECK(json(object.nodes) ==
          json({tag("A", {text("1")}), tag("B", {node(tree::CellKind::integer, "-7")}),
                tag("C", {node(tree::CellKind::real, "5")}),
                tag("D", {node(tree::CellKind::date, "1992-03-15")}),
                tag("E", {reference("Gene", "g1")}), tag("F", {reference("Text", "t")}),
                tag("G", {node(tree::CellKind::comment, "c")}), tag("H", {tag("x")}),
                tag("I", {node(tree::CellKind::real, "1e-07")}), tag("J", {tag("nan")}),
                tag("K", {text("two words")})}));
}

TEST_CASE("AcePerl's dates become AceDB's, and text that only looks like one stays as it is") {
    const auto [written, meant] =
        GENERATE(table<std::string, std::string>({{"15 Mar 1992 10:22:00", "1992-03-15_10:22:00"},
                                                  {"15 Mar 1992 00:00:00", "1992-03-15"},
                                                  {"01 Mar 1992 00:00:00", "1992-03-01"},
                                                  {"01 Jan 1992 00:00:00", "1992-01-01"},
                                                  {"01 JAN 1992 00:00:00", "1992"},
                                                  {"5 Mar 1992 10:22:01", "1992-03-05_10:22:01"},
                                                  {"1992", "1992"},
                                                  {"1992-03", "1992-03"},
                                                  {"1992-03-15_10:22", "1992-03-15_10:22"},
                                                  {"15 Foo 1992 10:22:00", ""},
                                                  {"15 Mar 92 10:22:00", ""},
                                                  {"aa Mar 1992 10:22:00", ""},
                                                  {"15 Mar 1992 1x:22:00", ""},
                                                  {"15 Mar 1992 10:22:0", ""},
                                                  {"15 Mar 1992", ""},
                                                  {"", ""}}));
    const auto object = xml::only(in_strain("<D class=\"#date\" value=\"" + written + "\"/>"));
    const auto value = meant.empty() ? text(written) : node(tree::CellKind::date, meant);
    CHECK(json(object.nodes) == json({tag("D", {value})}));
}

TEST_CASE("TAG-n is the next column, and everything else below a value is a tag") {
    const auto object = xml::only(in_strain(R"(
        <Database class="Database" value="MEDLINE">
          <Database-2 class="Database_field" value="PMID">
            <Database-3 class="#txt" value="1">
              <Remark class="#txt" value="r"><Remark-2 class="#int" value="2"/></Remark>
            </Database-3>
            <Database-3 class="#txt" value="2"/>
          </Database-2>
          <Database class="#txt" value="below itself"/>
          <Other-2 class="#txt" value="o"/>
          <Database-x class="#txt" value="x"/>
          <Live/>
        </Database>)"));
    CHECK(json(object.nodes) ==
          json({tag(
              "Database",
              {reference(
                  "Database", "MEDLINE",
                  {reference("Database_field", "PMID",
                             {text("1", {tag("Remark",
                                             {text("r", {node(tree::CellKind::integer, "2")})})}),
                              text("2")}),
                   tag("Database", {text("below itself")}), tag("Other-2", {text("o")}),
                   tag("Database-x", {text("x")}), tag("Live")})})}));
}

TEST_CASE("Values of one tag are below one tag, and equal ones are merged") {
    const auto object =
        xml::only(in_strain("<R class='#txt' value='a'/><R class='#txt' value='b'/><S/>"
                            "<R class='#txt' value='a'><T/></R>"));
    CHECK(json(object.nodes) == json({tag("R", {text("a", {tag("T")}), text("b")}), tag("S")}));
}

TEST_CASE("Timestamps and comments belong to the value, or else to the tag") {
    const auto object =
        xml::only(in_strain("<A class='#txt' value='a' timestamp='s1' comment='c&amp;d'/>"
                            "<B timestamp='s2' comment='e'><C class='#txt' value='v'/></B>"));
    CHECK(
        json(object.nodes) ==
        json(Nodes{
            tag("A", {support::stamped(text("a", {node(tree::CellKind::comment, "c&d")}), "s1")}),
            support::stamped(
                tag("B", {node(tree::CellKind::comment, "e"), tag("C", {text("v")})}), "s2")}));
}

TEST_CASE("Array classes are read as from a dump") {
    // As AcePerl gets them from `show -j`: LF before and after the lines, `Keyset`.
    const auto all = xml::objects(
        "<LongText class='LongText' value='p'>"
        "<LongText-2 class='#txt' value='\nA shorter abstract.\nSecond line.\n'/></LongText>"
        "<DNA class='DNA' value='JC8'><DNA-2 class='#dna' value='ac gt\nacgt\n'/></DNA>"
        "<Peptide class='Peptide' value='q'><Peptide-2 class='#peptide' value='MSV'/></Peptide>"
        "<Keyset class='Keyset' value='k'><Keyset-2 class='Paper' value='p1'/>"
        "<Keyset-2 class='Gene' value='g1'/></Keyset>");
    REQUIRE(all.size() == 4);
    CHECK(all[0].object.nodes == Nodes{text("\nA shorter abstract.\nSecond line.")});
    CHECK(all[1].object.nodes == Nodes{text("acgtacgt")});
    CHECK(all[2].object.nodes == Nodes{text("MSV")});
    CHECK(all[3].object.id == tree::ObjectName{"KeySet", "k"});
    auto member = reference("Paper", "p1"), second = reference("Gene", "g1");
    member.cell.kind = second.cell.kind = tree::CellKind::member;
    CHECK(all[3].object.nodes == Nodes{member, second});
    const auto dumped = dumps::objects_in(formats + "LongText.WBPaper00004489.a");
    CHECK(source::parse_object(dumped.at(0), {})->nodes == all[0].object.nodes);
}

TEST_CASE("Objects follow each other with and without enclosing elements") {
    const std::string a = "<A class='A' value='a'/>", b = "<B class='B' value='b'><T/></B>";
    const std::string file = GENERATE_COPY(
        a + "\n" + b, "<ace>" + a + b + "</ace>", "<x>\n <y>" + a + "</y>" + b + "</x>",
        a + "<z/>\n<x><y><z>" + b + "</z></y></x>\n",
        "<?xml version='1.0'?>\n<x>" + a + "</x><?xml version='1.0'?>" + b);
    const auto all = xml::objects(file);
    REQUIRE(all.size() == 2);
    CHECK(all[0].object.id == tree::ObjectName{"A", "a"});
    CHECK(all[1].object.id == tree::ObjectName{"B", "b"});
    CHECK(json(all[1].object.nodes) == json({tag("T")}));
}

TEST_CASE("Every object has the line on which it begins") {
    const auto all = xml::objects("\xEF\xBB\xBF\n<?xml version='1.0'\n encoding='utf-8'?>\n"
                                  "<!-- a\nb --><A class='A' value='a\nb'>\n<T/>\n</A>\n"
                                  "<x a='1\n2'>\n"
                                  "<B\n class='B'\n value='b'/><C class='C' value='c'/></x>");
    REQUIRE(all.size() == 3);
    CHECK(all[0].line == 5);
    CHECK(all[1].line == 11);
    CHECK(all[2].line == 13);
}

TEST_CASE("The order of attributes, additional attributes and comments change nothing") {
    const auto object = xml::only(
        "<?go on?><S xmlns='urn:x' xml:lang='en' value='s' other='&lt;' class=\"S\" >text"
        "<!-- <T/> -- > - -->\n<T\n value = 'v>\"' id='7'\tclass='#txt'>v<![CDATA[<U/>]]]>"
        "</T><?php <V/> ?><x:W xmlns:x='urn:y' x:class='no'/><y:Z/>\r\n</S><!---->");
    CHECK(object.id == tree::ObjectName{"S", "s"});
    CHECK(json(object.nodes) == json({tag("T", {text("v>\"")}), tag("x:W"), tag("y:Z")}));
}

TEST_CASE("References in values are read, and newlines and tabs in them are kept") {
    const auto object = xml::only(in_strain(
        "<T class='#txt' value='&lt;&gt;&amp;&quot;&apos;&#233;&#x3b1;\n\ta\r\nb\rc&#10;'/>"));
    CHECK(json(object.nodes) == json(Nodes{tag("T", {text("<>&\"'é\u03b1\n\ta\nb\rc\n")})}));
}

TEST_CASE("Bytes become the same text as in a dump") {
    const auto [bytes, meant] =
        GENERATE(table<std::string, std::string>({{"caf\xC3\xA9", "café"},
                                                  {"caf\xE9", "café"},
                                                  {"\x93q\x94", "\u201Cq\u201D"},
                                                  {std::string("a\0b", 3), "a\uFFFDb"},
                                                  {"a\x01"
                                                   "b",
                                                   "a\uFFFDb"},
                                                  {"\xEF\xBF\xBE", "\uFFFD"},
                                                  {"\xED\xA0\x80", "í\u00A0\u20AC"}}));
    const auto object = xml::only(in_strain("<T class='#txt' value='" + bytes + "'/>"));
    CHECK(json(object.nodes) == json(Nodes{tag("T", {text(meant)})}));
}

TEST_CASE("Encodings that include ASCII are read, and UTF-16 and others are refused") {
    const auto with = [](const std::string& encoding) {
        return "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?>\n" +
               in_strain("<T class='#txt' value='\xC3\xA9'/>");
    };
    CHECK(xml::only(with("utf-8")).nodes == Nodes{tag("T", {text("é")})});
    CHECK(xml::only(with("US-ASCII")).nodes == Nodes{tag("T", {text("é")})});
    CHECK(xml::only(with("ISO-8859-1")).nodes == Nodes{tag("T", {text("Ã©")})});
    CHECK(xml::error_of(with("UTF-7")).kind == ErrorKind::refused);
    CHECK_THAT(xml::error_of(with("EBCDIC-CP-BE")).text, Contains("iconv"));
    for (const auto& wide : {std::string("\xFF\xFE<\0s\0", 6), std::string("\xFE\xFF\0<\0s", 6),
                             std::string("<\0s\0", 4), std::string("\0\0\0<", 4)}) {
        CHECK(xml::error_of(wide).kind == ErrorKind::refused);
        CHECK_THAT(xml::error_of(wide).text, Contains("UTF-16"));
    }
}

TEST_CASE("AceDB's show -x is refused with advice") {
    const std::string inside = "<Strain type=\"object_ref\" value=\"CB205\">";
    for (const auto& file : {dumps::read(formats + "Strain.CB205.x"), "<a><b>" + inside,
                             std::string("<Strain><![CDATA[CB205]]></Strain>")}) {
        const auto error = xml::error_of(file);
        CHECK(error.kind == ErrorKind::refused);
        CHECK_THAT(error.text,
                   StartsWith("x.xml:") && Contains("`show -x`") && Contains("asXML"));
    }
}

TEST_CASE("An element that is neither object nor tag nor value is an error with its line") {
    const auto [file, place] = GENERATE(
        table<std::string, std::string>({{in_strain("\n<T class='#txt'/>"), "2:1: <T>"},
                                         {in_strain("\n<T value='v'/>"), "2:1: <T>"},
                                         {in_strain("\n<T>text</T>"), "2:4: <T>"},
                                         {in_strain("\n<T class='' value='v'/>"), "2:1: <T>"},
                                         {in_strain("\n<T class='#' value='v'/>"), "2:1: <T>"},
                                         {"<S class='S'/>", "1:1: <S>"},
                                         {"<S value='s'/>", "1:1: <S>"},
                                         {"<S class='S' value=''/>", "1:1: <S>"},
                                         {"<S class='#txt' value='s'/>", "1:1: <S>"}}));
    const auto error = xml::error_of(file);
    CHECK(error.kind == ErrorKind::malformed);
    CHECK_THAT(error.text, StartsWith("x.xml:" + place));
}

TEST_CASE("Content across two blocks of a file is read like any other") {
    // Some megabytes, so that every kind of content crosses the end of a block.
    const auto value = [](int i) {
        const auto size = static_cast<std::size_t>(i * 7919 % 301);
        return std::string(size, 'v') + (i % 3 == 0 ? "é\n" : "") + std::to_string(i);
    };
    const auto line_ends = [](int i) { return i % 3 == 0 ? 5U : 4U; };
    std::string file;
    for (int i = 0; i < 12'000; ++i)
        file += "<!-- > < \" -- a comment -->\n<?p i ?><S class='S' value='" + std::to_string(i) +
                "'>\n <T class='#txt' value=\"" + value(i) + "\"/>&amp;<![CDATA[<x>]]>\n</S>\n";
    const auto objects = xml::objects(file);
    REQUIRE(objects.size() == 12'000);
    std::uint64_t line = 2;
    for (int i = 0; i < 12'000; line += line_ends(i++)) {
        const auto& [object, of_line, is_whole] = objects[static_cast<std::size_t>(i)];
        REQUIRE(object.id.name == std::to_string(i));
        REQUIRE(object.nodes == Nodes{tag("T", {text(value(i))})});
        REQUIRE(of_line == line);
    }
}
