// SPDX-License-Identifier: MIT
#include "render/mail.hpp"

#include <openssl/evp.h>
#include <rapidcheck.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "sample.hpp"

using namespace sample;

namespace {

render::Mail mail_of(std::string subject, std::string html = "<p>x</p>") {
    return {now(),
            {"Changes", "changes@example.org"},
            {{"", "zoe@example.org"}},
            std::move(subject),
            "varve.1f@example.org",
            std::move(html)};
}

std::vector<std::string_view> lines_of(std::string_view text) { return base::split(text, '\n'); }

std::string head_of(const std::string& bytes) { return bytes.substr(0, bytes.find("\n\n") + 1); }

// Returns what is wrong with the bytes of a mail with these header fields.
std::vector<std::string> faults_of(const std::string& bytes) {
    std::vector<std::string> faults;
    std::vector<std::string> names;
    const auto head = head_of(bytes);
    for (const auto line : lines_of(head))
        if (!line.empty() && line.front() != ' ')
            names.emplace_back(line.substr(0, line.find(':')));
    if (names != std::vector<std::string>{"Date", "From", "To", "Subject", "Message-ID",
                                          "Auto-Submitted", "MIME-Version", "Content-Type"})
        faults.push_back("header fields: " + base::join(names, ", "));
    for (const auto line : lines_of(bytes)) {
        if (line.size() > 78) faults.push_back("long: " + std::string(line));
        if (!std::ranges::all_of(line, [](char c) { return base::is_printable(c) || c == '\t'; }))
            faults.push_back("not ASCII: " + std::string(line));
        if (line.starts_with('.') || line.starts_with("From "))
            faults.push_back("means more: " + std::string(line));
    }
    return faults;
}

std::string decoded(std::string_view base64) {
    std::string text(base64.size() / 4 * 3, '\0');
    REQUIRE(EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                            reinterpret_cast<const unsigned char*>(base64.data()),
                            static_cast<int>(base64.size())) == static_cast<int>(text.size()));
    text.resize(text.size() - static_cast<std::size_t>(std::ranges::count(base64, '=')));
    return text;
}

// Returns the words of a field that is made of encoded words.
std::string words_of(const std::string& bytes, const std::string& name) {
    auto value = head_of(bytes);
    value = value.substr(value.find("\n" + name + ": ") + name.size() + 3);
    std::string words;
    for (const auto line : lines_of(value)) {
        if (!words.empty() && !line.starts_with(' ')) break;
        const auto word = base::trim(line);
        REQUIRE(word.starts_with("=?UTF-8?B?"));
        REQUIRE(word.ends_with("?="));
        REQUIRE(word.size() <= 75);
        words += decoded(word.substr(10, word.size() - 12));
        REQUIRE(base::is_legal_text(words));
    }
    return words;
}

// Returns the text of a part, whose lines must be full.
std::string part_of(const std::string& bytes, std::string_view type) {
    const auto head = bytes.find("Content-Type: text/" + std::string(type));
    const auto body = std::string_view(bytes).substr(bytes.find("\n\n", head) + 1);
    std::string base64;
    for (const auto line : lines_of(base::trim(body.substr(0, body.find("\n--=_"))))) {
        REQUIRE(base64.size() % 76 == 0);
        base64 += line;
    }
    return decoded(base64);
}

}  // namespace

TEST_CASE("A short subject in ASCII stands as it is, another one in encoded words of whole "
          "characters") {
    CHECK(holds(render::bytes_of(mail_of("unc-26 changed")), "\nSubject: unc-26 changed\n"));
    for (std::size_t size = 60; size < 90; ++size)
        CHECK(faults_of(render::bytes_of(mail_of(std::string(size, 'x')))) == none);
    std::string arrows = "unc-26: ";
    for (int i = 0; i < 60; ++i) arrows += "→";
    const auto bytes = render::bytes_of(mail_of(arrows));
    CHECK(faults_of(bytes) == none);
    CHECK(words_of(bytes, "Subject") == arrows);
}

TEST_CASE("No text begins a header field of its own or turns the line") {
    for (const auto* const evil : {"a\r\nBcc: x@example.org", "a\n\nbody", "\xE2\x80\xAEgpj.exe",
                                   "a\x01\x7F\x1B[31m", "=?UTF-8?Q?x?=", "\xFF\xFE",
                                   "a\xE2\x80\xA8"
                                   "b\xC2\x85"}) {
        auto mail = mail_of(evil);
        mail.from.name = mail.to.front().name = evil;
        const auto bytes = render::bytes_of(mail);
        INFO(bytes);
        CHECK(faults_of(bytes) == none);
        CHECK_FALSE(holds(bytes, "4oCu"));  // U+202E at the beginning of a word
    }
    CHECK(words_of(render::bytes_of(mail_of("a\r\nBcc: é")), "Subject") == "a Bcc: é");
}

