// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include <array>

#include "base/text.hpp"
#include "render/feed.hpp"
#include "serve/parameters.hpp"
#include "serve/requests.hpp"
#include "support/catch.hpp"
#include "tree/object.hpp"

using namespace serve;

namespace {

constexpr std::size_t most = 1000;

HttpError refusal_to(std::string_view query) {
    const auto parsed = parse_feed_request(query, most);
    INFO(query.substr(0, 200));
    REQUIRE_FALSE(parsed);
    return parsed.error();
}

// Returns the status of a refusal whose text names `parameter`.
int refused_for(std::string_view query, std::string_view parameter) {
    const auto refusal = refusal_to(query);
    INFO(refusal.text);
    CHECK(refusal.text.find(parameter) != std::string::npos);
    return refusal.status;
}

}  // namespace

TEST_CASE("Class and name are enough, separated by & or by ;") {
    for (const auto* query : {"class=Gene&name=unc-26", "name=unc-26;class=Gene",
                              ";;class=Gene&&name=unc-26&", "%63lass=Gene&name=unc%2D26"}) {
        const auto parsed = parse_feed_request(query, most);
        REQUIRE(parsed);
        CHECK(parsed->object == tree::ObjectName{"Gene", "unc-26"});
        CHECK(parsed->page == query::PageRequest{50, ""});
        CHECK(parsed->format.empty());
        CHECK(query_of(*parsed) == "class=Gene&name=unc-26");
    }
}

TEST_CASE("Values are decoded: + is a space, escapes are bytes, and = may be part of a value") {
    const auto parsed =
        parse_feed_request("class=Paper&name=a+b%2Bc%26d%3Be=f%C3%A9%F0%9F%A7%AC", most);
    REQUIRE(parsed);
    CHECK(parsed->object.name == "a b+c&d;e=f\xC3\xA9\xF0\x9F\xA7\xAC");
    CHECK(query_of(*parsed) == "class=Paper&name=a%20b%2Bc%26d%3Be%3Df%C3%A9%F0%9F%A7%AC");
}

TEST_CASE("The canonical query has the known parameters in one order and nothing unknown") {
    const auto parsed = parse_feed_request(
        "utm=1;format=rss;since=WS186;n=050;name=x;class=Gene;junk=%zz;=;%00=%00", most);
    REQUIRE(parsed);
    CHECK(query_of(*parsed) == "class=Gene&name=x&n=50&since=WS186&format=rss");
}

TEST_CASE("A missing parameter is named") {
    CHECK(refusal_to("").text == "class= and name= are missing.");
    CHECK(refusal_to("n=5").text == "class= and name= are missing.");
    CHECK(refusal_to("class=Gene&name=").text == "name= is missing.");
    CHECK(refusal_to("class=").text == "class= is missing.");
    CHECK(refusal_to("class=&name=x").text == "class= is missing.");
    CHECK(refusal_to("name=x").status == 400);
}

TEST_CASE("Values with characters that text cannot contain are refused, naming the parameter") {
    for (const auto* bad : {"%", "%4", "%4g", "%zz", "a%", "%00", "%0B", "%1f", "\x01", "%ff",
                            "%C3", "%ED%A0%80", "%F5%80%80%80", "%C0%AF", "\xE9"}) {
        CHECK(refused_for(std::string("class=Gene&name=") + bad, "name=") == 400);
        CHECK(refused_for(std::string("name=x&class=") + bad, "class=") == 400);
        CHECK(refused_for(std::string("name=x&class=C&since=") + bad, "since=") == 400);
    }
    for (const auto* control : {"%0A", "%09", "%7F"})
        CHECK(refused_for(std::string("name=x&class=") + control, "class=") == 400);
}

TEST_CASE("The name of an object may have lines and tabs, as texts of AceDB do") {
    const auto parsed = parse_feed_request("class=Text&name=two%0Alines%09end", most);
    REQUIRE(parsed);
    CHECK(parsed->object == tree::ObjectName{"Text", "two\nlines\tend"});
    CHECK(query_of(*parsed).find("name=two%0Alines%09end") != std::string::npos);
}

TEST_CASE("A known parameter given twice is refused, an unknown one is not") {
    CHECK(refused_for("class=Gene&name=x&class=Gene", "class=") == 400);
    CHECK(refused_for("class=Gene&name=x;n=1;n=1", "n=") == 400);
    CHECK(parse_feed_request("class=Gene&name=x&a=1&a=2", most));
}

