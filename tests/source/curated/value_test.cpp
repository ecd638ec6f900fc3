// SPDX-License-Identifier: MIT
#include "source/curated/value.hpp"

#include <rapidcheck.h>

#include "support/catch.hpp"
#include "tree/object.hpp"

using source::curated::stored_date;
using source::curated::stored_integer;
using source::curated::stored_real;

namespace {

const auto today = *base::parse_date("2008-05-01");

std::string date(std::string_view word) { return stored_date(word, today).value_or("none"); }
std::string real(std::string_view word) { return stored_real(word).value_or("none"); }
std::string integer(std::string_view word) { return stored_integer(word).value_or("none"); }

}  // namespace

TEST_CASE("An Int is silently cut to 32 bits") {
    CHECK(integer("007") == "7");
    CHECK(integer("+5") == "5");
    CHECK(integer("-0") == "0");
    CHECK(integer("  12") == "12");
    CHECK(integer("2147483647") == "2147483647");
    CHECK(integer("2147483648") == "-2147483648");
    CHECK(integer("99999999999") == "1215752191");
    CHECK(integer("99999999999999999999999") == "-1");
    CHECK(integer("-99999999999999999999999") == "0");
    for (const auto* word : {"", " ", "-", "x", "1x", "1.0", "1 ", "0x10", "--1", "+-1"})
        CHECK(integer(word) == "none");
}

TEST_CASE("A Float has 7 significant digits, 32 bits and 6 decimals") {
    CHECK(real("52.2053") == "52.205299");
    CHECK(real("7.923100") == "7.923100");
    CHECK(real("1.2e-07") == "0.000000");
    CHECK(real("123456789.123456789") == "123456800.000000");
    CHECK(real("1e30") == "1000000015047466219876688855040.000000");
    CHECK(real("-2.25") == "-2.250000");
    CHECK(real("125.7") == "125.699997");
    CHECK(real("2") == "2.000000");
    CHECK(real("-0") == "0.000000");
    CHECK(real("1e39") == "inf");
    CHECK(real("-1e39") == "-inf");
    for (const auto* word : {"", "x", "1x", "1 ", "1e40", "-1e40", "1e999", "nan", "inf", "1e"})
        CHECK(real(word) == "none");
}

TEST_CASE("A DateType has its known parts, in two digits each") {
    CHECK(date("2008-1-5") == "2008-01-05");
    CHECK(date("08-12") == "2008-12");
    CHECK(date("1989-04-17") == "1989-04-17");
    CHECK(date("1992") == "1992");
    CHECK(date("92") == "1992");
    CHECK(date("1992-03-15_10") == "1992-03-15_10");
    CHECK(date("1992-03-15_10:22") == "1992-03-15_10:22");
    CHECK(date("1992-3-15 1:2:7") == "1992-03-15_01:02:07");
    CHECK(date("2008-01-05_") == "2008-01-05");
    CHECK(date("2008-01-00") == "2008-01");
    CHECK(date("1900-03") == "1900-03");
}

TEST_CASE("now and today are the day of the release") {
    CHECK(date("now") == "2008-05-01");
    CHECK(date("today") == "2008-05-01");
    CHECK(date("Today") == "none");
}

TEST_CASE("Dates are changed as AceDB changes them") {
    CHECK(date("1889") == "1997");                       // seen
    CHECK(date("2008-02-31") == "2008-03-02");           // of the next month
    CHECK(date("1990-06-01_10:22:07") == "1990-06-01");  // no time of day up to 1990
    CHECK(date("50-01") == "2050-01");
    CHECK(date("51-01") == "1951-01");
    CHECK(date("-5") == "1995");
}

TEST_CASE("A word that is not a date is refused") {
    for (const auto* word :
         {"", "x", "2008x", "2008-", "2008-13", "2008-0", "2008-1-32", "2008-01-05x",
          "2008-01-05_24", "2008-01-05_10:60", "2008-01-05_10:22:60", "2008-01-05_-1", "2054",
          "99999999999", "1900", "154", "2008-01-05_10:", "2008/01/05"})
        CHECK(date(word) == "none");
}

TEST_CASE("Any word gives a stable value of its kind, or none") {
    CHECK(rc::check([](const std::vector<std::uint8_t>& picks) {
        constexpr std::string_view pieces[] = {"0", "1",  "9", "20", "08", "-",  "_",   ":",
                                               ".", "e5", "+", " ",  "x",  "\n", "\xff"};
        std::string word;
        for (const auto pick : picks) word += pieces[pick % std::size(pieces)];
        const auto whole = stored_integer(word);
        if (whole) RC_ASSERT(stored_integer(*whole) == whole);
        const auto number = stored_real(word);
        if (number && number->find("inf") == std::string::npos)
            RC_ASSERT(tree::is_number(*number));
        if (const auto day = stored_date(word, today)) RC_ASSERT(stored_date(*day, today) == day);
    }));
}
