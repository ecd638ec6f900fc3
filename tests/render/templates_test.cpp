// SPDX-License-Identifier: MIT
#include <fstream>
#include <iterator>
#include <rapidcheck.h>

#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "render/templates.hpp"
#include "render/variables.hpp"
#include "support/catch.hpp"

using render::Templates;

namespace {

std::string refusal_of(const std::string& file, const std::string& text) {
    const auto templates = Templates::make({{file, text}});
    if (templates) return {};
    CHECK(templates.error().kind == base::ErrorKind::malformed);
    return templates.error().text;
}

}  // namespace

TEST_CASE("A template with a variable that no page has is refused, with file and line") {
    const auto error = [](const std::string& text) { return refusal_of("error.mustache", text); };
    CHECK(error("<p>\n{{nothing}}</p>") == "error.mustache:2: there is no variable \"nothing\"");
    CHECK(error("{{{nothing}}}") == "error.mustache:1: there is no variable \"nothing\"");
    CHECK(error("{{#nothing}}{{/nothing}}") ==
          "error.mustache:1: there is no variable \"nothing\"");
    CHECK(error("{{value of label}}") ==
          "error.mustache:1: there is no variable \"value of label\"");
    CHECK(error("{{.}}") == "error.mustache:1: there is no variable \".\"");
    CHECK(error("{{}}") == "error.mustache:1: there is no variable \"\"");
    CHECK(error("\n{{> nothing}}") == "error.mustache:2: there is no partial \"nothing\"");
    CHECK(error("{{=<% %>=}}") == "error.mustache:1: set-delimiter tags are not supported");
    CHECK(error("{{{= <% %> =}}}") == "error.mustache:1: set-delimiter tags are not supported");
}

TEST_CASE("A template with a tag or section that is never closed is refused") {
    const auto error = [](const std::string& text) { return refusal_of("error.mustache", text); };
    for (const std::string text :
         {"\n\n{{status", "{{", "{{{", "{{{status}}", "{{#status}}\n", "{{^status}}\n",
          "a\n{{/status}}", "{{#status}}{{#reason}}{{/status}}{{/reason}}"})
        CHECK(error(text).starts_with("error.mustache: "));
}

TEST_CASE("An operator may write any HTML around the variables") {
    for (const std::string text :
         {"", "{{ reason }}\n", "{{{reason}}}", "{{! {{ }}", "<p onclick=\"{{reason}}\">",
          "<script>const reason = \"{{reason}}\";</script>", "a < b {{reason}}<br/>",
          "{{#feeds}}{{feed_title}} {{status}}{{/feeds}}", "{{> search}}"}) {
        CAPTURE(text);
        CHECK(refusal_of("error.mustache", text).empty());
    }
}

TEST_CASE("Only where an element can be, a template isolates what turns the direction of text") {
    const auto templates = Templates::make(
        {{"error.mustache",
          "{{text}} <input value=\"{{ text }}\">{{#choices}}<b title=\"{{text}}\">"
          "<input value=\"{{text}}\"><TITLE>a {{reason}}</title><p>{{reason}}{{/choices}}{{!"
          "<input value=\"{{! text}}"}});
    REQUIRE(templates);
    const std::string turned = "a\u202E\"b", outer = "x\u202Ey";
    render::Variables choice;
    choice.set("text", turned);
    render::Variables variables;
    variables.set("text", outer);
    variables.set("reason", outer);
    variables.list("choices", {choice});
    CHECK(
        templates->fill("error.mustache", variables) ==
        "<bdi>x\u202Ey\u202C</bdi> <input value=\"x\u202Ey\"><b title=\"a\u202E&quot;b\">"
        "<input value=\"a\u202E&quot;b\"><TITLE>a x\u202Ey</title><p><bdi>x\u202Ey\u202C</bdi>");
}

TEST_CASE("The operator's texts replace the built-in ones and change the digest") {
    const auto own = Templates::make({{"error.mustache", "<h1>Oh: {{reason}}</h1>"},
                                      {"style.css", "body {}"},
                                      {"search.mustache", "<p>{{home_url}}</p>"}});
    REQUIRE(own);
    CHECK(own->file("style.css") == "body {}");
    CHECK(own->digest() != Templates::make().value().digest());
    CHECK(own->digest() == Templates(*own).digest());
    const auto page =
        render::error_page(404, "Not <Found>", "", render::PageSite(sample::site()), *own);
    CHECK(page.find("<h1>Oh: Not &lt;Found&gt;</h1>") != std::string::npos);
}

TEST_CASE("A partial is checked and cannot include another one") {
    CHECK(refusal_of("search.mustache", "<p>\n{{lable}}</p>") ==
          "search.mustache:2: there is no variable \"lable\"");
    CHECK(refusal_of("search.mustache", "{{> search}}") ==
          "search.mustache:1: a partial cannot include another one");
    CHECK(refusal_of("search.mustache", "{{#noindex}}").starts_with("search.mustache: "));
}

TEST_CASE("A file whose name is not a template's is refused") {
    CHECK(refusal_of("hystory.mustache", "") ==
          "hystory.mustache: there is no template with this name");
}

TEST_CASE("A template may use every variable") {
    std::string all;
    for (const auto name : render::template_variables()) all += "{{" + std::string(name) + "}}";
    CHECK(refusal_of("error.mustache", all).empty());
}

TEST_CASE("Any text is either refused as a template or rendered") {
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
        const auto page =
            render::error_page(404, "R", "E", render::PageSite(sample::site()), *templates);
        RC_ASSERT(page.starts_with("<!DOCTYPE html>"));
    }));
}

TEST_CASE("docs/templates.md lists every variable") {
    std::ifstream in("docs/templates.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const auto name : render::template_variables()) {
        CAPTURE(name);
        CHECK(text.find("`" + std::string(name) + "`") != std::string::npos);
    }
}