TEST_CASE("Class and name have maximum lengths") {
    const auto with = [](std::size_t class_size, std::size_t name_size) {
        return "class=" + std::string(class_size, 'c') + "&name=" + std::string(name_size, 'n');
    };
    CHECK(parse_feed_request(with(64, 512), most));
    CHECK(refused_for(with(65, 512), "class=") == 400);
    CHECK(refused_for(with(64, 513), "name=") == 400);
    CHECK(refusal_to(with(4, 20000)).status == 414);
}

TEST_CASE("n is a number from 1 to the maximum") {
    for (const auto* good : {"1", "50", "1000"}) {
        const auto parsed = parse_feed_request(std::string("class=G&name=x&n=") + good, most);
        REQUIRE(parsed);
        CHECK(std::to_string(parsed->page.most) == good);
    }
    for (const auto* bad : {"", "0", "-1", "1001", "1000000000", "99999999999999999999", "1e9",
                            "+5", " 5", "5 ", "0x10", "five"})
        CHECK(refused_for(std::string("class=G&name=x&n=") + base::percent_encode(bad), "n=") ==
              400);
}

TEST_CASE("The default number of items is never above the maximum") {
    CHECK(parse_feed_request("class=G&name=x", 20)->page.most == 20);
}

TEST_CASE("since is a version") {
    CHECK(parse_feed_request("class=G&name=x&since=WS186", most)->page.since == "WS186");
    for (const auto* bad :
         {"", "WS 186", "../x", ".x", "a/b", "W%27S", "123456789012345678901234567890123"})
        CHECK(refused_for(std::string("class=G&name=x&since=") + bad, "since=") == 400);
}

TEST_CASE("The formats are those that can be rendered") {
    for (const auto& format : render::formats())
        CHECK(parse_feed_request("class=G&name=x&format=" + std::string(format.name), most)
                  ->format == format.name);
    for (const auto* bad : {"", "RSS", "pdf", "html"})
        CHECK(refused_for(std::string("class=G&name=x&format=") + bad, "format=") == 400);
}

TEST_CASE("A class alone is the feed of a class, and objects are a watch list") {
    const auto whole = parse_feed_request("class=Gene", most);
    REQUIRE(whole);
    CHECK(whole->subject == FeedRequest::Subject::whole_class);
    CHECK(url_of(*whole) == "/rss?class=Gene");
    const auto list = parse_feed_request("object=Paper:b&n=5&object=Gene:a", most);
    REQUIRE(list);
    CHECK(list->subject == FeedRequest::Subject::watch_list);
    CHECK(list->is_wide());
    CHECK(url_of(*list) == "/rss?object=Gene:a&object=Paper:b&n=5");
    CHECK(refused_for("object=Gene:a&class=Gene", "class=") == 400);
    CHECK(refused_for("object=Gene:a&name=x", "name=") == 400);
}

TEST_CASE("Mentions are included in feeds of objects and lists, as many as items, and not in "
          "archives") {
    const auto object = parse_feed_request("include=mentions&n=5&class=G&name=x", most);
    REQUIRE(object);
    CHECK(object->page.mentions == 5);
    CHECK(query_of(*object) == "class=G&name=x&n=5&include=mentions");
    CHECK(filter_text_of(*object) == ", with mentions, newest 5");
    CHECK(archive_url_of(*object, "rss") == "/rss/archive?class=G&name=x&format=rss&before=");
    const auto list = parse_feed_request("object=G:x&include=mentions", most);
    REQUIRE(list);
    CHECK(list->page.mentions == default_items);
    CHECK(url_of(*list) == "/rss?object=G:x&include=mentions");
    CHECK(parse_feed_request("class=G&name=x", most)->page.mentions == 0);
    CHECK(parse_feed_request("class=G&name=x&n=500&include=mentions", most)->page.mentions ==
          200);
    for (const auto* bad : {"", "yes", "Mentions"})
        CHECK(refused_for(std::string("class=G&name=x&include=") + bad, "include=") == 400);
    CHECK(refused_for("class=G&include=mentions", "include=") == 400);
}

