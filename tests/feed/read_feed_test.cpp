// What is read of feeds that are as they should be, or nearly: formats, identities, times, URLs. Hostile and damaged
// ones are in hostile_feed_test.cpp; gofeed_test.cpp compares readings of many small feeds.
// SPDX-License-Identifier: MIT
#include "feed/read_feed.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "feed/sample_feeds.hpp"
#include "support/catch.hpp"

using namespace std::string_literals;
using feed::Entry;
using feed::Format;
using sample::reading_of;
using sample::rss;
using std::chrono::minutes;

namespace {

std::string text_of(const std::optional<base::Seconds>& time) {
    return time ? base::format_rfc3339(*time) : "none";
}

std::string item(const std::string& guid, const std::string& link,
                 const std::string& title = "t") {
    const auto element = [](const std::string& name, const std::string& text) {
        return text.empty() ? text : "<" + name + ">" + text + "</" + name + ">";
    };
    return "<item>" + element("guid", guid) + element("link", link) + element("title", title) +
           "</item>";
}

std::vector<std::string> ids_of(const std::string& items) {
    std::vector<std::string> ids;
    for (const auto& entry : reading_of(rss(items)).entries) ids.push_back(entry.id);
    return ids;
}

using Ids = std::vector<std::string>;

struct Sample {
    Format format;
    std::string bytes;
};

// The same entry in each format and each of their versions.
const std::vector<Sample> samples = {
    {Format::rss,
     "<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' "
     "'http://my.netscape.com/publish/formats/rss-0.91.dtd'><rss version='0.91'><channel>"
     "<title>News</title><link>http://x.org/</link><item><title>One</title>"
     "<link>http://x.org/1</link><description>Text</description></item></channel></rss>"},
    {Format::rss,
     "<rss version='0.92'><channel><title>News</title><link>http://x.org/</link>"
     "<item><description>Text</description><title>One</title><link>http://x.org/1</link></item>"
     "</channel></rss>"},
    {Format::rss,
     "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>"
     "<title>News</title><itunes:title>x</itunes:title><link>http://x.org/</link><item>"
     "<title>One</title><guid>http://x.org/1</guid><itunes:summary>Tex</itunes:summary>"
     "<description>Text</description></item></channel></rss>"},
    {Format::rdf,
     "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
     "xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel><title>News</title>"
     "<link>http://x.org/</link></channel><item><title>One</title><link>http://x.org/1</link>"
     "<description>Text</description></item></rdf:RDF>"},
    {Format::rdf,
     "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
     "xmlns='http://purl.org/rss/1.0/'><channel rdf:about='http://x.org/feed'><title>News</title>"
     "<link>http://x.org/</link><items><rdf:Seq><rdf:li rdf:resource='http://x.org/1'/></rdf:Seq>"
     "</items></channel><item rdf:about='http://x.org/1'><title>One</title>"
     "<link>http://x.org/1</link><description>Text</description></item></rdf:RDF>"},
    {Format::atom,
     "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>News</title>"
     "<link rel='alternate' type='text/html' href='http://x.org/'/><entry><title>One</title>"
     "<link rel='alternate' type='text/html' href='http://x.org/1'/><id>http://x.org/1</id>"
     "<content type='text/html' mode='escaped'>Text</content></entry></feed>"},
    {Format::atom,
     "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><link href='http://x.org/'/>"
     "<entry><title type='text'>One</title><link href='http://x.org/1'/><id>http://x.org/1</id>"
     "<summary>Text</summary></entry></feed>"},
    {Format::json,
     R"({"version":"https://jsonfeed.org/version/1","title":"News","home_page_url":"http://x.org/",
     "items":[{"id":"http://x.org/1","title":"One","url":"http://x.org/1","content_text":"Text"}]})"},
    {Format::json,
     R"({"version":"https://jsonfeed.org/version/1.1","title":"News","home_page_url":"http://x.org/",
     "items":[{"id":"http://x.org/1","title":"One","url":"http://x.org/1","content_html":"Text"}]})"},
};

}  // namespace

