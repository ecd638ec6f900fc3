// What entries mention is found by rules, recorded with them, and found again when the rules change.
// SPDX-License-Identifier: MIT
#include "harvest/mentions.hpp"

#include <chrono>
#include <optional>

#include "harvest/claims.hpp"
#include "harvest/entries.hpp"
#include "harvest/feeds.hpp"
#include "harvest/harvester.hpp"
#include "harvest_store.hpp"
#include "support/catch.hpp"
#include "support/faulty_connection.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"
#include "support/stores.hpp"
#include "tables/mentions.hpp"
#include "tables/releases.hpp"

using namespace std::chrono_literals;
using harvest::MentionRules;
using store::Access;
using store::Transaction;
using tree::ObjectName;
using Names = std::vector<std::string>;

namespace {

const std::string genes = R"(WBGene\d{8}|[a-z]{3,4}-\d+)";

MentionRules rules_of(std::vector<harvest::MentionRule> rules) {
    return MentionRules::compile(rules).value();
}

Names words(const std::string& text, const std::string& pattern = genes) {
    Names names;
    for (const auto& object : rules_of({{"Gene", pattern}}).words_in(text)) {
        CHECK(object.class_name == "Gene");
        names.push_back(object.name);
    }
    return names;
}

std::string complaint(const std::string& pattern) {
    const auto checked = harvest::check_rule({"Gene", pattern});
    return checked ? std::string() : checked.error().text;
}

feed::Entry entry_of(std::string title, std::string content = {}) {
    feed::Entry entry;
    entry.id = "e1";
    entry.title = std::move(title);
    entry.content = std::move(content);
    entry.digest = entry.title + entry.content;
    return entry;
}

// A site that has some genes.
harvest::FindObjects site_with(Names names) {
    return [names = std::move(names)](std::span<const ObjectName> asked) {
        std::vector<ObjectName> found;
        for (const auto& word : asked)
            if (std::ranges::count(names, word.name) > 0) found.push_back(word);
        return found;
    };
}

struct MentionStore : support::HarvestStore {
    using HarvestStore::HarvestStore;

    // Records an entry as a harvester does.
    //   dated  of an archive
    void record(const feed::Entry& entry, std::optional<base::Seconds> dated = std::nullopt) {
        std::vector ready{harvest::make_ready(entry)};
        ready.front().dated = dated;
        harvest::note_mentions(ready, finder, rules);
        HarvestStore::record(ready, feed);
    }
    // Records entries with the titles "unc-26 number 1" and so on.
    void record_many(int count) {
        for (int i = 1; i <= count; ++i) {
            auto entry = entry_of("unc-26 number " + std::to_string(i));
            entry.id = std::to_string(i);
            record(entry);
        }
    }
    std::vector<tables::Mention> mentions_of(const std::string& gene, std::size_t most = 100) {
        const std::vector<ObjectName> objects{{"Gene", gene}};
        return call(tables::load_mentions, objects, most);
    }
    std::size_t count_of(const std::string& gene) {
        return call(tables::count_mentions, ObjectName{"Gene", gene});
    }
    // Lets a harvester that starts now search all entries, and records by its rules from then on.
    int review() {
        harvest::MentionReview review;
        int steps = 1;
        while (step(review, finder)) ++steps;
        rules = review.rules();
        return steps;
    }
    bool step(harvest::MentionReview& review, const harvest::MentionFinder& with) {
        return review.step(pool, with, [this](Transaction&) { return now; });
    }

    const std::int64_t feed = add("https://lab.example/feed");
    std::int64_t rules = 0;
    harvest::MentionFinder finder = {rules_of({{"Gene", genes}}),
                                     site_with({"unc-26", "unc-27", "lev-1"})};
};

}  // namespace