TEST_CASE("Any text gives header fields and bodies of whole, short lines") {
    CHECK(rc::check([](const std::string& subject, const std::string& name,
                       const std::vector<std::string>& lines) {
        auto mail = mail_of(subject);
        mail.to.front().name = name;
        mail.html.clear();
        for (const auto& line : lines) mail.html += "From " + base::legal_text(line) + "\n.";
        const auto bytes = render::bytes_of(mail);
        RC_ASSERT(faults_of(bytes) == none);
        RC_ASSERT(part_of(bytes, "html") == render::with_crlf(mail.html));
        const auto text = render::text_of_html(mail.html);
        RC_ASSERT(part_of(bytes, "plain") == render::with_crlf(text));
    }));
}

TEST_CASE("The names of people are quoted words or encoded words") {
    auto mail = mail_of("x");
    mail.from = {"Changes in WormBase", "changes@wormbase.org"};
    mail.to = {{"O'Neill, \"Zoe\"", "zoe@example.org"},
               {"", "ann@example.org"},
               {"Zoë", std::string(60, 'z') + "@example.org"}};
    const auto bytes = render::bytes_of(mail);
    CHECK(holds(bytes, "\nFrom: \"Changes in WormBase\" <changes@wormbase.org>\n"));
    CHECK(holds(bytes, "\nTo: \"O'Neill, \\\"Zoe\\\"\" <zoe@example.org>, ann@example.org,\n "
                       "=?UTF-8?B?Wm/Dqw==?=\n <zzz"));
    CHECK(holds(bytes, "Date: Fri, 01 Jan 2010 00:00:00 +0000\n"));
}

TEST_CASE("Lines end with the word at which they are full, and long words stay whole") {
    std::string words;
    for (int i = 0; i < 40; ++i) words += "word" + std::to_string(i) + " ";
    const std::string url = "https://example.org/" + std::string(300, 'x');
    const auto text = render::text_of_html("<p>" + words + url + " end</p>");
    for (const auto line : lines_of(text)) CHECK((line.size() <= 72 || line == url));
    CHECK(holds(text, "\n" + url + "\nend\n"));
    CHECK(part_of(render::bytes_of(mail_of("x", "<p>é</p>\n<p>b</p>")), "plain") ==
          "é\r\n\r\nb\r\n");
}

TEST_CASE("What HTML isolates is isolated in each line of the text, and only that") {
    const std::string word = "\u05D0\u05D1\u05D2\u05D3\u05D4\u05D5\u05D6\u05D7";
    std::string sentence;
    for (int i = 0; i < 8; ++i) sentence += (i == 0 ? "" : " ") + word;
    const auto line = sentence.substr(0, 7 * (word.size() + 1) - 1);
    CHECK(render::text_of_html("<p>Was <bdi>" + sentence + "</bdi>\u2069.</p>") ==
          "Was \u2068" + line + "\u2069\n\u2068" + word + "\u2069.\n");
}

TEST_CASE("HTML as text has underlined headings, bullets, and the addresses of links that stand "
          "alone") {
    const auto* html =
        "<html><head><title>Title</title></head><body style=\"x\"><h1>Two &amp; three</h1>"
        "<p>See <a href=\"https://x.org/a\">this</a> first.</p>"
        "<h3><a href=\"https://x.org/?a=1&amp;b=2\">unc-26 &lt;b&gt;</a></h3>"
        "<p><b>Identity</b></p><ul><li>Status: <del>Live</del> → <ins>Dead</ins>.</li>"
        "<li>2 names: <ul><li>one</li><li>two</li></ul> By sylvia.</li></ul>"
        "<p><a href=\"https://x.org/h\">History</a> | <a href=\"https://x.org/d\">Compare</a></p>"
        "<ul><li></li></ul><hr><p>x<br>y &#39;z&#x27; &#x202E;</p><p>|</p></body></html>";
    CHECK(render::text_of_html(html) == "Two & three\n-----------\n\nSee this first.\n\n"
                                        "unc-26 <b>\nhttps://x.org/?a=1&b=2\n\nIdentity\n"
                                        "- Status: Live → Dead.\n- 2 names:\n  - one\n  - two\n"
                                        "  By sylvia.\n\nHistory\nhttps://x.org/h\nCompare\n"
                                        "https://x.org/d\n\n-- \n\nx\ny 'z'\n\n|\n");
}
