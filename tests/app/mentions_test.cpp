// Words in entries are objects of the site that have them as names or labels.
// SPDX-License-Identifier: MIT
#include "app/mentions.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/small_site.hpp"

using tree::ObjectName;

namespace {

// A site whose genes have labels.
struct LabelledSite : support::SmallSite {
    LabelledSite() : SmallSite(names()) {}
    static history::Settings names() {
        history::Settings settings;
        settings.names = {{"Gene", {{"Name"}}}};
        return settings;
    }
    void add(const std::string& name, const std::string& label) {
        set_object({"Gene", name}, {support::tag("Name", {support::text(label)})});
    }
    harvest::MentionFinder finder() {
        app::Config config;
        config.mentions = {{"Gene", "[A-Za-z0-9]+-?[0-9]+"}};
        auto finder = app::mention_finder(config, service);
        REQUIRE(finder);
        return *std::move(finder);
    }
    std::vector<ObjectName> mentions_in(const std::string& title) {
        return finder().mentions_in({support::tag("Title", {support::text(title)})});
    }
};

}  // namespace

TEST_CASE("A word is an object by its name or its label, and is recorded under its name") {
    LabelledSite site;
    site.add("WBGene1", "unc-26");
    site.add("WBGene2", "lev-1");
    site.publish("WS1", "2008-01-01");
    CHECK(site.mentions_in("unc-26 and abc-1") == std::vector<ObjectName>{{"Gene", "WBGene1"}});
    CHECK(site.mentions_in("WBGene2, lev-1") == std::vector<ObjectName>{{"Gene", "WBGene2"}});
    CHECK(site.mentions_in("wbgene1") == std::vector<ObjectName>{{"Gene", "WBGene1"}});
}

TEST_CASE("An object that only the build has is found by its name") {
    LabelledSite site;
    site.add("WBGene1", "unc-26");
    site.put(site.build("WS1", "2008-01-01"));
    CHECK(site.mentions_in("WBGene1") == std::vector<ObjectName>{{"Gene", "WBGene1"}});
    CHECK(site.mentions_in("unc-26").empty());
}

TEST_CASE("A label of several objects means all of them, and one of many means none") {
    LabelledSite site;
    for (std::size_t i = 1; i <= app::most_objects_of_word; ++i)
        site.add("WBGene" + std::to_string(i), "unc-26");
    site.publish("WS1", "2008-01-01");
    CHECK(site.mentions_in("unc-26").size() == app::most_objects_of_word);
    site.add("WBGene9", "unc-26");
    site.publish("WS2", "2008-01-02");
    CHECK(site.mentions_in("unc-26").empty());
}

TEST_CASE("What may be found changes with a release, a job that records it, and a publication") {
    LabelledSite site;
    const auto digest = [&] { return site.finder().digest(); };
    std::vector<std::string> digests = {digest()};
    const auto check_is_new = [&] {
        CHECK(std::ranges::find(digests, digest()) == digests.end());
        digests.push_back(digest());
    };
    site.add("WBGene1", "unc-26");
    site.publish("WS1", "2008-01-01");
    check_is_new();
    site.publish("WS2", "2008-01-02");
    check_is_new();
    site.execute("UPDATE builds SET recorded_at = '2008-01-03T00:00:00Z' WHERE version = 'WS2'");
    check_is_new();
    // Published again: by another host first, whose files come to this one later.
    site.add("WBGene2", "lev-1");
    const auto again = site.build("WS2", "2008-01-02");
    site.execute("INSERT INTO builds (number, digest, version, accepted_at) VALUES"
                 " (9, ?, 'WS2', '2008-01-04T00:00:00Z')",
                 {store::Value{again->digest()}});
    CHECK(site.finder().known_objects().empty());
    site.put(again);
    check_is_new();
    CHECK(digest() == digests.back());
}
