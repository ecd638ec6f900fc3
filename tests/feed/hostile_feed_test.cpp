// Feeds that are broken, cut off, or made to harm their reader: what can be read of them is read, nothing is loaded, and
// time and memory stay in proportion to their size.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "feed/read_feed.hpp"
#include "feed/safe_html.hpp"
#include "feed/sample_feeds.hpp"
#include "support/catch.hpp"

using namespace std::string_literals;
using sample::error_of;
using sample::reading_of;
using sample::rss;

namespace {

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    all.reserve(bytes + text.size());
    while (all.size() < bytes) all += text;
    return all;
}

std::string titled(const std::string& title) {
    return rss("<item><guid>g</guid><title>" + title + "</title></item>");
}

// All texts of a feed.
std::string texts_of(const feed::Feed& feed) {
    std::string texts =
        feed.title + feed.description + feed.home_url + feed.language + feed.prev_archive_url;
    for (const auto& entry : feed.entries) {
        texts += entry.id + entry.guid + entry.link + entry.title + entry.content +
                 entry.content_base + entry.digest;
        for (const auto& author : entry.authors) texts += author.name + author.mail + author.url;
        for (const auto& category : entry.categories) texts += category;
    }
    return texts;
}

}  // namespace

// ---- What is no feed ----

TEST_CASE("What is no feed has an error that says what it is") {
    const auto [bytes, error] = GENERATE(table<std::string, std::string>({
        {"", "empty"},
        {" \n\t", "empty"},
        {"\xEF\xBB\xBF", "empty"},
        {"\0\0\0\0"s, "empty"},
        {"Not found", "no version"},
        {"<!DOCTYPE html><html><body>Not found</body></html>", "html?"},
        {"<HTML><head><title>x</title></head></HTML>", "html?"},
        {"<opml version='2.0'><body/></opml>", "no version"},
        {"<?xml version='1.0'?>", "no version"},
        {"<!-- only a comment -->", "no version"},
        {"{}", "no version"},
        {"[]", "no version"},
        {R"({"version":"1"})", "no version"},
        {R"({"version":"1","items":{}})", "no version"},
        {R"({"items":[]})", "no version"},
    }));
    INFO(bytes);
    CHECK(error_of(bytes) == error);
    CHECK(error_of(R"({"version":"1","items":[)").starts_with("not well-formed: "));
    CHECK(error_of(repeated("[", 100'000)).starts_with("not well-formed: "));
}

// ---- Broken XML (H13) ----

TEST_CASE("XML that is not well-formed is read as its author meant it") {
    const auto [bytes, title] = GENERATE(table<std::string, std::string>({
        {"\n junk \n" + titled("a"), "a"},
        {rss("<item><guid>g</guid><media:title>no</media:title><title>a</title>"), "a"},
        {rss("<item><guid>g</guid><title>a</item>"), "a"},
        {"<?xml version='1.1' encoding='none such' standalone='maybe'?>" + titled("a"), "a"},
        {titled("a") + titled("b"), "a"},
        {rss("<item><guid isPermaLink=false>g</guid><title x=1>a</title></item>"), "a"},
        {rss("<item><guid>g</guid><description><img alt=q></description><title>a</title></item>"),
         "a"},
    }));
    INFO(bytes);
    const auto feed = reading_of(bytes);
    CHECK(feed.entries.at(0).guid == "g");
    CHECK(feed.entries.at(0).title == title);
}

TEST_CASE("A tag that is missing or too many in one entry does not spoil the next ones") {
    const auto* text = GENERATE("a<b>c", "a</b>c", "a</b></i></p>c", "<p>a<p>c",
                                "a<br>c<img src='x'>", "<b><i>a</b></i>c", "a</Description>",
                                "a</>b", "a<//b>c", "<ul><li>a<li>c</ul>", "a<b c");
    INFO(text);
    std::string items;
    for (int i = 0; i < 300; ++i) {
        const auto n = std::to_string(i);
        items += "<item><description>"s + text + "</description><guid>" + n + "</guid><title>t" +
                 n + "</title></item>";
    }
    const auto feed = reading_of(rss(items + "<language>en</language>"));
    REQUIRE(feed.entries.size() == 300);
    CHECK(feed.language == "en");
    CHECK(feed.title == "T");
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(feed.entries[i].guid == std::to_string(i));
        CHECK(feed.entries[i].title == "t" + std::to_string(i));
        CHECK(feed.entries[i].content.starts_with(feed.entries[0].content));
    }
}

TEST_CASE("Prefixes that are not declared, or declared strangely, mean what they say") {
    const auto [root, text] = GENERATE(table<std::string, std::string>({
        {"<rss>", "<dc:creator>Jane</dc:creator>"},
        {"<rss xmlns:dc='https://purl.org/dc/elements/1.1'>", "<dc:creator>Jane</dc:creator>"},
        {"<rss xmlns:x='http://purl.org/dc/elements/1.1/'>", "<x:creator>Jane</x:creator>"},
        {"<rss xmlns='http://backend.userland.com/rss2'>", "<author>Jane</author>"},
        {"<rss xmlns='http://no.such.org/'>", "<dc:creator>Jane</dc:creator>"},
        {"<rss>", "<DC:Creator>Jane</DC:Creator>"},
    }));
    INFO(root << text);
    const auto bytes =
        root + "<channel><item><title>a</title>" + text + "</item></channel></rss>";
    CHECK(reading_of(bytes).entries.at(0).authors == std::vector<feed::Author>{{"Jane", "", ""}});
}

TEST_CASE("A feed that is cut off anywhere gives its entries as far as they go") {
    std::string items;
    for (const auto* n : {"1", "2", "3", "4"})
        items += "<item><guid isPermaLink=\"false\">g"s + n +
                 "</guid><title>T\xC3\xA9 &amp; <![CDATA[<b>" + n +
                 "</b>]]></title><link>http://x.org/?a=1&amp;b=" + n + "</link></item>";
    const auto whole = rss(items);
    const auto all = reading_of(whole).entries;
    REQUIRE(all.size() == 4);
    for (std::size_t size = whole.find("<channel"); size < whole.size(); ++size) {
        const auto bytes = std::string_view(whole).substr(0, size);
        const auto feed = feed::read_feed(bytes, "", sample::document_url);
        if (!feed) {
            INFO(bytes);
            REQUIRE(size < whole.find("<channel") + 9);
            continue;
        }
        std::size_t ends = 0;
        for (auto at = bytes.find("</item>"); at != std::string_view::npos;
             at = bytes.find("</item>", at + 1))
            ++ends;
        INFO(bytes);
        REQUIRE(feed->entries.size() >= ends);
        REQUIRE(feed->entries.size() <= ends + 1);
        REQUIRE(std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ends),
                           feed->entries.begin()));
    }
}

