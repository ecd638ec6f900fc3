// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include <array>

#include "serve/feeds.hpp"
#include "serve/parameters.hpp"
#include "serve/routes.hpp"
#include "support/catch.hpp"
#include "tree/object.hpp"

using namespace serve;

namespace {

constexpr std::size_t most = 1000;
const std::string list_id = "abcdefghijklmno7";
using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<Query> parse_at(Route route, std::string path, std::string_view query) {
    return Query::parse(route, std::move(path), query, most);
}
Result<Query> parse(std::string_view query) { return parse_at(Route::feed, "/rss", query); }
Result<Query> parse_archive(std::string_view query) {
    return parse_at(Route::archive, "/rss/archive", query);
}
Result<Query> parse_opml(std::string_view query) { return parse_at(Route::opml, "/opml", query); }

query::PageRequest page_of(std::string_view query) {
    return page_request_of(*parse(query), most);
}

// Returns the status of an error whose text names `parameter`; 200 without an error.
template <class T>
int status_for(const Result<T>& parsed, std::string_view parameter) {
    if (parsed) return 200;
    INFO(parsed.error().text);
    CHECK(parsed.error().text.find(parameter) != std::string::npos);
    return parsed.error().status;
}

}  // namespace

TEST_CASE("A feed has one address: known parameters in one order, with the escapes they need") {
    for (const auto& [query, canonical] :
         Pairs{{"class=Gene&name=unc-26", "class=Gene&name=unc-26"},
               {"name=unc-26;class=Gene", "class=Gene&name=unc-26"},
               {";;class=Gene&&name=unc-26&", "class=Gene&name=unc-26"},
               {"%63lass=Gene&name=unc%2D26", "class=Gene&name=unc-26"},
               {"class=Gene&name=x&a=1&a=2&before=7&N=3", "class=Gene&name=x"},
               {"utm=1;format=rss;since=WS186;n=050;name=x;class=Gene;junk=%zz;=;%00=%00",
                "class=Gene&name=x&n=50&since=WS186&format=rss"},
               {"class=Paper&name=a+b%2Bc%26d%3Be=f%C3%A9%F0%9F%A7%AC",
                "class=Paper&name=a%20b%2Bc%26d%3Be%3Df%C3%A9%F0%9F%A7%AC"},
               {"class=Text&name=two%0Alines%09end", "class=Text&name=two%0Alines%09end"},
               {"class=Gene", "class=Gene"},
               {"object=Paper:b&n=5&object=Gene:a", "object=Gene:a&object=Paper:b&n=5"},
               {"format=atom&n=5&watch=" + list_id, "watch=" + list_id + "&n=5&format=atom"},
               {"include=mentions&n=5&class=G&name=x", "class=G&name=x&n=5&include=mentions"},
               {"class=G&name=x&change=replaced,added,replaced&tag=Gene_info",
                "class=G&name=x&tag=Gene_info&change=added,replaced"},
               {"mass=no&class=G&name=x&format=atom&change=added",
                "class=G&name=x&change=added&mass=no&format=atom"}}) {
        INFO(query);
        const auto parsed = parse(query);
        REQUIRE(parsed);
        CHECK(parsed->url() == "/rss?" + canonical);
    }
    const auto decoded = parse("class=Paper&name=a+b%2Bc%26d%3Be=f%C3%A9");
    REQUIRE(decoded);
    CHECK(decoded->object() == tree::ObjectName{"Paper", "a b+c&d;e=f\xC3\xA9"});
    CHECK(page_request_of(*decoded, most) == query::PageRequest{50, ""});
}

