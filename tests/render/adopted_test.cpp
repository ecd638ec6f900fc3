// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include "render/adopted.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using Catch::Matchers::Contains;

namespace {

std::string allowed(std::string_view foreign) {
    std::string html;
    render::append_allowed(html, foreign);
    return html;
}

}  // namespace

TEST_CASE("Adopted notes keep their links, line breaks and characters") {
    CHECK(allowed("Name &gt; <a href=\"http://www.wormbase.org/db/get?name=a;class=Gene\">a</a> "
                  "(2007-01-02)<br>B &amp; C<BR />") ==
          "Name &gt; <a href=\"http://www.wormbase.org/db/get?name=a;class=Gene\">a</a> "
          "(2007-01-02)<br>B &amp; C<br>");
}

TEST_CASE("Adopted links are written again with legal bytes and no other attributes") {
    CHECK(allowed("<a class=\"x\" href='http://x.org/a b&quot;&lt;' onclick=\"y\">z</a>") ==
          "<a href=\"http://x.org/a%20b%22%3C\">z</a>");
}

TEST_CASE("Other tags and URLs in adopted notes leave only their text; scripts and styles leave "
          "nothing") {
    CHECK(allowed("<b>x</b>") == "x");
    CHECK(allowed("a<script>b</script><style>c</style>d") == "ad");
    CHECK(allowed("p < 0.05 in <gene>") == "p &lt; 0.05 in &lt;gene&gt;");
    CHECK_THAT(allowed("<a href=\"javascript:alert(1)\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<a href=\"java&#115;cript:alert(1)\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<a href=\"/relative\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<abbr href=\"http://x.org\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<img src=x onerror=alert(1)>"), !Contains("<img"));
}

TEST_CASE("Adopted notes become balanced HTML") {
    for (const std::string_view foreign :
         {"</a>", "<a href=\"http://x.org\">",
          "<a href=\"http://x.org\"><a href=\"http://y.org\">x", "<", "<a",
          "<a href=\"http://x.org", "<br", "&", "&#;", "&#x110000;", "&#55296;", "&amp",
          "<a =\"\">", "<a href=\"http://x.org\"></a></a>"}) {
        INFO(foreign);
        CHECK(support::findings_in_html(allowed(foreign)) == std::vector<std::string>());
    }
}

TEST_CASE("Adopted notes from any pieces of HTML contain only links and line breaks") {
    CHECK(rc::check([] {
        const auto pieces =
            *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                "<", ">", "a", " ", "href=", "\"", "'", "http://x.org/",
                "<a href=\"http://x.org/", "</a>", "<br>", "&", "&#x", ";", "&lt;", "<script>",
                "=", "/", "javascript:", "\x01", "\xFF", "\xEF\xBF\xBE", "onload=\"x\""));
        std::string foreign;
        for (const auto& piece : pieces) foreign += piece;
        const auto html = allowed(foreign);
        RC_ASSERT(support::findings_in_html(html) == std::vector<std::string>());
        RC_ASSERT(html.find("<script") == std::string::npos);
    }));
}

TEST_CASE("Content of an adopted row shows its notes and cuts long ones at a line break") {
    auto adopted = sample::row("WS180", sample::day(2007, 8, 1), {});
    adopted.kind = tables::RowKind::adopted;
    for (int i = 0; i < 4000; ++i) adopted.notes.adopted_html += "Name &gt; value<br>";
    const auto html = sample::content_of(adopted, sample::site());
    CHECK(html.size() > 27 * 1024);
    CHECK(html.size() <= 32 * 1024);
    CHECK(html.starts_with("<p>Name &gt; value<br>Name"));
    CHECK_THAT(html, Contains("value \xE2\x80\xA6</p><p>This item is shortened. <a href"));
    CHECK(support::findings_in_html(html) == std::vector<std::string>());
}
