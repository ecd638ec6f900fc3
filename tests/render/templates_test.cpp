// SPDX-License-Identifier: MIT
#include <fstream>
#include <iterator>
#include <rapidcheck.h>

#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "render/template_tables.hpp"
#include "render/templates.hpp"
#include "support/catch.hpp"

using render::Templates;

namespace {

std::string refusal_of(const std::string& file, const std::string& text) {
    const auto templates = Templates::make({{file, text}});
    if (templates) return {};
    CHECK(templates.error().kind == base::Kind::malformed);
    return templates.error().text;
}

}  // namespace

TEST_CASE("the templates that are compiled in pass their own check") {
    const auto templates = Templates::make();
    INFO((templates ? std::string() : templates.error().text));
    REQUIRE(templates);
    CHECK(templates->digest().size() == 32);
    CHECK(templates->file("style.css").size() > 1);
}

TEST_CASE("a template that its page can't fill is refused, with file, line and name") {
    const auto error = [](const std::string& text) { return refusal_of("error.mustache", text); };
    CHECK(error("<p>\n{{nothing}}</p>") == "error.mustache:2: there is no variable \"nothing\"");
    CHECK(error("{{#nothing}}{{/nothing}}") ==
          "error.mustache:1: there is no section \"nothing\"");
    CHECK(error("\n{{> nothing}}") == "error.mustache:2: there is no partial \"nothing\" here");
    CHECK(error("{{feeds}}") == "error.mustache:1: \"feeds\" is a section, not a variable");
    CHECK(error("{{feed_url}}") == "error.mustache:1: there is no variable \"feed_url\"");
    CHECK(error("{{.}}") == "error.mustache:1: there is no variable \".\"");
    CHECK(error("{{}}") == "error.mustache:1: there is no variable \"\"");
    CHECK(error("{{=<% %>=}}") ==
          "error.mustache:1: tags that set delimiters are not known here");
    CHECK(error("{{{= <% %> =}}}") ==
          "error.mustache:1: tags that set delimiters are not known here");
}

TEST_CASE("a template with a tag or section that is not ended is refused") {
    const auto error = [](const std::string& text) { return refusal_of("error.mustache", text); };
    CHECK(error("\n\n{{status") == "error.mustache:3: {{ is not ended");
    CHECK(error("{{") == "error.mustache:1: {{ is not ended");
    CHECK(error("{{{") == "error.mustache:1: {{ is not ended");
    CHECK(error("{{#status}}\n") == "error.mustache:1: \"status\" is not ended");
    CHECK(error("{{^status}}\n") == "error.mustache:1: \"status\" is not ended");
    CHECK(error("a\n{{/status}}") ==
          "error.mustache:2: \"status\" is ended here, and does not stand open");
    CHECK(error("{{#status}}{{#reason}}{{/status}}{{/reason}}") ==
          "error.mustache:1: \"status\" is ended here, and does not stand open");
    CHECK(error("<p class=\"") == "error.mustache: ends inside of a tag");
    CHECK(error("<script>") == "error.mustache: ends inside of a tag");
}

TEST_CASE("what comes from data may stand where it is text, and nowhere else") {
    const auto refused = [](const std::string& text) {
        return !refusal_of("error.mustache", text).empty();
    };
    const std::vector<std::string> bad = {
        "{{{reason}}}",
        "{{&reason}}",
        "<script>{{reason}}</script>",
        "<script>let a = '<p>{{reason}}';</script>",
        "<style>{{reason}}</style>",
        "<STYLE >{{reason}}</style>",
        "<noscript>{{reason}}</noscript>",
        "<p {{reason}}>",
        "<p class={{reason}}>",
        "<p class= {{reason}}>",
        "<{{reason}}>",
        "<p onclick=\"{{reason}}\">",
        "<p ONCLICK='{{home_url}}'>",
        "<p style=\"{{reason}}\">",
        "<a href=\"{{reason}}\">",
        "<a href='https://x.org/{{reason}}'>",
        "<form action=\"{{reason}}\">",
        "<img srcset=\"{{home_url}}\">",
        "<meta http-equiv=\"refresh\" content=\"0;{{reason}}\">",
        "<p {{> search}}>",
        "{{#reason}}<p class=\"{{/reason}}\">",
        "{{#reason}}<script>{{/reason}}</script>",
        "<!-- {{reason}} -->",
        "<p onclick = \"> {{reason}}\">",
        "<p onclick\n=\n'{{reason}}'>",
        "<p/onclick='{{reason}}'>",
        "<p title onclick='{{reason}}'>",
        "<p title=a onclick='{{reason}}'>",
        "< <p {{reason}}>",
        "<!--><script>{{reason}}</script> -->"};
    for (const auto& text : bad) {
        CAPTURE(text);
        CHECK(refused(text));
    }
    const std::vector<std::string> good = {
        "",
        "{{reason}}",
        "{{ reason }}\n",
        "<p class=\"{{reason}}\">",
        "<p class='{{reason}}'>",
        "<p title = \"a {{reason}} b\" lang=en>{{explanation}}</p>",
        "{{! {{ }}",
        "<a href=\"{{home_url}}?x=1\">{{home_url}}</a>",
        "<p data-x=\"{{reason}}\">",
        "<p {{#reason}}class=\"x\"{{/reason}}>",
        "{{^reason}}<p>{{/reason}}",
        "a < b {{reason}}<br/>",
        "<!-- > --><b>{{reason}}</b>",
        "<script>1</script>{{reason}}",
        "{{#feeds}}{{feed_title}} {{status}}{{/feeds}}",
        "{{> search}}"};
    for (const auto& text : good) {
        CAPTURE(text);
        CHECK(refusal_of("error.mustache", text).empty());
    }
}

