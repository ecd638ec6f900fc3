// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include "render/adopted.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using Catch::Matchers::Contains;

namespace {

std::string allowed(std::string_view foreign) {
    render::Html html(32 * 1024);
    render::add_allowed(html, foreign);
    return std::move(html).take();
}

}  // namespace

TEST_CASE("adopted notes keep their links, line breaks and characters") {
    CHECK(allowed("Name &gt; <a href=\"http://www.wormbase.org/db/get?name=a;class=Gene\">a</a> "
                  "(2007-01-02)<br>B &amp; C<BR />") ==
          "Name &gt; <a href=\"http://www.wormbase.org/db/get?name=a;class=Gene\">a</a> "
          "(2007-01-02)<br>B &amp; C<br>");
}

TEST_CASE("adopted links are written anew, without other attributes and with legal bytes only") {
    CHECK(allowed("<a class=\"x\" href='http://x.org/a b&quot;&lt;' onclick=\"y\">z</a>") ==
          "<a href=\"http://x.org/a%20b%22%3C\">z</a>");
}

TEST_CASE("other tags and URLs in adopted notes are text") {
    CHECK(allowed("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;");
    CHECK_THAT(allowed("<a href=\"javascript:alert(1)\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<a href=\"java&#115;cript:alert(1)\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<a href=\"/relative\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<abbr href=\"http://x.org\">x</a>"), !Contains("<a"));
    CHECK_THAT(allowed("<img src=x onerror=alert(1)>"), !Contains("<img"));
}

TEST_CASE("adopted notes are balanced however they were") {
    for (const std::string_view foreign :
         {"</a>", "<a href=\"http://x.org\">",
          "<a href=\"http://x.org\"><a href=\"http://y.org\">x", "<", "<a",
          "<a href=\"http://x.org", "<br", "&", "&#;", "&#x110000;", "&#55296;", "&amp",
          "<a =\"\">", "<a href=\"http://x.org\"></a></a>"}) {
        INFO(foreign);
        CHECK(support::findings_in_html(allowed(foreign)) == std::vector<std::string>());
    }
}

TEST_CASE("adopted notes made of any pieces of HTML give nothing but links and line breaks") {
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

TEST_CASE("content of an adopted row shows its notes, cut at 32 KB") {
    auto adopted = sample::row("WS180", sample::day(2007, 8, 1), {});
    adopted.kind = tables::RowKind::adopted;
    for (int i = 0; i < 4000; ++i) adopted.notes.adopted_html += "Name &gt; value<br>";
    const auto html = sample::content_of(adopted, sample::site());
    CHECK(html.size() > 30 * 1024);
    CHECK(html.size() <= 32 * 1024);
    CHECK(html.starts_with("<p>Name &gt; value<br>Name"));
    CHECK_THAT(html, Contains("The whole of it</a></p>"));
    CHECK(support::findings_in_html(html) == std::vector<std::string>());
}
