// SPDX-License-Identifier: MIT
#include "feed/date.hpp"

#include <string>
#include <utility>

#include "support/catch.hpp"

using feed::parse_time;

namespace {

std::string read(std::string_view text) {
    const auto time = parse_time(text);
    return time ? base::format_rfc3339(*time) : "none";
}

}  // namespace

TEST_CASE("Times of feeds are read as their authors meant them") {
    const auto [text, time] = GENERATE(table<std::string, std::string>({
        // RFC 822 and 2822
        {"Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"},
        {"Thu, 1 Jan 2004 19:48 GMT", "2004-01-01T19:48:00Z"},
        {"01 Jan 04 19:48:21 EST", "2004-01-02T00:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 PDT", "2004-01-02T02:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 UT", "2004-01-01T19:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 A", "2004-01-01T19:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 +0100", "2004-01-01T18:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 +01:00", "2004-01-01T18:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 GMT+1", "2004-01-01T18:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21", "2004-01-01T19:48:21Z"},
        {"Thu, 01 Jan 2004 19:48:21 (a comment) GMT", "2004-01-01T19:48:21Z"},
        {"Thu, 31 Dec 98 23:59:60 GMT", "1998-12-31T23:59:59Z"},
        {"Fri, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"},  // it was a Thursday
        {"Thursday, 01 January 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"},
        {"Thu, 01-Jan-2004 19:48:21 GMT", "2004-01-01T19:48:21Z"},
        {"Do, 01 Okt 2004 19:48:21 +0200", "2004-10-01T17:48:21Z"},
        {"Mar, 01 D\xC3\xA9"
         "c 2004 19:48:21 GMT",
         "2004-12-01T19:48:21Z"},
        {"Thu, 01 Jan 2004 07:48 PM GMT", "2004-01-01T19:48:00Z"},
        {"January 1st, 2004", "2004-01-01T00:00:00Z"},
        {"Thu Jan  1 19:48:21 2004", "2004-01-01T19:48:21Z"},
        {"Thu Jan  1 19:48:21 EST 2004", "2004-01-02T00:48:21Z"},
        // W3CDTF and RFC 3339
        {"2004", "2004-01-01T00:00:00Z"},
        {"2004-02", "2004-02-01T00:00:00Z"},
        {"2004-02-03", "2004-02-03T00:00:00Z"},
        {"20040203", "2004-02-03T00:00:00Z"},
        {"2004-02-03T04:05Z", "2004-02-03T04:05:00Z"},
        {"2004-02-03T04:05:06.789+01:00", "2004-02-03T03:05:06Z"},
        {"2004-02-03T04:05:06-0530", "2004-02-03T09:35:06Z"},
        {"2004-02-03 04:05:06", "2004-02-03T04:05:06Z"},
        {"2004-02-03 04:05:06 EST", "2004-02-03T09:05:06Z"},
        {"2004-02-03 04:05:06 +0100 CET", "2004-02-03T03:05:06Z"},
        {"2004-02-03T04:05:06.789Z[UTC]", "2004-02-03T04:05:06Z"},
        {"2004/02/03 04:05", "2004-02-03T04:05:00Z"},
        {"20040203T040506Z", "2004-02-03T04:05:06Z"},
        {"2004-02-03T24:00:00Z", "2004-02-04T00:00:00Z"},
        {"  2004-02-03T04:05:06Z \n", "2004-02-03T04:05:06Z"},
    }));
    INFO(text);
    CHECK(read(text) == time);
}

TEST_CASE("What is no time, or one that no calendar has, is not read as another time") {
    const auto* text = GENERATE(
        "", "now", "yesterday", "Thu, 32 Jan 2004 19:48:21 GMT", "2004-02-30", "2004-13-01",
        "Thu, 01 Jan 2004 25:00:00 GMT", "Thu, 01 Jan 2004 19:61 GMT", "0001-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z", "9999-01-01", "01 2004", "Jan 2004", "2004-02-03T04",
        "Thu, 01 Jan 2004 19:48:21 +9999", "-1", "1234567890123", "2004-02-03Tx");
    INFO(text);
    CHECK(read(text) == "none");
}