TEST_CASE("A rule finds whole words, each once") {
    CHECK(words("unc-26, lev-1. (unc-27) unc-26") == Names{"unc-26", "lev-1", "unc-27"});
    CHECK(words("\xE2\x80\x9Cunc-26\xE2\x80\x9D\nunc-27") == Names{"unc-26", "unc-27"});
    CHECK(words("https://x.org/gene/WBGene00006763?v=1") == Names{"WBGene00006763"});
    CHECK(words("unc-26--a transporter--unc-27") == Names{"unc-26", "unc-27"});
    CHECK(words("-unc-26- .unc-27...") == Names{"unc-26", "unc-27"});
    CHECK(words("unc-26b unc-27") == Names{"unc-27"});
    CHECK(words("abcdunc-26 lev-1") == Names{"lev-1"});
}

TEST_CASE("A rule finds nothing inside of a longer word") {
    for (const auto* text :
         {"unc-26b", "aunc-26x", "unc-26.2", "unc-26-unc-27", "x.unc-26", "a-unc-26", "_unc-26",
          "unc-26_", "5unc-26", "\xC3\xA9unc-26", "unc-26\xC3\xA9", "unc-26\xCC\x81",
          "WBGene000067631", "WBGene0000676"}) {
        INFO(text);
        CHECK(words(text).empty());
    }
}

TEST_CASE("What a rule would not be is refused with a reason") {
    CHECK(complaint(genes).empty());
    CHECK(complaint("(").find("is not a regular expression: missing )") != std::string::npos);
    // These would be expressions inside of another one.
    CHECK_FALSE(complaint("a)(b").empty());
    CHECK(complaint("\\d*").find("matches the empty text") != std::string::npos);
    CHECK_FALSE(complaint("(?=a)b").empty());
    CHECK_FALSE(complaint("((a{100}){100}){100}").empty());
    CHECK_FALSE(complaint(std::string(5000, 'a')).empty());
    CHECK_FALSE(MentionRules::compile(std::vector<harvest::MentionRule>{{"Gene", "["}}));
}

