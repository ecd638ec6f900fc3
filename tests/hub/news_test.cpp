// No topic that has news is passed over, in whatever order rows and releases come.
// SPDX-License-Identifier: MIT
#include "hub/news.hpp"

#include "hub_store.hpp"
#include "tables/counters.hpp"
#include "tables/releases.hpp"

using namespace hub;
using support::HubStore;
using support::topic_of;

namespace {

using Names = std::vector<std::string>;
using store::Value;

const Topic topic_of_class{.url = "http://f.example/rss?class=Gene",
                           .subject = Topic::Subject::whole_class,
                           .class_name = "Gene"};

Topic topic_of_copy(std::int64_t feed) {
    return {.url = "http://f.example/rss?feed=" + std::to_string(feed),
            .subject = Topic::Subject::source_feed,
            .name = std::to_string(feed)};
}

// A store that knows the releases WS1, WS2 and WS3, and objects.
struct NewsStore : HubStore {
    explicit NewsStore(store::Engine engine) : HubStore(engine) {
        for (const std::string number : {"1", "2", "3"}) {
            execute("INSERT INTO releases (version, released_on) VALUES ('WS" + number +
                    "', '2008-0" + number + "-01')");
            execute("INSERT INTO builds (number, digest, version, accepted_at) VALUES (" +
                    number + ", 'digest', 'WS" + number + "', '2008-04-01T00:00:00Z')");
        }
        for (const std::string name : {"a", "b", "c"}) {
            subscribe("http://reader.example/", name);
            execute("INSERT INTO objects (class, name, name_key) VALUES ('Gene', '" + name +
                    "', '" + name + "')");
        }
    }
    // Records a row with the next number, or with one that was left out.
    void record(const std::string& name, const std::string& version, std::int64_t sid = 0) {
        write([&](store::Transaction& transaction) {
            transaction.execute(
                "INSERT INTO history (sid, oid, version, date, recorded_at, kind, label, notes,"
                " class, name) SELECT ?, oid, ?, '2008-01-01', '2008-01-01T00:00:00Z', 'changed',"
                " '', '', class, name FROM objects WHERE name = ?",
                {sid > 0 ? Value{sid} : Value{}, Value{version}, Value{name}});
        });
    }
    // A job has compared all objects with a release.
    void end_job(const std::string& version, int unreadable = 0) {
        execute("UPDATE builds SET recorded_at = '2008-04-01T00:00:00Z', unreadable = " +
                std::to_string(unreadable) + " WHERE version = '" + version + "'");
    }
    void subscribe_to(const Topic& topic) {
        REQUIRE(subscriptions.ask(support::request_of("http://reader.example/", topic), topic) ==
                Accepted::yes);
        confirm_all();
    }
    // Marks topics, looks at those that are due, and returns their names.
    Names look(const std::string& current, Look::Outcome outcome = Look::Outcome::nothing) {
        const bool is_new = call(is_something_new, current, now);
        const auto before = value("SELECT COUNT(*) FROM topics WHERE look_at <= '2008-04-02'");
        call(mark_topics, current, now, now);
        if (!is_new)
            CHECK(before == value("SELECT COUNT(*) FROM topics WHERE look_at <= '2008-04-02'"));
        Names names;
        for (const auto& topic : claim_topics()) {
            call(finish_look, Look{topic, outcome, {"", "", "p1"}, std::chrono::days(1)}, now);
            names.push_back(topic.topic.name.empty() ? topic.topic.url : topic.topic.name);
        }
        std::ranges::sort(names);
        return names;
    }
};

const Names none;
const auto class_url = topic_of_class.url;

}  // namespace

TEST_CASE("New topics are looked at, and then those of what was recorded") {
    NewsStore store(GENERATE(support::engines()));
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
    CHECK(store.look("WS2") == none);
    store.record("b", "WS2");
    CHECK(store.look("WS2") == Names{"b"});
    CHECK(store.look("WS2") == none);
    store.record("c", "WS1");
    CHECK(store.look("WS2") == Names{"c"});
}

TEST_CASE("What was recorded before its release became current is found when it does") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS1");
    store.record("a", "WS2");
    store.record("b", "WS3");
    for (const auto* version : {"WS2", "WS3"}) store.end_job(version);
    CHECK(store.look("WS1") == none);
    CHECK(store.look("WS3") == Names{"a", "b"});
    CHECK(store.look("WS3") == none);
}

TEST_CASE("After a switch all objects are looked at, unless a job has read all of the release") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS1");
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
    store.end_job("WS3", 1);  // it could not read an object
    CHECK(store.look("WS3") == Names{"a", "b", "c"});
    store.end_job("WS2");
    CHECK(store.look("WS2") == none);
}

