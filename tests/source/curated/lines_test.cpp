// SPDX-License-Identifier: MIT
#include "source/curated/lines.hpp"

#include <map>

#include "support/catch.hpp"

using source::curated::LineReader;
using source::curated::LineRules;
using source::curated::WordReader;

namespace {

using Files = std::map<std::string, std::string>;

// Returns every line, those of included files after "place|", and at the end the error if any.
std::vector<std::string> cards_of(std::string_view bytes, const Files& files = {},
                                  LineRules rules = LineRules::ace, std::size_t most = 1 << 20) {
    const LineReader::Include include =
        [&](const std::string& name) -> base::Result<std::string> {
        const auto file = files.find(name);
        if (file == files.end())
            return base::fail(base::ErrorKind::absent, "there is no such file");
        return file->second;
    };
    LineReader reader("x.ace", bytes, include, most);
    std::vector<std::string> cards;
    for (;;) {
        const auto is_there = reader.next(rules);
        if (!is_there) cards.push_back("error " + is_there.error().text);
        if (!is_there || !*is_there) return cards;
        cards.push_back(files.empty() ? std::string(reader.text())
                                      : reader.place() + '|' + std::string(reader.text()));
    }
}

using Cards = std::vector<std::string>;

std::vector<std::string> words_of_card(std::string_view card) {
    WordReader words(card);
    std::vector<std::string> all;
    while (const auto word = words.next())
        all.push_back(word->is_quoted ? '"' + word->text + '"' : word->text);
    return all;
}

}  // namespace

TEST_CASE("The end of the file ends the last line, also an empty one") {
    CHECK(cards_of("") == Cards{""});
    CHECK(cards_of("a\nb") == Cards{"a", "b"});
    CHECK(cards_of("a\nb\n") == Cards{"a", "b", ""});
}

TEST_CASE("A NUL byte, at which AceDB ends a file, is an error that names its line") {
    const auto at = [](const std::string& line) {
        return "error x.ace:" + line + ": there is a NUL byte, at which AceDB ends a file";
    };
    CHECK(cards_of(std::string_view("a\nb\0c\nd\n", 8)) == Cards{"a", at("2")});
    CHECK(cards_of(std::string_view("a // x\0c\nd\n", 11)) == Cards{"a ", at("1")});
    CHECK(cards_of(std::string_view("a\\\0c\n", 5)) == Cards{at("1")});
    CHECK(cards_of(std::string_view("a\0", 2), {}, LineRules::long_text) == Cards{at("1")});
}

TEST_CASE("Two slashes end the line anywhere, and escaped ones do not") {
    CHECK(cards_of("a \"b // c\" d\n// e\nf / g\\//h\n") ==
          Cards{"a \"b ", "", "f / g\\//h", ""});
    CHECK(cards_of("a \\/\\/ b /") == Cards{"a \\/\\/ b /"});
}

TEST_CASE("A backslash before the newline joins lines, without the blanks of the next line") {
    CHECK(cards_of("a \\\n \t b\nc\\\n\n") == Cards{"a b", "c", ""});
    CHECK(cards_of("a\\nb\\") == Cards{"a\nb"});
}

TEST_CASE("A TAB moves to the next multiple of 8 columns of the joined line") {
    CHECK(cards_of("\tb") == Cards{"        b"});
    CHECK(cards_of("abc\td") == Cards{"abc     d"});
    CHECK(cards_of("12345678\tx") == Cards{"12345678        x"});
    CHECK(cards_of("\xC3\xA9\r\x01\t|") == Cards{"        |"});
}

TEST_CASE("Bytes that are not printable ASCII are dropped, so lines may end in CR LF") {
    CHECK(cards_of("caf\xC3\xA9 \x7F\x1B.\r\nb\r\n") == Cards{"caf .", "b", ""});
}

TEST_CASE("In a LongText only LF and backslash are special") {
    CHECK(cards_of("a // b\tc \\ \\\\ \\n\\\n  d\n@x\n", {}, LineRules::long_text) ==
          Cards{"a // b\tc \\ \\\\ \nd", "@x", ""});
}

