// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include <array>
#include <utility>
#include <vector>

#include "base/compress.hpp"
#include "serve/negotiation.hpp"
#include "serve/page_cache.hpp"
#include "support/catch.hpp"
#include "support/gunzip.hpp"

using serve::Coding;
using serve::preferred_coding;

TEST_CASE("Gzip is chosen where it is accepted and not less preferred than identity") {
    for (const auto* field :
         {"gzip", "GZIP", "x-gzip", "gzip, deflate, br", "deflate;q=1, gzip ; q=0.5", "*",
          "br, *;q=0.1", "gzip;q=0.001", "identity;q=0.5, gzip", "gzip;q=1.000,identity;q=1.0",
          "identity;q=0, *", "gzip;q=nonsense", "gzip;level=9;q=0.3"})
        CHECK((preferred_coding(field) == Coding::gzip ? std::string("gzip") : field) == "gzip");
}

TEST_CASE("Identity is chosen where gzip is refused, or no coding that we have is accepted") {
    for (const auto* field :
         {"", " ", ",", "identity", "deflate, br", "gzip;q=0", "gzip; q=0.000", "x-gzip;q=0",
          "*;q=0", "gzip;q=0, *", "identity, gzip;q=0.5", "gzipped", "not gzip",
          "identity;q=0, gzip;q=0", ";q=1", "=;=,;;"})
        CHECK((preferred_coding(field) == Coding::identity ? std::string() : field) ==
              std::string());
}

TEST_CASE("A page is HTML where text/html is named and not less preferred than text") {
    CHECK(serve::prefers_html("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
    CHECK(serve::prefers_html("text/plain, text/html"));
    for (const auto* text : {"", "*/*", "text/*", "application/rss+xml", "text/html;q=0",
                             "text/plain, text/html;q=0.9"})
        CHECK_FALSE(serve::prefers_html(text));
}

TEST_CASE("A browser names text/html and no type of feeds") {
    const std::string rss = "application/rss+xml";
    for (const auto* browser :
         {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
          "text/html, application/atom+xml", "text/html;q=0.1, application/rss+xml;q=0"})
        CHECK(serve::is_browser(browser, rss));
    for (const auto* reader : {"", "*/*", "text/*", "text/html;q=0", "application/xml",
                               "text/html, application/RSS+xml;q=0.1"})
        CHECK_FALSE(serve::is_browser(reader, rss));
}

namespace {

// Returns whether a request with these fields gets 304 for "abc", changed 15 Feb 2008 at noon.
bool not_modified(std::map<std::string, std::string, std::less<>> fields) {
    serve::Request request;
    request.fields = std::move(fields);
    const base::Seconds noon{std::chrono::seconds(1203076800)};
    return is_not_modified(request, {"\"abc\"", noon});
}

}  // namespace

TEST_CASE("If-None-Match accepts one tag, a list or a star, by weak comparison") {
    for (const auto* match :
         {"\"abc\"", "W/\"abc\"", "*", " * ", "\"x\", \"abc\"", "\"x\",W/\"abc\" , \"y\"",
          "\"a,b\", \"abc\"", "\"abc\", \"open", "junk \"abc\""})
        CHECK(not_modified({{"if-none-match", match}}));
    for (const auto* other : {"", "\"abd\"", "abc", "\"abc", "\"ABC\"", "\"abc-gzip\"",
                              "\"x\", \"y\"", "**", "W/", "\"x\",*"})
        CHECK_FALSE(not_modified({{"if-none-match", other}}));
}

TEST_CASE("If-Modified-Since matches the same second alone, in each of the three forms") {
    for (const auto* date : {"Fri, 15 Feb 2008 12:00:00 GMT", "Friday, 15-Feb-08 12:00:00 GMT",
                             "Fri Feb 15 12:00:00 2008"})
        CHECK(not_modified({{"if-modified-since", date}}));
    for (const auto* date :
         {"Fri, 15 Feb 2008 11:59:59 GMT", "Sat, 16 Feb 2008 00:00:00 GMT", "", "yesterday",
          "2008-02-15T12:00:00Z", "Fri, 35 Feb 2008 12:00:00 GMT"})
        CHECK_FALSE(not_modified({{"if-modified-since", date}}));
    CHECK_FALSE(not_modified({}));
}

TEST_CASE("If-None-Match overrides If-Modified-Since in both directions") {
    const std::string same = "Fri, 15 Feb 2008 12:00:00 GMT";
    const std::string earlier = "Thu, 14 Feb 2008 00:00:00 GMT";
    CHECK_FALSE(not_modified({{"if-none-match", "\"x\""}, {"if-modified-since", same}}));
    CHECK_FALSE(not_modified({{"if-none-match", ""}, {"if-modified-since", same}}));
    CHECK(not_modified({{"if-none-match", "\"abc\""}, {"if-modified-since", earlier}}));
}

TEST_CASE("Gzip can be unpacked, and equal bytes give equal bytes") {
    CHECK(rc::check("gunzip(gzip(x)) == x", [](const std::string& bytes) {
        const auto coded = base::gzip(bytes);
        RC_ASSERT(support::gunzip(coded) == bytes);
        RC_ASSERT(base::gzip(bytes) == coded);
    }));
    const std::string large(3 << 20, 'x');
    CHECK(support::gunzip(base::gzip(large)) == large);
    CHECK(base::gzip("").substr(4, 4) == std::string(4, '\0'));  // no time in the header
}

TEST_CASE("The preferred media type is chosen, and among equals the most specific") {
    constexpr std::array<std::string_view, 3> types = {
        "application/rss+xml", "application/atom+xml", "application/feed+json"};
    const std::vector<std::pair<std::string, std::size_t>> cases = {
        {"", 0},
        {"*/*", 0},
        {"nonsense;;,=", 0},
        {"image/png", 0},
        {"application/rss+xml;q=0, application/atom+xml;q=0, application/feed+json;q=0", 0},
        {"application/atom+xml", 1},
        {"Application/ATOM+xml ; q=0.3", 1},
        {"application/atom+xml, */*", 1},
        {"application/atom+xml;q=0.5, application/rss+xml;q=0.9", 0},
        {"application/atom+xml, application/rss+xml", 0},
        {"application/rss+xml;q=0, */*;q=0.1", 1},
        {"application/feed+json", 2},
        {"application/json", 2},
        {"application/json, text/plain, */*", 2},
        {"application/xml", 0},
        {"text/xml, application/rss+xml;q=0", 1},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 0},
        {"application/*;q=0.2, application/feed+json;q=0.3", 2}};
    for (const auto& [accept, expected] : cases) {
        INFO(accept);
        CHECK(serve::preferred_type(accept, types) == expected);
    }
}
