// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <algorithm>

#include "base/release.hpp"
#include "support/catch.hpp"

using namespace base;

TEST_CASE("The nearest word has few mistakes, or begins with the word") {
    const std::vector<std::string> words{"gene", "gene_class", "protein", "threads", "prewarm"};
    for (const auto& [word, meant] : {std::pair{"gen", "gene"},
                                      {"gnee", "gene"},
                                      {"genes", "gene"},
                                      {"thread", "threads"},
                                      {"tihread", "threads"},
                                      {"perwarm", "prewarm"},
                                      {"protien", "protein"},
                                      {"gene_", "gene"},
                                      {"gene_cl", "gene_class"},
                                      {"pre", "prewarm"}}) {
        INFO(word);
        const auto nearest = nearest_to(word, words);
        REQUIRE(nearest);
        CHECK(words[*nearest] == meant);
    }
    for (const auto& word : {std::string(), std::string("x"), std::string("xy"),
                             std::string("paper"), std::string("gexyz"), std::string(65, 'x')}) {
        INFO(word);
        CHECK_FALSE(nearest_to(word, {"gene", "to", "is"}));
    }
    CHECK_FALSE(nearest_to("gene", {}));
    CHECK(nearest_to("b", {"ab", "cb", "b"}) == 2U);
}

TEST_CASE("Versions are ordered as people count") {
    CHECK(natural_compare("WS99", "WS100") < 0);
    CHECK(natural_compare("WS100", "WS99") > 0);
    CHECK(natural_compare("WS187", "WS187") == 0);
    CHECK(natural_compare("e9", "e10") < 0);
    CHECK(natural_compare("a", "ab") < 0);
    CHECK(natural_compare("WS7", "WS007") > 0);  // equal numbers: by bytes, so still an order
    CHECK(natural_compare("99999999999999999999998", "99999999999999999999999") < 0);
}

TEST_CASE("Releases are ordered by date and then by version") {
    const auto day = *parse_date("2008-02-15"), later = *parse_date("2008-02-16");
    CHECK(Release{"WS100", day} > Release{"WS99", day});
    CHECK(Release{"WS99", later} > Release{"WS100", day});
}

TEST_CASE("A version is a short word of safe characters") {
    CHECK(is_version("WS187"));
    CHECK(is_version("2008-02.1_b"));
    CHECK_FALSE(is_version(""));
    CHECK_FALSE(is_version(".."));
    CHECK_FALSE(is_version("-x"));
    CHECK_FALSE(is_version("a/b"));
    CHECK_FALSE(is_version("a b"));
    CHECK_FALSE(is_version(std::string(33, 'a')));
    CHECK(is_version(std::string(32, 'a')));
}

TEST_CASE("Only a whole text that is a number is parsed as an integer") {
    CHECK(parse_integer("12") == 12);
    CHECK(parse_integer("-7") == -7);
    for (const auto* text : {"", "12abc", " 12", "12 ", "+1", "1.0", "99999999999999999999"})
        CHECK_FALSE(parse_integer(text));
    CHECK(parse_count("12") == 12U);
    CHECK(parse_count("0") == 0U);
    CHECK_FALSE(parse_count("-7"));
    CHECK_FALSE(parse_count("x"));
}

TEST_CASE("Percent-encoding leaves only unreserved characters") {
    CHECK(percent_encode("WBPhenotype:0001213") == "WBPhenotype%3A0001213");
    CHECK(percent_encode("a b&c;d/e%\xC3\xA9~._-") == "a%20b%26c%3Bd%2Fe%25%C3%A9~._-");
}

TEST_CASE("Percent-decoding reverses the encoding and refuses broken escapes") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    CHECK(percent_decode(percent_encode(all), Plus::literal) == all);
    CHECK(percent_decode("a+b", Plus::is_space) == "a b");
    CHECK(percent_decode("a+b", Plus::literal) == "a+b");
    for (const auto* text : {"%", "%4", "%zz", "a%2", "%%41"})
        CHECK_FALSE(percent_decode(text, Plus::is_space));
}

TEST_CASE("HTML escaping is safe for element text and quoted attributes") {
    CHECK(escape_html("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST_CASE("Splitting keeps empty parts, and trimming removes blanks at both ends") {
    CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
    CHECK(split("", ',') == std::vector<std::string_view>{""});
    CHECK(trim(" \t x y \r\n") == "x y");
    CHECK(trim(" \n").empty());
}

TEST_CASE("The first of several bytes is found from a place on") {
    using base::find_any;
    constexpr auto none = std::string_view::npos;
    CHECK(find_any<'<', '&'>("a&<b") == 1);
    CHECK(find_any<'<', '&'>("a&<b", 2) == 2);
    CHECK(find_any<'<', '&'>("a&<b", 3) == none);
    CHECK(find_any<'x'>("", 5) == none);
}

TEST_CASE("Each letter of ASCII equals its capital, and nothing beside them does") {
    CHECK(base::fold_ascii("@AMZ[`amz{") == "@amz[`amz{");
    CHECK(base::equal_ignoring_case("AZ", "az"));
    CHECK_FALSE(base::equal_ignoring_case("@[", "`{"));
}
