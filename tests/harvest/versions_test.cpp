// Versions of entries: the items of our copy of a feed.
// SPDX-License-Identifier: MIT
#include "harvest/versions.hpp"

#include "harvest/entries.hpp"
#include "harvest/feeds.hpp"
#include "harvest_store.hpp"
#include "support/catch.hpp"

namespace {

using harvest::EntryVersions;
using store::Transaction;

constexpr base::Seconds first_noon{std::chrono::sys_days(std::chrono::year(2026) / 11 / 24) +
                                   std::chrono::hours(12)};

feed::Entry entry_of(const std::string& id, const std::string& title,
                     const std::string& content = "text") {
    feed::Entry made;
    made.id = made.guid = id;
    made.title = title;
    made.link = "https://a.example/" + id;
    made.content = content;
    made.published = first_noon - std::chrono::hours(48);
    made.digest = title + "|" + content;
    return made;
}

// A store with one feed, and what is fetched of it.
struct VersionStore : support::HarvestStore {
    using HarvestStore::HarvestStore;

    void record(const feed::Entry& fetched, int minute) {
        const std::vector<harvest::ReadyEntry> ready{harvest::make_ready(fetched)};
        now = first_noon + std::chrono::minutes(minute);
        HarvestStore::record(ready, feed);
    }
    EntryVersions versions(std::size_t most,
                           const std::optional<harvest::VersionPosition>& before = {}) {
        return call(harvest::load_versions, feed, before, most);
    }

    const std::int64_t feed = add("https://a.example/feed");
};

std::vector<std::string> names_of(const EntryVersions& found) {
    std::vector<std::string> names;
    for (const auto& version : found.versions)
        names.push_back(version.entry.guid + " " + std::to_string(version.revision) + " " +
                        version.title);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Each entry is a version and so is each edit, those that were recorded last first") {
    VersionStore store(GENERATE(support::engines()));
    CHECK(store.versions(10).versions.empty());
    store.record(entry_of("a", "A"), 0);
    store.record(entry_of("b", "B"), 1);
    store.record(entry_of("a", "A two"), 2);
    store.record(entry_of("c", "C"), 3);
    store.record(entry_of("a", "A two", "longer"), 4);
    const auto found = store.versions(10);
    CHECK(names_of(found) == Names{"a 2 A two", "c 0 C", "a 1 A two", "b 0 B", "a 0 A"});
    CHECK_FALSE(found.rest);
    CHECK(found.versions[0].changes.size() > 0);
    CHECK(found.versions[0].recorded_at == first_noon + std::chrono::minutes(4));
    CHECK(found.versions[4].changes.empty());
    CHECK(found.versions[4].recorded_at == first_noon);
    CHECK(found.versions[4].entry.content == "longer");
}

TEST_CASE("An edit of an entry without a title has the time that the entry said at first") {
    VersionStore store(GENERATE(support::engines()));
    auto entry = entry_of("a", "", "text");
    const auto at_first = entry.published;
    store.record(entry, 0);
    for (int i = 1; i <= 2; ++i) {
        entry.published = first_noon - std::chrono::hours(24 - i);
        entry.content = entry.digest = "edited " + std::to_string(i);
        store.record(entry, i);
    }
    const auto found = store.versions(10);
    REQUIRE(found.versions.size() == 3);
    for (const auto& version : found.versions) CHECK(version.published == at_first);
}

TEST_CASE(
    "Versions are read page by page, and each is on one page, however many edits an entry has") {
    VersionStore store(GENERATE(support::engines()));
    for (int i = 0; i < 6; ++i) store.record(entry_of("e" + std::to_string(i), "E"), 0);
    for (int i = 1; i <= 25; ++i) store.record(entry_of("e2", "E " + std::to_string(i)), i);
    for (const std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{7}}) {
        Names all;
        std::optional<harvest::VersionPosition> before;
        for (;;) {
            const auto found = store.versions(most, before);
            for (const auto& name : names_of(found)) all.push_back(name);
            CHECK(found.versions.size() <= most);
            if (!found.rest) break;
            REQUIRE(found.rest != before);
            before = found.rest;
        }
        CHECK(all == names_of(store.versions(100)));
        CHECK(all.size() == 31);
        CHECK(all.front() == "e2 25 E 25");
        CHECK(all.back() == "e0 0 E");
    }
}

TEST_CASE("A version keeps the title and the time of publication that it came with") {
    VersionStore store(GENERATE(support::engines()));
    auto entry = entry_of("a", "");
    store.record(entry, 0);
    entry.title = entry.digest = "First";
    store.record(entry, 1);
    entry.published = first_noon;
    entry.digest = "published";
    store.record(entry, 2);
    entry.title = entry.digest = "Second";
    store.record(entry, 3);
    entry.title = "";
    entry.published.reset();
    entry.digest = "none";
    store.record(entry, 4);
    const auto found = store.versions(10);
    CHECK(names_of(found) == Names{"a 3 ", "a 2 Second", "a 1 First", "a 0 "});
    CHECK(found.versions.back().published == first_noon - std::chrono::hours(48));
}

