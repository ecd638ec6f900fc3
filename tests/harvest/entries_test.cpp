// SPDX-License-Identifier: MIT
#include "harvest/entries.hpp"

#include <algorithm>

#include "feed/read_feed.hpp"
#include "harvest/versions.hpp"
#include "harvest_store.hpp"

using namespace harvest;
using namespace std::chrono_literals;
using support::HarvestStore;

namespace {

const base::Date first_day = *base::parse_date("2008-04-01");

feed::Entry entry_of(const std::string& guid, const std::string& title,
                     const std::string& content = "<p>Text</p>") {
    feed::Entry entry;
    entry.guid = guid;
    entry.link = "http://a.example/" + guid;
    entry.title = title;
    entry.content = content;
    entry.published = base::Seconds(first_day) + 1h;
    return entry;
}

// What a fetch does with the entries of a feed: the first one is the oldest.
EntriesRecorded record(HarvestStore& store, std::vector<feed::Entry> entries,
                       std::int64_t feed = 1,
                       std::optional<base::Date> last_success = std::nullopt) {
    feed::identify(entries);
    return store.write([&](store::Transaction& transaction) {
        const auto ready = make_ready(unrecorded(transaction, feed, entries));
        FeedRow row;
        row.id = feed;
        row.last_fetch_success = last_success;
        note_seen(transaction, row, entries, store.now);
        const auto recorded = record_entries(transaction, feed, ready, store.now);
        if (recorded.copy_differs) tables::mark_copies(transaction, {feed});
        return recorded;
    });
}

std::string numbers_of(const EntriesRecorded& recorded) {
    return std::to_string(recorded.added) + " added, " + std::to_string(recorded.edited) +
           " edited, " + std::to_string(recorded.skipped) + " skipped, " +
           std::to_string(recorded.inserted_twice) + " twice";
}

// An entry with its edits, the newest first.
struct LoadedEntry : StoredEntry {
    std::vector<EntryVersion> edits;
};

// Returns the entries of a feed, those that came or changed last first.
std::vector<LoadedEntry> load(HarvestStore& store, std::int64_t feed = 1) {
    auto found = store.call(load_versions, feed, std::nullopt, 1000);
    std::vector<LoadedEntry> entries;
    for (auto& version : found.versions) {
        auto known = std::ranges::find(entries, version.entry.id, &LoadedEntry::id);
        if (known == entries.end()) known = entries.insert(known, {version.entry, {}});
        if (version.revision > 0) known->edits.push_back(std::move(version));
    }
    return entries;
}

std::string guids_of(const std::vector<LoadedEntry>& entries) {
    std::string text;
    for (const auto& entry : entries) text += entry.guid + " ";
    return text;
}

std::size_t drop(HarvestStore& store, std::size_t most = 100) {
    return store.call(drop_old_entries, std::chrono::days(14), store.now, most);
}

// Finds no entry the first two times, as if they were recorded only afterwards.
class LateConnection final : public support::ForwardingConnection {
   public:
    using ForwardingConnection::ForwardingConnection;
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        auto rows = ForwardingConnection::query(sql, values);
        const bool is_look = sql.starts_with("SELECT id, revision, seen_digest, tree");
        // Each is looked for once more after the insertion has failed.
        return is_look && ++looks_ % 2 == 1 ? store::Rows() : std::move(rows);
    }

   private:
    int looks_ = 0;
};

// Nothing of a new version of an entry is written as a change.
void check_no_edit(HarvestStore& store, const feed::Entry& before, const feed::Entry& after) {
    record(store, {before});
    store.now += 1h;
    CHECK(numbers_of(record(store, {after})) == "0 added, 0 edited, 1 skipped, 0 twice");
    const auto found = load(store).at(0);
    CHECK(found.revision == 0);
    CHECK(found.edits.empty());
    CHECK(numbers_of(record(store, {after})) == "0 added, 0 edited, 0 skipped, 0 twice");
    store.execute("DELETE FROM entries");
}