TEST_CASE("A query that is refused names the parameter") {
    const std::string object = "class=Gene&name=x";
    Pairs refused = {{"", "class= and name= are missing."},
                     {"n=5", "class= and name= are missing."},
                     {"class=Gene&name=", "name= is missing."},
                     {"class=", "class= is missing."},
                     {"class=&name=x", "class= is missing."},
                     {object + "&class=Gene", "class="},
                     {object + ";n=1;n=1", "n="},
                     {"class=" + std::string(65, 'c') + "&name=x", "class="},
                     {"class=Gene&name=" + std::string(513, 'n'), "name="},
                     {object + "&tag=" + std::string(129, 't'), "tag="},
                     {object + "&tag=a%00b", "tag="},
                     {object + "&format=html", "format="},
                     {"object=Gene:a&class=Gene", "class="},
                     {"object=Gene:a&name=x", "name="},
                     {"object=A:1&watch=" + list_id, "watch="},
                     {"class=A&watch=" + list_id, "watch="},
                     {"class=G&include=mentions", "include="}};
    for (const auto* bad : {"%", "%4", "%4g", "%zz", "a%", "%00", "%0B", "%1f", "\x01", "%ff",
                            "%C3", "%ED%A0%80", "%F5%80%80%80", "%C0%AF", "\xE9"})
        for (const std::string name : {"name", "class", "since"})
            refused.emplace_back((name == "since" ? object + "&" : "") + name + "=" + bad,
                                 name + "=");
    for (const auto* control : {"%0A", "%09", "%7F"})
        refused.emplace_back(std::string("name=x&class=") + control, "class=");
    const std::vector<std::pair<std::string, std::vector<std::string>>> bad_values = {
        {"n", {"", "0", "-1", "1001", "99999999999999999999", "1e9", "%2B5", "+5", "0x10"}},
        {"since", {"", "WS 186", "../x", ".x", "a/b", "W%27S", std::string(33, '1')}},
        {"format", {"", "RSS", "pdf"}},
        {"include", {"", "yes", "Mentions"}},
        {"change", {"", "added,", ",", "changed", "Added", "added removed", "added,,removed"}},
        {"tag", {""}},
        {"mass", {"", "yes", "No", "0"}}};
    for (const auto& [name, values] : bad_values)
        for (const auto& value : values)
            refused.emplace_back(object + "&" + name + "=" + value, name + "=");
    for (const std::string wrong :
         {"", "abcdefghijklmno", "abcdefghijklmno1", "ABCDEFGHIJKLMNO7"})
        refused.emplace_back("watch=" + wrong, "watch=");
    for (const auto& [query, parameter] : refused) {
        INFO(query);
        CHECK(status_for(parse(query), parameter) == 400);
    }
    CHECK(status_for(parse("class=Gene&name=" + std::string(20000, 'n')), "") == 414);
}

TEST_CASE("A class alone is the feed of a class, and objects or a short address are a list") {
    using Subject = Query::Subject;
    CHECK(parse("class=Gene")->subject() == Subject::whole_class);
    CHECK(parse("class=Gene&name=x")->subject() == Subject::object);
    CHECK(parse("watch=" + list_id)->subject() == Subject::watch_list);
    CHECK(parse("object=Paper:b&object=Gene:a")->subject() == Subject::watch_list);
    CHECK(parse("feed=7")->subject() == Subject::source_feed);
}

TEST_CASE("A feed has as many mentions as items, at most 200, and its archive has none") {
    const std::string object = "include=mentions&n=5&class=G&name=x";
    CHECK(page_of(object).mentions == 5);
    CHECK(archive_url_of(*parse(object), "rss") ==
          "/rss/archive?class=G&name=x&format=rss&before=");
    CHECK(page_of("object=G:x&include=mentions").mentions == default_items);
    CHECK(page_of("class=G&name=x").mentions == 0);
    CHECK(page_of("class=G&name=x&n=500&include=mentions").mentions == 200);
}

TEST_CASE("What narrows a feed is said in its title, and is part of its archive's address") {
    for (const auto& [narrowing, text] :
         Pairs{{"include=mentions&n=5", ", with mentions, newest 5"},
               {"change=replaced,added&tag=Gene_info",
                ", at Gene_info, only what was added or replaced"},
               {"mass=no&change=added&since=WS1",
                ", since WS1, only what was added, without mass changes"},
               {"change=added,removed,replaced", ", only what was added or removed or replaced"}})
        CHECK(filter_text_of(*parse("class=G&name=x&" + narrowing)) == text);
    const std::string without = "mass=no&class=G&name=x&format=atom&change=added";
    CHECK_FALSE(page_of(without).filter.mass);
    CHECK(page_of(without).filter.only == std::vector{compare::Op::added});
    CHECK(archive_url_of(*parse(without), "atom") ==
          "/rss/archive?class=G&name=x&change=added&mass=no&format=atom&before=");
}

