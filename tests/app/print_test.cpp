// SPDX-License-Identifier: MIT
#include "app/print.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/trees.hpp"

using app::changes_text;
using app::Colour;
using app::wants_colour;

TEST_CASE("What was added is green, what was removed is red, and what was replaced is yellow") {
    const auto node = [](const char* value) { return support::tag(value); };
    const std::vector<compare::Change> changes{
        {compare::Op::added, {}, {}, {node("A")}},
        {compare::Op::removed, {}, {node("B")}, {}},
        {compare::Op::replaced, {node("C").cell}, {node("D")}, {node("E")}}};
    CHECK(changes_text(changes) == "+ A\n- B\n- C > D\n+ C > E\n");
    CHECK(changes_text(changes, Colour::ansi) ==
          "\x1b[32m+ A\x1b[m\n\x1b[31m- B\x1b[m\n\x1b[33m- C > D\x1b[m\n\x1b[33m+ C > E\x1b[m\n");
}

TEST_CASE("Control characters of an object never reach a terminal, in colour neither") {
    const std::vector<compare::Change> changes{
        {compare::Op::added,
         {support::tag("A\x1b[2J").cell},
         {},
         {support::stamped(support::text("\x1b]0;x\x07\x7f\xc2\x9b"
                                         "31m\n"),
                           "\x1b[5m")}}};
    for (const auto colour : {Colour::none, Colour::ansi}) {
        const auto text = changes_text(changes, colour);
        CAPTURE(text);
        CHECK(std::ranges::count(text, '\x1b') == (colour == Colour::none ? 0 : 2));
        for (const auto* bytes : {"\x07", "\x7f", "\xc2\x9b"})
            CHECK(text.find(bytes) == std::string::npos);
    }
}

TEST_CASE("Only a terminal that shows colours has some, unless somebody wishes otherwise") {
    CHECK(wants_colour("auto", true, nullptr, "xterm"));
    CHECK(wants_colour("auto", true, "", nullptr));
    CHECK_FALSE(wants_colour("auto", false, nullptr, "xterm"));
    CHECK_FALSE(wants_colour("auto", true, "1", "xterm"));
    CHECK_FALSE(wants_colour("auto", true, nullptr, "dumb"));
    CHECK(wants_colour("always", false, "1", "dumb"));
    CHECK_FALSE(wants_colour("never", true, nullptr, "xterm"));
}
