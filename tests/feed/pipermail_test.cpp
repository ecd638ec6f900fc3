// Archives of mailing lists: index pages and the texts of months, as Mailman 2 writes them and as nobody should.
// SPDX-License-Identifier: MIT
#include "feed/pipermail.hpp"

#include "base/utf8.hpp"
#include "support/catch.hpp"
#include "support/gzipped.hpp"

using support::gzipped;

namespace {

constexpr const char* index_url = "https://x.org/pipermail/worm/";
constexpr const char* month_url = "https://x.org/pipermail/worm/2008-February.txt.gz";

std::string message(const std::string& fields, const std::string& text = "Hello\n",
                    const std::string& arrived = "Fri Feb  1 09:15:20 2008") {
    return "From jo at x.org  " + arrived + "\n" + fields + "\n" + text + "\n";
}

std::vector<feed::Entry> entries_of(const std::string& text) {
    auto month = feed::read_month(text, month_url);
    REQUIRE(month);
    return month->entries;
}

feed::Entry entry_of_message(const std::string& fields, const std::string& text = "Hello\n") {
    auto entries = entries_of(message(fields, text));
    REQUIRE(entries.size() == 1);
    return entries[0];
}

base::Seconds time(const char* text) { return base::parse_rfc3339(text).value(); }

}  // namespace

TEST_CASE("The index of a list names its months, newest first") {
    const auto index = feed::read_list_index(
        "<HTML><HEAD><title>The worm Archives</title></HEAD><body><table>\n"
        "<tr><td>February 2008:</td><td><A href=\"2008-February/thread.html\">[ Thread ]</a>"
        "<A href=\"2008-February/000123.html\">x</a></td>"
        "<td><A href=\"2008-February.txt\">[ Text 12 KB ]</a></td></tr>\n"
        "<tr><td><A HREF='2007-December.txt.gz'>[ Gzip'd Text 3 KB ]</a></td></tr>"
        "<tr><td><A href = 2008-January.txt.gz >[ Gzip'd Text 3 KB ]</a></td></tr>"
        "<tr><td><A href=\"2008-January.txt.gz\">again</a></td></tr></table></body></HTML>",
        "text/html; charset=us-ascii", index_url);
    REQUIRE(index);
    CHECK(index->title == "The worm Archives");
    using namespace std::chrono;
    const std::vector<feed::ListMonth> expected{
        {sys_days(2008y / 2 / 1), "https://x.org/pipermail/worm/2008-February.txt"},
        {sys_days(2008y / 1 / 1), "https://x.org/pipermail/worm/2008-January.txt.gz"},
        {sys_days(2007y / 12 / 1), "https://x.org/pipermail/worm/2007-December.txt.gz"}};
    CHECK(index->months == expected);
}

TEST_CASE("The page of an index may have a name, and its host capital letters") {
    const auto index = feed::read_list_index("<a href='2008-May.txt'>", "",
                                             "https://X.ORG/pipermail/worm/index.html?x#y");
    REQUIRE(index);
    CHECK(index->months.at(0).text_url == "https://x.org/pipermail/worm/2008-May.txt");
    CHECK(feed::index_of_month(index->months[0].text_url) == index_url);
}

TEST_CASE("Pages without texts of months in their folder are no index of a list") {
    for (const auto* page :
         {"", "<html></html>", "<a href='2008-May/thread.html'>", "<a href='2008-Maybe.txt'>",
          "<a href='08-May.txt'>", "<a href='2008-May.txt.zip'>", "<a href='/2008-May.txt'>",
          "<a href='http://other.org/pipermail/worm/2008-May.txt'>", "<a href='../2008-May.txt'>",
          "<a href='javascript:2008-May.txt'>", "<a href=2008-May.txt", "<a href='2008-May.txt>",
          "<a href='?x/2008-May.txt'>", "href", "href=", "<a href='x/2008-May.txt'>",
          "1969-May.txt"}) {
        INFO(page);
        CHECK_FALSE(feed::read_list_index(page, "text/html", index_url));
    }
}

TEST_CASE("Texts of months are known by their names") {
    CHECK(feed::is_month_url(month_url));
    CHECK(feed::is_month_url("https://x.org/2008-May.txt?x"));
    for (const auto* url : {index_url, "https://x.org/2008-May/thread.html", "",
                            "https://x.org/?x=/2008-May.txt", "https://x.org/2008-May.txt/"}) {
        INFO(url);
        CHECK_FALSE(feed::is_month_url(url));
    }
}