TEST_CASE("changes is a list of known words, each once, in one order") {
    const auto narrowed =
        parse_feed_request("class=G&name=x&change=replaced,added,replaced&tag=Gene_info", most);
    REQUIRE(narrowed);
    CHECK(narrowed->page.filter.only ==
          std::vector<compare::Op>{compare::Op::added, compare::Op::replaced});
    CHECK(query_of(*narrowed) == "class=G&name=x&tag=Gene_info&change=added,replaced");
    CHECK(filter_text_of(*narrowed) == ", at Gene_info, only what was added or replaced");
    CHECK(parse_feed_request("class=G&name=x&change=added,removed,replaced", most));
    for (const auto* bad :
         {"", "added,", ",", "changed", "Added", "added removed", "added,,removed"})
        CHECK(refused_for(std::string("class=G&name=x&change=") + bad, "change=") == 400);
}

TEST_CASE("A tag is any text of limited length") {
    CHECK(parse_feed_request("class=G&name=x&tag=" + std::string(128, 't'), most));
    CHECK(refused_for("class=G&name=x&tag=" + std::string(129, 't'), "tag=") == 400);
    CHECK(refused_for("class=G&name=x&tag=", "tag=") == 400);
    CHECK(refused_for("class=G&name=x&tag=a%00b", "tag=") == 400);
}

TEST_CASE("mass is no or is not given, and is part of every address of the feed") {
    const auto without =
        parse_feed_request("mass=no&class=G&name=x&format=atom&change=added", most);
    REQUIRE(without);
    CHECK_FALSE(without->page.filter.mass);
    CHECK(url_of(*without) == "/rss?class=G&name=x&change=added&mass=no&format=atom");
    CHECK(archive_url_of(*without, "atom") ==
          "/rss/archive?class=G&name=x&change=added&mass=no&format=atom&before=");
    CHECK(filter_text_of(*without) == ", only what was added, without mass changes");
    CHECK(url_of(*parse_release_feed_request("WS187", "mass=no", most)) ==
          "/release/WS187?mass=no");
    const auto page =
        parse_release_feed_request("WS187", "mass=no&before=50", most, Document::archive);
    REQUIRE(page);
    CHECK(current_url_of(*page) == "/release/WS187?mass=no");
    CHECK(url_of(*parse_releases_feed_request("mass=no")) == "/releases");
    for (const auto* bad : {"", "yes", "No", "0"})
        CHECK(refused_for(std::string("class=G&name=x&mass=") + bad, "mass=") == 400);
}

TEST_CASE("Pages of an archive are numbered by fifties and ignore n") {
    const auto page =
        parse_feed_request("before=100&n=0&class=G&name=x&format=rss", most, Document::archive);
    REQUIRE(page);
    CHECK(page->page.before == 100);
    CHECK(url_of(*page) == "/rss/archive?class=G&name=x&format=rss&before=100");
    CHECK(archive_url_of(*page, "atom") == "/rss/archive?class=G&name=x&format=atom&before=");
    CHECK(current_url_of(*page) == "/rss?class=G&name=x&format=rss");
    for (const auto* bad : {"", "0", "7", "49", "75", "-50", "1e9", "99999999999999999999"}) {
        const auto refused = parse_feed_request(std::string("class=G&name=x&before=") + bad, most,
                                                Document::archive);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().status == 400);
        CHECK(refused.error().text.starts_with("before="));
    }
    CHECK(parse_feed_request("class=G&name=x", most, Document::archive).error().text ==
          "before= is missing.");
    CHECK(parse_feed_request("class=G&name=x&before=7", most));
}

TEST_CASE("The feed of a release has an address and no since parameter") {
    const auto feed =
        parse_release_feed_request("WS187", "since=WS1&n=5&format=rss&change=added", most);
    REQUIRE(feed);
    CHECK(url_of(*feed) == "/release/WS187?n=5&change=added&format=rss");
    CHECK(feed->page.since.empty());
    CHECK(archive_url_of(*feed, "rss") ==
          "/release/WS187/archive?change=added&format=rss&before=");
}

TEST_CASE("Any object name is the same after encoding and parsing a query") {
    CHECK(rc::check("parse(query_of(q)) == q", [](const std::string& bytes, bool has_count) {
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
        const auto parsed = parse_feed_request(query_of(query), most);
        RC_ASSERT(static_cast<bool>(parsed));
        RC_ASSERT(*parsed == query);
    }));
}

