// What the hub accepts from strangers, and how it says what is wrong.
// SPDX-License-Identifier: MIT
#include "hub/subscription_request.hpp"

#include <map>
#include <vector>

#include "support/catch.hpp"

using namespace hub;

namespace {

using Form = std::vector<RequestField>;

Form usual_form() {
    return {{"hub.mode", "subscribe"},
            {"hub.callback", "https://reader.example/take?id=7"},
            {"hub.topic", "https://feeds.example.org/rss?class=Gene&name=unc-26"}};
}
// Returns the usual form with these fields behind it; those of the same name are replaced.
Form form_with(const Form& fields) {
    auto form = usual_form();
    for (const auto& field : fields)
        std::erase_if(form, [&](const auto& old) { return old.name == field.name; });
    form.insert(form.end(), fields.begin(), fields.end());
    return form;
}
base::Result<SubscriptionRequest> parse(const Form& fields) {
    return parse_subscription_request(form_with(fields), net::AddressGuard());
}
std::string error_of(const Form& fields) {
    const auto parsed = parse(fields);
    return parsed ? "accepted" : parsed.error().text;
}

}  // namespace

TEST_CASE("A request has a mode, a callback and a topic") {
    const auto parsed = parse({});
    REQUIRE(parsed);
    CHECK(parsed->mode == Mode::subscribe);
    CHECK(parsed->callback.text == "https://reader.example/take?id=7");
    CHECK(parsed->topic.text == "https://feeds.example.org/rss?class=Gene&name=unc-26");
    CHECK(parsed->secret.empty());
    CHECK(parsed->method == SignatureMethod::sha256);
    CHECK(parsed->lease == std::chrono::days(10));
    CHECK(parse({{"hub.mode", "unsubscribe"}})->mode == Mode::unsubscribe);
}

TEST_CASE("An error names the parameter") {
    const std::map<std::string, Form> wrong = {
        {"hub.mode is missing.", {{"hub.mode", ""}}},
        {"hub.callback is missing.", {{"hub.callback", ""}}},
        {"hub.topic is missing.", {{"hub.topic", ""}}},
        {"hub.mode must be subscribe or unsubscribe.", {{"hub.mode", "Subscribe"}}},
        {"hub.callback must not have a fragment.", {{"hub.callback", "http://a.example/#x"}}},
        {"hub.topic must not have a user name or password.", {{"hub.topic", "http://u@a/"}}},
    };
    for (const auto& [error, fields] : wrong) CHECK(error_of(fields) == error);
    CHECK(parse_subscription_request({}, net::AddressGuard()).error().text ==
          "hub.mode is missing.");
}

TEST_CASE("A URL with which nothing can be asked for is refused") {
    for (const auto* url : {"feed", "/feed", "ftp://a.example/", "javascript:1", "http://a\r\nb/",
                            "http://a.example/x y", "http://2130706433/", "http://0177.0.0.1/",
                            "http://a.example:25x/"})
        for (const auto* name : {"hub.callback", "hub.topic"}) {
            INFO(name << '=' << url);
            CHECK(error_of({{name, url}}).starts_with(std::string(name) + " must "));
        }
    const std::string begin = "http://a.example/";
    const auto longest = begin + std::string(2048 - begin.size(), 'x');
    CHECK(parse({{"hub.callback", longest}, {"hub.topic", longest}}));
    CHECK(error_of({{"hub.callback", longest + "x"}}).starts_with("hub.callback must "));
    CHECK(parse({{"hub.callback", "http://a.example?x=1"}})->callback.target == "/?x=1");
}

TEST_CASE("Only the site itself says that something is new") {
    const auto parsed = parse({{"hub.mode", "publish"}});
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::refused);
    CHECK(parsed.error().text.starts_with("hub.mode=publish "));
}

TEST_CASE("A parameter that is given twice is refused by name") {
    for (const auto* name :
         {"hub.mode", "hub.callback", "hub.topic", "hub.secret", "hub.lease_seconds"})
        CHECK(error_of({{name, "1"}, {name, "1"}}) ==
              std::string(name) + " must not be given twice.");
}

TEST_CASE("Unknown parameters are ignored, whatever they are") {
    CHECK(parse({{"foo", "bar"}, {"foo", "bar"}, {"hub.foo", "x"}, {"hub.challenge", "y"}}));
}

TEST_CASE("A lease is moved into what the hub grants") {
    const std::map<std::string, std::int64_t> granted = {
        {"", 864'000},          {"1", 86'400},
        {"86399", 86'400},      {"86401", 86'401},
        {"2592000", 2'592'000}, {"2592001", 2'592'000},
        {"0864000", 864'000},   {"99999999999999999999", 2'592'000}};
    for (const auto& [text, seconds] : granted) {
        INFO(text);
        const auto parsed = parse({{"hub.lease_seconds", text}});
        REQUIRE(parsed);
        CHECK(parsed->lease.count() == seconds);
    }
}

TEST_CASE("A lease that is no number above 0 is refused") {
    for (const auto* text : {"0", "000", "-1", "+5", "1e3", "abc", "1.5", " 5", "0x10"}) {
        CHECK(error_of({{"hub.lease_seconds", text}}) ==
              "hub.lease_seconds must be a positive number of seconds.");
        CHECK(parse({{"hub.lease_seconds", text}, {"hub.mode", "unsubscribe"}}));
    }
}

TEST_CASE("A secret has less than 200 bytes") {
    const std::string letters(199, 'x');
    std::string umlauts;
    while (umlauts.size() < 200) umlauts += "ä";
    CHECK(parse({{"hub.secret", letters}})->secret == letters);
    CHECK(error_of({{"hub.secret", umlauts}}) == "hub.secret must not have more than 199 bytes.");
    CHECK(parse({{"hub.secret", ""}})->secret.empty());
}

TEST_CASE("Deliveries to subscribers of PubSubHubbub 0.3, which send hub.verify, are signed with "
          "SHA-1") {
    for (const auto& fields : {Form{{"hub.verify", "sync"}}, Form{{"hub.verify", "async"}},
                               Form{{"hub.verify", "async"}, {"hub.verify", "sync"}}})
        CHECK(parse(fields)->method == SignatureMethod::sha1);
    CHECK(parse({{"hub.verify", ""}})->method == SignatureMethod::sha256);
}

TEST_CASE("A callback at an address that the guard refuses is refused at once") {
    for (const auto* callback : {"http://127.0.0.1/", "http://10.1.2.3:8080/x",
                                 "https://169.254.169.254/", "http://93.184.216.34:25/"})
        CHECK(error_of({{"hub.callback", callback}}) ==
              "hub.callback must not name an address or port that is not public.");
    CHECK(parse({{"hub.callback", "http://93.184.216.34/"}}));
    const net::AddressGuard guard(*net::parse_allow_list("127.0.0.0/8"));
    CHECK(parse_subscription_request(form_with({{"hub.callback", "http://127.0.0.1:8081/"}}),
                                     guard));
}

TEST_CASE("A secret that is not UTF-8 is refused by name") {
    CHECK(error_of({{"hub.secret", "\xFF\xFEsecret"}}) == "hub.secret must be UTF-8.");
    CHECK(parse({{"hub.secret", "gehe\xC3\xAFm\x01"}})->secret == "gehe\xC3\xAFm\x01");
}