TEST_CASE("A hostile text costs little, and of many words the first ones count") {
    std::string text;
    while (text.size() < 1'000'000) text += "aaaa-";
    CHECK(words(text).empty());
    CHECK(words(text, "(?:a+-?)+b").empty());
    text.clear();
    for (int i = 0; i < 5'000; ++i) text += "unc-" + std::to_string(i) + " ";
    CHECK(words(text).size() == harvest::most_words_of_entry);
    CHECK(words(std::string("unc-26\0unc-27 \xFF lev-1", 22)).size() <= 3);
}

TEST_CASE("Rules have a digest that any change of them changes") {
    const auto digest = rules_of({{"Gene", genes}}).digest();
    CHECK(digest == rules_of({{"Gene", genes}}).digest());
    CHECK(digest != rules_of({{"Gene", genes + "x"}}).digest());
    CHECK(digest != rules_of({{"Protein", genes}}).digest());
    CHECK(digest != rules_of({{"Gene", genes}, {"Gene", genes}}).digest());
    CHECK(MentionRules().digest().empty());
    CHECK(MentionRules().words_in("unc-26").empty());
}

TEST_CASE("An entry mentions what is in its title, its link and the text of its content") {
    auto entry = entry_of("About unc-26 and abc-12, which is none",
                          "<p title=\"unc-54\">See <b>lev</b>-1</p>");
    entry.link = "https://x.org/unc-27";
    const harvest::MentionFinder finder{rules_of({{"Gene", genes}}),
                                        site_with({"unc-26", "unc-27", "lev-1", "unc-54"})};
    const auto found = finder.mentions_in(harvest::make_ready(entry).tree);
    CHECK(found ==
          std::vector<ObjectName>{{"Gene", "lev-1"}, {"Gene", "unc-26"}, {"Gene", "unc-27"}});
}

TEST_CASE("Mentions are recorded with their entry, and replaced when it is edited") {
    MentionStore store(GENERATE(support::engines()));
    auto entry = entry_of("unc-26 and lev-1");
    entry.link = "https://lab.example/1";
    entry.authors = {{.name = "Jane Doe", .mail = {}, .url = {}}};
    entry.published = store.now - 24h;
    store.record(entry);
    const auto first = store.mentions_of("unc-26");
    REQUIRE(first.size() == 1);
    CHECK(first[0].object == ObjectName{"Gene", "unc-26"});
    CHECK(first[0].title == "unc-26 and lev-1");
    CHECK(first[0].link == "https://lab.example/1");
    CHECK(first[0].feed == store.feed);
    CHECK(first[0].feed_name == "https://lab.example/feed");
    CHECK(first[0].authors == Names{"Jane Doe"});
    CHECK(first[0].published == store.now - 24h);
    CHECK(first[0].first_seen == store.now);
    CHECK(first[0].mentioned_at == store.now);

    store.now += 1h;
    store.record(entry_of("unc-26 and unc-27"));
    CHECK(store.count_of("lev-1") == 0);
    CHECK(store.mentions_of("unc-27").at(0).mentioned_at == store.now);
    CHECK(store.mentions_of("unc-26").at(0).mentioned_at == store.now - 1h);
}

TEST_CASE(
    "The newest mentions of an object are read, also if an archive brought older ones later") {
    MentionStore store(GENERATE(support::engines()));
    store.record_many(5);
    auto old = entry_of("unc-26 of old");
    old.id = "old";
    store.record(old, store.now - std::chrono::days(365));
    const auto newest = store.mentions_of("unc-26", 3);
    REQUIRE(newest.size() == 3);
    CHECK(newest[0].title == "unc-26 number 5");
    CHECK(newest[2].title == "unc-26 number 3");
    CHECK(store.mentions_of("unc-26").back().title == "unc-26 of old");
    CHECK(store.count_of("unc-26") == 6);
}

TEST_CASE("A harvester records what the entries of a feed mention that it fetches") {
    MentionStore store(GENERATE(support::engines()));
    const support::HttpPeer peer([](const std::string&) {
        return support::answer_of("<rss version=\"2.0\"><channel><title>Lab news</title>"
                                  "<item><guid>1</guid><title>All about unc-26</title></item>"
                                  "</channel></rss>",
                                  "Content-Type: application/rss+xml\r\n");
    });
    harvest::HarvestOptions options;
    options.guard = net::AddressGuard(net::parse_allow_list("127.0.0.0/8").value());
    options.mentions = store.finder;
    harvest::remove_feed(store.pool, store.feed);
    store.now = base::system_clock_now();
    store.add(peer.url("/feed"));
    auto harvester = harvest::Harvester::make(store.pool, std::move(options)).value();
    support::repeat_until([&] { return harvester.is_done(); }, [&] { harvester.step(10ms); });
    const auto mentions = store.mentions_of("unc-26");
    REQUIRE(mentions.size() == 1);
    CHECK(mentions[0].title == "All about unc-26");
    CHECK(mentions[0].feed_name == "Lab news");
}

TEST_CASE("The mentions of an entry follow its edits, and its feed has its present name") {
    MentionStore store(GENERATE(support::engines()));
    auto entry = entry_of("unc-26");
    store.record(entry);
    entry.title = "unc-26 has a title, which pages show";
    entry.digest = "2";
    store.record(entry);
    CHECK(store.count_of("unc-26") == 1);
    store.now += 48h;
    const auto claimed = store.claim();
    auto fetch = store.fetch_of(claimed.at(0));
    fetch.after.rss_title = "Lab news";
    store.finish({fetch});
    CHECK(store.mentions_of("unc-26").at(0).feed_name == "Lab news");
    store.record(entry_of("nothing any more"));
    CHECK(store.count_of("unc-26") == 0);
}

TEST_CASE("A feed that is removed takes its mentions with it") {
    MentionStore store(GENERATE(support::engines()));
    store.record(entry_of("unc-26"));
    CHECK(harvest::remove_feed(store.pool, store.feed));
    CHECK(store.count_of("unc-26") == 0);
}

TEST_CASE("A new rule finds entries that are stored, once") {
    MentionStore store(GENERATE(support::engines()));
    const auto finder = std::exchange(store.finder, {});
    const auto all = static_cast<int>(harvest::MentionReview::entries_at_once) + 20;
    CHECK(store.review() == 1);
    store.record_many(all);
    CHECK(store.review() == 1);
    CHECK(store.count_of("unc-26") == 0);
    store.finder = finder;
    CHECK(store.review() > 2);
    CHECK(store.count_of("unc-26") == static_cast<std::size_t>(all));
    // The next harvester has nothing to do, and one without rules takes them back.
    CHECK(store.review() == 1);
    store.finder = {};
    CHECK(store.review() > 2);
    CHECK(store.count_of("unc-26") == 0);
}

TEST_CASE("An entry that is edited during a review keeps the mentions of its new version") {
    MentionStore store(GENERATE(support::engines()));
    const auto finder = std::exchange(store.finder, {});
    store.record(entry_of("unc-26"));
    store.finder = finder;
    store.finder.find_objects = [&](std::span<const ObjectName> words) {
        // The harvester that records meanwhile has the new rules too.
        auto edited = entry_of("lev-1");
        std::vector ready{harvest::make_ready(edited)};
        ready[0].mentions = {{"Gene", "lev-1"}};
        ready[0].rules = 2;
        store.HarvestStore::record(ready, store.feed);
        return finder.find_objects(words);
    };
    store.review();
    CHECK(store.count_of("unc-26") == 0);
    CHECK(store.count_of("lev-1") == 1);
}

TEST_CASE("A review whose statements fail, each in turn, ends with the same mentions") {
    MentionStore store(GENERATE(support::engines()));
    const auto finder = std::exchange(store.finder, {});
    store.record_many(3);
    for (const auto fault : support::all_faults)
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            store.finder = {};
            store.review();
            REQUIRE(store.count_of("unc-26") == 0);
            store::Pool pool(support::faulty(store.fresh->connect(), plan), 2,
                             support::no_waiting());
            harvest::MentionReview review;
            int failures = 0;
            for (bool has_more = true; has_more;) try {
                    has_more = review.step(pool, finder, [&](Transaction&) { return store.now; });
                } catch (const store::Failure&) {
                    REQUIRE(++failures < 3);
                }
            CHECK(store.count_of("unc-26") == 3);
        });
}

