// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include <array>

#include "render/feed.hpp"
#include "serve/parameters.hpp"
#include "serve/requests.hpp"
#include "support/catch.hpp"
#include "tree/object.hpp"

using namespace serve;

namespace {

constexpr std::size_t most = 1000;
const std::string list_id = "abcdefghijklmno7";
using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<FeedRequest> parse(std::string_view query) { return parse_feed_request(query, most); }

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
               {"class=Gene&name=x&a=1&a=2&before=7", "class=Gene&name=x"},
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
        CHECK(url_of(*parsed) == "/rss?" + canonical);
    }
    const auto decoded = parse("class=Paper&name=a+b%2Bc%26d%3Be=f%C3%A9");
    REQUIRE(decoded);
    CHECK(decoded->object == tree::ObjectName{"Paper", "a b+c&d;e=f\xC3\xA9"});
    CHECK(decoded->page == query::PageRequest{50, ""});
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

TEST_CASE("Values up to their limits are accepted") {
    CHECK(parse("class=" + std::string(64, 'c') + "&name=" + std::string(512, 'n')));
    CHECK(parse("class=G&name=x&tag=" + std::string(128, 't')));
    CHECK(parse("class=G&name=x&n=1")->page.most == 1);
    CHECK(parse("class=G&name=x&n=1000")->page.most == 1000);
    CHECK(parse_feed_request("class=G&name=x", 20)->page.most == 20);
    CHECK(parse("class=G&name=x&since=WS186")->page.since == "WS186");
    for (const auto& format : render::formats())
        CHECK(parse("class=G&name=x&format=" + std::string(format.name))->format == format.name);
}

TEST_CASE("A class alone is the feed of a class, and objects or a short address are a list") {
    CHECK(parse("class=Gene")->subject == FeedRequest::Subject::whole_class);
    CHECK(parse("watch=" + list_id)->subject == FeedRequest::Subject::watch_list);
    const auto list = parse("object=Paper:b&object=Gene:a");
    REQUIRE(list);
    CHECK(list->subject == FeedRequest::Subject::watch_list);
    CHECK(list->is_wide());
}

TEST_CASE("A feed has as many mentions as items, at most 200, and its archive has none") {
    const auto object = parse("include=mentions&n=5&class=G&name=x");
    REQUIRE(object);
    CHECK(object->page.mentions == 5);
    CHECK(archive_url_of(*object, "rss") == "/rss/archive?class=G&name=x&format=rss&before=");
    CHECK(parse("object=G:x&include=mentions")->page.mentions == default_items);
    CHECK(parse("class=G&name=x")->page.mentions == 0);
    CHECK(parse("class=G&name=x&n=500&include=mentions")->page.mentions == 200);
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
    const auto without = parse("mass=no&class=G&name=x&format=atom&change=added");
    CHECK_FALSE(without->page.filter.mass);
    CHECK(archive_url_of(*without, "atom") ==
          "/rss/archive?class=G&name=x&change=added&mass=no&format=atom&before=");
}

TEST_CASE("Pages of an archive are numbered by fifties and ignore n") {
    const auto parse_page = [](const std::string& query) {
        return parse_feed_request(query, most, Document::archive);
    };
    const auto page = parse_page("before=100&n=0&class=G&name=x&format=rss");
    REQUIRE(page);
    CHECK(page->page.before == 100);
    CHECK(url_of(*page) == "/rss/archive?class=G&name=x&format=rss&before=100");
    CHECK(archive_url_of(*page, "atom") == "/rss/archive?class=G&name=x&format=atom&before=");
    CHECK(current_url_of(*page) == "/rss?class=G&name=x&format=rss");
    for (const std::string bad : {"", "0", "7", "49", "75", "-50", "1e9", "99999999999999999999"})
        CHECK(status_for(parse_page("class=G&name=x&before=" + bad), "before=") == 400);
    CHECK(status_for(parse_page("class=G&name=x"), "before= is missing.") == 400);
}