TEST_CASE("An entry reads the same in all versions of RSS, RDF, Atom and JSON Feed") {
    const auto& [format, bytes] = GENERATE(from_range(samples));
    INFO(bytes);
    const auto feed = reading_of(bytes);
    CHECK(feed.format == format);
    CHECK(feed.title == "News");
    CHECK(feed.home_url == "http://x.org/");
    REQUIRE(feed.entries.size() == 1);
    const auto& entry = feed.entries[0];
    CHECK(entry.id == "http://x.org/1");
    CHECK(entry.link == "http://x.org/1");
    CHECK(entry.title == "One");
    CHECK(entry.content == "Text");
    CHECK(entry.digest.size() == 32);
    CHECK(reading_of(bytes) == feed);
}

TEST_CASE("A feed says what it is: titles, links, archives, language, authors, hints") {
    const auto atom = reading_of(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='en-GB' "
        "xmlns:fh='http://purl.org/syndication/history/1.0'><title>T "
        "&lt;b&gt;</title>"
        "<subtitle>S</subtitle><link rel='self' href='/feed?a=1&amp;b=2'/>"
        "<link rel='hub' href='http://hub.org/?x=1&amp;y=2'/>"
        "<link rel='prev-archive' href='/2025/11'/><updated>2026-01-02T03:04:05Z</updated>"
        "<author><name>Jane &amp; Co</name><email>j@x.org</email><uri>/jane?a=b&amp;c=d</uri>"
        "</author><entry><id>1</id><category term='a &amp; b'/></entry></feed>");
    CHECK(atom.title == "T <b>");
    CHECK(atom.description == "S");
    CHECK(atom.prev_archive_url == "http://x.org/2025/11");
    CHECK(atom.language == "en-GB");
    REQUIRE(atom.entries.size() == 1);
    CHECK(atom.entries[0].authors ==
          std::vector<feed::Author>{{"Jane & Co", "j@x.org", "http://x.org/jane?a=b&c=d"}});
    CHECK(atom.entries[0].categories == std::vector<std::string>{"a & b"});

    const auto hints = reading_of(rss("<ttl>90</ttl><skipHours><hour>0</hour><hour>24</hour>"
                                      "<hour>7</hour><hour>99</hour></skipHours><skipDays>"
                                      "<day>Sunday</day><day>sat</day><day>no</day></skipDays>"
                                      "<sy:updatePeriod>daily</sy:updatePeriod>"
                                      "<sy:updateFrequency>4</sy:updateFrequency>"))
                           .hints;
    CHECK(hints.ttl == minutes(90));
    CHECK(hints.period == minutes(360));
    CHECK(hints.skip_hours == ((1U << 0U) | (1U << 7U)));
    CHECK(hints.skip_days == ((1U << 0U) | (1U << 6U)));
    CHECK(reading_of(rss("<ttl>-1</ttl><sy:updateFrequency>0</sy:updateFrequency>")).hints ==
          feed::UpdateHints{});
}

// ---- Identity (H15) ----

TEST_CASE("An entry's identity is its guid") {
    CHECK(ids_of(item("g1", "http://x.org/1") + item(" g2\n", "http://x.org/1")) ==
          Ids{"g1", "g2"});
}

TEST_CASE("Where a guid is missing, the link is the identity if no other entry has it") {
    CHECK(ids_of(item("", "http://x.org/1") + item("", "http://x.org/2")) ==
          Ids{"http://x.org/1", "http://x.org/2"});
    const auto ids = ids_of(item("", "http://x.org/", "a") + item("", "http://x.org/", "b"));
    REQUIRE(ids.size() == 2);
    CHECK(ids[0].starts_with("md5:"));
    CHECK(ids[1].starts_with("md5:"));
    CHECK(ids[0] != ids[1]);
}

TEST_CASE("Of entries that share a guid, the first one has it as its identity") {
    const auto ids = ids_of(item("same", "http://x.org/1") + item("same", "http://x.org/2") +
                            item("other", "http://x.org/2"));
    REQUIRE(ids.size() == 3);
    CHECK(ids[0] == "same");
    CHECK(ids[1].starts_with("md5:"));
    CHECK(ids[2] == "other");
    // It has the same one while the feed has no other entry with this guid.
    const auto first = item("g", "http://x.org/1"), last = item("h", "http://x.org/3");
    CHECK(ids_of(first + last) == Ids{"g", "h"});
    CHECK(ids_of(first + item("g", "http://x.org/2", "doubled") + last) ==
          Ids{"g", "http://x.org/2", "h"});
}

