// SPDX-License-Identifier: MIT
#include "net/url.hpp"

#include <map>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace net;

namespace {

std::string url_error(std::string_view text) {
    const auto url = parse_url(text);
    return url ? "accepted" : url.error().text;
}

std::string normalized_text(std::string_view text) {
    const auto url = parse_url(text);
    return url ? normalized(*url) : url.error().text;
}

}  // namespace

TEST_CASE("A URL is divided into scheme, host, port and target") {
    const auto url = parse_url("HTTPS://Feeds.Example.ORG:8443/Take?id=%7e1&x=/?");
    REQUIRE(url);
    CHECK(*url == Url{"HTTPS://Feeds.Example.ORG:8443/Take?id=%7e1&x=/?", Scheme::https,
                      "feeds.example.org", 8443, "/Take?id=%7e1&x=/?"});
    CHECK(parse_url("http://a")->target == "/");
    CHECK(parse_url("http://a?b")->target == "/?b");
    CHECK(parse_url("http://a")->port == 80);
    CHECK(parse_url("https://a")->port == 443);
    CHECK(parse_url("http://192.0.2.1/")->host == "192.0.2.1");
    CHECK(parse_url("http://4chan.example/"));
    CHECK(parse_url("http://x_y.xn--bcher-kva.example/"));
}

TEST_CASE("Equivalent URLs have the same normalized spelling") {
    for (const auto* spelling : {"http://example.org/~a%3Ab", "HTTP://EXAMPLE.org:80/%7ea%3ab",
                                 "http://example.org:0080/%7Ea%3ab"})
        CHECK(normalized_text(spelling) == "http://example.org/~a%3Ab");
    CHECK(normalized_text("https://a:443") == "https://a/");
    CHECK(normalized_text("https://a:80") == "https://a:80/");
    CHECK(normalized_text("http://a?b=%2f") == "http://a/?b=%2F");
    CHECK(normalized_text("http://a/b/../c/.") == "http://a/b/../c/.");
}

TEST_CASE("A refused URL says what is wrong with it") {
    const std::map<std::string, std::vector<std::string>> refused = {
        {"must not be empty", {""}},
        {"must begin with http:// or https://",
         {"/feed", "//a/b", "feed", "ftp://a/", "file:///etc/passwd", "gopher://a/", "http:a",
          "http:/a", "javascript:alert(1)", "xhttp://a/"}},
        {"must not have a user name or password", {"http://u@a/", "http://u:p@a/", "http://@a/"}},
        {"must not have a fragment", {"http://a/#b", "http://a#", "http://a?b#c"}},
        {"must not have blanks", {"http://a/b c", " http://a/", "http://a/ "}},
        {"must not have control characters",
         {"http://a/\r\nHost: b", "http://a/\n", "http://a/\t", std::string("http://a/\0b", 11),
          "http://a/\x7F"}},
        {"must be ASCII; other characters are written as %XX, and as xn-- in a host",
         {"http://b\xC3\xBC"
          "cher.example/",
          "http://a/\xFF", "http://\xE2\x91\xA0.1.1.1/"}},
        {"must have two hexadecimal digits after each %",
         {"http://a/%", "http://a/%4", "http://a/%4g", "http://a?%"}},
        {"must have %XX for |", {"http://a/b|c"}},
        {"must have %XX for \\", {"http://a/\\b.example/"}},
        {"must have a host", {"http://", "http:///a", "http://?", "http://:80/", "http://::1/"}},
        {"has a host with an empty part: two dots, or one at its end",
         {"http://a../", "http://a./", "http://.a/", "http://./"}},
        {"has a host with other characters than letters, digits, -, _ and dots",
         {"http://a%2eb/", "http://a,b/", "http://a\\b/", "http://a]/"}},
        {"has a host with a - at the end of a part", {"http://-a/", "http://a-.b/"}},
        {"has a host with a part that is too long", {"http://" + std::string(64, 'a') + "/"}},
        {"has a host that is too long", {"http://" + std::string(254, 'a') + "/"}},
        {"must have a port from 1 to 65535, or none",
         {"http://a:/", "http://a:0/", "http://a:65536/", "http://a:-1/", "http://a:8a/",
          "http://a:80:80/", "http://a:000080/"}},
        {"must have an IPv4 address as four decimal numbers of 0 to 255",
         {"http://127.1/", "http://2130706433/", "http://0177.0.0.1/", "http://0x7f.0.0.1/",
          "http://0X7F000001/", "http://127.0.0.01/", "http://256.0.0.1/", "http://1.2.3.4.5/",
          "http://0x/", "http://a.1/", "http://1.2.3.0x4/"}},
        {"must name its host, not give an IPv6 address",
         {"http://[::1]/", "http://[::ffff:127.0.0.1]:80/", "http://[fe80::1%25eth0]/",
          "http://[/"}},
        {"must not be longer than 2048 bytes", {"http://a/" + std::string(2040, 'b')}},
    };
    for (const auto& [error, urls] : refused)
        for (const auto& url : urls) {
            CAPTURE(url);
            CHECK(url_error(url) == error);
        }
    CHECK(parse_url("http://a/" + std::string(2039, 'b')));
}

TEST_CASE("A normalized URL is its own normalized spelling") {
    CHECK(rc::check([] {
        const auto target = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string("aZ09-._~%%%%%2345AaFf!$&'()*+,;=:@/?")));
        const auto url = parse_url("HtTp://Example.org:80/" + target);
        if (!url) return;
        const auto normal = normalized(*url);
        const auto again = parse_url(normal);
        RC_ASSERT(again.has_value());
        RC_ASSERT(normalized(*again) == normal);
        RC_ASSERT(base::percent_decode(again->target, base::Plus::literal) ==
                  base::percent_decode(url->target, base::Plus::literal));
    }));
}