TEST_CASE("The feeds of releases have addresses, and no since parameter") {
    const auto feed =
        parse_release_feed_request("WS187", "since=WS1&n=5&format=rss&change=added", most);
    REQUIRE(feed);
    CHECK(url_of(*feed) == "/release/WS187?n=5&change=added&format=rss");
    CHECK(feed->page.since.empty());
    CHECK(archive_url_of(*feed, "rss") ==
          "/release/WS187/archive?change=added&format=rss&before=");
    const auto page =
        parse_release_feed_request("WS187", "mass=no&before=50", most, Document::archive);
    REQUIRE(page);
    CHECK(current_url_of(*page) == "/release/WS187?mass=no");
    CHECK(url_of(*parse_releases_feed_request("mass=no")) == "/releases");
}

TEST_CASE("Any object name is the same after encoding and parsing a query") {
    CHECK(rc::check("parse(url_of(q)) == q", [](const std::string& bytes, bool has_count) {
        // Returns letters of two plain alphabets: legal text of any form.
        constexpr std::array<std::string_view, 10> letters = {"a", "%",        "&",  ";",  "+",
                                                              " ", "\xC3\xA9", "\"", "\n", "\t"};
        std::string name = "x";
        for (const char c : bytes)
            name += letters[static_cast<unsigned char>(c) % letters.size()];
        if (name.size() > 500) return;
        FeedRequest query;
        query.object = {"Gene", name};
        query.page.most = has_count ? 7 : 50;
        query.has_count = has_count;
        const auto parsed = parse(url_of(query).substr(5));
        RC_ASSERT(static_cast<bool>(parsed));
        RC_ASSERT(*parsed == query);
    }));
}

TEST_CASE("A page has one address, whatever the order of its parameters") {
    const auto history = [](const std::string& query) {
        return url_of(*parse_request<HistoryRequest>(query));
    };
    CHECK(history("part=2;at=WS187;name=a+b;class=Gene;utm=1") ==
          "/history?class=Gene&name=a%20b&at=WS187&part=2");
    CHECK(history("class=G&name=x&part=1") == "/history?class=G&name=x");
    // A change has a number in its release alone, and then no part.
    CHECK(history("class=G&name=x&at=A&part=3&number=47") ==
          "/history?class=G&name=x&at=A&number=47");
    CHECK(history("class=G&name=x&part=3&number=47") == "/history?class=G&name=x&part=3");
    CHECK(history("format=json&number=4&class=G&name=x&at=A") ==
          "/history?class=G&name=x&at=A&format=json");
    CHECK(url_of(
              *parse_request<ObjectRequest>("part=2;release=WS187;name=a+b;class=Gene;at=WS1")) ==
          "/object?class=Gene&name=a%20b&release=WS187&part=2");
    CHECK(url_of(*parse_request<ObjectRequest>("class=G&name=x&part=7&format=json")) ==
          "/object?class=G&name=x&format=json");
    CHECK(url_of(
              *parse_request<DiffRequest>("to=WS188&from=WS186&class=Gene&name=x&format=json")) ==
          "/diff?class=Gene&name=x&from=WS186&to=WS188&format=json");
    CHECK(url_of(*parse_request<HomeRequest>("")) == "/");
    CHECK(url_of(*parse_request<HomeRequest>("q=+unc-26+&class=Gene")) ==
          "/?class=Gene&q=unc-26");
    CHECK(url_of(*parse_request<HomeRequest>("class=&q=")) == "/");
    CHECK(url_of(*parse_request<HomeRequest>("class=Gene&name=two%0Alines")) ==
          "/?class=Gene&q=two%0Alines");
    CHECK(url_of(*parse_request<ListRequest>("object=B:2&object=A:1")) ==
          "/opml?object=A:1&object=B:2");
    CHECK(url_of(*parse_request<ListRequest>("watch=" + list_id)) == "/opml?watch=" + list_id);
    CHECK(release_url_of("WS187",
                         *parse_request<query::ContentsQuery>("from=100&q=unc&class=Gene")) ==
          "/release/WS187?class=Gene&q=unc&from=100");
    CHECK(release_url_of("WS187", {}) == "/release/WS187");
    CHECK(url_of(*parse_kept_watch_request("/watch/" + list_id, "object=A:1&pasted=a")) ==
          "/watch/" + list_id + "?pasted=a");
    CHECK(parse_kept_watch_request("/watch/" + list_id + "/", "").error().status == 404);
}