// All but ids, which faults use up.
std::vector<std::string> what_is_recorded(HarvestStore& store) {
    auto rows = store.rows(
        "SELECT feed, guid, guid_digest, seen_digest, link, title, published, first_seen, "
        "last_seen, revision, tree, content FROM entries ORDER BY feed, guid");
    for (auto& row : store.rows("SELECT e.guid, c.revision, c.created_at, c.notes FROM "
                                "entry_changes c JOIN entries e ON e.id = c.entry ORDER BY "
                                "e.guid, c.revision"))
        rows.push_back(std::move(row));
    return rows;
}

}  // namespace

TEST_CASE("New entries are recorded once, numbered from the oldest") {
    HarvestStore store(GENERATE(support::engines()));
    const auto first = record(store, {entry_of("1", "one"), entry_of("2", "two")});
    CHECK(numbers_of(first) == "2 added, 0 edited, 0 skipped, 0 twice");
    store.now += 1h;
    CHECK(numbers_of(record(
              store, {entry_of("1", "one"), entry_of("2", "two"), entry_of("3", "three")})) ==
          "1 added, 0 edited, 0 skipped, 0 twice");
    const auto entries = load(store);
    CHECK(guids_of(entries) == "3 2 1 ");
    const auto& one = entries[2];
    CHECK(one.feed == 1);
    CHECK(one.link == "http://a.example/1");
    CHECK(one.title == "one");
    CHECK(one.published == base::Seconds(first_day) + 1h);
    CHECK(one.first_seen == store.now - 1h);
    CHECK(one.content == "<p>Text</p>");
    CHECK(one.tree.size() == 4);
    CHECK(store.call(count_entries, 1) == 3);
    CHECK(store.call(count_entries, 2) == 0);
    // The same guid in another feed is another entry.
    CHECK(numbers_of(record(store, {entry_of("1", "one")}, 2)) ==
          "1 added, 0 edited, 0 skipped, 0 twice");
}

TEST_CASE("A later version of an entry is kept with what it changed") {
    HarvestStore store(GENERATE(support::engines()));
    record(store, {entry_of("1", "old title")});
    store.now += 1h;
    auto edited = entry_of("1", "new title", "<p>Text</p><p>More</p>");
    const auto second = record(store, {edited});
    CHECK(numbers_of(second) == "0 added, 1 edited, 0 skipped, 0 twice");
    store.now += 1h;
    edited.categories = {"worms"};
    record(store, {edited});
    const auto entry = load(store).at(0);
    CHECK(entry.title == "new title");
    CHECK(entry.content == "<p>Text</p><p>More</p>");
    CHECK(entry.revision == 2);
    CHECK(entry.first_seen == store.now - 2h);
    REQUIRE(entry.edits.size() == 2);
    CHECK(entry.edits[0].revision == 2);
    CHECK(entry.edits[0].recorded_at == store.now);
    REQUIRE(entry.edits[0].changes.size() == 1);
    CHECK(entry.edits[0].changes[0].op == compare::Op::added);
    CHECK(compare::place_of(entry.edits[0].changes[0]) == "Category");
    std::vector<std::string> places;
    for (const auto& change : entry.edits[1].changes) places.push_back(compare::place_of(change));
    CHECK(std::ranges::count(places, "Title") == 1);
    CHECK(std::ranges::count(places, "Content") == 1);
    const auto json = store.value("SELECT notes FROM entry_changes WHERE revision = 2");
    CHECK(json == R"({"changes":[{"op":"added","path":[],"after":[{"tag":"Category",)"
                  R"("children":[{"text":"worms"}]}]}]})");
}

