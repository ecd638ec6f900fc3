// SPDX-License-Identifier: MIT
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/markup.hpp"
#include "render/text_difference.hpp"
#include "support/catch.hpp"

namespace {

std::string html(std::string_view text) {
    std::string out;
    render::append_html(out, text);
    return out;
}
// Returns the content of an element.
std::string inside(render::Content content, std::string_view text) {
    std::string out;
    render::append_element(out, 0, "e", text, {}, content);
    return out.substr(3, out.size() - 3 - std::string_view("</e>\n").size());
}

}  // namespace

TEST_CASE("HTML text is escaped, and characters that HTML forbids become U+FFFD") {
    CHECK(html("a<b>&\"'\xC3\xA9") == "a&lt;b&gt;&amp;&quot;&#39;\xC3\xA9");
    CHECK(html("x\x01\x7F\xC2\x80\xEF\xBF\xBD\xEF\xB7\x90\xF0\x9F\xBF\xBFy\r\n") ==
          "x&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;y \n");
    CHECK(html("caf\xE9") == "caf\xC3\xA9");
}

TEST_CASE("HTML and plain sentences isolate what runs from right to left, and nothing a stranger "
          "isolates") {
    const std::string alef = "\u05D0";
    CHECK(html(alef + "\"\u2044") == "<bdi>" + alef + "&quot;\u2044</bdi>");
    const auto value = render::isolated_line(alef + "\u2069 \u2066b\u2029</c>");
    CHECK(value == "\u2068" + alef + " b </c>\u2069");
    const auto plain = "Was \u2068" + alef + " b \u2039/c\u203A\u2069";
    CHECK(render::plain_sentence("Was  " + value) == plain);
    CHECK(html(plain) == "Was <bdi>" + alef + " b \u2039/c\u203A</bdi>");
    CHECK(html("\u2068a\u2067\u2068b\u2069") ==
          "<bdi>\u2068a\u2067\u2068b\u2069\u2069\u2069</bdi>");
}

TEST_CASE("XML text has hexadecimal references for markup and keeps CR") {
    using render::Content;
    CHECK(inside(Content::text, "a<b>&]]>\r") == "a&#x3C;b&#x3E;&#x26;]]&#x3E;&#xD;");
    CHECK(inside(Content::url, "http://x.org/?a=b&c") == "http://x.org/?a=b&amp;c");
}

TEST_CASE("HTML in XML is CDATA, divided where it contains the end of a section") {
    CHECK(inside(render::Content::html, "<p>&amp;</p>]]>x") ==
          "<![CDATA[<p>&amp;</p>]]]]><![CDATA[>x]]>");
}

TEST_CASE("People read the name of the month, and programs the same day in digits") {
    const base::Date day = *base::parse_date("2024-03-09");
    CHECK(render::date_html(day) == "<time datetime=\"2024-03-09\">9 March 2024</time>");
    CHECK(render::date_in_words(*base::parse_date("0812-12-31")) == "31 December 812");
    CHECK(render::time_html(day + std::chrono::hours(9) + std::chrono::seconds(62)) ==
          "<time datetime=\"2024-03-09T09:01:02Z\">9 March 2024, 09:01</time>");
}

TEST_CASE("The end of a text begins with a whole character") {
    CHECK(render::end_of("a\xC3\xA9z", 2) == "z");
    CHECK(render::end_of("a\xC3\xA9z", 3) == "\xC3\xA9z");
}

TEST_CASE("Aligned words are runs of equal and of replaced words") {
    using render::AlignedRun;
    const auto runs =
        render::align(render::words_of("a b  c d"), render::words_of(" a x c\nd e"));
    CHECK(runs ==
          std::vector<AlignedRun>{
              {true, 0, 1, 0, 1}, {false, 1, 2, 1, 2}, {true, 2, 4, 2, 4}, {false, 4, 4, 4, 5}});
    CHECK(render::align({}, {}).empty());
}

TEST_CASE("Of a paragraph of any length, the two words that changed are its differences") {
    std::string between;
    for (int word = 0; word < 5'000; ++word) between += " word" + std::to_string(word % 97);
    using render::AlignedRun;
    CHECK(render::align(render::words_of("old" + between + " old" + between),
                        render::words_of("new" + between + " not new" + between)) ==
          std::vector<AlignedRun>{{false, 0, 1, 0, 1},
                                  {true, 1, 5'001, 1, 5'001},
                                  {false, 5'001, 5'002, 5'001, 5'003},
                                  {true, 5'002, 10'002, 5'003, 10'003}});
}

TEST_CASE("A text with many differences is shortened to forty runs") {
    std::string before, after;
    for (int word = 0; word < 100; ++word) {
        before += "same" + std::to_string(word) + " old ";
        after += "same" + std::to_string(word) + " new ";
    }
    const auto difference = render::difference_of(before, after);
    REQUIRE(difference.places.size() == 1);
    CHECK(difference.places[0].runs.size() == 40);
    CHECK(difference.shortened);
}

TEST_CASE("Words too many to align are one replaced run between equal ends") {
    std::string before = "start ", after = "start ";
    for (int i = 0; i < 300; ++i) {
        before += "b" + std::to_string(i) + " same ";
        after += "a" + std::to_string(i) + " same ";
    }
    const auto runs =
        render::align(render::words_of(before + "end"), render::words_of(after + "end"));
    REQUIRE(runs.size() == 3);
    CHECK(runs[1] == render::AlignedRun{false, 1, 600, 1, 600});
}

TEST_CASE("Numbers have a comma between groups of three digits") {
    for (const auto& [number, text] : {std::pair{std::uint64_t{0}, "0"},
                                       {999, "999"},
                                       {1'000, "1,000"},
                                       {45'000'000, "45,000,000"}})
        CHECK(render::with_separators(number) == text);
}
