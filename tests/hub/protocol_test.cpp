// The bytes of the requests that the hub sends.
// SPDX-License-Identifier: MIT
#include "hub/protocol.hpp"

#include <map>
#include <set>

#include "support/catch.hpp"

using namespace hub;

namespace {

net::Url url_of(std::string_view text) { return *net::parse_url(text); }

const Verification usual_verification{.mode = Mode::subscribe,
                                      .topic_url = "http://f.example/rss?class=A&name=B",
                                      .challenge = "abc",
                                      .lease = std::chrono::days(1)};
constexpr std::string_view usual_parameters =
    "hub.mode=subscribe&hub.topic=http%3A%2F%2Ff.example%2Frss%3Fclass%3DA%26name%3DB"
    "&hub.challenge=abc&hub.lease_seconds=86400";

}  // namespace

TEST_CASE("A verification has its parameters behind those of the callback") {
    const std::map<std::string, std::string> begins = {
        {"http://a.example", "http://a.example?"},
        {"http://a.example/", "http://a.example/?"},
        {"http://a.example/x?", "http://a.example/x?"},
        {"http://a.example?x=1", "http://a.example?x=1&"},
        {"http://a.example/x?y=%20", "http://a.example/x?y=%20&"},
        {"http://a.example/?x&", "http://a.example/?x&"},
        {"http://a.example/?hub.challenge=x", "http://a.example/?hub.challenge=x&"},
        {"HTTPS://A.example:8443/?a?b", "HTTPS://A.example:8443/?a?b&"}};
    for (const auto& [callback, begin] : begins) {
        const auto url = verification_url(url_of(callback), usual_verification);
        CHECK(url.text == begin + std::string(usual_parameters));
        CHECK(url.target.ends_with(usual_parameters));
        CHECK(net::parse_url(url.text) == url);
    }
}

TEST_CASE("A denial says why") {
    CHECK(denial_url(url_of("http://a.example/?x"), "http://f.example/", "no such feed").text ==
          "http://a.example/?x&hub.mode=denied&hub.topic=http%3A%2F%2Ff.example%2F"
          "&hub.reason=no%20such%20feed");
}

TEST_CASE("Challenges are never the same") {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) CHECK(seen.insert(new_challenge()).second);
    CHECK(seen.begin()->size() == 64);
}

TEST_CASE("Signatures are those of RFC 2202 and RFC 4231") {
    CHECK(signature_field(SignatureMethod::sha1, "Jefe", "what do ya want for nothing?") ==
          "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    CHECK(signature_field(SignatureMethod::sha256, "Jefe", "what do ya want for nothing?") ==
          "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