TEST_CASE("A message becomes an entry") {
    const auto entry =
        entry_of_message("From: jo at x.org (Jo Doe)\nDate: Fri, 1 Feb 2008 10:00:00 +0100\n"
                         "Subject: [worm] unc-26\nIn-Reply-To: <a at b>\n"
                         "References: <a at b>\nMessage-ID: <m1 at x.org>\n",
                         "Hello <all>,\n\n  see a & b\n");
    CHECK(entry.guid == "<m1 at x.org>");
    CHECK(entry.id == "<m1 at x.org>");
    CHECK(entry.title == "[worm] unc-26");
    CHECK(entry.link == "https://x.org/pipermail/worm/2008-February/thread.html");
    CHECK(entry.published == time("2008-02-01T09:00:00Z"));
    REQUIRE(entry.authors.size() == 1);
    CHECK(entry.authors[0] == feed::Author{"Jo Doe", "", ""});
    CHECK(entry.content == "<pre>Hello &lt;all&gt;,\n\n  see a &amp; b</pre>");
    CHECK_FALSE(entry.digest.empty());
}

TEST_CASE("Authors are named without their addresses") {
    for (const auto& [from, name] : std::vector<std::pair<std::string, std::string>>{
             {"jo at x.org (Jo Doe)", "Jo Doe"},
             {"Jo Doe <jo at x.org>", "Jo Doe"},
             {"\"Doe, Jo\" <jo@x.org>", "Doe, Jo"},
             {"jo at x.org", "jo"},
             {"<jo@x.org>", "jo"},
             {"jo at x.org (jo@x.org)", "jo"},
             {"jo at x.org (=?iso-8859-1?q?J=F6_Doe?=)", "Jö Doe"},
             {"jo at x.org ()", "jo"},
             {"jo at x.org (", "jo"},
             {"jo at x.org )(", "jo"}}) {
        INFO(from);
        const auto entry = entry_of_message("From: " + from + "\n");
        REQUIRE(entry.authors.size() == 1);
        CHECK(entry.authors[0].name == name);
    }
    CHECK(entry_of_message("Subject: x\n").authors.empty());
}

TEST_CASE("A message without a time that can be read has that of its arrival") {
    CHECK(entry_of_message("Subject: x\n").published == time("2008-02-01T09:15:20Z"));
    CHECK(entry_of_message("Date: yesterday\n").published == time("2008-02-01T09:15:20Z"));
}

TEST_CASE("Encoded words of fields are decoded") {
    for (const auto& [field, text] : std::vector<std::pair<std::string, std::string>>{
             {"=?utf-8?Q?Caf=C3=A9?= open", "Café open"},
             {"=?UTF-8?B?Q2Fmw6k=?=", "Café"},
             {"=?iso-8859-1?q?Caf=E9_1?=\n =?iso-8859-1?q?_2?=", "Café 1 2"},
             {"=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "é"},
             {"=?us-ascii*en?Q?a?= =?utf-8?Q?b?=", "ab"},
             {"a =?utf-8?Q?b?= c", "a b c"},
             {"100%", "100%"},
             {"=?utf-8?Q?100%?=", "100%"},
             {"=?utf-8?X?a?=", "=?utf-8?X?a?="},
             {"=?utf-8?Q?a", "=?utf-8?Q?a"},
             {"=?utf-8?B?*?=", "=?utf-8?B?*?="},
             {"=?", "=?"},
             {"=?x?Q?"
              "?=",
              ""},
             {"=?nonsense?Q?a?=", "a"},
             {"caf\xE9", "café"},
             {" a \t  b ", "a b"}}) {
        INFO(field);
        CHECK(feed::decode_mail_field(field) == text);
    }
}

TEST_CASE("Fields may continue on the next line, and the first of several counts") {
    const auto entry =
        entry_of_message("Subject: one\n two\n\tthree\nX-Other: x\n y\nSubject: other\n z\n"
                         "no field at all\nMessage-ID:\n <m at x>\n");
    CHECK(entry.title == "one two three");
    CHECK(entry.guid == "<m at x>");
}

TEST_CASE("Messages begin after an empty line, with a time") {
    const auto entries =
        entries_of("junk before\n\n" +
                   message("Message-ID: <1>\n", "From here on\n\nFrom what I know\n\n"
                                                "x\nFrom jo at x.org  Fri Feb  1 09:15:20 "
                                                "2008\n") +
                   message("Message-ID: <2>\n") +
                   "From jo at x.org  Fri Feb 29 09:15:20 2008\r\n"
                   "Message-ID: <3>\r\n\r\nHello\r\n");
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].content.find("From what I know") != std::string::npos);
    CHECK(entries[1].guid == "<2>");
    CHECK(entries[2].guid == "<3>");
    CHECK(entries[2].content == "<pre>Hello</pre>");
}