TEST_CASE("No query breaks the parser, and all that it accepts is legal text") {
    CHECK(rc::check("hostile bytes", [](const std::string& bytes) {
        for (const auto& query : {bytes, "class=" + bytes + "&name=" + bytes,
                                  "class=G&name=x;n=" + bytes, "class=G;name=%" + bytes}) {
            const auto parsed = parse_feed_request(query, most);
            if (!parsed) {
                RC_ASSERT(parsed.error().status >= 400 && parsed.error().status < 500);
                continue;
            }
            const auto again = parse_feed_request(query_of(*parsed), most);
            RC_ASSERT(static_cast<bool>(again));
            RC_ASSERT(*again == *parsed);
        }
    }));
}

namespace {

// Returns the status of an error whose text begins with `parameter`; 200 without an error.
template <class T>
int status_for(const Result<T>& parsed, std::string_view parameter) {
    if (parsed) return 200;
    INFO(parsed.error().text);
    CHECK(parsed.error().text.starts_with(parameter));
    return parsed.error().status;
}

}  // namespace

TEST_CASE("A history page has one address, whatever the order of its parameters") {
    const auto query = parse_history_request("part=2;at=WS187;name=a+b;class=Gene;utm=1");
    REQUIRE(query);
    CHECK(*query == HistoryRequest{{"Gene", "a b"}, "WS187", 2});
    CHECK(url_of(*query) == "/history?class=Gene&name=a%20b&at=WS187&part=2");
    CHECK(url_of(*parse_history_request("class=G&name=x&part=1")) == "/history?class=G&name=x");
    CHECK(status_for(parse_history_request("class=G"), "name=") == 400);
    CHECK(status_for(parse_history_request("class=G&name=x&at=a/b"), "at=") == 400);
    for (const auto* bad : {"0", "-1", "1e9", "", "x", "1000000000"})
        CHECK(status_for(parse_history_request(std::string("class=G&name=x&part=") + bad),
                         "part=") == 400);
}

TEST_CASE("A change of a release has an address instead of the part that it is on") {
    const auto query = parse_history_request("class=G&name=x&at=A&part=3&number=47");
    REQUIRE(query);
    CHECK(query->number == 47);
    CHECK(url_of(*query) == "/history?class=G&name=x&at=A&number=47");
    CHECK(url_of(*parse_history_request("class=G&name=x&part=3&number=47")) ==
          "/history?class=G&name=x&part=3");
    CHECK(url_of(*parse_history_request("format=json&number=4&class=G&name=x&at=A")) ==
          "/history?class=G&name=x&at=A&format=json");
    CHECK(status_for(parse_history_request("class=G&name=x&at=A&number=0"), "number=") == 400);
}

TEST_CASE("An object as of a release has one address") {
    const auto query = parse_object_request("part=2;release=WS187;name=a+b;class=Gene;at=WS1");
    REQUIRE(query);
    CHECK(url_of(*query) == "/object?class=Gene&name=a%20b&release=WS187&part=2");
    CHECK(url_of(*parse_object_request("class=G&name=x&part=7&format=json")) ==
          "/object?class=G&name=x&format=json");
    CHECK(status_for(parse_object_request("class=G"), "name=") == 400);
    CHECK(status_for(parse_object_request("class=G&name=x&release=a/b"), "release=") == 400);
    CHECK(status_for(parse_object_request("class=G&name=x&format=rss"), "format=") == 400);
    CHECK(status_for(parse_object_request("class=G&name=x&part=0"), "part=") == 400);
}

TEST_CASE("A difference names the object and both releases") {
    const auto query = parse_diff_request("to=WS188&from=WS186&class=Gene&name=x&format=json");
    REQUIRE(query);
    CHECK(query->format == PageFormat::json);
    CHECK(url_of(*query) == "/diff?class=Gene&name=x&from=WS186&to=WS188&format=json");
    CHECK(status_for(parse_diff_request("class=G&name=x&to=WS1"), "from=") == 400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=WS1"), "to=") == 400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=W%20S&to=WS1"), "from=") == 400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=WS1&to="), "to=") == 400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=A&to=B&format=rss"), "format=") ==
          400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=A&from=A&to=B"), "from=") == 400);
    CHECK(status_for(parse_diff_request("class=G&name=x&from=A&to=B&part=0"), "part=") == 400);
}

