// SPDX-License-Identifier: MIT
#include "tree/object.hpp"

#include <rapidcheck.h>

#include "support/catch.hpp"

using tree::canonical_number;
using tree::CellKind;
using tree::is_canonical_number;
using tree::kind_of_bare_word;

TEST_CASE("The form of a bare word shows whether it is a number, a date or a tag") {
    CHECK(kind_of_bare_word("2") == CellKind::integer);
    CHECK(kind_of_bare_word("-1400947654") == CellKind::integer);
    CHECK(kind_of_bare_word("7.923100") == CellKind::real);
    CHECK(kind_of_bare_word("1e-12") == CellKind::real);
    CHECK(kind_of_bare_word("1992-03") == CellKind::date);
    CHECK(kind_of_bare_word("2004-04-07_11:29:19") == CellKind::date);
    for (const auto* tag : {"2_point", "3d_data", "Live", "-", "1.", ".5", "1992-3", "1e", "",
                            "2004-04-07_11:29:19_x", "1e1234567890"})
        CHECK(kind_of_bare_word(tag) == CellKind::tag);
}

TEST_CASE("Equal numbers have one spelling") {
    for (const auto* seven : {"7", "007", "7.000", "7.0", "0.7e1", "70e-1", "700E-2"})
        CHECK(canonical_number(seven) == "7");
    for (const auto* zero : {"0", "-0", "0.000000", "-0.0e5", "0e99"})
        CHECK(canonical_number(zero) == "0");
    CHECK(canonical_number("1.50e2") == "150");
    CHECK(canonical_number("-0.2500") == "-0.25");
    CHECK(canonical_number("1000000015047466219876688855040.000000") ==
          "1000000015047466219876688855040");
    CHECK(canonical_number("7.923100") != canonical_number("7.9231001"));
}

TEST_CASE("A huge exponent does not make a huge text") {
    CHECK(canonical_number("1e999999999").size() < 20);
    CHECK(canonical_number("-1.5e-999999999") == "-15e-1000000000");
}

TEST_CASE("A canonical number stays as it is and is recognised") {
    CHECK(rc::check([](int whole, unsigned part, unsigned zeros) {
        const auto word =
            std::to_string(whole) + "." + std::to_string(part) + std::string(zeros % 5, '0');
        const auto once = canonical_number(word);
        RC_ASSERT(is_canonical_number(once));
        RC_ASSERT(canonical_number(once) == once);
        RC_ASSERT(canonical_number("00" + std::to_string(part)) == std::to_string(part));
    }));
}