TEST_CASE("own texts take the place of those that are compiled in, and change the digest") {
    const auto own = Templates::make({{"error.mustache", "<h1>Oh: {{reason}}</h1>"},
                                      {"style.css", "body {}"},
                                      {"search.mustache", "<p>{{home_url}}</p>"}});
    REQUIRE(own);
    CHECK(own->file("style.css") == "body {}");
    CHECK(own->digest() != Templates::make().value().digest());
    CHECK(own->digest() == Templates(*own).digest());
    const auto page = render::error_page(404, "Not <Found>", "", sample::site(), *own);
    CHECK(page.find("<h1>Oh: Not &lt;Found&gt;</h1>") != std::string::npos);
}

TEST_CASE("a partial is checked as part of each page, and holds none itself") {
    CHECK(refusal_of("search.mustache", "<p>\n{{label}}</p>") ==
          "search.mustache:2: there is no variable \"label\"");
    CHECK(refusal_of("search.mustache", "{{> search}}") ==
          "search.mustache:1: there is no partial \"search\" here");
    CHECK(refusal_of("search.mustache", "<p class=\"") ==
          "search.mustache: ends inside of a tag");
}

TEST_CASE("a file that is no template of ours is refused") {
    CHECK(refusal_of("hystory.mustache", "") ==
          "hystory.mustache: there is no template of this name");
}

TEST_CASE("a template may use every variable of its page") {
    for (const auto& page : render::page_templates()) {
        std::string all;
        for (const auto& known : page.known) {
            const bool in_section = !known.in.empty();
            if (known.is == render::Is::html) all += "{{{" + std::string(known.name) + "}}}";
            if (known.is != render::Is::html && known.is != render::Is::section && !in_section)
                all += "{{" + std::string(known.name) + "}}";
        }
        CAPTURE(page.file);
        CHECK(refusal_of(std::string(page.file), all).empty());
    }
}

TEST_CASE("any text is refused as a template or filled in") {
    const std::vector<std::string> pieces = {
        "{{reason}}",  "{{{",        "}}}",        "{{",  "}}",   "{{#reason}}",
        "{{/reason}}", "{{^feeds}}", "{{/feeds}}", "{{!", "{{>",  "search",
        "{{=",         "<p ",        "class=",     "\"",  "'",    ">",
        "<script>",    "</script>",  "<!--",       "-->", "=",    " ",
        "href=",       "/",          "\n",         "x",   "\xFF", "{{home_url}}"};
    CHECK(rc::check([&] {
        const auto chosen =
            *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces));
        std::string text;
        for (const auto& piece : chosen) text += piece;
        const auto templates = Templates::make({{"error.mustache", text}});
        if (!templates) return RC_ASSERT(!templates.error().text.empty());
        const auto page = render::error_page(404, "R", "E", sample::site(), *templates);
        RC_ASSERT(page.starts_with("<!DOCTYPE html>"));
    }));
}

TEST_CASE("docs/templates.md tells operators of every variable") {
    std::ifstream in("docs/templates.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto section = [&text](std::string_view heading) {
        const auto from = text.find("### " + std::string(heading));
        return from == std::string::npos ? std::string()
                                         : text.substr(from, text.find("\n### ", from) - from);
    };
    const auto tells = [&](std::string_view heading, const render::Known& known) {
        CAPTURE(heading, known.name);
        CHECK(section(heading).find("`" + std::string(known.name) + "`") != std::string::npos);
    };
    for (const auto& known : render::known_everywhere()) tells("Every template", known);
    for (const auto& page : render::page_templates())
        for (const auto& known : page.known) tells(page.file, known);
}