TEST_CASE("Pages of an archive are numbered by fifties and ignore n") {
    const auto page = parse_archive("before=100&n=0&class=G&name=x&format=rss");
    REQUIRE(page);
    CHECK(page_request_of(*page, most).before == 100);
    CHECK(page->url() == "/rss/archive?class=G&name=x&format=rss&before=100");
    CHECK(archive_url_of(*page, "atom") == "/rss/archive?class=G&name=x&format=atom&before=");
    CHECK(current_url_of(*page) == "/rss?class=G&name=x&format=rss");
    for (const std::string bad : {"", "0", "7", "49", "75", "-50", "1e9", "99999999999999999999"})
        CHECK(status_for(parse_archive("class=G&name=x&before=" + bad), "before=") == 400);
    CHECK(status_for(parse_archive("class=G&name=x"), "before= is missing.") == 400);
}

TEST_CASE("The feeds of releases have addresses, and no since parameter") {
    const auto feed =
        parse_at(Route::release_feed, "/release/WS187", "since=WS1&n=5&format=rss&change=added");
    REQUIRE(feed);
    CHECK(feed->url() == "/release/WS187?n=5&change=added&format=rss");
    CHECK(version_of(*feed) == "WS187");
    CHECK(archive_url_of(*feed, "rss") ==
          "/release/WS187/archive?change=added&format=rss&before=");
    const auto page =
        parse_at(Route::release_archive, "/release/WS187/archive", "mass=no&before=50");
    REQUIRE(page);
    CHECK(version_of(*page) == "WS187");
    CHECK(current_url_of(*page) == "/release/WS187?mass=no");
    CHECK(parse_at(Route::releases_feed, "/releases", "mass=no")->url() == "/releases");
}

TEST_CASE("Any object name is the same after encoding and parsing a query") {
    CHECK(rc::check("parse(q.canonical()) == q", [](const std::string& bytes, bool has_count) {
        // Returns letters of two plain alphabets: legal text of any form.
        constexpr std::array<std::string_view, 10> letters = {"a", "%",        "&",  ";",  "+",
                                                              " ", "\xC3\xA9", "\"", "\n", "\t"};
        std::string name = "x";
        for (const char c : bytes)
            name += letters[static_cast<unsigned char>(c) % letters.size()];
        if (name.size() > 500) return;
        const auto query =
            Query("/rss").with(tree::ObjectName{"Gene", name}).with("n", has_count ? "7" : "");
        const auto parsed = parse(query.canonical());
        RC_ASSERT(static_cast<bool>(parsed));
        RC_ASSERT(*parsed == query);
    }));
}

