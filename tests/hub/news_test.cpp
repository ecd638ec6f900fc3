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
        REQUIRE(subscriptions.ask(support::request_of("http://reader.example/", topic), topic,
                                  "") == Accepted::yes);
        confirm_all();
    }
    void add_feed(std::int64_t id) {
        const auto text = std::to_string(id);
        execute("INSERT INTO feeds (id, url, url_digest, base_url, added_at) VALUES (" + text +
                ", '', '" + text + "', '', '2008-01-01T00:00:00Z')");
    }
    // Writes what copies of these feeds show.
    void write_feeds(const std::vector<std::int64_t>& feeds) {
        call(tables::move_feed_writes, feeds);
    }
    // Looks, and returns the names of the topics; "nothing" if nothing has happened.
    Names look(const std::string& current, bool finishes = true) {
        const auto plan = call(plan_look, current, now);
        if (!plan) return {"nothing"};
        Names names;
        for (const auto& candidate : plan->candidates) {
            const auto topic = write([&](store::Transaction& transaction) {
                if (finishes) note_without_news(transaction, candidate, current);
                return load_topic(transaction, candidate.topic, now);
            });
            names.push_back(!topic                      ? "(no subscriber)"
                            : topic->topic.name.empty() ? topic->topic.url
                                                        : topic->topic.name);
        }
        if (finishes) call(note_finished_look, *plan, now);
        return names;
    }
};

}  // namespace

TEST_CASE("The first look is at all objects, and the next one at what was recorded since") {
    NewsStore store(GENERATE(support::engines()));
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
    CHECK(store.look("WS2") == Names{"nothing"});
    store.record("b", "WS2");
    CHECK(store.look("WS2") == Names{"b"});
    CHECK(store.look("WS2") == Names{"nothing"});
    store.record("c", "WS2");
    CHECK(store.look("WS2") == Names{"c"});
    store.record("c", "WS1");
    CHECK(store.look("WS2") == Names{"c"});
}

TEST_CASE("What was recorded before its release became current is found when it does") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS1");
    store.record("a", "WS2");
    store.record("b", "WS3");
    for (const auto* version : {"WS2", "WS3"}) store.end_job(version);
    CHECK(store.look("WS1") == Names{});
    CHECK(store.look("WS3") == Names{"a", "b"});
    CHECK(store.look("WS3") == Names{"nothing"});
}

TEST_CASE("After a switch, objects are looked at that no release job has compared") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS1");
    CHECK(store.look("WS2") == Names{"a", "b", "c"});
    store.end_job("WS3", 1);
    store.execute("UPDATE objects SET build = 3 WHERE name <> 'b'");
    CHECK(store.look("WS3") == Names{"b"});
}

TEST_CASE("A look that did not finish is made again") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.record("b", "WS2");
    CHECK(store.look("WS2", false) == Names{"b"});
    CHECK(store.look("WS2") == Names{"b"});
    CHECK(store.look("WS2") == Names{"nothing"});
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
    CHECK(store.look("WS2") == Names{"b", topic_of_class.url});
    CHECK(store.look("WS2") == Names{"nothing"});
    // A clock that is set back does not end the minute.
    store.now -= std::chrono::seconds(5);
    CHECK(store.look("WS2") == Names{"nothing"});
    store.record("a", "WS2", 8);
    CHECK(store.look("WS2") == Names{"nothing"});
    store.now += std::chrono::minutes(2);
    CHECK(store.look("WS2") == Names{"a", topic_of_class.url});
    store.now += std::chrono::minutes(1);
    CHECK(store.look("WS2") == Names{"nothing"});
    // While rows come all the time, the first of them need not be looked for again.
    for (std::int64_t sid = 20; sid < 26; ++sid) {
        const auto version = "WS" + std::to_string(sid);
        store.execute("INSERT INTO releases (version, released_on) VALUES ('" + version +
                      "', '2008-06-01')");
        store.record("c", version, sid);
        store.now += std::chrono::seconds(20);
        store.look("WS2");
    }
    CHECK(store.query("SELECT number FROM hub_notes WHERE name = 'rows'").at(0).integer(0) >= 20);
}