TEST_CASE("A list is split at the first colon, sorted, and contains each object once") {
    const auto list =
        parse_request<ListRequest>("object=Paper:a%3Ab&object=Gene:x&object=Paper:a:b");
    REQUIRE(list);
    CHECK(list->objects == std::vector<tree::ObjectName>{{"Gene", "x"}, {"Paper", "a:b"}});
    for (const std::string bad : {"", ":", "Gene", "Gene:", ":x"})
        CHECK(status_for(parse_request<ListRequest>("object=" + bad), "object=") == 400);
}

TEST_CASE("A list has at most 200 objects of allowed lengths") {
    const auto status_of = [](const std::string& query) {
        return status_for(parse_request<ListRequest>(query), "object=");
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
    const auto check = [](const auto& parse_page, const Pairs& refused) {
        for (const auto& [query, parameter] : refused) {
            INFO(query);
            CHECK(status_for(parse_page(query), parameter) == 400);
        }
    };
    const std::string object = "class=G&name=x";
    Pairs of_history = {{"class=G", "name="},
                        {object + "&at=a/b", "at="},
                        {object + "&at=A&number=0", "number="},
                        {object + "&format=rss", "format="}};
    for (const std::string bad : {"0", "-1", "1e9", "", "x", "1000000000"})
        of_history.emplace_back(object + "&part=" + bad, "part=");
    check(parse_request<HistoryRequest>, of_history);
    check(parse_request<ObjectRequest>, {{"class=G", "name="},
                                         {object + "&release=a/b", "release="},
                                         {object + "&format=rss", "format="},
                                         {object + "&part=0", "part="}});
    check(parse_request<DiffRequest>, {{object + "&to=WS1", "from="},
                                       {object + "&from=WS1", "to="},
                                       {object + "&from=W%20S&to=WS1", "from="},
                                       {object + "&from=WS1&to=", "to="},
                                       {object + "&from=A&to=B&format=rss", "format="},
                                       {object + "&from=A&from=A&to=B", "from="},
                                       {object + "&from=A&to=B&part=0", "part="}});
    check(parse_request<HomeRequest>, {{"q=" + std::string(513, 'q'), "q="},
                                       {"class=" + std::string(65, 'c'), "class="},
                                       {"q=%ff", "q="}});
    check(parse_request<SuggestRequest>, {{"q=a&q=b", "q="}});
    check(parse_request<ListRequest>, {{"", "object="}});
    check(parse_request<query::ContentsQuery>,
          {{"from=-1", "from="}, {"from=x", "from="}, {"from=1e9", "from="}});
    check(parse_request<WatchRequest>, {{"pasted=", "pasted= is empty."},
                                        {"pasted=" + std::string(578, 'x'), "pasted= is longer"},
                                        {"left_out=x", "left_out="}});
}

TEST_CASE("The address of a watch list has as much of it as fits, and counts the rest") {
    CHECK(url_of(*parse_request<WatchRequest>(
              "pasted=b%0Ac&q=x&object=B:2&object=A:1&pasted=a&class=C")) ==
          "/watch?class=C&q=x&object=A:1&object=B:2&pasted=b%0Ac&pasted=a");
    WatchRequest many;
    for (int i = 0; i < 210; ++i)
        many.list.objects.push_back({"Gene", "n" + std::to_string(1000 + i)});
    many.pasted.assign(60, "nobody");
    many.left_out = 1;
    CHECK(fitting_url_of(many).ends_with("&left_out=21"));
    for (auto& object : many.list.objects) object.name.insert(0, 200, '<');
    const auto url = fitting_url_of(many);
    CHECK(url.size() < 16'300);
    const auto fitted = parse_request<WatchRequest>(url.substr(url.find('?') + 1));
    REQUIRE(fitted);
    CHECK(fitted->list.objects.size() > 20);
    CHECK(fitted->list.objects.size() + fitted->pasted.size() + fitted->left_out == 271);
}
