// SPDX-License-Identifier: MIT
#include "source/dump/json_lines.hpp"

#include <algorithm>
#include <fcntl.h>

#include "base/utf8.hpp"
#include "source/dumps.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using source::dump::JsonLine;
using support::TempDir;

namespace {

const std::string a = R"({"class":"Gene","name":"a","tree":[{"tag":"Live"}]})";
const std::string b = R"({"class":"Gene","name":"b","tree":[]})";

base::Result<std::vector<JsonLine>> try_lines(const std::string& bytes,
                                              std::size_t most = 1 << 20) {
    const TempDir folder;
    const auto file = source::open_file(AT_FDCWD, folder.write("x.jsonl", bytes).string());
    REQUIRE(file);
    source::dump::JsonLinesReader reader(*file, "x.jsonl", most);
    std::vector<JsonLine> lines;
    for (;;) {
        auto line = reader.next();
        if (!line) return tl::unexpected(line.error());
        if (!*line) return lines;
        lines.push_back(std::move(**line));
    }
}

std::vector<JsonLine> lines_of(const std::string& bytes, std::size_t most = 1 << 20) {
    auto lines = try_lines(bytes, most);
    INFO((lines ? "" : lines.error().text));
    REQUIRE(lines);
    return std::move(*lines);
}

std::string names_of(const std::vector<JsonLine>& lines) {
    std::string names;
    for (const auto& line : lines) names += line.id.class_name + "/" + line.id.name + " ";
    return names;
}

std::string json_of(const tree::Object& object) {
    std::string line;
    source::dump::append_json_line(line, object);
    return line;
}

// Integers that JSON cannot hold as they are become floats.
void as_read_back(std::vector<tree::Node>& nodes) {
    for (auto& node : nodes) {
        const auto& text = node.cell.text;
        if (node.cell.kind == tree::CellKind::integer && text != "1" && text != "2")
            node.cell.kind = tree::CellKind::real;
        as_read_back(node.children);
    }
}

void make_dates(std::vector<tree::Node>& nodes) {
    for (auto& node : nodes) {
        if (node.cell.kind == tree::CellKind::date) node.cell.text = "2004-04-07_11:29:19";
        make_dates(node.children);
    }
    tree::merge_duplicates(nodes);
}

}  // namespace

TEST_CASE("Objects written as JSON Lines are the same after reading") {
    CHECK(rc::check([] {
        tree::Object object{
            {"Gene", *rc::gen::element<std::string>("a", "\"\\\n\tb", "\xC3\xA9")},
            *rc::gen::element<std::string>("", "original", "2008-02-01_09:15:20_sylvia"),
            support::random_nodes(3)};
        make_dates(object.nodes);
        const auto line = json_of(object);
        RC_ASSERT(std::count(line.begin(), line.end(), '\n') == 1);
        const auto read = source::dump::parse_json_object(line);
        RC_ASSERT(read.has_value());
        RC_ASSERT(tree::signature_of(read->nodes) == tree::signature_of(object.nodes));
        as_read_back(object.nodes);
        RC_ASSERT(*read == object);
    }));
}

TEST_CASE("A reader returns the place and digest of each object") {
    const auto lines = lines_of(a + "\n\n \t\n" + b + "\n");
    REQUIRE(names_of(lines) == "Gene/a Gene/b ");
    CHECK(lines[0].offset == 0);
    CHECK(lines[0].length == a.size());
    CHECK(lines[0].line == 1);
    CHECK(lines[1].offset == a.size() + 5);
    CHECK(lines[1].line == 4);
    CHECK(XXH128_isEqual(lines[1].digest, XXH3_128bits(b.data(), b.size())));
}

TEST_CASE("Foreign line ends, a byte order mark and a missing last line end change nothing") {
    const auto plain = lines_of(a + "\n" + b + "\n");
    for (const auto& bytes : {a + "\r\n" + b + "\r\n", "\xEF\xBB\xBF" + a + "\n" + b + "\n",
                              a + "\n" + b, a + "\r\n\r\n" + b + "\r\n \n"}) {
        const auto lines = lines_of(bytes);
        REQUIRE(lines.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(lines[i].id == plain[i].id);
            CHECK(lines[i].length == plain[i].length);
            CHECK(XXH128_isEqual(lines[i].digest, plain[i].digest));
        }
    }
}

