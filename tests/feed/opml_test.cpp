// SPDX-License-Identifier: MIT
#include "feed/opml.hpp"

#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "support/catch.hpp"

using namespace std::string_literals;
using feed::ListedFeed;
using feed::read_opml;
using feed::write_opml;

namespace {

using List = std::vector<ListedFeed>;

std::string opml(const std::string& outlines) {
    return "<?xml version='1.0'?><opml version='2.0'><head><title>t</title></head><body>" +
           outlines + "</body></opml>";
}

List list_of(const std::string& bytes) {
    const auto list = read_opml(bytes);
    INFO((list ? "" : list.error().text));
    REQUIRE(list.has_value());
    return *list;
}

base::Error refusal_of(std::string_view bytes) {
    const auto list = read_opml(bytes);
    REQUIRE_FALSE(list.has_value());
    return list.error();
}

}  // namespace

TEST_CASE("A list that is written is read as it was") {
    const List list = {
        {"http://x.org/feed?a=1&b=2#c", "Jane's \"<news>\" & more", "http://x.org/?a=1&b=2"},
        {"https://y.org/r\xC3\xA9sum\xC3\xA9", "\xE2\x80\x9CQuoted\xE2\x80\x9D &amp; &#38;", ""},
        {"http://z.org/", "", ""},
        {"x-not-a-url", "t", "h"}};
    const auto written = write_opml("All & <more>", list);
    const auto read = list_of(written);
    REQUIRE(read.size() == list.size());
    CHECK(read[0] == list[0]);
    CHECK(read[1] == list[1]);
    CHECK(read[2] == list[2]);  // its URL is no title of it
    CHECK(read[3] == list[3]);
    CHECK(write_opml("All & <more>", read) == write_opml("All & <more>", list_of(written)));
    CHECK(written.find("<title>All &amp; &lt;more&gt;</title>") != std::string::npos);
}

TEST_CASE("Outlines are read whatever their depth, type and case, each URL once") {
    CHECK(list_of(opml("<outline text='folder'><outline><outline XMLURL=' http://x.org/1 ' "
                       "text='a' Title='b'/></outline><outline type='link' url='http://x.org/2'/>"
                       "</outline><Outline type='atom' xmlUrl='http://x.org/3' text='c' "
                       "htmlurl='http://x.org/'/><outline xmlUrl='http://x.org/1'/>"
                       "<outline xmlUrl=''/>")) ==
          List{{"http://x.org/1", "b", ""}, {"http://x.org/3", "c", "http://x.org/"}});
}

TEST_CASE("Lists are read with the mistakes that programs make") {
    CHECK(
        list_of("junk\n" + opml("<outline xmlUrl='http://x.org/?a=1&b=2' text='a&nbsp;& b'>")) ==
        List{{"http://x.org/?a=1&b=2", "a & b", ""}});
    CHECK(list_of("<?xml version='1.0' encoding='iso-8859-1'?>"
                  "<opml><outline xmlUrl='u' text='\x93\xE9\x94'/></opml>") ==
          List{{"u", "\xE2\x80\x9C\xC3\xA9\xE2\x80\x9D", ""}});
    CHECK(list_of(opml("")).empty());
    const auto url = "http://a.example/?x=" + std::string(300, '=');
    CHECK(list_of(opml("<outline xmlUrl='" + url + "'/>")) == List{{url, "", ""}});
}

TEST_CASE("A list that ends early or is not well-formed is refused, whole") {
    const auto whole = opml("<outline><outline xmlUrl='http://x.org/1'/>"
                            "<outline xmlUrl='http://x.org/2'/></outline>");
    REQUIRE(list_of(whole).size() == 2);
    for (auto size = whole.find("<body>"); size < whole.size() - 1; ++size) {
        const auto error = refusal_of(whole.substr(0, size));
        if (size < whole.find("</opml"))
            CHECK(error.text == "the OPML ends early: it has no </opml>");
    }
    CHECK(refusal_of(opml("<outline xmlUrl='http://x.org/1'/>") + "<outline/>").text ==
          "the OPML is not well-formed XML");
}

TEST_CASE("Titles of a list are one line of text without marks that turn its direction") {
    CHECK(list_of(opml("<outline xmlUrl='u' title='a&#10;&#x202E; b&#x2066;c'/>"
                       "<outline xmlUrl='v' text='&#x202E;&#x200F;'/>")) ==
          List{{"u", "a bc", ""}, {"v", "", ""}});
    const auto written = write_opml("\u202Ex", List{{"http://x.org/", "\u202Ey", ""}});
    CHECK(written.find('\xE2') == std::string::npos);
    const List list{{"http://x.org/", "\u009b2J\x7F", ""}};
    const auto safe = write_opml("\u0085", list);
    CHECK(safe.find('\xC2') == std::string::npos);
    CHECK(safe.find('\x7F') == std::string::npos);
    CHECK(list_of(safe) == List{{"http://x.org/", "?2J?", ""}});
}

TEST_CASE("What is no list is an error") {
    const auto* bytes = GENERATE("", " ", "x", "<html/>", "<rss><outline xmlUrl='x'/></rss>",
                                 "{}", "<a><opml><outline xmlUrl='x'/></opml></a>");
    INFO(bytes);
    CHECK(refusal_of(bytes).kind == base::ErrorKind::malformed);
}

TEST_CASE("A list with too many feeds or bytes is refused, whole") {
    std::string outlines;
    for (int i = 0; i < 100'001; ++i) outlines += "<outline xmlUrl='" + std::to_string(i) + "'/>";
    for (const auto& text : {outlines, std::string(33 << 20, ' ')})
        CHECK(refusal_of(opml(text)).kind == base::ErrorKind::too_large);
}

TEST_CASE("Hostile lists load nothing and give legal text") {
    std::string bytes;
    for (int i = 1; i < 256; ++i)
        if (i != '"' && i != '<' && i != '&') bytes += static_cast<char>(i);
    const auto written =
        GENERATE_COPY("<!DOCTYPE opml [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" +
                          opml("<outline xmlUrl='u&x;' text='&x;'/>"),
                      opml("<outline xmlUrl=\"u" + bytes + "\" text=\"" + bytes + "\"/>"));
    const auto list = read_opml(written);
    REQUIRE(list);
    REQUIRE(list->size() == 1);
    const auto& feed = list->front();
    CHECK(feed.url.starts_with("u"));
    CHECK(feed.url.find("root:") == std::string::npos);
    CHECK(feed.title.find("root:") == std::string::npos);
    CHECK(base::is_legal_text(feed.url + feed.title + feed.home_url));
}

TEST_CASE("Outlines that are nested too deeply are an error") {
    const auto nested = [](int depth) {
        std::string text = "<opml><body>";
        for (int i = 0; i < depth; ++i) text += "<outline text=\"a\">";
        text += "<outline xmlUrl=\"http://x.org/\"/>";
        for (int i = 0; i < depth; ++i) text += "</outline>";
        return text + "</body></opml>";
    };
    REQUIRE(feed::read_opml(nested(190)));
    CHECK(feed::read_opml(nested(190))->size() == 1);
    for (const int depth : {300, 100'000})
        CHECK(refusal_of(nested(depth)).text == "the outlines are nested too deeply");
}