TEST_CASE("A guid that most entries of a feed share is no identity of any of them") {
    const auto of = [](const std::string& guid, const std::string& n) {
        return item(guid, "http://x.org/" + n, n);
    };
    const auto three = of("site", "1") + of("site", "2") + of("site", "3");
    CHECK(ids_of(three + of("other", "4")) ==
          Ids{"http://x.org/1", "http://x.org/2", "http://x.org/3", "other"});
    // Entries without a guid do not count.
    CHECK(ids_of(three + of("", "4") + of("", "5") + of("", "6")).front() == "http://x.org/1");
    CHECK(ids_of(three + of("a", "4") + of("b", "5") + of("c", "6")).front() == "site");
}

TEST_CASE("An entry without guid and link is known by its fields, whatever its place and time") {
    const auto first = ids_of(item("", "", "a") + item("", "", "b"));
    const auto second =
        ids_of("<item><title>b</title><pubDate>1 Feb 2026</pubDate></item>" + item("", "", "a"));
    REQUIRE(first.size() == 2);
    CHECK(Ids(second.rbegin(), second.rend()) == first);
    const auto id = [](const std::string& content) {
        return ids_of("<item><description><![CDATA[" + content + "]]></description></item>");
    };
    CHECK(id("<p>some words</p>") == id("<div class='x'>some&nbsp;<b>words</b>\n</div><br>"));
    CHECK(id("<p>some words</p>") != id("<p>other words</p>"));
    // Nobody sees a text of these.
    CHECK(id("<img src=/a.png>") != id("<img src=/b.png>"));
}

TEST_CASE("A guid that moves from http to https stays the same identity") {
    CHECK(ids_of(item("http://x.org/1", "")) == ids_of(item("https://x.org/1", "")));
    CHECK(ids_of(item("", "http://x.org/1")) == ids_of(item("", "https://x.org/1")));
    CHECK(ids_of(item("http://x.org/1", "http://x.org/a") +
                 item("https://x.org/1", "http://x.org/b")) ==
          Ids{"http://x.org/1", "http://x.org/b"});
}

TEST_CASE("The link of one entry that is the guid of another names the other alone") {
    const auto ids =
        ids_of(item("", "http://x.org/1", "a") + item("http://x.org/1", "http://x.org/2", "b"));
    REQUIRE(ids.size() == 2);
    CHECK(ids[0].starts_with("md5:"));
    CHECK(ids[1] == "http://x.org/1");
}

TEST_CASE("An entry that a feed has twice is read once") {
    CHECK(ids_of(item("", "", "a") + item("", "", "a") + item("", "", "b")).size() == 2);
    // With the same identity as when the feed has it once.
    const auto one = item("g", "http://x.org/1", "a");
    CHECK(ids_of(one + one) == ids_of(one));
    CHECK(ids_of(one + item("other", "") + one) == Ids{"g", "other"});
    const auto linked = item("", "http://x.org/1", "a");
    CHECK(ids_of(linked + linked) == Ids{"http://x.org/1"});
}

TEST_CASE("Another order changes no entry, and another content only the digest of its entry") {
    const auto a = item("a", "http://x.org/a"), b = item("b", "http://x.org/b");
    auto feed = reading_of(rss(a + b)), turned = reading_of(rss(b + a));
    std::ranges::reverse(turned.entries);
    CHECK(feed == turned);
    const auto edited = reading_of(rss(a + item("b", "http://x.org/b", "new")));
    CHECK(edited.entries[0] == feed.entries[0]);
    CHECK(edited.entries[1].id == feed.entries[1].id);
    CHECK(edited.entries[1].digest != feed.entries[1].digest);
}

TEST_CASE("Each field of an entry counts in its digest") {
    const auto digest = [](const Entry& entry) {
        std::vector<Entry> entries = {entry};
        feed::identify(entries);
        return entries[0].digest;
    };
    Entry entry;
    entry.guid = "g";
    entry.link = "http://x.org/";
    entry.title = "t";
    std::vector<Entry> others(8, entry);
    others[0].link += 'x';
    others[1].title += 'x';
    others[2].authors = {{"a", "", ""}};
    others[3].authors = {{"", "a", ""}};
    others[4].published = base::Seconds{};
    others[5].updated = base::Seconds{};
    others[6].categories = {"a"};
    others[7].content = "x";
    std::vector<std::string> digests = {digest(entry)};
    for (const auto& other : others) digests.push_back(digest(other));
    std::ranges::sort(digests);
    CHECK(std::ranges::adjacent_find(digests) == digests.end());
    CHECK(std::ranges::count(digests, digest(entry)) == 1);
}