TEST_CASE("A half of a surrogate pair costs that character, not the build") {
    const auto [written, text] = GENERATE(table<std::string, std::string>({
        {"half \\ud83d", "half \uFFFD"},
        {"\\uDE00 half", "\uFFFD half"},
        {"\\ud83d\\ud83d\\ude00", "\uFFFD😀"},
        {"\\\\ud83d \\ud83d", "\\ud83d \uFFFD"},
    }));
    const auto line = R"({"class":"Gene","name":"c","tree":[{"text":")" + written + R"("}]})";
    CHECK(names_of(lines_of(a + "\n" + line + "\n" + b + "\n")) == "Gene/a Gene/c Gene/b ");
    const auto object = source::dump::parse_json_object(line);
    REQUIRE(object);
    CHECK(object->nodes.at(0).cell.text == text);
}

TEST_CASE("A line that cannot be read says why, and its name if that is known") {
    const auto why_line = [](const std::string& line) {
        const auto lines = lines_of(a + "\n" + line + "\n" + b + "\n");
        REQUIRE(lines.size() == 3);
        CHECK(names_of({lines[0], lines[2]}) == "Gene/a Gene/b ");
        const auto& bad = lines[1];
        REQUIRE(bad.fault);
        return (bad.id.name.empty() ? "" : names_of({bad})) + std::to_string(bad.fault->at) +
               ": " + bad.fault->what + (bad.is_one ? "" : ", perhaps several");
    };
    CHECK(why_line("{\"class\":\"Gene\"") == "15: not JSON, perhaps several");
    CHECK(why_line("[1]") == "0: not a JSON object");
    CHECK(why_line(a + b) == "Gene/a 51: not JSON, perhaps several");
    CHECK(why_line(R"({"name":"a","tree":[]})") == "0: \"class\" is missing");
    CHECK(why_line(R"({"class":"","name":"a","tree":[]})") == "0: \"class\" is empty");
    CHECK(why_line(R"({"class":"Gene","tree":[]})") == "0: \"name\" is missing");
    CHECK(why_line(R"({"class":"Gene","name":"","tree":[]})") == "0: \"name\" is empty");
    CHECK(why_line(R"({"class":"Gene","name":7,"tree":[]})") == "0: \"name\" is not a string");
    CHECK(why_line(R"({"class":"Gene","name":"a","name":"b","tree":[]})") ==
          "0: \"name\" is repeated");
    CHECK(why_line(R"({"class":"Gene","name":"c"})") == "Gene/c 0: \"tree\" is missing");
    CHECK(why_line(R"({"class":"Gene","name":"c","tree":{}})") ==
          "Gene/c 0: \"tree\" is not an array");
    CHECK(why_line(R"({"class":"Gene","name":"c","tree":[],"tree":[]})") ==
          "Gene/c 0: \"tree\" is repeated");
    CHECK(why_line(R"({"class":"Gene","name":"c","synonym":"b","tree":[]})") ==
          "Gene/c 0: \"synonym\" is an unknown member");
    CHECK(why_line("{\"class\":\"Gene\",\"name\":\"a\xE9\",\"tree\":[]}") == "25: not UTF-8");
    CHECK(why_line("{\"class\":\"Gene\",\"name\":\"c\",\"tree\":[{\"text\":\"\xE9\"}]}") ==
          "Gene/c 44: not UTF-8");
    CHECK(why_line(R"({"class":"Gene","name":"c","tree":[{"int":18446744073709551616}]})") ==
          "Gene/c 0: a number beyond 64 bits, which should be a \"float\", or not JSON");
    CHECK(why_line(std::string(5, '\0')) == "0: not JSON, perhaps several");
    CHECK(why_line(std::string("{\"class\":\"Ge\0ne\",\"name\":\"a\",\"tree\":[]}", 38)) ==
          "12: not JSON, perhaps several");
}

