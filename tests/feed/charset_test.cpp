// SPDX-License-Identifier: MIT
#include "feed/charset.hpp"

#include <string>

#include "base/utf8.hpp"
#include "support/catch.hpp"

using namespace std::string_literals;
using feed::decode_text;
using feed::mend_xml;

namespace {

const std::string utf16_le = "\xFF\xFE<\0a\0>\0\xE9\0<\0/\0a\0>\0"s,
                  utf16_be = "\xFE\xFF\0<\0a\0>\0\xE9\0<\0/\0a\0>"s;
const std::string utf32_le = "\xFF\xFE\0\0<\0\0\0a\0\0\0>\0\0\0\xE9\0\0\0"s;

std::string xml_in(const std::string& encoding, const std::string& text) {
    return "<?xml version='1.0' encoding='" + encoding + "'?><a>" + text + "</a>";
}

}  // namespace

TEST_CASE("A byte order mark decides, then HTTP, then the XML declaration, then the bytes") {
    CHECK(decode_text("\xEF\xBB\xBF<a>\xC3\xA9</a>", "text/xml; charset=iso-8859-2").text ==
          "<a>\xC3\xA9</a>");
    CHECK(decode_text("<a>\xB1</a>", "text/xml; charset=\"ISO-8859-2\"").text ==
          "<a>\xC4\x85</a>");
    CHECK(decode_text(xml_in("koi8-r", "\xC1"), "text/xml; charset=iso-8859-5")
              .text.find("\xD0\xA1") != std::string::npos);
    CHECK(decode_text(xml_in("koi8-r", "\xC1"), "text/xml").text.find("\xD0\xB0") !=
          std::string::npos);
    CHECK(decode_text(xml_in("shift_jis", "\x83\x65"), "").text.find("\xE3\x83\x86") !=
          std::string::npos);
    CHECK(decode_text("<a>caf\xC3\xA9</a>", "").text == "<a>caf\xC3\xA9</a>");
}

TEST_CASE("UTF-16 and UTF-32 are read with and without a byte order mark, whatever is declared") {
    CHECK(decode_text(utf16_le, "").text == "<a>\xC3\xA9</a>");
    CHECK(decode_text(utf16_be, "text/xml; charset=utf-8").text == "<a>\xC3\xA9</a>");
    CHECK(decode_text(utf16_le.substr(2), "").text == "<a>\xC3\xA9</a>");
    CHECK(decode_text(utf16_be.substr(2), "").text == "<a>\xC3\xA9</a>");
    CHECK(decode_text(utf32_le, "").text == "<a>\xC3\xA9");
    CHECK(decode_text(utf32_le.substr(4), "").text == "<a>\xC3\xA9");
    CHECK(decode_text(xml_in("utf-16", "\xC3\xA9"), "").text.find("\xC3\xA9") !=
          std::string::npos);
}

TEST_CASE("Windows-1252 is found where ISO-8859-1, ASCII or UTF-8 is declared") {
    const auto* declared = GENERATE("iso-8859-1", "us-ascii", "ANSI_X3.4-1968", "utf-8", "latin1",
                                    "windows-1252", "no-such-charset");
    const auto decoded = decode_text(xml_in(declared, "\x93smart\x94 \x96 \x80"), "");
    INFO(declared);
    CHECK(decoded.text.find("\xE2\x80\x9Csmart\xE2\x80\x9D \xE2\x80\x93 \xE2\x82\xAC") !=
          std::string::npos);
    CHECK(decoded.charset == "windows-1252");
    CHECK(decoded.replaced == 0);
}

TEST_CASE("UTF-8 that is declared as another charset of single bytes is UTF-8") {
    CHECK(decode_text(xml_in("iso-8859-1", "caf\xC3\xA9"), "").charset == "utf-8");
    CHECK(decode_text(xml_in("windows-1251", "caf\xC3\xA9"), "").text.find("caf\xC3\xA9") !=
          std::string::npos);
}

TEST_CASE("A few wrong bytes in UTF-8 do not spoil the rest") {
    const auto decoded =
        decode_text("<a>caf\xC3\xA9 na\xC3\xAFve \x92quoted\x92 \xC3\xBC</a>", "");
    CHECK(decoded.text ==
          "<a>caf\xC3\xA9 na\xC3\xAFve \xE2\x80\x99quoted\xE2\x80\x99 \xC3\xBC</a>");
}

TEST_CASE("UTF-8 that was encoded twice is decoded twice, and a right text once") {
    CHECK(decode_text("<a>caf\xC3\x83\xC2\xA9 \xC3\xA2\xE2\x82\xAC\xE2\x84\xA2</a>", "").text ==
          "<a>caf\xC3\xA9 \xE2\x80\x99</a>");
    const auto* right = GENERATE("<a>\xC3\x83o \xC3\xA9</a>", "<a>\xC3\xA2ge</a>",
                                 "<a>na\xC3\xAFve \xC3\x82ngela</a>");
    CHECK(decode_text(right, "").text == right);
}

TEST_CASE("What no charset explains becomes U+FFFD and is counted") {
    const auto decoded = decode_text(xml_in("shift_jis", "a\xFF\xFF"), "");
    CHECK(decoded.replaced == 2);
    CHECK(base::is_legal_text(decoded.text));
    CHECK(decode_text("\xFF\xFE"
                      "a\0\0\xD8"s,
                      "")
              .replaced == 1);
}