// ---- Times (H14) ----

TEST_CASE("Of several times of an entry, the format's own is worth more than a module's") {
    const auto entry = reading_of(rss("<item><title>a</title><dc:date>2026-01-01</dc:date>"
                                      "<pubDate>Fri, 2 Jan 2026 00:00:00 GMT</pubDate>"
                                      "<dcterms:modified>2026-01-03</dcterms:modified>"
                                      "<dc:date>2026-01-04</dc:date></item>"))
                           .entries.at(0);
    CHECK(text_of(entry.published) == "2026-01-02T00:00:00Z");
    CHECK(text_of(entry.updated) == "2026-01-03T00:00:00Z");
}

// ---- URLs ----

TEST_CASE("Relative URLs are meant against xml:base, else against the document") {
    const auto feed = reading_of(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/blog/'><link href='home'/>"
        "<entry xml:base='2026/'><id>1</id><link href='a?x=1&amp;y=2'/><content xml:base='text/'>"
        "c</content></entry><entry><id>2</id><link href='../b'/></entry></feed>");
    CHECK(feed.home_url == "http://x.org/blog/home");
    CHECK(feed.entries.at(0).link == "http://x.org/blog/2026/a?x=1&y=2");
    CHECK(feed.entries.at(0).content_base == "http://x.org/blog/2026/text/");
    CHECK(feed.entries.at(1).link == "http://x.org/b");
    CHECK(reading_of(rss(item("", "?p=5&amp;q=6"))).entries.at(0).link ==
          "http://x.org/feed?p=5&q=6");
}

TEST_CASE("No URL of an entry has the query of its feed, which may be a key") {
    for (
        const std::string document :
        {"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><link href='#one'/></entry>"
         "</feed>",
         R"({"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "url": "#one"}]})"}) {
        const auto feed = feed::read_feed(document, "", "http://x.org/feed?key=1").value();
        CHECK(feed.entries.at(0).link == "http://x.org/feed#one");
        CHECK(feed.entries.at(0).content_base == "http://x.org/feed");
    }
}

TEST_CASE("A link that is no http URL is none") {
    const auto* link = GENERATE("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
                                "ftp://x.org/", "feed://x.org/", "tag:x.org,2026:1");
    const auto entry = reading_of(rss(item("g", link))).entries.at(0);
    CHECK(entry.link.empty());
    CHECK(reading_of("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='" + std::string(link) +
                     "'><entry><id>g</id><link href='a'/></entry></feed>")
              .entries.at(0)
              .link == "http://x.org/a");
}

TEST_CASE("A guid is the link where it says so") {
    CHECK(reading_of(rss("<item><guid>http://x.org/1</guid></item>")).entries.at(0).link ==
          "http://x.org/1");
    CHECK(reading_of(rss("<item><guid isPermaLink='false'>http://x.org/1</guid></item>"))
              .entries.at(0)
              .link.empty());
    CHECK(reading_of(rss("<item><guid>http://x.org/1</guid><link>http://x.org/2</link></item>"))
              .entries.at(0)
              .link == "http://x.org/2");
}

// ---- Texts ----

TEST_CASE("Titles are plain, whatever markup they were written with") {
    const auto* title = GENERATE(
        "<title>a &lt;b&gt;c&lt;/b&gt; &amp;amp; d</title>",
        "<title><![CDATA[a <b>c</b> &amp; d]]></title>",
        "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>c</b> &amp; "
        "d</div></title>",
        "<title type='text'>a c &amp; d</title>", "<title>\n a\tc  &#38;amp;\n d </title>",
        "<title type='html'>a&amp;nbsp;c &amp;amp; d</title>");
    INFO(title);
    auto read_title = reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>" +
                                 std::string(title) + "</entry></feed>")
                          .entries.at(0)
                          .title;
    if (const auto at = read_title.find("\xC2\xA0"); at != std::string::npos)
        read_title.replace(at, 2, " ");
    CHECK(read_title == "a c & d");
}

TEST_CASE("Content is the longest of what an entry offers") {
    const auto* offered = GENERATE(
        "<description>short</description><content:encoded>the <b>longest</b></content:encoded>",
        "<content:encoded>the &lt;b>longest&lt;/b></content:encoded><description>x</description>",
        "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>the <b>longest</b></div>"
        "</content><summary>s</summary>");
    INFO(offered);
    CHECK(reading_of(rss("<item>" + std::string(offered) + "</item>"))
              .entries.at(0)
              .content.find("the <b>longest</b>") != std::string::npos);
}