TEST_CASE("A line with @ continues in another file, whose end ends a line") {
    const Files files{{"b.ace", "1\n2\n"}, {"c.ace", "3"}, {"deep.ace", "@c.ace\n4\n"}};
    CHECK(cards_of("a\n @b.ace // and on\nz\n", files) ==
          Cards{"x.ace:1|a", "b.ace:1|1", "b.ace:2|2", "b.ace:3|", "x.ace:3|z", "x.ace:4|"});
    CHECK(cards_of("@c.ace\nz", files) == Cards{"c.ace:1|3", "x.ace:2|z"});
    CHECK(cards_of("@deep.ace\nz", files) ==
          Cards{"c.ace:1|3", "deep.ace:2|4", "deep.ace:3|", "x.ace:2|z"});
    CHECK(cards_of("@\nz", files) == Cards{"x.ace:2|z"});
}

TEST_CASE("A file that cannot be included is an error that names the place") {
    const Files files{{"loop.ace", "@loop.ace\n"}};
    CHECK(cards_of("a\n@none.ace\n", files).back() ==
          "error x.ace:2: @none.ace: there is no such file");
    for (const auto* name : {"/etc/passwd", "../x", ".hidden", "a/b", "\"\""})
        CHECK(cards_of("a\n@" + std::string(name), files).back() ==
              "error x.ace:2: a file outside of the folder is included");
    CHECK(cards_of("@loop.ace\n", files)
              .back()
              .starts_with("error loop.ace:1: files include each other too deeply"));
}

TEST_CASE("Files that include each other many times do not cause endless reading") {
    Files files{{"f15", "x\n"}};
    for (int i = 0; i < 15; ++i) {
        std::string twice;
        for (int k = 0; k < 30; ++k) twice += "@f" + std::to_string(i + 1) + "\n";
        files["f" + std::to_string(i)] = twice;
    }
    const auto cards = cards_of("@f0\n", files);
    CHECK(cards.back().find("the included files are too large") != std::string::npos);
}

TEST_CASE("A line that grows beyond the limit is refused") {
    CHECK(cards_of(std::string(1000, '\t'), {}, LineRules::ace, 4096).back() ==
          "error x.ace:1: a line is too long (4096 bytes)");
}

TEST_CASE("Places count the lines of the file, including joined ones") {
    const Files files{{"none", ""}};
    CHECK(cards_of("a\\\nb\n\n// c\nd", files) ==
          Cards{"x.ace:1|ab", "x.ace:3|", "x.ace:4|", "x.ace:5|d"});
}

TEST_CASE("A line that was put back is returned again") {
    LineReader reader("x.ace", "a\nb", {}, 100);
    REQUIRE(*reader.next());
    reader.back();
    REQUIRE(*reader.next());
    CHECK(reader.text() == "a");
    REQUIRE(*reader.next());
    CHECK(reader.text() == "b");
    CHECK_FALSE(*reader.next());
}

TEST_CASE("Words are quoted or a run of printable characters") {
    CHECK(words_of_card("  a \"b c\" d,e;'f g' \"\"  ") ==
          Cards{"a", "\"b c\"", "d,e;'f", "g'", "\"\""});
    CHECK(words_of_card("\"open to the end") == Cards{"\"open to the end\""});
    CHECK(words_of_card("\"a\"b\"c\"") == Cards{"\"a\"", "b\"c\""});
    CHECK(words_of_card("a\\ b \\\"c \"d\\\"e\\\\\" \"f\\") ==
          Cards{"a b", "\"c", "\"d\"e\\\"", "\"f\""});
    CHECK(words_of_card("").empty());
    CHECK(words_of_card("a\nb") == Cards{"a"});  // words end at a newline
}

TEST_CASE("A colon is skipped where it is, and a word ends where the caller asks") {
    WordReader words("Gene : \"x\" more");
    CHECK(words.next()->text == "Gene");
    CHECK(words.skip(':'));
    CHECK_FALSE(words.skip(':'));
    CHECK(words.next()->text == "x");
    WordReader members("Gene:x y");
    CHECK(members.cut(":-/\" ") == "Gene");
    CHECK(members.next()->text == "x");
    CHECK_FALSE(WordReader("\"Gene\" x").cut(":-/\" "));
}