TEST_CASE("Markup, white space and times of updates alone are no edits") {
    HarvestStore store(GENERATE(support::engines()));
    const auto before = entry_of("1", "title", "<p>Some text</p>");
    auto after = before;
    after.content = "<div>\n Some   <b>text</b> </div>";
    check_no_edit(store, before, after);
    after = before;
    after.updated = base::Seconds(first_day) + 5h;
    check_no_edit(store, before, after);
    check_no_edit(store, after, before);
    auto later = after;
    later.updated = base::Seconds(first_day) + 6h;
    check_no_edit(store, after, later);
    after = before;
    after.categories = {"b", "a"};
    auto reordered = after;
    std::ranges::reverse(reordered.categories);
    check_no_edit(store, after, reordered);
    // The content that is shown is the latest one.
    record(store, {before});
    after = before;
    after.content = "<p>Some <b>text</b></p>";
    record(store, {after});
    CHECK(load(store).at(0).content == "<p>Some <b>text</b></p>");
    // A feed that says of all entries that they are published now, and what it said first.
    const auto first = load(store).at(0).published;
    after.published = base::Seconds(first_day) + 9h;
    CHECK(record(store, {after}).edited == 0);
    CHECK(load(store).at(0).published == first);
    after.published = first;
    // A time of an update comes along with an edit.
    after.updated = base::Seconds(first_day) + 5h;
    after.title = "other";
    CHECK(record(store, {after}).edited == 1);
    CHECK(load(store).at(0).edits.at(0).changes.size() == 2);
}

TEST_CASE("A move to https and other code points of the same words are no edits, beside them "
          "others are") {
    HarvestStore store(GENERATE(support::engines()));
    const auto before = entry_of("http://a.example/1", "one", "<p>caf\u00E9 x</p>");
    auto after = entry_of("https://a.example/1", "one", "<p>cafe\u0301&nbsp;x&nbsp;</p>");
    after.link = "https://a.example/http://a.example/1";
    check_no_edit(store, before, after);
    record(store, {before});
    store.now += 1h;
    after.title = "two";
    CHECK(numbers_of(record(store, {after})) == "0 added, 1 edited, 0 skipped, 0 twice");
    const auto found = load(store).at(0);
    CHECK(found.link == after.link);
    CHECK(found.edits.at(0).changes.size() == 1);  // of the title
}

TEST_CASE("Another order is no change, and entries that are missing stay") {
    HarvestStore store(GENERATE(support::engines()));
    record(store, {entry_of("1", "one"), entry_of("2", "two"), entry_of("3", "three")});
    const auto before = what_is_recorded(store);
    CHECK(numbers_of(record(store, {entry_of("3", "three"), entry_of("1", "one")})) ==
          "0 added, 0 edited, 0 skipped, 0 twice");
    CHECK(what_is_recorded(store) == before);
    CHECK(numbers_of(record(store, {})) == "0 added, 0 edited, 0 skipped, 0 twice");
    CHECK(what_is_recorded(store) == before);
}

TEST_CASE("A second insertion is impossible, and counted") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    const auto connect = fresh.connect();
    HarvestStore store(connect);
    std::vector<feed::Entry> entries{entry_of("1", "one"), entry_of("2", "two")};
    feed::identify(entries);
    const std::vector<ReadyEntry> ready{make_ready(entries[0]), make_ready(entries[1])};
    const auto record_by = [&](HarvestStore& harvester) {
        return numbers_of(harvester.record(ready, 1));
    };
    record(store, {entry_of("1", "one")});
    CHECK(record_by(store) == "1 added, 0 edited, 1 skipped, 0 twice");
    CHECK(record_by(store) == "0 added, 0 edited, 2 skipped, 0 twice");
    // A harvester that was about to insert an entry when another one did.
    HarvestStore late([&] { return std::make_unique<LateConnection>(connect()); });
    CHECK(record_by(late) == "0 added, 0 edited, 2 skipped, 2 twice");
    CHECK(load(store).size() == 2);
}