TEST_CASE("The description of an image is the content of an entry that has no other") {
    const std::string caption = "<media:description>a long caption</media:description>";
    const auto* offered =
        GENERATE("<description>short</description>", "<summary>short</summary>");
    for (const auto& elements : {offered + caption, caption + offered})
        CHECK(reading_of(rss("<item>" + elements + "</item>")).entries.at(0).content == "short");
    CHECK(reading_of(rss("<item>" + caption + "</item>")).entries.at(0).content ==
          "a long caption");
    CHECK(reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='image/png'>"
                     "iVBORw0KGgo=</content><summary>s</summary></entry></feed>")
              .entries.at(0)
              .content == "s");
}

TEST_CASE("URLs in XHTML are meant against the xml:base inside of it") {
    CHECK(reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>"
                     "<div xmlns='http://www.w3.org/1999/xhtml'><a href='a'>x</a>"
                     "<p xml:base='http://y.org/d/'><a href='b'>y</a></p></div></content></entry>"
                     "</feed>")
              .entries.at(0)
              .content == "<div><a href=\"a\">x</a><p base=\"http://y.org/d/\">"
                          "<a href=\"http://y.org/d/b\">y</a></p></div>");
}

TEST_CASE("Authors are read from all the forms that feeds write") {
    const auto [text, name, mail] = GENERATE(table<std::string, std::string, std::string>({
        {"j@x.org (Jane Doe)", "Jane Doe", "j@x.org"},
        {"Jane Doe &lt;j@x.org>", "Jane Doe", "j@x.org"},
        {"\"Doe, Jane\" &lt;j@x.org&gt;", "Doe, Jane", "j@x.org"},
        {"Jane Doe, j@x.org", "Jane Doe", "j@x.org"},
        {"j@x.org, Jane Doe", "Jane Doe", "j@x.org"},
        {"j@x.org - Jane Doe", "Jane Doe", "j@x.org"},
        {"&lt;j@x.org&gt;", "", "j@x.org"},
        {"Jane Doe [mailto:j@x.org]", "Jane Doe", "j@x.org"},
        {"\"Jane Doe\"", "Jane Doe", ""},
        {"<![CDATA[\"Doe, Jane\" &lt;j@x.org&gt;]]>", "Doe, Jane", "j@x.org"},
        {"mailto:j@x.org", "", "j@x.org"},
        {"@jane", "@jane", ""},
        {"Jane @ Work", "Jane @ Work", ""},
    }));
    CHECK(reading_of(rss("<item><author>" + text + "</author></item>")).entries.at(0).authors ==
          std::vector<feed::Author>{{name, mail, ""}});
}

TEST_CASE("Several authors in one text are several") {
    const auto* text =
        GENERATE("a@x.org (A, B), c@x.org (C)", "&lt;a@x.org&gt; \"A, B\"; C &lt;c@x.org&gt;");
    CHECK(reading_of(rss("<item><author>"s + text + "</author></item>")).entries.at(0).authors ==
          std::vector<feed::Author>{{"A, B", "a@x.org", ""}, {"C", "c@x.org", ""}});
}

TEST_CASE("Markup in a text is read as markup, and what is escaped beside it as text") {
    const auto [text, content] = GENERATE(table<std::string, std::string>({
        {"<p>First &lt;one&gt; &amp; more.</p><p>Second.</p>",
         "<p>First &lt;one&gt; &amp; more.</p><p>Second.</p>"},
        {"pre <a href='u'>link</a> mid <b>bold</b> end",
         "pre <a href=\"u\">link</a> mid <b>bold</b> end"},
        {"a<br/>&lt;b&gt;<i>c</i>&amp;", "a<br>&lt;b&gt;<i>c</i>&amp;"},
        {"<h:p xmlns:h='http://www.w3.org/1999/xhtml'>a</h:p>b<h:p>c</h:p>", "<p>a</p>b<p>c</p>"},
        {"x <m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:mi>y</m:mi></m:math>",
         "x <math><mi>y</mi></math>"},
        {"&lt;p&gt;a&lt;/p&gt;", "<p>a</p>"},
        {"&lt;![CDATA[&lt;p&gt;a&lt;/p&gt;]]&gt;", "<p>a</p>"},
        {" <![CDATA[<![CDATA[some words]]]]><![CDATA[>]]>", "some words"},
    }));
    INFO(text);
    const auto* element = GENERATE("description", "content:encoded", "content");
    CHECK(reading_of(rss("<item><"s + element + ">" + text + "</" + element + "></item>"))
              .entries.at(0)
              .content == content);
    CHECK(reading_of(rss("<item><title>H<sub>2</sub>O in <i>C.</i></title></item>"))
              .entries.at(0)
              .title == "H2O in C.");
    CHECK(reading_of(rss("<item><title>&lt;![CDATA[Hello]]&gt;</title></item>"))
              .entries.at(0)
              .title == "Hello");
}

