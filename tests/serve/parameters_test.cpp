// SPDX-License-Identifier: MIT
#include <array>

#include "serve/parameters.hpp"
#include "support/catch.hpp"

using serve::extract_parameter;
using serve::parse_query;

TEST_CASE("Only known parameters are removed, whichever of their letters were escaped") {
    constexpr std::array<std::string_view, 2> known = {"class", "n"};
    const auto parsed = parse_query("%63lass=Gene&junk=%zz;n=5;=;%00=%00&N=3", known);
    REQUIRE(parsed);
    CHECK(*parsed->find("class") == "Gene");
    CHECK(*parsed->find("n") == "5");
    CHECK(parsed->values.size() == 2);
    CHECK(parsed->find("junk") == nullptr);
}

TEST_CASE("object= may be repeated and is then unchanged") {
    constexpr std::array<std::string_view, 1> known = {"object"};
    const auto parsed = parse_query("object=B:2&object=A:1;object=B:2", known);
    REQUIRE(parsed);
    CHECK(parsed->values.at("object") == std::vector<std::string>{"B:2", "A:1", "B:2"});
}

TEST_CASE("A parameter removed from a query is gone, however it is spelled") {
    const auto taken =
        extract_parameter("class=Gene&token=a%20b;name=x&%74oken=c&tokens=d&token", "token");
    CHECK(taken.values == std::vector<std::string>{"a b", "c", ""});
    CHECK(taken.rest == "class=Gene&name=x&tokens=d");
    CHECK(extract_parameter("a=1;;b=%zz&", "token").rest == "a=1;;b=%zz&");
    CHECK(extract_parameter("token=x", "token").rest.empty());
    CHECK(extract_parameter("", "token").values.empty());
}

TEST_CASE("Queries that are too long or have too many parts are refused") {
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "a;";
    CHECK(parse_query(many, {}));
    CHECK(parse_query(many + "b", {}).error().status == 400);
    CHECK(parse_query(std::string(8192, 'q'), {}));
    CHECK(parse_query(std::string(8193, 'q'), {}).error().status == 414);
    constexpr std::array<std::string_view, 1> list = {"object"};
    CHECK(parse_query(std::string(16384, 'q'), list));
    CHECK(parse_query(std::string(16385, 'q'), list).error().status == 414);
}

TEST_CASE("The logged query never contains a token, however its parameter is spelled") {
    for (const auto& [query, logged] :
         {std::pair{"class=Gene&name=x&token=secret", "class=Gene&name=x"},
          {"token=secret&class=Gene", "class=Gene"},
          {"class=Gene;token=secret;name=x", "class=Gene;name=x"},
          {"%74o%6Ben=secret", ""},
          {"token=a&token=secret", ""},
          {"token", ""},
          {"mytoken=1&tokens=2&access_token=3", ""},
          {"token[]=secret&Token=secret&n=1", "n=1"},
          {"token%5B%5D=secret&%54oken[0]=secret", ""},
          {"%2574oken=secret&to%6ben%zz=secret&token+=secret&?token=secret", ""},
          {"name=x?token[]=secret", ""},
          {"name=token&class=token-1", "name=token&class=token-1"},
          {"n=1&TOKEN=secret&%26token=secret&token%3Dsecret&token=%zz", "n=1"},
          {"name=%zz", "name=%zz"},
          {"", ""}})
        CHECK(serve::without_token(query) == logged);
    CHECK(serve::without_token(std::string(5000, 'x')).size() == 1000);
}

TEST_CASE("The logged path never contains a token, whatever separates it from the page") {
    for (const auto* path : {"/rss?token=secret", "/rss;token=secret", "/rss/token=secret",
                             "/rss?n=1&Token=secret", "/rss%3ftoken%3Dsecret", "/token=secret"})
        CHECK(serve::without_token(path).find("secret") == std::string::npos);
}