// ---- Attacks ----

TEST_CASE("No entity of a document is expanded, and nothing is loaded") {
    const auto* definitions = GENERATE(
        "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<!ENTITY x PUBLIC 'x' 'file:///etc/passwd'>",
        "<!ENTITY % y SYSTEM 'file:///etc/passwd'> %y; <!ENTITY x 'root:'>",
        "<!ENTITY % y \"<!ENTITY x SYSTEM 'file:///etc/passwd'>\"> %y;", "<!ENTITY x 'root:'>",
        "<!-- don't --><!ENTITY x 'root:'>", "<?x ]><?y '?><!ENTITY x 'root:'>");
    const auto document = [&](const std::string& feed) {
        return "<?xml version='1.0'?><!DOCTYPE rss ["s + definitions + "]>" + feed;
    };
    INFO(definitions);
    const auto feed = reading_of(document(titled("a &x; b")));
    CHECK(texts_of(feed).find("root:") == std::string::npos);
    CHECK(feed.entries.at(0).title == "a &x; b");
    const auto atom = reading_of(
        document("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>g</id>"
                 "<link href='http://x.org/&x;'/><category term='&x;'/></entry></feed>"));
    CHECK(texts_of(atom).find("root:") == std::string::npos);
    CHECK(atom.entries.size() == 1);
}