TEST_CASE("A media type of a title or summary is a mistake, and the text is the text") {
    const auto* type = GENERATE("application/x-custom", "application/text", "text/plain", "text",
                                "application/json", "image/png", "text/x-other; charset=utf-8");
    const auto entry =
        reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><title type='"s +
                   type + "'>test</title><summary type='" + type +
                   "'>{\"a\": 1 &lt; 2}</summary></entry></feed>")
            .entries.at(0);
    CHECK(entry.title == "test");
    CHECK(entry.content == "{&quot;a&quot;: 1 &lt; 2}");
    CHECK(reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>"
                     "<title type='text/html'>a &lt;b&gt;c&lt;/b&gt;</title><summary "
                     "type='text/html'>&lt;b&gt;c&lt;/b&gt;</summary></entry></feed>")
              .entries.at(0)
              .title == "a c");
}

TEST_CASE("The namespace of the outer elements is that of the format, whatever it is") {
    const auto* open =
        GENERATE("<rss xmlns='http://no.such.org/'><channel><item>",
                 "<rss xmlns='http://blogs.law.harvard.edu/tech/rss'><channel><item>",
                 "<rss><channel xmlns='urn:x'><item>", "<rss><channel><item xmlns='urn:x'>",
                 "<feed xmlns='urn:atom'><entry>", "<x:rss xmlns:x='urn:x'><x:channel><item>");
    const auto feed = reading_of(open + "<title>a</title><author>Jane</author>"s);
    CHECK(feed.entries.empty());  // it is cut off
    const auto item = "<title>a</title><x xmlns='urn:y'><title>b</title></x>"s;
    const auto* end = std::string_view(open).starts_with("<feed") ? "</entry>" : "</item>";
    CHECK(reading_of(open + item + end).entries.at(0).title == "a");
}

TEST_CASE("An entry that is cut off is left out") {
    const auto whole = rss(item("http://x.org/1", "") + item("http://x.org/22", ""));
    const auto at = whole.find("http://x.org/22");
    CHECK(reading_of(whole.substr(0, at + 14)).entries.size() == 1);
    CHECK(reading_of(whole.substr(0, whole.rfind("</item"))).entries.size() == 1);
    CHECK(reading_of(whole.substr(0, whole.rfind("</item") + 7)).entries.size() == 2);
}

TEST_CASE("The label of a category is its name, else its term, else its text") {
    CHECK(reading_of(
              "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>"
              "<category term='https://x.org/7' label='Worms'/><category term='' label=' L '/>"
              "<category term='t' label=''/><category>text</category></entry></feed>")
              .entries.at(0)
              .categories == std::vector<std::string>{"Worms", "L", "t", "text"});
}

TEST_CASE("Media that a copy cannot show leave a link") {
    const auto* element = GENERATE(
        "<enclosure url='/talk.mp3' type='audio/mpeg'/>", "<media:content url='/talk.mp3'/>",
        "<media:group><media:content url='/talk.mp3'/><media:content url='/b'/></media:group>",
        "<link rel='enclosure' href='/talk.mp3'/>",
        "<content src='/talk.mp3' type='audio/mpeg'/>");
    const std::string link = "<p><a href=\"http://x.org/talk.mp3\">talk.mp3</a></p>";
    const auto alone =
        reading_of(rss("<item><title>a</title>"s + element + "</item>")).entries.at(0);
    CHECK(alone.content == link);
    CHECK(alone.link == "http://x.org/talk.mp3");
    const auto with_text = reading_of(rss("<item><link>http://x.org/1</link>"s + element +
                                          "<description>t</description></item>"))
                               .entries.at(0);
    CHECK(with_text.content == "t" + link);
    CHECK(reading_of(rss("<item><description>At http://x.org/talk.mp3</description>"s + element +
                         "</item>"))
              .entries.at(0)
              .content == "At http://x.org/talk.mp3" + link);
    CHECK(with_text.link == "http://x.org/1");
    const auto linked =
        "<description>&lt;a href='http://x.org/talk.mp3'&gt;t&lt;/a&gt;</description>";
    CHECK(reading_of(rss("<item>"s + element + linked + "</item>"))
              .entries.at(0)
              .content.ends_with("t</a>"));
    CHECK(
        reading_of(
            R"({"version":"1","items":[{"id":"1","attachments":[{"url":"/talk.mp3","title":"A &"},7]}]})")
            .entries.at(0)
            .content == "<p><a href=\"http://x.org/talk.mp3\">A &amp;</a></p>");
}