TEST_CASE("A review goes on where another harvester ended, and ends when newer rules are there") {
    MentionStore store(GENERATE(support::engines()));
    const auto finder = std::exchange(store.finder, {});
    store.record_many(150);
    store.finder = finder;
    harvest::MentionReview old, next, newer;
    CHECK(store.step(old, store.finder));
    CHECK(store.count_of("unc-26") == harvest::MentionReview::entries_at_once);
    CHECK(store.step(next, store.finder));
    CHECK(store.count_of("unc-26") == 150);
    const harvest::MentionFinder other{rules_of({{"Gene", "lev-1"}}), store.finder.find_objects};
    CHECK(store.step(newer, other));
    CHECK_FALSE(store.step(old, store.finder));
    CHECK(store.step(newer, other));
    CHECK_FALSE(store.step(newer, other));
    CHECK(store.count_of("unc-26") == 0);
    CHECK_FALSE(store.step(old, store.finder));
    CHECK(store.review() > 2);
    CHECK(store.count_of("unc-26") == 150);
}

TEST_CASE("Of an object with many mentions, no more are read than are shown") {
    const std::vector<ObjectName> objects{{"Gene", "unc-26"}};
    const auto load = [&](Transaction& transaction) {
        return tables::load_mentions(transaction, objects, 20);
    };
    const support::FreshStore in_file(store::Engine::sqlite);
    const auto plans = support::query_plans(in_file, load);
    CHECK_THAT(plans, Catch::Contains("mentions USING INDEX sqlite_autoindex_mentions_1"));
    CHECK(plans.find("TEMP B-TREE") == plans.npos);

    const support::FreshStore on_server(store::Engine::mysql);
    support::HarvestStore store(on_server.connect());
    store.execute("INSERT INTO mentions (class, name, first_seen, entry, mentioned_at)"
                  " SELECT 'Gene', 'unc-26', CONCAT('2026-01-01T', SEC_TO_TIME(seq), 'Z'),"
                  " 5001 - seq, '' FROM seq_1_to_5000");
    CHECK(support::rows_read(store, load) < 100);
}