TEST_CASE("Characters of UTF-8 that are cut off become U+FFFD, and the others stay") {
    const auto decoded = decode_text("<a>caf\xC3\xA9 it\xE2\x80</a> <a>\xF0\x9F\x98</a>", "");
    CHECK(decoded.text == "<a>caf\xC3\xA9 it\xEF\xBF\xBD</a> <a>\xEF\xBF\xBD</a>");
    CHECK(decoded.charset == "utf-8");
    CHECK(decoded.replaced == 2);
}

TEST_CASE("UTF-7, and names that are no charset of the web, are not used") {
    const auto* charset = GENERATE("utf-7", "hz-gb-2312", "../../etc/passwd", "utf-8//IGNORE", "",
                                   "UTF-7-IMAP", "WCHAR_T", "INTERNAL", "IBM037", "UCS-4");
    CHECK(decode_text("<a>+ADw-script+AD4-</a>", "text/xml; charset="s + charset).text ==
          "<a>+ADw-script+AD4-</a>");
}

TEST_CASE("Every text that comes out is legal") {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    const auto* charset =
        GENERATE("", "utf-8", "iso-8859-1", "utf-16", "gb18030", "big5", "euc-jp", "iso-2022-jp");
    CHECK(base::is_legal_text(decode_text(bytes, "text/xml; charset="s + charset).text));
}

TEST_CASE("XML that is none is mended") {
    const auto [written, mended] = GENERATE(table<std::string, std::string>({
        {"junk <?xml version='1.0'?><a/>", "<a/>"},
        {"\n\n<?xml version='1.0'?><a/>", "<a/>"},
        {"<a>AT&T</a>", "<a>AT&amp;T</a>"},
        {"<a href='?x=1&y=2'/>", "<a href='?x=1&amp;y=2'/>"},
        {"<a>&nbsp;&eacute;&amp;&lt;</a>", "<a>\xC2\xA0\xC3\xA9&amp;&lt;</a>"},
        {"<a>&nosuch;</a>", "<a>&amp;nosuch;</a>"},
        {"<a>&#146;&#x92;</a>", "<a>\xE2\x80\x99\xE2\x80\x99</a>"},
        {"<a>&#0;&#x1F;&#xFFFE;&#xD800;</a>", "<a></a>"},
        {"<a>&#38;&#60;</a>", "<a>&#38;&#60;</a>"},
        {"<a>&#99999999999;&#xZZ;&#;</a>", "<a>&amp;#99999999999;&amp;#xZZ;&amp;#;</a>"},
        {"<a>1 < 2</a>", "<a>1 &lt; 2</a>"},
        {"<a><![CDATA[AT&T <b>]]></a>", "<a><![CDATA[AT&T <b>]]></a>"},
        {"<a><![CDATA[open</a>", "<a>open</a>"},
        {"<a><!-- a & b --></a>", "<a></a>"},
        {"<!DOCTYPE a [<!ENTITY x \"]>\"><!ENTITY y SYSTEM 'file:///etc/passwd'>]><a>&x;&y;</a>",
         "<a>&amp;x;&amp;y;</a>"},
        {"<!DOCTYPE rss PUBLIC \"-//Netscape//DTD RSS 0.91//EN\" \"http://x/y.dtd\"><rss/>",
         "<rss/>"},
        {"<a><?php echo '</a>'; ?></a>", "<a></a>"},
        {"<br /><b>Warning</b>: x<br />\n<?xml version='1.0'?><a/>", "<a/>"},
        {"<html><?xml version='1.0'?><a/></html>", "<html><a/></html>"},
        {"<!DOCTYPE a [<!-- don't --><?x ]>?><!ENTITY x 'y'>]><a/>", "<a/>"},
        {"<a><b>x</a>", "<a><b>x</b></a>"},
        {"<a>x</b></a>", "<a>x</a>"},
        {"<a><b><i>x</b></i></a>", "<a><b><i>x</i></b></a>"},
        {"<A>x</a >", "<A>x</A>"},
        {"<a>x<br>y<IMG src='a>b'></br></a>", "<a>x<br/>y<IMG src='a>b'/></a>"},
        {"<a b='>'/>", "<a b='>'/>"},
        {"<a>x <b y <c/></a>", "<a>x &lt;b y <c/></a>"},
        {"<a><b c='d", "<a>"},
        {"<a b=c d=\"e\" f=g&h/>", "<a b=\"c\" d=\"e\" f=\"g&amp;h\"/>"},
        {"<a><img src=x alt=b></a>", "<a><img src=\"x\" alt=\"b\"/></a>"},
        {"<a><![CDATA[<?xml version='1.0'?>]]></a>", "<a><![CDATA[<?xml version='1.0'?>]]></a>"},
        {"<!DOCTYPE a [ <!ENTITY x 'y'> <a>b</a>", " <a>b</a>"},
    }));
    INFO(written);
    CHECK(mend_xml(written).text == mended);
}

TEST_CASE("A tag with so many attributes that a parser would take minutes is left out") {
    std::string tag = "<a";
    for (int i = 0; i < 100'000; ++i) tag += " a" + std::to_string(i) + "=''";
    CHECK(mend_xml("<x>" + tag + ">text</x>").text == "<x>text</x>");
}
