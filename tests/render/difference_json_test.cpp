// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"

TEST_CASE("A difference as JSON has as many changes as its bytes allow, and says how many more") {
    query::Difference difference;
    difference.object = {"Gene", "deep"};
    difference.from.version = "WS1";
    difference.to.version = "WS2";
    for (int i = 0; i < 3; ++i)
        difference.changes.push_back(
            {compare::Op::added, {}, {}, {support::text(std::string(100, 'x'))}});
    const std::string head =
        R"({"class":"Gene","name":"deep","from":"WS1","to":"WS2","kind":"changed","changes":[)";
    const auto change = render::change_json(difference.changes.front(), {});
    CHECK(render::difference_json(difference, {}, head.size() + 2 * change.size() + 50) ==
          head + change + "," + change + "],\"left_out\":1}\n");
    CHECK(render::difference_json(difference, {}, 10) == head + "],\"left_out\":3}\n");
    CHECK(render::difference_json(difference, {}) ==
          head + change + "," + change + "," + change + "]}\n");
}