TEST_CASE("Topics of many objects are looked at when a job has compared all of a release") {
    NewsStore store(GENERATE(support::engines()));
    store.subscribe_to(topic_of_class);
    store.look("WS3");
    store.end_job("WS3");
    CHECK(store.look("WS3") == Names{topic_of_class.url});
    CHECK(store.look("WS3") == Names{"nothing"});
}

TEST_CASE("Going back to an earlier release, and forward again, passes over nothing") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.record("a", "WS2");
    CHECK(store.look("WS1") == Names{"a", "b", "c"});
    const auto again = store.look("WS2");
    CHECK(std::ranges::find(again, "a") != again.end());
}

TEST_CASE("Topics of many objects are looked at whenever a row was recorded") {
    NewsStore store(GENERATE(support::engines()));
    store.subscribe_to(topic_of_class);
    store.subscribe_to(topic_of_copy(3));
    store.look("WS2");
    store.record("a", "WS3");
    CHECK(store.look("WS2") == Names{topic_of_class.url});
}

TEST_CASE("A copy is looked at when its feed was written, and no other topic is") {
    NewsStore store(GENERATE(support::engines()));
    store.subscribe_to(topic_of_class);
    for (const auto feed : {3, 4, 12}) {
        store.add_feed(feed);
        store.subscribe_to(topic_of_copy(feed));
    }
    store.look("WS2");
    CHECK(store.look("WS2") == Names{"nothing"});
    store.write_feeds({4});
    CHECK(store.look("WS2", false) == Names{"4"});  // a look that did not finish
    CHECK(store.look("WS2") == Names{"4"});
    CHECK(store.look("WS2") == Names{"nothing"});
    store.write_feeds({3, 12});
    store.write_feeds({3});
    CHECK(store.look("WS2") == Names{"3", "12"});
    CHECK(store.look("WS2") == Names{"nothing"});
    // Copies depend on no release.
    const auto switched = store.look("WS3");
    CHECK(switched == Names{"a", "b", "c", topic_of_class.url});
}

TEST_CASE("The copy of a feed that is removed is looked at once more") {
    NewsStore store(GENERATE(support::engines()));
    store.add_feed(3);
    store.subscribe_to(topic_of_copy(3));
    store.look("WS2");
    store.execute("DELETE FROM feeds");
    store.write_feeds({3});
    CHECK(store.look("WS2") == Names{"3"});
    store.write_feeds({4});
    CHECK(store.look("WS2") == Names{});
    CHECK(store.look("WS2") == Names{"nothing"});
}

TEST_CASE("What a copy got between the choice of topics and the look is looked at again") {
    NewsStore store(GENERATE(support::engines()));
    store.add_feed(3);
    store.subscribe_to(topic_of_copy(3));
    store.look("WS2");
    store.write_feeds({3});
    const auto plan = store.call(plan_look, "WS2", store.now);
    REQUIRE(plan);
    store.write_feeds({3});
    store.write([&](store::Transaction& transaction) {
        for (const auto& candidate : plan->candidates)
            note_without_news(transaction, candidate, "WS2");
        note_finished_look(transaction, *plan, store.now);
    });
    CHECK(store.look("WS2") == Names{"3"});
    CHECK(store.look("WS2") == Names{"nothing"});
}

TEST_CASE("A topic without subscribers is passed over") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS2");
    store.now += std::chrono::days(11);
    store.record("b", "WS2");
    CHECK(store.look("WS2") == Names{"(no subscriber)"});
}

TEST_CASE("One hub looks at a time, and another one when it is gone") {
    NewsStore store(GENERATE(support::both_engines()));
    const auto claim = [&](std::int64_t owner) {
        return store.call(claim_look, owner, store.now);
    };
    CHECK(claim(1));
    CHECK(claim(1));
    CHECK_FALSE(claim(2));
    store.now += std::chrono::seconds(60);
    CHECK(claim(2));
    CHECK_FALSE(claim(1));
    store.now -= std::chrono::days(1);
    CHECK(claim(1));
}

TEST_CASE(
    "A topic whose first subscription came in force since the last look is looked at once") {
    NewsStore store(GENERATE(support::engines()));
    store.look("WS1");
    store.subscribe("http://new.example/", "d");
    CHECK(store.look("WS1") == Names{"d"});
    CHECK(store.look("WS1") == Names{"nothing"});
    store.subscribe("http://other.example/", "d");  // not the first one
    CHECK(store.look("WS1") == Names{"nothing"});
}
