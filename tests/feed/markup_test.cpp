// SPDX-License-Identifier: MIT
#include "feed/markup.hpp"

#include <string>

#include "base/text.hpp"
#include "support/catch.hpp"

namespace {

// Returns the tokens of a text, as tags and escaped text.
std::string read(const std::string& xml) {
    std::string tokens;
    feed::XmlTokens reader(xml);
    for (auto token = reader.next(); token; token = reader.next()) {
        using Kind = feed::XmlToken::Kind;
        if (token->kind == Kind::declaration) tokens += "<?>";
        if (token->kind == Kind::text) tokens += base::escape_html(token->text);
        if (token->kind == Kind::end) tokens.append("</").append(token->tag.name).append(">");
        if (token->kind != Kind::start) continue;
        tokens.append("<").append(token->tag.name);
        for (const auto& attribute : token->tag.attributes)
            tokens.append(" ").append(attribute.name) +=
                "='" + token->tag.value(attribute.name) + "'";
        tokens += token->tag.is_empty ? "/>" : ">";
    }
    return tokens;
}

}  // namespace

TEST_CASE("XML that is none is read as its author meant it") {
    const auto [written, tokens] = GENERATE(table<std::string, std::string>({
        {"<?xml version='1.0'?><a/>", "<?><a/>"},
        {"<b>W</b>: x<?xml version='1.0'?><a/>", "<b>W</b>: x<?><a/>"},
        {"<?xml version='1.0'?><?xml version='1.0'?>", "<?>"},
        {"<a>AT&T</a>", "<a>AT&amp;T</a>"},
        {"<a href='?x=1&y=2'/>", "<a href='?x=1&y=2'/>"},
        {"<a>&nbsp;&eacute;&amp;&lt;</a>", "<a>\xC2\xA0\xC3\xA9&amp;&lt;</a>"},
        {"<a>&nosuch;</a>", "<a>&amp;nosuch;</a>"},
        {"<a>&#146;&#x92;</a>", "<a>\xE2\x80\x99\xE2\x80\x99</a>"},
        {"<a>&#0;&#x1F;&#xFFFE;</a>", "<a></a>"},
        {"<a>&#38;&#60;&#X26;&#x110000;</a>", "<a>&amp;&lt;&amp;\uFFFD</a>"},
        {"<a>&#55357;&#56832;&#xd83d;&#XDE00; &#xD83D; &#xDE00;</a>",
         "<a>😀😀 \uFFFD \uFFFD</a>"},
        {"<a>&#99999999999;&#xZZ;&#;</a>", "<a>&amp;#99999999999;&amp;#xZZ;&amp;#;</a>"},
        {"<a>1 < 2</a>", "<a>1 &lt; 2</a>"},
        {"<a>1\r\n2\r&#13;\n<![CDATA[\r\n]]></a>", "<a>1\n2\n\n\n</a>"},
        {"<a><![CDATA[AT&T <b>]]></a>", "<a>AT&amp;T &lt;b&gt;</a>"},
        {"<a><![CDATA[open</a>", "<a>open</a>"},
        {"<a><!-- a & b --></a>", "<a></a>"},
        {"<!DOCTYPE a [<!ENTITY x \"]>\"><!ENTITY y SYSTEM 'file:///etc/passwd'>]><a>&x;&y;</a>",
         "]&gt;<a>&amp;x;&amp;y;</a>"},
        {"<!DOCTYPE rss PUBLIC \"-//Netscape//DTD RSS 0.91//EN\" \"http://x/y.dtd\"><rss/>",
         "<rss/>"},
        {"<a><?php echo '</a>'; ?></a>", "<a></a>"},
        {"<! don't do that ><a b='c'/>", "<a b='c'/>"},
        {"<a>b<!-- c<? d</a>", "<a>b c d</a>"},
        {"<A>x</a >", "<A>x</a>"},
        {"<a>x<IMG src='a>b'></a>", "<a>x<IMG src='a>b'></a>"},
        {"<a b='>'/>", "<a b='>'/>"},
        {"<a>x <b y <c/></a>", "<a>x &lt;b y <c/></a>"},
        {"<a><b c='d", "<a>"},
        {"<a>x</a<b>", "<a>x</a><b>"},
        {"<a b=c d=\"e\" f=g&h/>", "<a b='c' d='e' f='g&h'/>"},
        {"<a><![CDATA[<?xml version='1.0'?>]]></a>",
         "<a>&lt;?xml version=&#39;1.0&#39;?&gt;</a>"},
        {"<!DOCTYPE a [ <!ENTITY x 'y'> <a>b</a>", " <a>b</a>"},
        {"<", "&lt;"},
        {"</", "</>"},
    }));
    INFO(written);
    CHECK(read(written) == tokens);
}

TEST_CASE("Of the attributes of a tag the first hundred are kept") {
    std::string written = "<a", kept = "<a";
    for (int i = 0; i < 1000; ++i) {
        const auto attribute = " a" + std::to_string(i) + "='='";
        written += attribute;
        if (i < 100) kept += attribute;
    }
    CHECK(read(written + ">b</a>") == kept + ">b</a>");
}

TEST_CASE("An attribute is found by its name with a prefix or without") {
    const auto tag =
        feed::tag_at("<a xmlns:href='n' xml:base='b' x:href='1' HREF='2' c='&eacute;&lt;'>", 1);
    REQUIRE(tag);
    CHECK(tag->value("href") == "1");
    CHECK(tag->value("x:href") == "1");
    CHECK(tag->value("xml:base") == "b");
    CHECK(tag->value("c") == "é<");
    CHECK(tag->value("c", 3) == "&ea");
    CHECK(tag->value("none").empty());
}
