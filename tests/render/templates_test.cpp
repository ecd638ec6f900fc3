// SPDX-License-Identifier: MIT
#include "render/template_check.hpp"
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

TEST_CASE("a template with a variable that its page does not know is refused") {
    CHECK(refusal_of("error.mustache", "<p>\n{{nothing}}</p>") ==
          "error.mustache:2: there is no variable \"nothing\"");
}