TEST_CASE("A damaged version is left out, and those behind it are still found") {
    VersionStore store(GENERATE(support::engines()));
    store.record(entry_of("a", "A"), 0);
    store.record(entry_of("b", "B"), 1);
    store.record(entry_of("b", "B two"), 2);
    store.execute("UPDATE entry_changes SET notes = '{'");
    CHECK(names_of(store.versions(10)) == Names{"b 0 B two", "a 0 A"});
    const auto first = store.versions(1);
    CHECK(first.versions.empty());
    REQUIRE(first.rest);
    CHECK(names_of(store.versions(1, first.rest)) == Names{"b 0 B two"});
}

TEST_CASE("Lists of feeds begin with those that fail most, then those that are disabled") {
    VersionStore store(GENERATE(support::engines()));
    for (const std::string name : {"b", "c", "d"}) {
        const harvest::NewFeed feed{.url = "https://" + name + ".example/", .name = name};
        (void)store.call(harvest::add_feed, feed, first_noon);
    }
    store.execute("UPDATE feeds SET last_fetch_failures = 6 WHERE name = 'c'");
    store.execute("UPDATE feeds SET system_enabled = 0 WHERE name = 'd'");
    const auto listed = [&](const std::string& text, std::size_t from, std::size_t most) {
        Names names;
        for (const auto& feed : store.call(harvest::list_troubled_first, text, from, most))
            names.push_back(feed.display_name());
        return names;
    };
    CHECK(listed("", 0, 10) == Names{"c", "d", "https://a.example/feed", "b"});
    CHECK(listed("", 1, 2) == Names{"d", "https://a.example/feed"});
    CHECK(listed("b.ex", 0, 10) == Names{"b"});
    CHECK(store.call(harvest::count_feeds, "") == 4);
    CHECK(store.call(harvest::count_feeds, "d.example") == 1);
    store.execute("UPDATE feeds SET url = 'https://c.example/?key=x' WHERE name = 'c'");
    store.execute("UPDATE feeds SET url = 'https://d.example/?key=x', public_query = 1"
                  " WHERE name = 'd'");
    CHECK(listed("?key", 0, 10) == Names{"d"});
    CHECK(store.call(harvest::count_feeds, "?key") == 1);
    CHECK(store.call(harvest::count_feeds, "c.example/") == 1);
    CHECK(store.call(harvest::has_feeds));
}

TEST_CASE("Behind many newer versions, SQLite finds a page by indexes that are in its order") {
    const support::FreshStore fresh(store::Engine::sqlite);
    const harvest::VersionPosition before{first_noon, 7, 1};
    const auto plans = support::query_plans(fresh, [&](Transaction& transaction) {
        return harvest::version_positions(transaction, 1, before, 20);
    });
    INFO(plans);
    for (const auto* part :
         {"entries USING COVERING INDEX entries_by_time (feed=? AND first_seen=? AND id<?)",
          "entries USING COVERING INDEX entries_by_time (feed=? AND first_seen<?)",
          "entry_changes USING COVERING INDEX entry_changes_by_time (feed=? AND created_at=? AND "
          "entry<?)",
          "entry_changes USING COVERING INDEX entry_changes_by_time (feed=? AND created_at<?)"})
        CHECK_THAT(plans, Catch::Contains(part));
}

TEST_CASE("Behind many newer versions, MariaDB reads no more rows than a page has") {
    const support::FreshStore fresh(store::Engine::mysql);
    support::HarvestStore store(fresh.connect());
    const std::string many = " FROM seq_1_to_5000";
    store.execute("INSERT INTO entries (id, feed, guid, guid_digest, seen_digest, first_seen,"
                  " last_seen, tree, content) SELECT seq, 1, seq, seq, '', CONCAT('2026-01-01T',"
                  " SEC_TO_TIME(seq), 'Z'), '', '', ''" +
                  many);
    store.execute("INSERT INTO entry_changes (entry, revision, feed, created_at, notes)"
                  " SELECT seq, 1, 1, CONCAT('2026-01-01T', SEC_TO_TIME(seq), 'Z'), ''" +
                  many);
    store.rows("ANALYZE TABLE entries, entry_changes");
    const harvest::VersionPosition before{*base::parse_rfc3339("2026-01-01T00:01:00Z"), 60, 1};
    CHECK(support::rows_read(store, [&](Transaction& transaction) {
              const auto found = harvest::version_positions(transaction, 1, before, 20);
              REQUIRE(found.size() == 20);
              CHECK(found.front() == harvest::VersionPosition{before.recorded_at, 60, 0});
          }) < 300);
}
