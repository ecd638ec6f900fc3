// SPDX-License-Identifier: MIT
#include "sample.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

std::string atom(const query::History& history, const render::Site& look = site(),
                 const std::string& self = self_url) {
    auto channel = channel_of(history, look);
    channel.self_url = self;
    const auto bytes = sample::atom(history, channel, look);
    INFO(bytes.substr(0, 3000));
    CHECK(support::findings_in_atom(bytes, self, now()) == none);
    return bytes;
}

}  // namespace

TEST_CASE("A gene's Atom feed equals the golden one") {
    auto history = gene();
    history.people = people();
    check_golden("gene.atom", atom(history));
}

TEST_CASE("An Atom feed without entries equals the golden one") {
    check_golden("empty.atom", atom(history_of({})));
}

TEST_CASE(
    "The time of an entry is the day of its release, and the fraction identifies its object") {
    auto r = unc_26_in_ws187();
    r.oid = 123;
    const auto time = [&r] {
        const auto bytes = atom(history_of({r}));
        const auto at = bytes.find("<updated>", bytes.find("<entry>")) + 9;
        CHECK_THAT(bytes, Contains("<published>" + bytes.substr(at, 30) + "</published>"));
        return bytes.substr(at, bytes.find('<', at) - at);
    };
    CHECK(time() == "2008-02-15T00:00:00.000000123Z");
    r.of_day = 2;
    r.oid = 1'000'000'045;
    CHECK(time() == "2008-02-15T00:00:02.000000045Z");
}

TEST_CASE("Entries of one release have different times") {
    auto a = unc_26_in_ws187(), b = a, c = a;
    b.oid = 8;
    b.object.name = "WBGene00006764";
    c.release.version = "WS187b";
    c.of_day = 1;
    atom(history_of({a, b, c}));  // DuplicateUpdated
}

TEST_CASE("Narrower Atom feeds of a subject have their own ids; pages and formats share one") {
    const auto id = [](const std::string& parameters) {
        const auto bytes = atom(history_of({}), site(), self_url + parameters);
        const auto at = bytes.find("<id>") + 4;
        return bytes.substr(at, bytes.find('<', at) - at);
    };
    const std::string plain = "tag:wormbase.org,2007:Gene/WBGene00006763";
    CHECK(id("") == plain);
    CHECK(id("&n=20&before=50&format=atom") == plain);
    CHECK(id("&n=20&since=WS186&format=atom") == plain + "?since=WS186");
    CHECK(id("&since=WS186&tag=Gene_info&change=added%2Cremoved") ==
          plain + "?since=WS186&#x26;tag=Gene_info&#x26;change=added%2Cremoved");
}
