// Curators as the people whom the configuration names.
// SPDX-License-Identifier: MIT
#include "render/html.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

const query::People known_people = {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia <M>"}},
                                    {"smart", {{"Person", "WBPerson1983"}, "Sylvia <M>"}},
                                    {"blank", {{"Person", "WBPerson2"}, "  "}}};

std::string stamp(const std::string& user, const render::Site& look = site()) {
    std::string html;
    render::append_stamp(html, user.empty() ? user : "2008-02-01_09:15:20_" + user, known_people,
                         look);
    CHECK(support::findings_in_html(html) == std::vector<std::string>());
    return html;
}

}  // namespace

TEST_CASE("A timestamp links the person of its user, and shows other users unchanged") {
    CHECK(stamp("sylvia") == " (<a href=\"https://wormbase.org/db/get?name=WBPerson1983;"
                             "class=Person\">Sylvia &lt;M&gt;</a>, 2008-02-01)");
    CHECK(stamp("Sylvia") == " (Sylvia, 2008-02-01)");
    CHECK(stamp("<b>") == " (&lt;b&gt;, 2008-02-01)");
    CHECK(stamp("").empty());
}

TEST_CASE("A person whose URL is not a web address is named without a link") {
    auto look = site();
    look.object_url = "javascript:alert('{name}')";
    CHECK(stamp("sylvia", look) == " (Sylvia &lt;M&gt;, 2008-02-01)");
    look.object_url.clear();
    CHECK(render::curator_of("sylvia", known_people, look) == render::Curator{"Sylvia <M>", ""});
}

TEST_CASE("A site that hides curators shows only the day of a timestamp and no opaque one") {
    auto look = site();
    look.hide_curators = true;
    CHECK(stamp("sylvia", look) == " (2008-02-01)");
    CHECK(stamp("bob", look) == " (2008-02-01)");
    std::string html;
    render::append_stamp(html, "by sylvia", known_people, look);
    CHECK(html.empty());
}

TEST_CASE("Two users of one person are one curator, and one without a name is none") {
    const auto by = [](const std::string& user) {
        return support::stamped(support::text("v"), "2008-02-01_09:15:20_" + user);
    };
    const auto r = row("WS187", day(2008, 2, 15),
                       {added({}, by("smart")), added({}, by("blank")), added({}, by("sylvia")),
                        added({}, by("bob"))});
    auto excerpt = excerpt_of(r);
    excerpt.people = known_people;
    CHECK(render::curators_of(r, excerpt, site()) ==
          std::vector<render::Curator>{
              {"Sylvia <M>", "https://wormbase.org/db/get?name=WBPerson1983;class=Person"},
              {"bob", ""}});
    CHECK_THAT(render::content_of(r, excerpt, site()), Contains("Sylvia &lt;M&gt;</a>"));
}

TEST_CASE("A list of curators is cut at 20") {
    std::vector<Change> changes;
    for (int i = 0; i < 30; ++i)
        changes.push_back(added({}, support::stamped(support::text("v"), "2008-02-01_09:15:20_u" +
                                                                             std::to_string(i))));
    const auto r = row("WS187", day(2008, 2, 15), changes);
    CHECK(render::curators_of(r, excerpt_of(r), site()).size() == 20);
}