TEST_CASE("A topic that could not be read is looked at again, later each time, and alone") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.record("b", "WS2");
    for (const auto pause : {30, 60, 120}) {
        store.call(mark_topics, "WS2", store.now, store.now);
        const auto claimed = store.claim_topics();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].topic.name == "b");
        CHECK(pause_after_failed_looks(claimed[0].tries) == std::chrono::seconds(pause));
        store.call(finish_look,
                   Look{claimed[0], Look::Outcome::failed, {}, std::chrono::seconds(pause)},
                   store.now);
        CHECK(store.claim_topics().empty());
        store.now += std::chrono::seconds(pause);
    }
    CHECK(pause_after_failed_looks(1000) == std::chrono::hours(1));
}

TEST_CASE("A row that is replaced is looked at again, whichever release it is of") {
    NewsStore store(GENERATE(support::engines()));
    store.record("b", "WS1");
    store.record("b", "WS2");
    store.look("WS2");
    for (const std::string version : {"WS1", "WS2"}) {
        store.execute("DELETE FROM history WHERE version = '" + version + "'");
        store.record("b", version);
        CHECK(store.look("WS2") == Names{"b"});
    }
}

TEST_CASE("A row that is committed after one with a higher number is found within a minute") {
    NewsStore store(GENERATE(support::engines()));
    store.subscribe_to(topic_of_class);
    store.look("WS2");
    store.record("b", "WS2", 9);
    CHECK(store.look("WS2") == Names{"b", class_url});
    // A clock that is set back does not end the minute.
    store.now -= std::chrono::seconds(5);
    store.record("a", "WS2", 8);
    CHECK(store.look("WS2") == none);
    store.now += std::chrono::minutes(2);
    CHECK(store.look("WS2") == Names{"a", "b", class_url});
    store.now += std::chrono::minutes(1);
    CHECK(store.look("WS2") == none);
    CHECK_FALSE(store.call(is_something_new, "WS2", store.now));
    // While rows come all the time, each of them is looked for twice.
    for (std::int64_t sid = 20; sid < 26; ++sid) {
        store.record("c", "WS2", sid);
        store.now += std::chrono::seconds(20);
        store.execute("DELETE FROM history");
        CHECK(store.look("WS2").size() <= 2);
    }
}

TEST_CASE("Topics of releases are looked at when a job has compared all of a release") {
    NewsStore store(GENERATE(support::engines()));
    const Topic topic_of_releases{.url = "http://f.example/releases?format=rss",
                                  .subject = Topic::Subject::all_releases};
    store.subscribe_to(topic_of_releases);
    store.look("WS3");
    store.end_job("WS3");
    CHECK(store.look("WS3") == Names{topic_of_releases.url});
    CHECK(store.look("WS3") == none);
}

TEST_CASE("Going back to an earlier release, and forward again, passes over nothing") {
    NewsStore store(GENERATE(support::engines()));
    for (const auto* version : {"WS1", "WS2"}) store.end_job(version);
    store.look("WS2");
    store.record("a", "WS2");
    CHECK(store.look("WS2") == Names{"a"});
    CHECK(store.look("WS1") == none);
    // Who subscribes meanwhile has not got what the later release brings.
    store.subscribe("http://new.example/", "d");
    CHECK(store.look("WS1", Look::Outcome::position) == Names{"d"});
    CHECK(store.look("WS2") == Names{"a"});
}

TEST_CASE("While hosts switch, topics are looked at by the hubs that serve the later release") {
    NewsStore store(GENERATE(support::engines()));
    for (const auto* version : {"WS1", "WS2"}) store.end_job(version);
    store.look("WS1");
    store.record("a", "WS2");
    CHECK(store.look("WS1") == none);
    store.now += std::chrono::minutes(5);
    CHECK(store.look("WS1") == none);
    const auto marks = [&](const std::string& release) {
        store.call(mark_topics, release, store.now, store.now);
        store.call(note_looker_is_there, release, store.now);
        return store.value("SELECT text FROM hub_notes WHERE name = 'marked'").substr(0, 3);
    };
    CHECK(marks("WS2") == "WS2");
    CHECK(store.claim_topics("WS1").empty());
    CHECK(marks("WS1") == "WS2");
    CHECK_FALSE(store.call(is_something_new, "WS1", store.now));
    const auto claimed = store.claim_topics("WS2");
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].topic.name == "a");
    // When no hub serves the later one any more, the site was rolled back.
    store.now += std::chrono::seconds(150);
    CHECK(marks("WS1") == "WS1");
}

TEST_CASE("A release that is published again is looked at like another one") {
    NewsStore store(GENERATE(support::engines()));
    store.end_job("WS2");
    store.look("WS2");
    CHECK(store.look("WS2") == none);
    store.execute("INSERT INTO builds (number, digest, version, accepted_at) VALUES (9, 'other',"
                  " 'WS2', '2008-04-01T00:00:00Z')");
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
}