TEST_CASE("What a harvester with old rules records is searched again by one with new rules") {
    MentionStore store(GENERATE(support::engines()));
    const auto with_rules = std::exchange(store.finder, {});
    CHECK(store.review() == 1);
    const auto old = store.rules;
    store.record(entry_of("unc-26 and lev-1"));
    store.finder = with_rules;
    CHECK(store.review() == 2);
    CHECK(store.count_of("unc-26") == 1);
    // It records one more, and edits one that was searched.
    const auto newer = std::exchange(store.rules, old);
    store.finder = {};
    store.record(entry_of("unc-26 and more"));
    auto second = entry_of("unc-26");
    second.id = "e2";
    store.record(second);
    CHECK(store.count_of("unc-26") == 0);
    store.finder = with_rules;
    CHECK(store.review() == 2);
    CHECK(store.rules == newer);
    CHECK(store.count_of("unc-26") == 2);
    CHECK(store.review() == 1);
}

TEST_CASE("Objects that come with a release are found in entries that are stored") {
    MentionStore store(GENERATE(support::engines()));
    std::string release = "WS1";
    store.finder.known_objects = [&] { return release; };
    const auto find_later = std::exchange(store.finder.find_objects, site_with({}));
    harvest::MentionReview first, second;
    CHECK_FALSE(store.step(first, store.finder));
    CHECK_FALSE(store.step(second, store.finder));
    CHECK(first.rules() == second.rules());
    store.record(entry_of("unc-26"));
    release = "WS2";
    store.finder.find_objects = find_later;
    CHECK(store.step(first, store.finder));
    CHECK(store.count_of("unc-26") == 1);
    CHECK(first.rules() > second.rules());
    CHECK_FALSE(store.step(second, store.finder));
    CHECK(first.rules() == second.rules());
}

TEST_CASE(
    "Without a build, stored entries keep what they mention, and new ones are searched later") {
    MentionStore store(GENERATE(support::engines()));
    std::string release = "WS1";
    store.finder.known_objects = [&] { return release; };
    store.review();
    store.record(entry_of("unc-26"));
    release.clear();
    const auto find_objects = std::exchange(store.finder.find_objects, site_with({}));
    CHECK(store.review() == 1);
    CHECK(store.rules == 0);
    CHECK(store.count_of("unc-26") == 1);
    auto second = entry_of("unc-26");
    second.id = "e2";
    store.record(second);
    release = "WS1";
    store.finder.find_objects = find_objects;
    CHECK(store.review() == 2);
    CHECK(store.count_of("unc-26") == 2);
    release = "WS2";
    store.finder.find_objects = site_with({});
    CHECK(store.review() == 2);
    CHECK(store.count_of("unc-26") == 0);
}

TEST_CASE("Entries that were imported are searched whatever number they have") {
    MentionStore store(GENERATE(support::engines()));
    store.record(entry_of("unc-26"));
    store.execute("DELETE FROM mentions");
    store.execute("UPDATE entries SET rules = 7");
    CHECK(store.review() == 2);
    CHECK(store.count_of("unc-26") == 1);
}
