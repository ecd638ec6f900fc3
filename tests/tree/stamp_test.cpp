// SPDX-License-Identifier: MIT
#include "tree/stamp.hpp"

#include "support/catch.hpp"

using tree::parse_stamp;

TEST_CASE("A timestamp holds a time and a curator, whose name may contain '_'") {
    const auto stamp = parse_stamp("2008-03-15_08:05:09_caltech_juancarlos");
    REQUIRE(stamp);
    CHECK(base::format_rfc3339(stamp->at) == "2008-03-15T08:05:09Z");
    CHECK(stamp->by == "caltech_juancarlos");
}

TEST_CASE("The number after the time of a timestamp distinguishes sessions of one second") {
    const auto plain = parse_stamp("2004-04-07_11:29:19_wormpub");
    const auto third = parse_stamp("2004-04-07_11:29:19.3_wormpub");
    const auto large = parse_stamp("2004-04-07_11:29:19.12_wormpub");
    REQUIRE(plain);
    CHECK(third == plain);
    CHECK(large == plain);
}

TEST_CASE("Any other text is an opaque timestamp") {
    for (const auto* text :
         {"", "original", "not a date at all", "2008-03-15", "_", "2008-03-15_08:05:09",
          "2008-03-15_08:05:09_", "2008-02-30_08:05:09_x", "2008-03-15_25:05:09_x",
          "2008-03-15 08:05:09_x", "2008-03-15_08:05:09._x", "2008-03-15_08:05:09.3",
          "2008-03-15T08:05:09_x"})
        CHECK_FALSE(parse_stamp(text));
}

TEST_CASE("A timestamp is written as it is read") {
    const auto stamp = parse_stamp("2008-03-15_08:05:09_x");
    REQUIRE(stamp);
    CHECK(tree::stamp_text(stamp->at, stamp->by) == "2008-03-15_08:05:09_x");
}
