// SPDX-License-Identifier: MIT
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

std::string rss(const query::History& history) {
    return sample::rss(history, channel_of(history, site()), site());
}

void check_feed(const std::string& bytes) {
    INFO(bytes.substr(0, 3000));
    CHECK(support::findings_in_rss(bytes, self_url, now()) == none);
    CHECK(bytes.size() <= 512 * 1024);
}

void check_golden_feed(const std::string& name, const query::History& history) {
    const auto bytes = rss(history);
    check_golden(name, bytes);
    check_feed(bytes);
}

}  // namespace

TEST_CASE("A gene's feed equals the golden one") { check_golden_feed("gene.xml", gene()); }

TEST_CASE("A feed without items equals the golden one") {
    auto history = history_of({});
    history.recorded = 0;
    check_golden_feed("empty.xml", history);
}

TEST_CASE("Items are sorted by release, newest first, then by class and name") {
    auto a = unc_26_in_ws187(), b = a, c = a, d = a;
    b.object.name = "A";
    c.object.class_name = "Aa";
    d.release = {"WS100", day(2008, 2, 15)};  // WS99 < WS100 < WS187
    auto e = d;
    e.release.version = "WS99";
    const auto feed = support::read_rss(rss(history_of({e, a, d, b, c})));
    std::vector<std::string> guids;
    for (const auto& item : feed.items) guids.push_back(item.guid.substr(22));
    CHECK(guids == std::vector<std::string>{
                       "Aa/WBGene00006763/WS187", "Gene/A/WS187", "Gene/WBGene00006763/WS187",
                       "Gene/WBGene00006763/WS100", "Gene/WBGene00006763/WS99"});
}

TEST_CASE("A feed announces the update frequency that max_age sets") {
    struct Pace {
        long max_age;
        std::string ttl, period, often;
    };
    const auto empty = history_of({});
    auto look = site();
    for (const auto& [max_age, ttl, period, often] :
         std::vector<Pace>{{3600, "60", "hourly", "1"},
                           {900, "15", "hourly", "4"},
                           {7200, "120", "daily", "12"},
                           {604'800, "10080", "weekly", "1"},
                           {0, "1", "hourly", "60"},
                           {100'000'000, "1666667", "yearly", "1"}}) {
        look.max_age = max_age;
        const auto bytes = sample::rss(empty, channel_of(empty, look), look);
        check_feed(bytes);
        CHECK_THAT(bytes, Contains("<ttl>" + ttl + "</ttl>") &&
                              Contains("<sy:updatePeriod>" + period + "</sy:updatePeriod>") &&
                              Contains("<sy:updateFrequency>" + often + "</sy:updateFrequency>"));
    }
}

TEST_CASE("A contact is written as mail and name, or not at all") {
    const auto empty = history_of({});
    auto other = site();
    other.title = "The (odd) \\ title";
    const auto bytes = sample::rss(empty, channel_of(empty, other), other);
    CHECK_THAT(bytes,
               Contains("<managingEditor>help@wormbase.org (The odd  title)</managingEditor>"));
    check_feed(bytes);
    for (const auto* bad :
         {"", "x", "@x.org", "a@b", "a b@x.org", "a@x..org", "a@-x.org", "a@x.org\n>"}) {
        INFO(bad);
        other.contact = bad;
        const auto without = sample::rss(empty, channel_of(empty, other), other);
        CHECK_THAT(without, !Contains("managingEditor"));
        check_feed(without);
    }
}