TEST_CASE("A page has one address, whatever the order of its parameters") {
    const auto history = [](const std::string& query) {
        return parse_at(Route::history, "/history", query)->url();
    };
    const auto object = [](const std::string& query) {
        return parse_at(Route::object, "/object", query)->url();
    };
    const auto diff = [](const std::string& query) {
        return parse_at(Route::difference, "/diff", query)->url();
    };
    const auto home = [](const std::string& query) {
        return parse_at(Route::home, "/", query)->url();
    };
    const auto release = [](const std::string& query) {
        return parse_at(Route::release, "/release/WS187", query)->url();
    };
    const auto kept = "/watch/" + list_id;
    CHECK(history("page=2;at=WS187;name=a+b;class=Gene;utm=1") ==
          "/history?class=Gene&name=a%20b&at=WS187&page=2");
    CHECK(history("class=G&name=x&page=1") == "/history?class=G&name=x");
    // A change has a number in its release alone, and then no part.
    CHECK(history("class=G&name=x&at=A&page=3&number=47") ==
          "/history?class=G&name=x&at=A&number=47");
    CHECK(history("class=G&name=x&page=3&number=47") == "/history?class=G&name=x&page=3");
    CHECK(history("format=json&number=4&class=G&name=x&at=A") ==
          "/history?class=G&name=x&at=A&format=json");
    CHECK(object("page=2;release=WS187;name=a+b;class=Gene;at=WS1") ==
          "/object?class=Gene&name=a%20b&release=WS187&page=2");
    CHECK(object("class=G&name=x&page=7&format=json") == "/object?class=G&name=x&format=json");
    CHECK(diff("to=WS188&from=WS186&class=Gene&name=x&format=json") ==
          "/diff?class=Gene&name=x&from=WS186&to=WS188&format=json");
    CHECK(home("") == "/");
    CHECK(home("q=+unc-26+&class=Gene") == "/?class=Gene&q=unc-26");
    CHECK(home("class=&q=") == "/");
    CHECK(home("page=2&class=Gene") == "/?class=Gene");
    CHECK(home("page=2&q=a") == "/?q=a&page=2");
    CHECK(home("class=Gene&name=two%0Alines") == "/?class=Gene&q=two%0Alines");
    CHECK(parse_opml("object=B:2&object=A:1")->url() == "/opml?object=A:1&object=B:2");
    CHECK(parse_opml("watch=" + list_id)->url() == "/opml?watch=" + list_id);
    CHECK(release("page=2&q=unc&class=Gene") == "/release/WS187?class=Gene&q=unc&page=2");
    CHECK(release("page=1") == "/release/WS187");
    CHECK(parse_at(Route::watch, kept, "object=A:1&pasted=a")->url() == kept + "?pasted=a");
}

TEST_CASE("The parameters of source feeds that mean nothing beside others are left out") {
    const auto sources = [](const std::string& query) {
        return parse_at(Route::sources, "/feeds", query);
    };
    CHECK(sources("page=2&q=a&format=json")->url() == "/feeds?q=a&page=2&format=json");
    CHECK(sources("page=2&q=a&format=opml")->url() == "/feeds?q=a&format=opml");
    CHECK(sources("page=2&q=a&feed=3")->url() == "/feeds?feed=3");
    CHECK(status_for(sources("feed=3&format=opml"), "format=") == 400);
}

TEST_CASE("A list is split at the first colon, sorted, and contains each object once") {
    const auto list = parse_opml("object=Paper:a%3Ab&object=Gene:x&object=Paper:a:b");
    REQUIRE(list);
    CHECK(list->objects() == std::vector<tree::ObjectName>{{"Gene", "x"}, {"Paper", "a:b"}});
    for (const std::string bad : {"", ":", "Gene", "Gene:", ":x"})
        CHECK(status_for(parse_opml("object=" + bad), "object=") == 400);
}

TEST_CASE("A list has at most 200 objects of allowed lengths") {
    const auto status_of = [](const std::string& query) {
        return status_for(parse_opml(query), "object=");
    };
    std::string list;
    for (int i = 0; i < 200; ++i) list += "object=Gene:WBGene" + std::to_string(i) + "&";
    CHECK(status_of(list) == 200);
    CHECK(status_of(list + "object=Gene:WBGene7") == 200);
    CHECK(status_of(list + "object=Gene:another") == 400);
    CHECK(status_of("") == 400);
    CHECK(status_of("object=" + std::string(64, 'c') + ":" + std::string(512, 'n')) == 200);
    CHECK(status_of("object=" + std::string(65, 'c') + ":n") == 400);
    CHECK(status_of("object=c:" + std::string(513, 'n')) == 400);
}