TEST_CASE("The home page takes a class and a text, each optional") {
    CHECK(url_of(*parse_home_request("")) == "/");
    const auto query = parse_home_request("q=+unc-26+&class=Gene");
    REQUIRE(query);
    CHECK(query->text == "unc-26");
    CHECK(url_of(*query) == "/?class=Gene&q=unc-26");
    CHECK(parse_home_request("class=&q=")->class_name.empty());
    CHECK(parse_home_request("class=Gene&name=x")->text == "x");
    CHECK(url_of(*parse_home_request("name=two%0Alines")) == "/?q=two%0Alines");
    CHECK(parse_home_request("q=two%0Alines")->text == "two\nlines");
    CHECK(status_for(parse_home_request("q=" + std::string(513, 'q')), "q=") == 400);
    CHECK(status_for(parse_home_request("class=" + std::string(65, 'c')), "class=") == 400);
    CHECK(status_for(parse_home_request("q=%ff"), "q=") == 400);
}

TEST_CASE("Suggestions and lists report what is missing or too long") {
    CHECK(parse_suggest_request("")->text.empty());
    CHECK(status_for(parse_suggest_request("q=a&q=b"), "q=") == 400);
    CHECK(status_for(parse_opml_request(""), "object=") == 400);
    CHECK(opml_url_of(*parse_opml_request("object=B:2&object=A:1")) ==
          "/opml?object=A:1&object=B:2");
}

TEST_CASE("A list is named by its objects or by its short address, not by both") {
    const std::string id = "abcdefghijklmno7";
    CHECK(opml_url_of(*parse_opml_request("watch=" + id)) == "/opml?watch=" + id);
    const auto feed = parse_feed_request("format=atom&n=5&watch=" + id, 1000);
    REQUIRE(feed);
    CHECK(feed->subject == FeedRequest::Subject::watch_list);
    CHECK(url_of(*feed) == "/rss?watch=" + id + "&n=5&format=atom");
    CHECK(parse_feed_request("object=A:1&watch=" + id, 1000).error().status == 400);
    CHECK(parse_feed_request("class=A&watch=" + id, 1000).error().status == 400);
    for (const std::string wrong :
         {"", "abcdefghijklmno", "abcdefghijklmno1", "ABCDEFGHIJKLMNO7"})
        CHECK(status_for(parse_feed_request("watch=" + wrong, 1000), "watch=") == 400);
    CHECK(url_of(*parse_kept_watch_request("/watch/" + id, "object=A:1")) == "/watch/" + id);
    CHECK(url_of(*parse_kept_watch_request("/watch/" + id, "pasted=a")) ==
          "/watch/" + id + "?pasted=a");
    CHECK(parse_kept_watch_request("/watch/" + id + "/", "").error().status == 404);
}

TEST_CASE("The address of a watch list has as much of it as fits, and counts the rest") {
    const auto asked =
        parse_watch_request("pasted=b%0Ac&q=x&object=B:2&object=A:1&pasted=a&class=C");
    REQUIRE(asked);
    CHECK(url_of(*asked) == "/watch?class=C&q=x&object=A:1&object=B:2&pasted=b%0Ac&pasted=a");
    CHECK(status_for(parse_watch_request("pasted="), "pasted= is empty.") == 400);
    CHECK(status_for(parse_watch_request("pasted=" + std::string(578, 'x')),
                     "pasted= is longer than a name: at most 64 bytes of a class") == 400);
    CHECK(status_for(parse_watch_request("left_out=x"), "left_out=") == 400);
    WatchRequest many;
    for (int i = 0; i < 210; ++i)
        many.list.objects.push_back({"Gene", "n" + std::to_string(1000 + i)});
    many.pasted.assign(60, "nobody");
    many.left_out = 1;
    CHECK(fitting_url_of(many).ends_with("&left_out=21"));
    for (auto& object : many.list.objects) object.name.insert(0, 200, '<');
    const auto url = fitting_url_of(many);
    CHECK(url.size() < 16'300);
    const auto fitted = parse_watch_request(url.substr(url.find('?') + 1));
    REQUIRE(fitted);
    CHECK(fitted->list.objects.size() > 20);
    CHECK(fitted->list.objects.size() + fitted->pasted.size() + fitted->left_out == 271);
}

TEST_CASE("The contents of a release are searched by class, text and page") {
    const auto query = parse_release_request("from=100&q=unc&class=Gene");
    REQUIRE(query);
    CHECK(release_url_of("WS187", *query) == "/release/WS187?class=Gene&q=unc&from=100");
    CHECK(release_url_of("WS187", {}) == "/release/WS187");
    for (const auto* bad : {"-1", "x", "1e9", "10000000000"})
        CHECK(status_for(parse_release_request(std::string("from=") + bad), "from=") == 400);
}
