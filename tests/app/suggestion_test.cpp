// SPDX-License-Identifier: MIT
#include "app/suggestion.hpp"

#include "support/catch.hpp"

TEST_CASE("A misspelled word suggests the nearest candidate in its own spelling") {
    CHECK(app::did_you_mean("GENES", {"Protein", "Gene"}) == "; did you mean Gene?");
    CHECK(app::did_you_mean("Paper", {"Protein", "Gene"}).empty());
}