TEST_CASE("A page whose parameters are refused names them") {
    const auto check = [](Route route, const Pairs& refused) {
        for (const auto& [query, parameter] : refused) {
            INFO(query);
            CHECK(status_for(parse_at(route, "/", query), parameter) == 400);
        }
    };
    const std::string object = "class=G&name=x";
    Pairs of_history = {{"class=G", "name="},
                        {object + "&at=a/b", "at="},
                        {object + "&at=A&number=0", "number="},
                        {object + "&format=rss", "format="}};
    for (const std::string bad : {"0", "-1", "1e9", "", "x", "1000000000"})
        of_history.emplace_back(object + "&page=" + bad, "page=");
    check(Route::history, of_history);
    check(Route::object, {{"class=G", "name="},
                          {object + "&release=a/b", "release="},
                          {object + "&format=rss", "format="},
                          {object + "&page=0", "page="}});
    check(Route::difference, {{object + "&to=WS1", "from="},
                              {object + "&from=WS1", "to="},
                              {object + "&from=W%20S&to=WS1", "from="},
                              {object + "&from=WS1&to=", "to="},
                              {object + "&from=A&to=B&format=rss", "format="},
                              {object + "&from=A&from=A&to=B", "from="},
                              {object + "&from=A&to=B&page=0", "page="}});
    check(Route::home, {{"q=" + std::string(513, 'q'), "q="},
                        {"class=" + std::string(65, 'c'), "class="},
                        {"q=%ff", "q="}});
    check(Route::suggest, {{"q=a&q=b", "q="}});
    check(Route::opml, {{"", "object="}});
    check(Route::release, {{"page=-1", "page="}, {"page=x", "page="}, {"page=1000001", "page="}});
    check(Route::watch, {{"pasted=", "pasted= is empty."},
                         {"pasted=" + std::string(578, 'x'), "pasted= is longer"},
                         {"left_out=x", "left_out="}});
}

TEST_CASE("The address of a watch list has as much of it as fits, and counts the rest") {
    const auto parse_watch = [](std::string_view query) {
        return parse_at(Route::watch, "/watch", query);
    };
    CHECK(parse_watch("pasted=b%0Ac&q=x&object=B:2&object=A:1&pasted=a&class=C")->url() ==
          "/watch?class=C&q=x&object=A:1&object=B:2&pasted=b%0Ac&pasted=a");
    std::vector<tree::ObjectName> objects;
    for (int i = 0; i < 210; ++i) objects.push_back({"Gene", "n" + std::to_string(1000 + i)});
    const std::vector<std::string> pasted(60, "nobody");
    CHECK(fitting_url(Query("/watch"), objects, pasted, 1).ends_with("&left_out=21"));
    for (auto& object : objects) object.name.insert(0, 200, '<');
    const auto url = fitting_url(Query("/watch"), objects, pasted, 1);
    CHECK(url.size() < 16'300);
    const auto fitted = parse_watch(url.substr(url.find('?') + 1));
    REQUIRE(fitted);
    CHECK(fitted->objects().size() > 20);
    CHECK(fitted->objects().size() + fitted->all("pasted").size() +
              fitted->number("left_out", 0) ==
          271);
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
    const auto status_of = [](Route route, const std::string& query) {
        return status_for(parse_at(route, "/", query), "");
    };
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "a;";
    CHECK(status_of(Route::home, many) == 200);
    CHECK(status_of(Route::home, many + "b") == 400);
    CHECK(status_of(Route::home, std::string(8192, 'q')) == 200);
    CHECK(status_of(Route::home, std::string(8193, 'q')) == 414);
    CHECK(status_of(Route::watch, std::string(16384, 'q')) == 200);
    CHECK(status_of(Route::watch, std::string(16385, 'q')) == 414);
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
        CHECK(without_token(query) == logged);
    CHECK(without_token(std::string(5000, 'x')).size() == 1000);
}

TEST_CASE("The logged path never contains a token, whatever separates it from the page") {
    for (const auto* path : {"/rss?token=secret", "/rss;token=secret", "/rss/token=secret",
                             "/rss?n=1&Token=secret", "/rss%3ftoken%3Dsecret", "/token=secret"})
        CHECK(without_token(path).find("secret") == std::string::npos);
}
