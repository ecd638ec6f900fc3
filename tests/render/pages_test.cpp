// SPDX-License-Identifier: MIT
#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"

namespace {

bool holds(const std::string& page, std::string_view text) {
    return page.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the home page shows what was found, the watch list and the newest releases") {
    const auto page = render::home_page(sample::home_view(), sample::site(), sample::templates());
    CHECK(holds(page, "<h2 id=\"found\">2 objects found</h2>"));
    CHECK(holds(page, "<h2 id=\"watching\">Watch list: 2 objects</h2>"));
    CHECK(holds(page, ">1,200 changed, 3 new</span>"));
}

TEST_CASE("the history page shows each change with its place, old and new") {
    const auto page = render::history_page(sample::history_view({sample::unc_26_in_ws187()}),
                                           sample::site(), sample::templates());
    CHECK(holds(page, "<article class=\"release\" id=\"WS187\">"));
    for (const auto* id : {"WS187-c1", "WS187-c2", "WS187-c3", "WS187-c4", "WS187-c5"})
        CHECK(holds(page, std::string("<div class=\"change\" id=\"") + id + "\">"));
}

TEST_CASE("the page of two releases compared shows the changes") {
    const auto view = sample::diff_view(sample::unc_26_in_ws187().notes.changes);
    const auto page = render::diff_page(view, sample::site(), sample::templates());
    CHECK(holds(page, "WS186 and WS188 compared"));
}

TEST_CASE("the page of a release shows classes, objects and mass changes") {
    const auto page =
        render::release_page(sample::release_view(), sample::site(), sample::templates());
    CHECK(holds(page, "<h1>Release WS187</h1>"));
}

TEST_CASE("an error page says what is wrong and helps to go on") {
    const auto page = render::error_page(404, "Not Found", "There is no <Gene> x.",
                                         sample::site(), sample::templates());
    CHECK(holds(page, "There is no &lt;Gene&gt; x."));
}