TEST_CASE(
    "Messages that have no identifier, or that of another one, are told apart by their content") {
    const auto entries = entries_of(
        message("Subject: a\n") + message("Subject: b\n") + message("Subject: a\n") +
        message("Message-ID: <1>\nSubject: c\n") + message("Message-ID: <1>\nSubject: d\n"));
    REQUIRE(entries.size() == 4);
    CHECK(entries[2].id == "<1>");
    for (const auto at : {0U, 1U, 3U}) CHECK(entries[at].id.starts_with("md5:"));
}

TEST_CASE("The address of an index may lack its last slash") {
    const auto text_url_of = [](const std::string& url, const std::string& reference) {
        const auto index =
            feed::read_list_index("<a href='" + reference + "'>x</a>", "text/html", url);
        return index ? index->months.at(0).text_url : index.error().text;
    };
    const std::string month = "2008-February.txt.gz", list = "https://x.org/pipermail/worms";
    for (const auto* end : {"", "/", "/index.html"})
        CHECK(text_url_of(list + end, month) == list + "/" + month);
    CHECK(text_url_of(list + ".news", month) == list + ".news/" + month);
    CHECK(text_url_of(list, list + "/" + month) == list + "/" + month);
    CHECK(text_url_of(list + "?page=1", month) == "https://x.org/pipermail/" + month);
}

TEST_CASE("The text of a month may be packed, in several members") {
    const auto one = message("Message-ID: <1>\n"), two = message("Message-ID: <2>\n");
    CHECK(entries_of(gzipped(one + two)) == entries_of(one + two));
    CHECK(entries_of(gzipped(one) + gzipped(two)) == entries_of(one + two));
}

TEST_CASE("Damaged texts of months are errors") {
    const auto packed = gzipped(message("Message-ID: <1>\n"));
    for (const auto& bytes :
         {std::string(), std::string("<html>Not found</html>"), std::string("\x1F\x8B"),
          packed.substr(0, packed.size() - 1), packed.substr(0, 20), packed + "x",
          gzipped("no messages"), gzipped(""), std::string(1000, '\0'),
          std::string("From jo at x.org  Fri Feb  1\n\nx\n")}) {
        INFO(bytes);
        CHECK_FALSE(feed::read_month(bytes, month_url));
    }
}

TEST_CASE("A text that is too long is cut behind a whole message") {
    std::string text;
    for (int i = 0; i < 100; ++i)
        text +=
            message("Message-ID: <" + std::to_string(i) + ">\n", std::string(500, 'x') + "\n");
    for (const auto& bytes : {text, gzipped(text)}) {
        const auto some = feed::read_month(bytes, month_url, {.most_bytes = text.size() / 2});
        REQUIRE(some);
        CHECK(some->is_cut);
        CHECK(some->entries.size() == 49);
        CHECK(some->entries.back().content.size() == 500 + 11);
        const auto few = feed::read_month(bytes, month_url, {.most_messages = 7});
        REQUIRE(few);
        CHECK(few->is_cut);
        CHECK(few->entries.size() == 7);
        const auto all = feed::read_month(bytes, month_url);
        REQUIRE(all);
        CHECK_FALSE(all->is_cut);
        CHECK(all->entries.size() == 100);
    }
    const auto cut = feed::read_month(text, month_url, {.most_text = 10});
    REQUIRE(cut);
    CHECK(cut->entries[0].content == "<pre>xxxxxxxxxx</pre>");
}

TEST_CASE("A month that was packed a thousandfold is cut") {
    const auto bomb = gzipped(message("Message-ID: <1>\n", std::string(50'000'000, ' ')));
    CHECK(bomb.size() < 100'000);
    const auto month = feed::read_month(bomb, month_url);
    REQUIRE(month);
    CHECK(month->is_cut);
    CHECK(month->entries.size() == 1);
}

TEST_CASE("Bytes of any kind in messages become text") {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    const auto entry = entry_of_message("From: " + all.substr(0, 10) + all.substr(11) +
                                            "\nSubject: " + all.substr(11) + "\n",
                                        all + "\n");
    CHECK(base::is_legal_text(entry.title));
    CHECK(base::is_legal_text(entry.content));
    REQUIRE(entry.authors.size() == 1);
    for (const auto& author : entry.authors) CHECK(base::is_legal_text(author.name));
}