TEST_CASE("A file that is empty or whose last line is truncated is refused") {
    for (std::size_t size = 1; size < b.size(); ++size) {
        const auto cut = try_lines(a + "\n" + b.substr(0, size));
        REQUIRE_FALSE(cut);
        CHECK(cut.error().kind == ErrorKind::refused);
        CHECK(cut.error().text ==
              "x.jsonl:2:" + std::to_string(size + 1) + ": the file ends inside a line");
    }
    for (const auto* nothing : {"", "\n\n", "\xEF\xBB\xBF", " "}) {
        const auto empty = try_lines(nothing);
        REQUIRE_FALSE(empty);
        CHECK(empty.error().kind == ErrorKind::refused);
        CHECK(empty.error().text.ends_with(": the file holds no objects"));
    }
}

TEST_CASE("A line above the limit is known by name if its first bytes give the name") {
    const std::string large(3 << 20, 'x');
    const auto with = [&](const std::string& front) {
        return front + R"("tree":[{"text":")" + large + "\"}]}";
    };
    const std::string named = R"({ "stamp": "x", "class":"Ge\u006Ee" ,"name":"a\"b",)";
    const auto lines = lines_of(with(named) + "\r\n" + with("{") + "\n" + b + "\n");
    REQUIRE(names_of(lines) == "Gene/a\"b / Gene/b ");
    CHECK_FALSE(lines[0].fault);
    CHECK(lines[0].length == with(named).size());
    CHECK(XXH128_isEqual(lines[0].digest, XXH3_128bits(with(named).data(), with(named).size())));
    CHECK(lines[2].offset == lines[0].length + 2 + lines[1].length + 1);
    CHECK(lines[2].line == 3);
    CHECK(lines[1].fault->what.starts_with("too long"));
    CHECK(try_lines(with(named))
              .error()
              .text.starts_with("x.jsonl:1:" + std::to_string(with(named).size() + 1) +
                                ": the last line is too long"));
}

TEST_CASE("Errors in an object's nodes are reported when it is loaded") {
    const auto why = [](const std::string& rest) {
        const auto line = R"({"class":"Gene","name":"a",)" + rest + "}";
        CHECK(lines_of(line + "\n").size() == 1);
        const auto object = source::dump::parse_json_object(line);
        REQUIRE_FALSE(object);
        CHECK(object.error().kind == ErrorKind::malformed);
        return object.error().what;
    };
    CHECK(why(R"("tree":[{}])") == "a cell of no known kind, or of two");
    CHECK(why(R"("tree":[{"tag":"A","text":"b"}])") == "a cell of no known kind, or of two");
    CHECK(why(R"("tree":[{"class":"A"}])") == "a reference without a name");
    CHECK(why(R"("tree":[{"class":"A","name":"b","name":"c"}])") == "\"name\" stands twice");
    CHECK(why(R"("tree":[{"tag":"A","children":[{"tag":"B"}],"children":[]}])") ==
          "\"children\" stands twice");
    CHECK(why(R"("tree":[{"tag":"A","value":"b"}])") == "unknown member \"value\"");
    for (const std::string date : {"22/3/2008", "20080322", "-", ""})
        CHECK(why(R"("tree":[{"tag":"A","children":[{"date":")" + date + "\"}]}]") ==
              "\"" + date + "\" is no date such as 2004-04-07 or 2004-04");
    CHECK(why(R"("tree":[{"tag":"A","at":"2008-02-01"}])") == "\"at\" is no time: 2008-02-01");
    CHECK(why(R"("tree":[{"tag":"A","at":"2008-02-01T09:15:20"}])") ==
          "\"at\" stands without \"by\"");
    CHECK(why(R"("at":"now","by":"x","tree":[])") == "\"at\" is no time: now");
}

TEST_CASE("Siblings with equal content are merged, and text becomes legal") {
    const auto object = source::dump::parse_json_object(
        R"({"class":"Gene","name":"a","tree":[{"tag":"A","children":[{"text":"x\u0000"}]},)"
        R"({"tag":"A","children":[{"text":"y"}]}]})");
    REQUIRE(object);
    REQUIRE(object->nodes.size() == 1);
    CHECK(object->nodes[0].children.size() == 2);
    CHECK(base::is_legal_text(object->nodes[0].children[0].cell.text));
}
