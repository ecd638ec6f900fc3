// SPDX-License-Identifier: MIT
#include "feed/safe_html.hpp"

#include <libxml/parser.h>
#include <random>
#include <string>

#include "base/text.hpp"
#include "feed/reference.hpp"
#include "support/catch.hpp"

using feed::plain_line;
using feed::plain_text;
using feed::safe_html;

namespace {

std::string safe(const std::string& html) { return safe_html(html, "http://x.org/dir/page"); }

bool is_xml(const std::string& html) {
    const auto document = "<x>" + html + "</x>";
    auto* parsed = xmlReadMemory(document.data(), static_cast<int>(document.size()), "", nullptr,
                                 XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (parsed) xmlFreeDoc(parsed);
    return parsed != nullptr;
}

}  // namespace

TEST_CASE("HTML keeps what an allow-list names") {
    CHECK(safe("<p>a <b>b</b> <em>c</em></p><ul><li>d</ul>") ==
          "<p>a <b>b</b> <em>c</em></p><ul><li>d</li></ul>");
    CHECK(safe("<a href='other' onclick='x()' style='x' class='y' id='z'>a</a>") ==
          "<a href=\"http://x.org/dir/other\" rel=\"nofollow noopener noreferrer\">a</a>");
    CHECK(safe("<img src=i.png alt='a \"b\"' width=10 height=20 onerror=x>") ==
          "<img src=\"http://x.org/dir/i.png\" alt=\"a &quot;b&quot;\" width=\"10\" "
          "height=\"20\" />");
    CHECK(safe("<table><tr><td colspan=2>x</table>") ==
          "<table><tr><td colspan=\"2\">x</td></tr></table>");
    CHECK(safe("<font color=red>a</font><blink>b</blink>") == "ab");
    CHECK(safe("a & b &lt;script&gt;") == "a &amp; b &lt;script&gt;");
    CHECK(safe("<a href='mailto:a@b.org'>m</a>") ==
          "<a href=\"mailto:a@b.org\" rel=\"nofollow noopener noreferrer\">m</a>");
}

TEST_CASE("What turns the direction of text is left out") {
    const std::string turned = "\u202Efdp.\u2066exe&#x202E;\u200F";
    CHECK(safe("<p title='" + turned + "'>" + turned + "</p>") ==
          "<p title=\"fdp.exe\">fdp.exe</p>");
    CHECK(safe("<img src=/ alt='" + turned + "'>") ==
          "<img src=\"http://x.org/\" alt=\"fdp.exe\" />");
    CHECK(safe("<video src='/%E2%80%AEa'></video>").ends_with(">a</a>"));
}

TEST_CASE("A link or image without a target is left out, whatever the feed's own address is") {
    const auto [html, result] = GENERATE(table<std::string, std::string>({
        {"<a>x</a> <a name=top>y</a> <a href>z</a> <a href=''>u</a> <a href=' '>v</a>",
         "x y z u v"},
        {"<a href='#top'>x</a>", "x"},
        {"<img><img src=''><img src=' ' alt=a><img src='#'>", ""},
        {"<img srcset='http://l.org/a.jpg 75w, b.jpg 2x'>",
         "<img src=\"http://l.org/a.jpg\" alt=\"\" />"},
        {"<img src='data:image/gif;base64,R0' data-src='/b.jpg'>",
         "<img src=\"http://x.org/b.jpg\" alt=\"\" />"},
        {"<a href=x>1<a>2</a>3",
         "<a href=\"http://x.org/dir/x\" rel=\"nofollow noopener noreferrer\">1</a>23"},
    }));
    CHECK(safe(html) == result);
}

TEST_CASE("A video, sound or frame leaves a link to it") {
    const auto [html, url, text] = GENERATE(table<std::string, std::string, std::string>({
        {"<video src=w.mp4><a href=w.mp4>film</a></video>", "http://x.org/dir/w.mp4", "w.mp4"},
        {"<video controls><source src='/a.webm'><source src=b></video>", "http://x.org/a.webm",
         "a.webm"},
        {"<audio><a href='/talk.mp3'>the talk</a></audio>", "http://x.org/talk.mp3", "talk.mp3"},
        {"<iframe src='https://v.org/e/1' title='A worm'><p>x</iframe>", "https://v.org/e/1",
         "A worm"},
        {"<object data='s.pdf'></object>", "http://x.org/dir/s.pdf", "s.pdf"},
        {"<embed src='//v.org/'>", "http://v.org/", "v.org"},
        {"<table><tr><td><iframe src=y></iframe></table>", "http://x.org/dir/y", "y"},
    }));
    const auto link =
        "<a href=\"" + url + "\" rel=\"nofollow noopener noreferrer\">" + text + "</a>";
    CHECK(safe(html).find(link) != std::string::npos);
    CHECK(feed::safe_and_plain(html, "http://x.org/dir/page").text == text);
    CHECK(safe("<iframe src=http://t.org/ width=1 height=1></iframe><video></video>") == "");
}

TEST_CASE("Formulas are read as their text, and marks of CDATA sections are not shown") {
    const auto [html, text] = GENERATE(table<std::string, std::string>({
        {"<math><mi>x</mi><mo>=</mo><semantics><mn>2</mn><annotation encoding='t'>\\x"
         "</annotation></semantics></math>",
         "x=2"},
        {"<![CDATA[<p>a</p>]]>b", "a\nb"},
        {"a<![CDATA[b", "ab"},
        {"<![CDATA[<![CDATA[x]]>", "x"},
    }));
    CHECK(plain_text(html) == text);
    CHECK(plain_text(safe(html)) == text);
}

TEST_CASE("What nobody sees makes no difference to plain text") {
    CHECK(plain_text("<p>cafe\u0301 &nbsp;x\u00A0</p>") == plain_text("<p>caf\u00E9 x</p>"));
    CHECK(plain_text("a\u202Fb\u200Bc&shy;d\u2003") == "a bcd");
    CHECK(feed::one_line("cafe\u0301\u00A0 x ") == "caf\u00E9 x");
    CHECK(plain_line("&#55357;&#56832; it&#146;s &#xD83D;") == "😀 it’s \uFFFD");
}

TEST_CASE("Images that only count readers are left out") {
    CHECK(safe("<img src='http://t.org/p.gif' width=1 height=1>") == "");
    CHECK(safe("<img width='0' src='http://t.org/p.gif'>") == "");
    CHECK(safe("<img src='data:image/gif;base64,xxxx'>") == "");
}

TEST_CASE("Nothing that runs, loads or hides survives, however it is written") {
    const std::string html = GENERATE(
        "<script>alert(1)</script>", "<SCRIPT SRC=http://x.org/x.js></SCRIPT>",
        "<scr<script>ipt>alert(1)</script>", "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>", "<a href='jav&#x09;ascript:alert(1)'>x</a>",
        "<a href='&#14; javascript:alert(1)'>x</a>", "<a href='JaVaScRiPt:alert(1)'>x</a>",
        "<a href='vbscript:x'>x</a>", "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
        "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<style>@import'http://x.org/x.css';</style>", "<link rel=stylesheet href=x.css>",
        "<base href='javascript:x'>",
        "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
        "<iframe src=javascript:alert(1)></iframe>", "<object data=x></object>", "<embed src=x>",
        "<form action=x><input name=y><button>z</button></form>",
        "<p style='background:url(javascript:x)'>a</p>",
        "<div style=\"width:expression(alert(1))\">a</div>", "<img srcset='x.png 1x'>",
        "<video src=x onerror=alert(1)></video>", "<!--><img src=x onerror=alert(1)>-->",
        "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
        "<title><img src=x onerror=alert(1)></title>",
        "<template><script>alert(1)</script></template>",
        "<textarea><img src=x onerror=alert(1)></textarea>",
        "<xmp><script>alert(1)</script></xmp>", "<plaintext><script>alert(1)</script>",
        "<a href=\"x\" title='\"><script>alert(1)</script>'>y</a>",
        "<<script>alert(1);//<</script>", "<img \"\"\"><script>alert(1)</script>\">",
        "<body onload=alert(1)>", "<input type=image src=javascript:x>");
    const auto result = safe(html);
    INFO(html << "\n" << result);
    // Only what is written as a tag or an attribute matters: text may say anything.
    for (const auto* bad :
         {"<script",     "<style",     "<svg",        "<math",     "<iframe",    "<object",
          "<embed",      "<form",      "<input",      "<meta",     "<link",      "<base",
          "<template",   "<video",     "<noscript",   "<title",    "<textarea",  "<body",
          " onerror=\"", " onload=\"", " onclick=\"", " style=\"", " srcset=\"", "href=\"j",
          "href=\"v",    "href=\"d",   "src=\"j",     "src=\"d"})
        CHECK(result.find(bad) == std::string::npos);
    CHECK(is_xml(result));
    CHECK(safe(result) == result);
}

TEST_CASE("Deep, long and endless HTML takes little time and no more room than is given") {
    const std::string bytes = GENERATE(
        "<div>", "<b>", "<table><tr><td>", "<a href=x>", "<svg>", "<p><ul><li>", "</p>", "<",
        "&amp;", "<!--", "<font>", "<div></x>", "<svg></p>", "<li><dd>", "<p><b>x",
        "<div><!--</div>-->", "<div title='</div>'>", "<div><table><td></div>", "<a b='");
    std::string html;
    while (html.size() < 120'000) html += bytes;
    const auto result = safe_html(html + "end", "", 10'000);
    CHECK(result.size() <= 10'000);
    CHECK(is_xml(result));
    CHECK(plain_text(html + "end").size() <= 100'000);
}

TEST_CASE("Elements that a browser would open again and again are ended once") {
    std::string open = "<div>", attributes, cells = "<svg>";
    for (int i = 0; i < 900; ++i) open += "<b title=" + std::to_string(i) + ">";
    for (int i = 0; i < 100'000; ++i) {
        attributes += " a" + std::to_string(i) + "=1";
        cells += "<td>";
    }
    std::string paragraphs;
    while (paragraphs.size() < 300'000) paragraphs += "<p>x";
    CHECK(plain_text(open + "</div>" + paragraphs).starts_with("x\nx\n"));
    CHECK(plain_text("<p>" + open.substr(5) + paragraphs).starts_with("x\nx\n"));
    CHECK(safe("<p" + attributes + ">x") == "<p>x</p>");
    CHECK(safe("a" + cells) == "a");
}

TEST_CASE("HTML that has been made safe stays as it is, and says the same") {
    const std::string html = GENERATE(
        "<pre>\n\n x\n</pre>", "<h1><section><h2>x</h2></section></h1>", "<p><marquee><p>x",
        "<li><section><li>x", "<a href=a>1<marquee><a href=b>2", "a&#13;b&#13;<table>&#13;",
        "<dd><table><i>x</i><dd>y", "<table><b>x<tr>y<td>z</table>", "<p><table><td><p>x",
        "<b><i>x</b>y</i>", "<p><b>a<p>b</b>c", "<a title='\"><b>'href=x>y</a>", "x<a href='y",
        "<svg/>x<svg><p>y</svg>z", "<ul><li>a<ul><li>b</ul><li>c</ul>", "</br>x<br/>y</p>z",
        "<dl><dt>a<dd>b<p>c<dt>d</dl>", "<option>x<select><option>y</select>z", "</><?x><!y>z");
    const auto result = safe(html);
    INFO(html << "\n" << result);
    CHECK(is_xml(result));
    CHECK(safe(result) == result);
    CHECK(plain_text(result) == plain_text(html));
}

TEST_CASE("Any order of tags gives well-formed HTML that stays as it is") {
    const auto pieces = base::split(
        "<p>|<b title='a\"<'>|<a href=x>|<div/>|<table>|<tr>|<td>|<ul>|<li>|<dd>|<h1>|"
        "<section>|<pre>|<br>|<select>|<svg>|<style>|<caption>|</p>|</b>|</a>|</div>|"
        "</table>|</td>|</ul>|</h1>|\n|x|&lt;|</svg>|<!--|-->|'|<",
        '|');
    std::minstd_rand random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same texts each time
    for (int round = 0; round < 2000; ++round) {
        std::string html;
        for (int i = 0; i < 12; ++i) html += pieces[random() % pieces.size()];
        const auto result = safe(html);
        INFO(html << "\n" << result);
        REQUIRE(is_xml(result));
        REQUIRE(safe(result) == result);
        REQUIRE(plain_text(result) == plain_text(html));
    }
}

TEST_CASE("What does not fit is left out, and all elements are closed") {
    const auto result = safe_html("<p><b>" + std::string(200, 'x') + "&amp;" +
                                      std::string(200, 'y') + "</b></p><p>z</p>",
                                  "", 100);
    CHECK(result.size() <= 100);
    CHECK(result.ends_with("x</b></p>"));
    CHECK(safe_html(std::string(1000, '"'), "", 100).size() <= 100);
}

TEST_CASE("Plain text has one blank between words and one line break between paragraphs") {
    CHECK(plain_text("Caf&eacute; <b>open</b>") == "Caf\xC3\xA9 open");
    CHECK(plain_text("<p>a\n  b</p>\n\n<p>c<br>d</p><ul><li>e<li>f</ul>") == "a b\nc\nd\ne\nf");
    CHECK(plain_text("a<script>x</script>b<style>y</style>") == "ab");
    CHECK(plain_text("<section>a</section><center>b</center><form>c</form>") == "a\nb\nc");
    CHECK(plain_line(" <p>a</p><p>b</p> ") == "a b");
    CHECK(plain_line("plain   text\n") == "plain text");
    CHECK(plain_line("\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9");
}

TEST_CASE("References become absolute URLs, or nothing") {
    const auto [reference, url] = GENERATE(table<std::string, std::string>({
        {"other", "http://x.org/dir/other"},
        {"../up", "http://x.org/up"},
        {"/root?a=1&b=2#c", "http://x.org/root?a=1&b=2#c"},
        {"//y.org/z", "http://y.org/z"},
        {"?q", "http://x.org/dir/page?q"},
        {"HTTPS://Y.org", "https://y.org/"},
        {" http://y.org/a b\n", "http://y.org/a%20b"},
        {"http://y.org/\xC3\xA9", "http://y.org/%C3%A9"},
        {"http://y.org/100%", "http://y.org/100%25"},
        {"ftp://y.org/", ""},
        {"javascript:x", ""},
        {"http://", ""},
        {"http://bücher.example/würmer", "http://xn--bcher-kva.example/w%C3%BCrmer"},
        {"http://B%C3%BCcher.example:8080/", "http://xn--bcher-kva.example:8080/"},
        {"//日本語.example", "http://xn--wgv71a119e.example/"},
        {"http://\xFF.example/", ""},
        {"http://a b, \"ü.example/", ""},
        {"http://u@ü.example/", ""},
        {"http://ü.example:<8/", "http://xn--tda.example:%3c8/"},
        {"http:///x", ""},
        {"http:x", ""},
    }));
    INFO(reference);
    CHECK(feed::resolve_reference("http://x.org/dir/page", reference) == url);
    // A blank of the host stays encoded.
    CHECK(feed::resolve_reference("http://x%20y.org/", "/z") == "http://x%20y.org/z");
    CHECK(feed::resolve_reference("", "relative") == "");
    CHECK(feed::resolve_reference("", "http://y.org/" + std::string(3000, 'x')) == "");
}

TEST_CASE("Both readings of a HTML that is parsed once are those of either function") {
    const auto* html = GENERATE("", "a  b", "a & b < c", "<p>One</p><p>two &amp; <b>three</b>",
                                "<script>x</script>", "<a href=\"/x\">link</a>\xff");
    const std::string base = "http://x.org/y";
    const auto both = feed::safe_and_plain(html, base, 20);
    CHECK(both.html == feed::safe_html(html, base, 20));
    CHECK(both.text == feed::plain_text(html, 20));
}
