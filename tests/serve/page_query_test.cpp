// SPDX-License-Identifier: MIT
#include <functional>

#include "serve/page_query.hpp"
#include "support/catch.hpp"

using namespace serve;

namespace {

// Status of a refusal whose text names `parameter`; 200 when there is none.
template <class T>
int refused_for(const Answered<T>& parsed, std::string_view parameter) {
    if (parsed) return 200;
    INFO(parsed.error().text);
    CHECK(parsed.error().text.starts_with(parameter));
    return parsed.error().status;
}

}  // namespace

TEST_CASE("a history page has one address, whatever order its parameters came in") {
    const auto query = parse_history_query("part=2;at=WS187;name=a+b;class=Gene;utm=1");
    REQUIRE(query);
    CHECK(*query == HistoryQuery{{"Gene", "a b"}, "WS187", 2});
    CHECK(address_of(*query) == "/history?class=Gene&name=a%20b&at=WS187&part=2");
    CHECK(address_of(*parse_history_query("class=G&name=x&part=1")) == "/history?class=G&name=x");
    CHECK(refused_for(parse_history_query("class=G"), "name=") == 400);
    CHECK(refused_for(parse_history_query("class=G&name=x&at=a/b"), "at=") == 400);
    for (const auto* bad : {"0", "-1", "1e9", "", "x", "1000000000"})
        CHECK(refused_for(parse_history_query(std::string("class=G&name=x&part=") + bad),
                          "part=") == 400);
}

TEST_CASE("a difference names object and both releases") {
    const auto query = parse_diff_query("to=WS188&from=WS186&class=Gene&name=x&format=json");
    REQUIRE(query);
    CHECK(query->as == DiffQuery::As::json);
    CHECK(address_of(*query) == "/diff?class=Gene&name=x&from=WS186&to=WS188&format=json");
    CHECK(refused_for(parse_diff_query("class=G&name=x&to=WS1"), "from=") == 400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=WS1"), "to=") == 400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=W%20S&to=WS1"), "from=") == 400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=WS1&to="), "to=") == 400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=A&to=B&format=rss"), "format=") ==
          400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=A&from=A&to=B"), "from=") == 400);
    CHECK(refused_for(parse_diff_query("class=G&name=x&from=A&to=B&part=0"), "part=") == 400);
}

TEST_CASE("the home page takes a class, a text and a list, each or none") {
    CHECK(address_of(*parse_home_query("")) == "/");
    const auto query = parse_home_query("object=Gene:b&q=+unc-26+&class=Gene&object=Gene:a");
    REQUIRE(query);
    CHECK(query->text == "unc-26");
    CHECK(address_of(*query) == "/?class=Gene&q=unc-26&object=Gene%3Aa&object=Gene%3Ab");
    CHECK(parse_home_query("class=&q=")->class_name.empty());
    CHECK(parse_home_query("class=Gene&name=x")->text == "x");
    CHECK(refused_for(parse_home_query("q=" + std::string(513, 'q')), "q=") == 400);
    CHECK(refused_for(parse_home_query("class=" + std::string(65, 'c')), "class=") == 400);
    CHECK(refused_for(parse_home_query("object=x"), "object=") == 400);
    CHECK(refused_for(parse_home_query("q=%ff"), "q=") == 400);
}

TEST_CASE("suggestions and lists say what is missing or too long") {
    CHECK(parse_suggest_query("")->text.empty());
    CHECK(parse_suggest_query("q=unc&class=Gene&object=broken")->objects.empty());
    CHECK(refused_for(parse_suggest_query("q=a&q=b"), "q=") == 400);
    CHECK(refused_for(parse_opml_query(""), "object=") == 400);
    CHECK(opml_address_of(*parse_opml_query("object=B:2&object=A:1")) ==
          "/opml?object=A%3A1&object=B%3A2");
}

TEST_CASE("the contents of a release are looked through by class, text and place") {
    const auto query = parse_contents_query("from=100&q=unc&class=Gene");
    REQUIRE(query);
    CHECK(contents_address_of("WS187", *query) == "/release/WS187?class=Gene&q=unc&from=100");
    CHECK(contents_address_of("WS187", {}) == "/release/WS187");
    for (const auto* bad : {"-1", "x", "1e9", "10000000000"})
        CHECK(refused_for(parse_contents_query(std::string("from=") + bad), "from=") == 400);
}