TEST_CASE("The first hub does not look for what was recorded before it") {
    NewsStore store(GENERATE(support::engines()));
    store.end_job("WS2");
    store.record("b", "WS1");
    CHECK(store.look("WS2") == Names{"a", "b", "c"});  // which are new
    store.now += std::chrono::minutes(2);
    CHECK(store.look("WS2") == none);
}

TEST_CASE("Topics of many objects are looked at when something visible was recorded for them") {
    NewsStore store(GENERATE(support::engines()));
    store.subscribe_to(topic_of_class);
    store.subscribe_to({.url = "http://f.example/rss?class=Paper",
                        .subject = Topic::Subject::whole_class,
                        .class_name = "Paper"});
    store.subscribe_to(topic_of_copy(3));
    store.look("WS2");
    store.record("a", "WS3");
    CHECK(store.look("WS2") == none);
    store.record("a", "WS2");
    CHECK(store.look("WS2") == Names{"a", class_url});
}

TEST_CASE("A copy is looked at when its feed was written, and no other topic is") {
    NewsStore store(GENERATE(support::engines()));
    for (const auto feed : {3, 4, 12}) store.subscribe_to(topic_of_copy(feed));
    store.look("WS2");
    const auto write_feeds = [&](std::vector<std::int64_t> feeds) {
        store.call(tables::mark_copies, feeds);
    };
    write_feeds({4});
    CHECK(store.look("WS2") == Names{"4"});
    write_feeds({3, 12});
    write_feeds({3});
    CHECK(store.look("WS2") == Names{"12", "3"});
    CHECK(store.look("WS2") == none);
    // What comes while a hub looks makes it look again.
    write_feeds({4});
    const auto claimed = store.claim_topics();
    write_feeds({4});
    store.call(finish_look, Look{claimed.at(0), Look::Outcome::nothing, {}, {}}, store.now);
    CHECK(store.look("WS2") == Names{"4"});
}

TEST_CASE("Without subscribers a position moves on, and nobody is notified") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    const auto is_wanted = [&] {
        return store.call(due_topics, 9, store.now + std::chrono::days(2)).at(0).is_wanted;
    };
    // The clock may be wrong: the end of a subscription counts a week later, if sweeps follow each other.
    store.now += std::chrono::days(60);
    CHECK(is_wanted());
    store.call(sweep, store.now);
    store.now += std::chrono::hours(20);
    store.call(sweep, store.now);
    store.now += std::chrono::hours(20);
    store.call(sweep, store.now);
    store.look("WS2");
    store.record("b", "WS2");
    store.call(mark_topics, "WS2", store.now, store.now);
    const auto claimed = store.claim_topics();
    REQUIRE(claimed.size() == 1);
    CHECK_FALSE(claimed[0].is_wanted);
    // A request alone makes it wanted: what comes until it is confirmed must not be lost.
    store.execute("UPDATE topics SET claim = 0, look_at = '2008-01-01T00:00:00Z'");
    store.ask("http://new.example/", "b");
    for (const auto& topic : store.call(due_topics, 9, store.now))
        CHECK(topic.is_wanted == (topic.topic.name == "b"));
}

TEST_CASE("Each topic is looked at once a day, whatever is written") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.now += std::chrono::days(1);
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
    CHECK(pause_after_look(0.0) == std::chrono::days(1));
    CHECK(pause_after_look(1.0) == std::chrono::hours(18));
}

TEST_CASE("Of two hubs one looks at a topic, and the other one when its claim has ended") {
    NewsStore store(GENERATE(support::both_engines()));
    const auto due = store.call(due_topics, 9, store.now);
    const auto first = store.call(claim_topics, due, "", 1, store.now);
    CHECK(first.size() == 3);
    CHECK(store.call(claim_topics, due, "", 2, store.now).empty());
    store.now += store::claim_lasts;
    const auto second = store.claim_topics();
    CHECK(second.size() == 3);
    for (const auto& claims : {first, second})
        for (const auto& topic : claims)
            store.call(finish_look,
                       Look{topic, Look::Outcome::notification, {"text/xml", "x", "p1"}, {}},
                       store.now);
    CHECK(store.count("notifications") == 3);
}

TEST_CASE("Who asked for a feed that is not there is denied") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.ask("http://new.example/", "nothing");
    const auto claimed = store.claim_topics();
    REQUIRE(claimed.size() == 1);
    const auto denied =
        store.call(finish_look, Look{claimed[0], Look::Outcome::absent, {}, {}}, store.now);
    REQUIRE(denied.size() == 1);
    CHECK(denied[0].callback == "http://new.example/");
    CHECK(store.count("hub_requests") == 0);
}
