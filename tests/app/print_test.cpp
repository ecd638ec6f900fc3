// SPDX-License-Identifier: MIT
#include "app/print.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "tree/json.hpp"

using app::Colour;
using app::wants_colour;

namespace {

std::string changes_text(std::string_view changes, Colour colour = Colour::none) {
    return app::changes_text(tree::parse_json(changes)->root, colour);
}

}  // namespace

TEST_CASE("What was added is green, what was removed is red, and what was replaced is yellow") {
    constexpr auto changes =
        R"([{"op":"added","path":[],"after":[{"tag":"A"}]},
            {"op":"removed","path":[],"before":[{"tag":"B"}]},
            {"op":"replaced","path":[{"tag":"C"}],"before":[{"tag":"D"}],"after":[{"tag":"E"}]}])";
    CHECK(changes_text(changes) == "+ A\n- B\n- C > D\n+ C > E\n");
    CHECK(changes_text(changes, Colour::ansi) ==
          "\x1b[32m+ A\x1b[m\n\x1b[31m- B\x1b[m\n\x1b[33m- C > D\x1b[m\n\x1b[33m+ C > E\x1b[m\n");
}

TEST_CASE("A tree is a line for each node, with what it holds and by whom it was entered") {
    constexpr auto nodes =
        R"([{"tag":"Name","at":"2008-02-01T09:15:20","by":"sylvia","since":"WS187",
             "children":[{"class":"Paper","name":"P1"},{"text":"a\nb","stamp":"odd"},{"int":2},
                         {"float":"1.50"},{"date":"2008-02-01"},{"comment":"why"}]}])";
    CHECK(app::tree_text(tree::parse_json(nodes)->root) ==
          "  Name  (2008-02-01 sylvia)\n    Paper:P1\n    \"a\\nb\"  (odd)\n    2\n    1.50\n"
          "    2008-02-01\n    // why\n");
}

TEST_CASE(
    "A report has a line for each value, a table for objects that are alike, and else blocks") {
    constexpr auto document =
        R"({"harvested_at":"2008","empty":"","due":2,"is_fine":true,"seconds":1.25,
        "none":[],"tokens":[{"name":"anna","at":""},{"name":"bert","at":"2009"}],
        "classes":{"Gene":{"same":1},"Paper":{"same":20}},
        "feeds":[{"id":1,"events":[{"note":"x"}]},{"id":2}]})";
    CHECK(app::report_text(tree::parse_json(document)->root) ==
          "harvested at  2008\ndue           2\nis fine       yes\nseconds       1.2\n"
          "tokens:\n  name  at\n  anna\n  bert  2009\n"
          "classes:\n         same\n  Gene   1\n  Paper  20\n"
          "feeds:\n  id  1\n  events:\n    note\n    x\n\n  id  2\n\n");
}

TEST_CASE("Control characters of an object never reach a terminal, in colour neither") {
    constexpr auto changes =
        R"([{"op":"added","path":[{"tag":"A\u001b[2J"}],
             "after":[{"text":"\u001b]0;x\u0007\u007f\u009b31m\n","stamp":"\u001b[5m"}]}])";
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