TEST_CASE("XInclude, style sheets and external DTDs are not followed") {
    const auto feed = reading_of(
        "<?xml-stylesheet href='file:///etc/passwd' type='text/xsl'?>"
        "<!DOCTYPE rss SYSTEM 'file:///etc/passwd'><rss version='2.0'><channel><item><title>a"
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' parse='text' "
        "href='file:///etc/passwd'/></title></item></channel></rss>");
    CHECK(texts_of(feed).find("root:") == std::string::npos);
}

TEST_CASE("Ten megabytes of attributes are left out") {
    constexpr std::size_t bytes = 10 << 20;
    std::string many = "<item";
    for (std::size_t i = 0; many.size() < bytes; ++i) many += " a" + std::to_string(i) + "='x'";
    for (const auto& tag : {many, "<item a='" + repeated("x", bytes) + "'",
                            repeated("<item a='1' b='2' c='3'/>", bytes) + "<item"}) {
        const auto feed =
            reading_of(rss("<item><guid>g</guid></item>" + tag + "><title>b</title></item>"));
        CHECK(feed.entries.at(0).guid == "g");
        CHECK(feed.entries.size() <= 1000);
        CHECK(texts_of(feed).size() < 100'000);
    }
}

TEST_CASE("Of a hundred thousand entries the first thousand are read") {
    std::string items, json = R"({"version":"1","items":[)";
    for (int i = 0; i < 100'000; ++i) {
        items += "<item><guid>" + std::to_string(i) + "</guid></item>";
        json += (i > 0 ? "," : "") + R"({"id":)"s + std::to_string(i) + "}";
    }
    const auto feed = reading_of(GENERATE_COPY(rss(items), json + "]}"));
    CHECK(feed.entries.size() == 1000);
    CHECK(feed.entries.back().guid == "999");
}

TEST_CASE("Elements that are nested too deep hide nothing that came before them") {
    const auto* tag = GENERATE("a", "item", "title", "content:encoded", "rss", "author", "div");
    const auto element = "<" + std::string(tag) + ">";
    const auto feed =
        reading_of(rss("<item><guid>g</guid><title>a</title></item><item><title>b</title>" +
                       repeated(element, 1'000'000)));
    CHECK(feed.entries.at(0).guid == "g");
    CHECK(feed.entries.at(0).title == "a");
    CHECK(feed::read_feed(repeated(element, 1'000'000), "", "").has_value() ==
          (tag == "item"s || tag == "rss"s));
}

TEST_CASE("What follows elements that are nested too deep is read") {
    constexpr std::size_t depth = 100'000;
    const auto feed = reading_of(
        rss("<item><guid>1</guid><description>a" + repeated("<p>", 3 * depth) + "b" +
            repeated("</p>", 4 * depth) + "</description></item><item><guid>2</guid></item>"));
    REQUIRE(feed.entries.size() == 2);
    CHECK(feed::plain_line(feed.entries[0].content) == "a b");
    CHECK(feed.entries[1].guid == "2");
}

TEST_CASE("Marks that are never closed take time in proportion to their number") {
    const auto* mark =
        GENERATE("<![CDATA[", "<!--", "<?", "<?xml ", "<!DOCTYPE [\"", "<!DOCTYPE '", "<!",
                 "<!x <", "<", "</", "<a", "<a ", "<a b='", "<a b=", "<a:", "&", "&#", "&#x",
                 "&amp", "\"", "]]>", "<a xmlns:b='", "<title><![CDATA[");
    INFO(mark);
    const auto feed = reading_of(rss("<item><guid>g</guid></item>" + repeated(mark, 1'500'000)));
    CHECK(feed.entries.at(0).guid == "g");
    CHECK(texts_of(feed).size() < 20'000'000);
}

TEST_CASE("Names, namespaces and bases that cost a parser more the more there are stay cheap") {
    constexpr std::size_t bytes = 1 << 20;
    std::string names, attributes, namespaces;
    for (int i = 0; names.size() < bytes; ++i) names += "<x" + std::to_string(i) + "/>";
    for (int i = 0; attributes.size() < bytes; ++i)
        attributes += "<x a" + std::to_string(i) + "=''/>";
    for (int i = 0; i < 15'000; ++i) {
        if (i % 90 == 0) namespaces += i == 0 ? "<x" : "><x";
        namespaces += " xmlns:n" + std::to_string(i) + "='u'";
    }
    const auto deep_base = "http://x.org/" + repeated("a/../", 1990);
    for (const auto& hostile :
         {names, attributes, namespaces + ">" + repeated("<n0:b/>", bytes),
          "<x xmlns:n='" + repeated("A", 200'000) + "'>" + repeated("<n:a/>", bytes),
          "<x xml:base='" + deep_base + "'><item>" + repeated("<link href='a'/>", bytes),
          "<item><description>" +
              repeated("<p title='" + repeated("&amp;", 250'000) + "'/>", 2 * bytes),
          repeated("<a>", 500) + repeated("</b>", bytes)})
        CHECK(reading_of(rss("<item><guid>g</guid></item>" + hostile)).entries.at(0).guid == "g");
}

TEST_CASE("A text is cut at its limit, at a character") {
    const auto long_text = repeated("\xC3\xA9", 5 << 18);
    const auto feed = reading_of(rss(
        "<item><guid>" + long_text + "</guid><link>http://x.org/" + long_text + "</link><title>" +
        long_text + "</title><description>" + long_text + "</description><author>" + long_text +
        "</author><category>" + long_text + "</category></item>"));
    const auto& entry = feed.entries.at(0);
    CHECK(entry.content.size() <= feed::ReadLimits{}.most_text);
    CHECK(entry.title.size() <= 2000);
    CHECK(entry.guid.empty());
    CHECK(entry.link.empty());
    CHECK(base::is_legal_text(texts_of(feed)));
    CHECK(reading_of(rss("<item><description>abc\xC3\xA9</description></item>"), "",
                     {.most_text = 4})
              .entries.at(0)
              .content == "abc");
}

TEST_CASE("Attributes that are cut are cut at a character") {
    const auto long_text = "x" + repeated("\xC3\xA9", 10'000);
    const auto feed =
        reading_of("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
                   "xmlns='http://purl.org/rss/1.0/' xml:lang='" +
                   long_text + "'><item rdf:about='" + long_text +
                   "'>"
                   "<category term='" +
                   long_text + "'/></item><item><title>b</title><dc:identifier>y" + long_text +
                   "</dc:identifier></item></rdf:RDF>");
    CHECK(base::is_legal_text(texts_of(feed)));
    REQUIRE(feed.entries.size() == 2);
    for (const auto& entry : feed.entries) CHECK(entry.guid.size() <= 2048);
}

TEST_CASE("An entry with a million authors, categories and links has a few") {
    std::string elements;
    for (int i = 0; i < 50'000; ++i) {
        const auto n = std::to_string(i);
        elements +=
            "<author>" + n + "</author><category>" + n + "</category><link href='/" + n + "'/>";
    }
    const auto feed = reading_of(rss("<item><guid>g</guid>" + elements + "</item>"));
    CHECK(feed.entries.at(0).authors.size() == 20);
    CHECK(feed.entries.at(0).categories.size() == 50);
}

TEST_CASE("Any bytes in any place give legal text, twice the same") {
    std::string bytes, value;  // of an attribute, which these would end
    for (int i = 1; i < 256; ++i) bytes += static_cast<char>(i);
    for (const char byte : bytes)
        if ("\"'<>&"s.find(byte) == std::string::npos) value += byte;
    const auto content_type =
        GENERATE("", "text/xml; charset=gb18030", "application/json; charset=x");
    const auto written = GENERATE_COPY(
        titled(bytes),
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='" + value + "'><entry><id>" + bytes +
            "</id><link href=\"" + value + "\"/></entry></feed>",
        "<rss><channel>" + bytes + "<item><" + bytes + "/></item></channel></rss>",
        R"({"version":"1","items":[{"id":"\u0000\u001f\ufffe)" + std::string("\\u00e9\"}]}"),
        bytes + titled("a"));
    const auto first = feed::read_feed(written, content_type, sample::document_url);
    const auto second = feed::read_feed(written, content_type, sample::document_url);
    REQUIRE(first.has_value() == second.has_value());
    INFO(written);
    REQUIRE(first);
    CHECK(*first == *second);
    CHECK(base::is_legal_text(texts_of(*first)));
}