TEST_CASE("Whatever our copy shows of entries makes the hub look at it") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/"), other = store.add("http://b.example/");
    (void)store.is_marked(other);
    const auto moves = [&](std::vector<feed::Entry> entries) {
        (void)store.is_marked(feed);
        record(store, std::move(entries), feed);
        return store.is_marked(feed);
    };
    auto one = entry_of("1", "one");
    const auto two = entry_of("2", "two");
    CHECK(moves({one}));
    CHECK_FALSE(moves({one}));
    CHECK(moves({one, two, entry_of("3", "three")}));
    one.title = "edited";
    CHECK(moves({one}));
    one.content = "<p><b>Text</b></p>";  // markup alone
    CHECK(moves({one}));
    CHECK_FALSE(moves({one, two}));
    const auto moves_of_archive = [&](const std::string& guid) {
        std::vector<feed::Entry> entries{entry_of(guid, "from an archive")};
        feed::identify(entries);
        std::vector<ReadyEntry> ready{make_ready(entries[0])};
        ready[0].dated = store.now - 24h;
        (void)store.is_marked(feed);
        store.record(ready, feed);
        return store.is_marked(feed);
    };
    CHECK(moves_of_archive("4"));
    CHECK_FALSE(moves_of_archive("4"));
    CHECK_FALSE(moves_of_archive("1"));
    CHECK_FALSE(store.is_marked(other));
}

TEST_CASE("Damaged rows are left out, and the next version makes them whole") {
    HarvestStore store(GENERATE(support::engines()));
    record(store, {entry_of("1", "one"), entry_of("2", "two"), entry_of("3", "three")});
    store.now += 1min;
    record(store, {entry_of("3", "edited")});
    store.execute("UPDATE entries SET tree = x'00' WHERE guid = '1'");
    store.execute("UPDATE entry_changes SET notes = '{'");
    CHECK(guids_of(load(store)) == "3 2 ");
    CHECK(load(store).at(0).edits.empty());
    CHECK(numbers_of(record(store, {entry_of("1", "mended")})) ==
          "0 added, 0 edited, 1 skipped, 0 twice");
    CHECK(guids_of(load(store)) == "3 2 1 ");
}

TEST_CASE("Long texts are cut at a character, and long guids stay different") {
    HarvestStore store(GENERATE(support::engines()));
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "ä";
    auto one = entry_of(text + "1", text), two = entry_of(text + "2", text);
    one.link = two.link = "http://a.example/" + std::string(3000, 'x');
    one.content = std::string(300'000, 'x');
    CHECK(record(store, {one, two}).added == 2);
    const auto entries = load(store);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].guid.size() == 2048);
    CHECK(entries[0].title.size() == 512);
    CHECK(entries[0].link.size() == 2048);
    CHECK(entries[1].content.size() <= 100'000);
    CHECK(record(store, {one, two}).added == 0);
}

TEST_CASE("An entry is seen at most once a day, and up to the last success of its feed") {
    HarvestStore store(GENERATE(support::engines()));
    const auto seen = [&](const std::string& guid) {
        return store.value("SELECT last_seen FROM entries WHERE guid = '" + guid + "'");
    };
    record(store, {entry_of("1", "one"), entry_of("2", "two")});
    CHECK(seen("1") == "2008-04-01");
    store.now += 48h;
    record(store, {entry_of("2", "two"), entry_of("3", "three")});
    CHECK(seen("1") == "2008-04-01");
    CHECK(seen("2") == "2008-04-03");
    CHECK(seen("3") == "2008-04-03");
    // The feed was found unchanged for 30 days before its next change.
    store.now += 30 * 24h;
    record(store, {entry_of("3", "three"), entry_of("4", "four")}, 1,
           first_day + std::chrono::days(31));
    CHECK(seen("1") == "2008-04-01");
    CHECK(seen("2") == "2008-05-02");
    CHECK(seen("3") == "2008-05-03");
    CHECK(seen("4") == "2008-05-03");
    // A clock that was ahead for a year does not put the window behind entries that are in it no more.
    store.now += 365 * 24h;
    record(store, {entry_of("4", "four"), entry_of("5", "five")});
    CHECK(seen("5") == "2009-05-03");
    store.now -= 365 * 24h;
    record(store, {entry_of("5", "five"), entry_of("6", "six")}, 1,
           first_day + std::chrono::days(32 + 365));
    for (const auto* guid : {"4", "5", "6"}) CHECK(seen(guid) == "2008-05-03");
}