TEST_CASE("A text without markup keeps its lines, one with markup has those of its HTML") {
    const auto content_of = [](const std::string& item) {
        return reading_of(rss("<item><guid>1</guid>" + item + "</item>")).entries.at(0).content;
    };
    CHECK(content_of("<description>\n One &amp;amp; two\r\n  three\n\nfour\n</description>") ==
          "One &amp; two<br>three<br><br>four");
    CHECK(content_of("<description>One\n&lt;b&gt;two&lt;/b&gt;</description>") ==
          "One\n<b>two</b>");
    CHECK(reading_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>"
                     "<content type='text'>One\n&lt;b&gt; two</content></entry></feed>")
              .entries.at(0)
              .content == "One<br>&lt;b&gt; two");
    CHECK(reading_of(R"({"version":"1","items":[{"id":"1","content_text":"One <\r\ntwo"}]})")
              .entries.at(0)
              .content == "One &lt;<br>two");
}

TEST_CASE("What belongs to an image, a text field or another feed is not the feed's") {
    const auto feed = reading_of(
        rss("<image><title>I</title><link>http://i.org/</link><url>http://i.org/i</url>"
            "</image><textInput><title>X</title><link>http://x.org/q</link></textInput>"
            "<title>Feed</title><item><title>a</title><source url='http://s.org/'>S</source>"
            "</item>"));
    CHECK(feed.title == "T");
    CHECK(feed.home_url.empty());
    const auto atom = reading_of(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><id>other</id><title>S</title>"
        "<updated>2020-01-01T00:00:00Z</updated></source><id>mine</id><title>a</title></entry></"
        "feed>");
    CHECK(atom.entries.at(0).guid == "mine");
    CHECK(atom.entries.at(0).title == "a");
    CHECK(text_of(atom.entries.at(0).updated) == "none");
}

// ---- JSON Feed ----

TEST_CASE("JSON feeds are read with the mistakes that their authors make") {
    const auto feed = reading_of(
        R"({"version":"1","title":7,"author":{"name":"Old <b>"},"feed_url":"/f","hubs":
        [{"type":"rssCloud","url":"http://no.org/"},{"type":"WebSub","url":"http://hub.org/"}],
        "items":[{"id":1,"title":null,"content_text":"a < b","tags":["x","x",2,""]},
        {"id":2.50,"external_url":"e","authors":[{"name":"New"},{"name":"New"},{}],"summary":"s"},
        {"url":"u","content_html":"\u0000\ud800x","date_published":"2026-01-02","date_modified":5},
        [],null,"text",{}]})");
    REQUIRE(feed.entries.size() == 4);
    CHECK(feed.title == "7");
    const auto& entries = feed.entries;
    CHECK(reading_of("\xEF\xBB\xBF\xEF\xBB\xBF{\"version\":\"1\",\"items\":[{\"id\":\" a\\n\"}]}")
              .entries.at(0)
              .id == "a");
    CHECK(entries[0].id == "1");
    CHECK(entries[0].content == "a &lt; b");
    CHECK(entries[0].categories == std::vector<std::string>{"x"});
    CHECK(entries[0].authors == std::vector<feed::Author>{{"Old <b>", "", ""}});
    CHECK(entries[1].link == "http://x.org/e");
    CHECK(entries[1].authors == std::vector<feed::Author>{{"New", "", ""}});
    CHECK(entries[2].id == "http://x.org/u");
    CHECK(text_of(entries[2].published) == "2026-01-02T00:00:00Z");
    CHECK(text_of(entries[2].updated) == "none");
    CHECK(entries[3].id.starts_with("md5:"));
}
