// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

std::string rss(const query::History& history, const std::string& narrowing = "") {
    return render::rss(history, channel_of(history, site(), narrowing), site());
}

void check_feed(const std::string& bytes) {
    INFO(bytes.substr(0, 3000));
    CHECK(support::findings_in_rss(bytes, self_url, now()) == std::vector<std::string>());
    CHECK(bytes.size() <= 512 * 1024);
}

void check_golden_feed(const std::string& name, const query::History& history) {
    const auto bytes = rss(history);
    check_golden(name, bytes);
    check_feed(bytes);
}

Row long_text_row() {
    auto r = row("WS188", day(2008, 3, 22),
                 {replaced({}, support::text("Line one stays.\nThe old second line.\nEnd."),
                           support::text("Line one stays.\nThe new second line.\nEnd."))});
    r.object = {"LongText", "WBPaper00004489"};
    r.label = "WBPaper00004489";
    r.since = r.notes.previous = "WS187";
    return r;
}

}  // namespace

TEST_CASE("A gene's feed equals the golden one") { check_golden_feed("gene.xml", gene()); }

TEST_CASE("The feed of a long text equals the golden one") {
    auto history = history_of({long_text_row()});
    history.object = history.spelling = {"LongText", "WBPaper00004489"};
    history.label.clear();
    check_golden_feed("long_text.xml", history);
}

TEST_CASE("A feed with a change of the models equals the golden one") {
    auto more = unc_26_in_ws187();
    more.release = {"WS188", day(2008, 3, 22)};
    more.since = more.notes.previous = "WS187";
    more.notes.changes = {added(tags({"Identity", "Checked"}), support::text("yes"))};
    auto history = history_of({more, unc_26_in_ws187()});
    history.mass_changes = {{"WS187", "Gene", "Gene_info > GO_term", 1'203, 2'000},
                            {"WS187", "Gene", "Identity > Version", 30'123, 45'000},
                            {"WS188", "Gene", "Identity > Checked", 30'123, 45'000}};
    check_golden_feed("mass_change.xml", history);
}

TEST_CASE("A feed without items equals the golden one") {
    auto history = history_of({});
    history.recorded = 0;
    check_golden_feed("empty.xml", history);
}

TEST_CASE("A parsed feed gives titles, links, guids, curators and dates back") {
    const auto feed = support::read_rss(rss(history_of({unc_26_in_ws187()}), ", since WS186"));
    CHECK(feed.title == "Gene unc-26 (WBGene00006763) - WormBase changes, since WS186");
    CHECK(feed.link == "https://changes.example.org/history?class=Gene&name=WBGene00006763");
    CHECK(feed.self == self_url);
    CHECK(feed.updated == "Sat, 16 Feb 2008 06:00:00 GMT");
    REQUIRE(feed.items.size() == 1);
    const auto r = unc_26_in_ws187();
    CHECK(feed.items.front() ==
          support::ReadItem{sample::title_of(r), render::item_url_of(r, site()),
                            sample::content_of(r, site()), "sylvia",
                            "tag:wormbase.org,2007:Gene/WBGene00006763/WS187", "2008-02-15"});
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

TEST_CASE("In titles < and & are hexadecimal references") {
    auto r = unc_26_in_ws187();
    r.label = "a <b> & c";
    const auto bytes = rss(history_of({r}));
    CHECK_THAT(bytes, Contains("<title>Gene a &#x3C;b&#x3E; &#x26; c changed in WS187"));
    check_feed(bytes);
}

TEST_CASE("A feed says that it is complete only when every recorded row is in it") {
    auto history = history_of({unc_26_in_ws187()});
    CHECK(support::read_rss(rss(history)).complete);
    history.recorded = 2;
    CHECK(!support::read_rss(rss(history)).complete);
}

TEST_CASE("A feed announces the update frequency that max_age sets") {
    const auto empty = history_of({});
    const auto with = [&empty](long max_age) {
        auto other = site();
        other.max_age = max_age;
        const auto bytes = render::rss(empty, channel_of(empty, other), other);
        check_feed(bytes);
        return bytes;
    };
    const auto check = [&with](long max_age, const std::string& ttl, const std::string& period,
                               const std::string& often) {
        const auto bytes = with(max_age);
        CHECK_THAT(bytes, Contains("<ttl>" + ttl + "</ttl>"));
        CHECK_THAT(bytes, Contains("<sy:updatePeriod>" + period + "</sy:updatePeriod>"));
        CHECK_THAT(bytes, Contains("<sy:updateFrequency>" + often + "</sy:updateFrequency>"));
    };
    check(3600, "60", "hourly", "1");
    check(900, "15", "hourly", "4");
    check(7200, "120", "daily", "12");
    check(604800, "10080", "weekly", "1");
    check(0, "1", "hourly", "60");
    check(100'000'000, "1666667", "yearly", "1");
}

TEST_CASE("A contact is written as mail and name, or not at all") {
    const auto empty = history_of({});
    auto other = site();
    other.title = "The (odd) \\ title";
    const auto bytes = render::rss(empty, channel_of(empty, other), other);
    CHECK_THAT(bytes,
               Contains("<managingEditor>help@wormbase.org (The odd  title)</managingEditor>"));
    check_feed(bytes);
    for (const auto* bad :
         {"", "x", "@x.org", "a@b", "a b@x.org", "a@x..org", "a@-x.org", "a@x.org\n>"}) {
        INFO(bad);
        other.contact = bad;
        const auto without = render::rss(empty, channel_of(empty, other), other);
        CHECK_THAT(without, !Contains("managingEditor"));
        check_feed(without);
    }
}

TEST_CASE("An item without timestamps has no creator, and several curators share one element") {
    auto stamped = unc_26_in_ws187();
    stamped.notes.changes.push_back(
        added({}, support::stamped(support::text("v"), "2008-02-01_09:15:20_a <b> & c")));
    auto plain = row("WS186", day(2008, 2, 1), {added({}, support::text("v"))});
    const auto feed = support::read_rss(rss(history_of({stamped, plain})));
    CHECK(feed.items.at(0).creator == "sylvia, a <b> & c");
    CHECK(feed.items.at(1).creator.empty());
}

TEST_CASE("A document above 512 KB leaves its oldest items out and is not complete") {
    support::Nodes many;
    for (int i = 0; i < 3000; ++i)
        many.push_back(support::reference("Gene", "WBGene" + std::to_string(i)));
    std::vector<Row> rows;
    for (unsigned i = 0; i < 28; ++i)
        rows.push_back(row("WS" + std::to_string(187 - i), day(2008, 2, 28 - i),
                           {added(tags({"A"}), support::text("a", many)),
                            added(tags({"B"}), support::text("b", many)),
                            added(tags({"C"}), support::text("c", many))}));
    const auto bytes = rss(history_of(rows));
    const auto feed = support::read_rss(bytes);
    CHECK(bytes.size() > 400 * 1024);
    CHECK(feed.items.size() < rows.size());
    CHECK(!feed.complete);
    REQUIRE(!feed.items.empty());
    for (std::size_t i = 0; i < feed.items.size(); ++i)
        CHECK(feed.items[i].guid == render::guid_of(rows[i], site().authority));
    check_feed(bytes);
}