TEST_CASE("Entries that left the window of their feed are dropped after two weeks") {
    HarvestStore store(GENERATE(support::engines()));
    store.add("http://a.example/");
    record(store, {entry_of("1", "one"), entry_of("2", "two")});
    record(store, {entry_of("1", "edited"), entry_of("2", "two")});
    store.now += 24h;
    record(store, {entry_of("2", "two"), entry_of("3", "three")});
    store.now += 13 * 24h;
    (void)store.is_marked(1);
    CHECK(drop(store) == 0);
    CHECK_FALSE(store.is_marked(1));
    store.now += 24h;
    CHECK(drop(store) == 1);
    CHECK(store.is_marked(1));
    CHECK(guids_of(load(store)) == "3 2 ");
    CHECK(store.value("SELECT COUNT(*) FROM entry_changes") == "0");
    // What was there at the last fetch stays, however long ago that is.
    store.now += 1000 * 24h;
    CHECK(drop(store) == 0);
    CHECK(load(store).size() == 2);
}

TEST_CASE("Feeds in which an object is mentioned keep all entries") {
    HarvestStore store(GENERATE(support::engines()));
    store.add("http://a.example/");
    store.add("http://b.example/");
    for (const auto feed : {1, 2}) record(store, {entry_of("1", "one")}, feed);
    store.now += 24h;
    for (const auto feed : {1, 2}) record(store, {entry_of("2", "two")}, feed);
    store.execute("INSERT INTO mentions (class, name, first_seen, entry, mentioned_at) SELECT"
                  " 'Gene', 'x', first_seen, id, 't' FROM entries WHERE feed = 2 AND guid = '2'");
    store.now += 30 * 24h;
    CHECK(drop(store) == 1);
    CHECK(guids_of(load(store, 1)) == "2 ");
    CHECK(guids_of(load(store, 2)) == "2 1 ");
    CHECK(drop(store) == 0);
}

TEST_CASE("A part of the old entries is dropped at a time, and the others next") {
    HarvestStore store(GENERATE(support::engines()));
    for (const auto feed : {1, 2, 3}) {
        store.add("http://a.example/" + std::to_string(feed));
        record(store, {entry_of("1", "one"), entry_of("2", "two"), entry_of("3", "three")}, feed);
    }
    store.now += 24h;
    for (const auto feed : {1, 2, 3}) record(store, {entry_of("4", "four")}, feed);
    store.now += 30 * 24h;
    CHECK(drop(store, 4) == 4);
    CHECK(drop(store, 4) == 4);
    CHECK(drop(store, 4) == 1);
    CHECK(drop(store, 4) == 0);
    for (const auto feed : {1, 2, 3}) CHECK(guids_of(load(store, feed)) == "4 ");
}

TEST_CASE("Whatever fails while entries are recorded, the rows are those of a run without it") {
    support::with_each_fault(
        [](HarvestStore& store) { record(store, {entry_of("1", "one"), entry_of("2", "two")}); },
        [](HarvestStore& store) {
            store.now += 24h;
            record(store,
                   {entry_of("2", "edited"), entry_of("3", "three"), entry_of("4", "four")}, 1,
                   first_day);
        },
        [](HarvestStore& good, HarvestStore& after, support::Fault) {
            CHECK(what_is_recorded(after) == what_is_recorded(good));
        });
}

TEST_CASE("Whatever fails while entries are dropped, the rows are those of a run without it") {
    support::with_each_fault(
        [](HarvestStore& store) {
            store.add("http://a.example/");
            record(store, {entry_of("1", "one"), entry_of("2", "two")});
            record(store, {entry_of("1", "edited")});
            store.now += 24h;
            record(store, {entry_of("3", "three")});
        },
        [](HarvestStore& store) {
            store.now += 30 * 24h;
            drop(store);
        },
        [](HarvestStore& good, HarvestStore& after, support::Fault) {
            CHECK(what_is_recorded(after) == what_is_recorded(good));
            CHECK(guids_of(load(after)) == "3 ");
        });
}
