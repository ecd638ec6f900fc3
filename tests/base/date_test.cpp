// SPDX-License-Identifier: MIT
#include "base/date.hpp"

#include "base/compress.hpp"
#include "base/digest.hpp"
#include "support/catch.hpp"

using namespace base;
using namespace std::chrono;

TEST_CASE("Only days of the calendar are dates") {
    CHECK(format_date(*parse_date("2008-02-29")) == "2008-02-29");
    for (const auto* text : {"2007-02-29", "2008-13-01", "2008-00-10", "08-02-15", "2008-2-15",
                             "2008-02-15x", "", "2008/02/15"})
        CHECK_FALSE(parse_date(text));
}

TEST_CASE("HTTP dates have the right weekday and GMT") {
    const auto time = Seconds{*parse_date("2008-02-15")};
    CHECK(format_http_date(time) == "Fri, 15 Feb 2008 00:00:00 GMT");
    CHECK(format_http_date(Seconds{seconds{784111777}}) == "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST_CASE("The three forms of an HTTP date are read, and others are refused") {
    const Seconds time{seconds{784111777}};
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == time);
    CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == time);
    CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == time);
    CHECK(parse_http_date("Friday, 29-Feb-08 23:59:59 GMT") ==
          Seconds{*parse_date("2008-02-29")} + hours{24} - seconds{1});
    CHECK(parse_http_date("Fri Feb 15 09:15:20 2008") == Seconds{seconds{1203066920}});
    for (const std::string text :
         {"", "now", "1994-11-06", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 94",
          "Sun, 06 Nov 1994 08:49:--", "Mon, 06 Nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, 06 ovD 1994 08:49:37 GMT", "Sunday, 06-Nov-9x 08:49:37 GMT",
          "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov 06 08:49:60 1994",
          "Sun Nov  x 08:49:37 1994", "Sun Nov  6 08:49:37 x994"})
        CHECK_FALSE(parse_http_date(text));
}

TEST_CASE("RFC 3339 times are the same after writing and reading them") {
    const Seconds time{seconds{1203066920}};
    CHECK(parse_rfc3339(format_rfc3339(time)) == time);
    CHECK(parse_rfc3339("2008-02-15T09:15:20"));
    for (const auto* text :
         {"2008-02-15T24:00:00Z", "2008-02-15 09:15:20", "2008-02-15T09:60:00"})
        CHECK_FALSE(parse_rfc3339(text));
}

TEST_CASE("Digests equal those of the standard test vectors") {
    CHECK(md5_hex("") == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
    CHECK(sha256_hex("abc") ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("A digest starts again after each result") {
    Digest digest(Algorithm::md5);
    digest.update("ab");
    digest.update("c");
    CHECK(digest.hex() == md5_hex("abc"));
    digest.update("abc");
    CHECK(digest.hex() == md5_hex("abc"));
}

TEST_CASE("Compressed bytes are restored exactly, and damage is reported") {
    for (const std::size_t size : {0U, 1U, 100'000U, 4U << 20, (4U << 20) + 1, 9U << 20}) {
        std::string bytes(size, 'x');
        for (std::size_t i = 0; i < size; i += 1000) bytes[i] = static_cast<char>(i / 1000);
        const auto frame = compress(bytes);
        CHECK(frame.size() < 100 + size / 100);
        CHECK((decompress(frame, size) == bytes));
        if (size > 0) CHECK(decompress(frame, size - 1).error().kind == ErrorKind::too_large);
        for (const auto& damaged : {frame + "x", frame.substr(0, frame.size() / 2),
                                    frame.substr(0, frame.size() - 1), std::string("no frame")})
            CHECK(decompress(damaged, size).error().kind == ErrorKind::malformed);
    }
}
