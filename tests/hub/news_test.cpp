// No topic that has news is passed over, in whatever order rows and releases come.
// SPDX-License-Identifier: MIT
#include "hub/news.hpp"

#include "hub_store.hpp"
#include "tables/feed_writes.hpp"
#include "tables/prewarmed.hpp"
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
    explicit NewsStore(const store::Connect& connect) : HubStore(connect) {
        for (const auto* version : {"WS1", "WS2", "WS3"})
            write([&](store::Transaction& transaction) {
                transaction.execute("INSERT INTO releases (version, released_on) VALUES (?, ?)",
                                    {Value{std::string(version)},
                                     Value{"2008-0" + std::string(1, version[2]) + "-01"}});
            });
        for (const auto* name : {"a", "b", "c"}) {
            subscribe("http://reader.example/", name);
            write([&](store::Transaction& transaction) {
                transaction.execute(
                    "INSERT INTO objects (class, name, name_key) VALUES ('Gene', ?, ?)",
                    {Value{std::string(name)}, Value{std::string(name)}});
            });
        }
    }
    static void count_row(store::Transaction& transaction, const std::string& version) {
        store::CountChanges counts;
        counts.add("Gene", version, "changed", 1);
        tables::change_counts(transaction, counts);
    }
    void record(const std::string& name, const std::string& version) {
        write([&](store::Transaction& transaction) {
            transaction.execute(
                "INSERT INTO history (oid, version, date, recorded_at, kind, label, notes, class,"
                " name) SELECT oid, ?, '2008-01-01', '2008-01-01T00:00:00Z', 'changed', '', '',"
                " class, name FROM objects WHERE name = ?",
                {Value{version}, Value{name}});
            count_row(transaction, version);
        });
    }
    void subscribe_to(const Topic& topic) {
        REQUIRE(subscriptions.ask(support::request_of("http://reader.example/", topic), topic,
                                  "") == Accepted::yes);
        confirm_all();
    }
    void add_feed(std::int64_t id) {
        write([&](store::Transaction& transaction) {
            transaction.execute("INSERT INTO feeds (id, url, url_digest, base_url, added_at) "
                                "VALUES (?, '', ?, '', "
                                "'2008-01-01T00:00:00Z')",
                                {Value{id}, Value{std::to_string(id)}});
        });
    }
    // Writes what copies of these feeds show.
    void write_feeds(const std::vector<std::int64_t>& feeds) {
        write([&](store::Transaction& transaction) {
            tables::move_feed_writes(transaction, feeds);
        });
    }
    // Looks, and returns the names of the topics; "nothing" if nothing has happened.
    Names look(const std::string& current, bool finishes = true) {
        const auto plan = write([&](store::Transaction& transaction) {
            return plan_look(transaction, current, now);
        });
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
        if (finishes)
            write([&](store::Transaction& transaction) {
                note_finished_look(transaction, *plan, now);
            });
        return names;
    }
};

template <class F>
void each_news_store(F fn) {
    support::each_store([&](const store::Connect& connect) {
        NewsStore store(connect);
        fn(store);
    });
}

}  // namespace

TEST_CASE("The first look is at all objects, and the next one at what was recorded since") {
    each_news_store([](NewsStore& store) {
        CHECK(store.look("WS2") == Names{"a", "b", "c"});
        CHECK(store.look("WS2") == Names{"nothing"});
        store.record("b", "WS2");
        CHECK(store.look("WS2") == Names{"b"});
        CHECK(store.look("WS2") == Names{"nothing"});
        store.record("c", "WS2");
        CHECK(store.look("WS2") == Names{"c"});
        store.record("c", "WS1");
        CHECK(store.look("WS2") == Names{"c"});
    });
}

TEST_CASE("What was recorded before its release became current is found when it does") {
    each_news_store([](NewsStore& store) {
        store.look("WS1");
        store.record("a", "WS2");
        store.record("b", "WS3");
        store.write([&](store::Transaction& transaction) {
            for (const auto* version : {"WS2", "WS3"})
                tables::note_prewarmed(transaction, "Gene", version, store.now, 3);
        });
        CHECK(store.look("WS1") == Names{});
        CHECK(store.look("WS3") == Names{"a", "b"});
        CHECK(store.look("WS3") == Names{"nothing"});
    });
}

TEST_CASE("After a switch, objects are looked at that no release job has compared") {
    each_news_store([](NewsStore& store) {
        store.look("WS1");
        CHECK(store.look("WS2") == Names{"a", "b", "c"});
        store.write([&](store::Transaction& transaction) {
            tables::note_prewarmed(transaction, "Gene", "WS3", store.now, 3);
            const tables::FailedObject failed{
                {"WS3", *base::parse_date("2008-03-01")}, {"Gene", "b"}, "unreadable"};
            tables::list_failed(transaction, std::span(&failed, 1));
        });
        CHECK(store.look("WS3") == Names{"b"});
    });
}

TEST_CASE("A look that did not finish is made again") {
    each_news_store([](NewsStore& store) {
        store.look("WS2");
        store.record("b", "WS2");
        CHECK(store.look("WS2", false) == Names{"b"});
        CHECK(store.look("WS2") == Names{"b"});
        CHECK(store.look("WS2") == Names{"nothing"});
    });
}

TEST_CASE("A row that is replaced is looked at again, whichever release it is of") {
    each_news_store([](NewsStore& store) {
        store.record("b", "WS1");
        store.record("b", "WS2");
        store.look("WS2");
        for (const auto* version : {"WS1", "WS2"}) {
            store.write([&](store::Transaction& transaction) {
                transaction.execute(
                    "UPDATE history SET revision = revision + 1 WHERE version = ?",
                    {Value{std::string(version)}});
                NewsStore::count_row(transaction, version);
            });
            CHECK(store.look("WS2") == Names{"b"});
        }
    });
}

TEST_CASE("Going back to an earlier release, and forward again, passes over nothing") {
    each_news_store([](NewsStore& store) {
        store.look("WS2");
        store.record("a", "WS2");
        CHECK(store.look("WS1") == Names{"a", "b", "c"});
        const auto again = store.look("WS2");
        CHECK(std::ranges::find(again, "a") != again.end());
    });
}

TEST_CASE("Topics of many objects are looked at whenever the write generation has moved") {
    each_news_store([](NewsStore& store) {
        store.subscribe_to(topic_of_class);
        store.subscribe_to(topic_of_copy(3));
        store.look("WS2");
        store.write(
            [](store::Transaction& transaction) { tables::move_generation(transaction); });
        CHECK(store.look("WS2") == Names{topic_of_class.url});
    });
}

TEST_CASE("A copy is looked at when its feed was written, and no other topic is") {
    each_news_store([](NewsStore& store) {
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
    });
}

TEST_CASE("The copy of a feed that is removed is looked at once more") {
    each_news_store([](NewsStore& store) {
        store.add_feed(3);
        store.subscribe_to(topic_of_copy(3));
        store.look("WS2");
        store.write(
            [](store::Transaction& transaction) { transaction.execute("DELETE FROM feeds"); });
        store.write_feeds({3});
        CHECK(store.look("WS2") == Names{"3"});
        store.write_feeds({4});
        CHECK(store.look("WS2") == Names{});
        CHECK(store.look("WS2") == Names{"nothing"});
    });
}

TEST_CASE("What a copy got between the choice of topics and the look is looked at again") {
    each_news_store([](NewsStore& store) {
        store.add_feed(3);
        store.subscribe_to(topic_of_copy(3));
        store.look("WS2");
        store.write_feeds({3});
        const auto plan = store.write([&](store::Transaction& transaction) {
            return plan_look(transaction, "WS2", store.now);
        });
        REQUIRE(plan);
        store.write_feeds({3});
        store.write([&](store::Transaction& transaction) {
            for (const auto& candidate : plan->candidates)
                note_without_news(transaction, candidate, "WS2");
            note_finished_look(transaction, *plan, store.now);
        });
        CHECK(store.look("WS2") == Names{"3"});
        CHECK(store.look("WS2") == Names{"nothing"});
    });
}

TEST_CASE("A topic without subscribers is passed over") {
    each_news_store([](NewsStore& store) {
        store.look("WS2");
        store.now += std::chrono::days(11);
        store.record("b", "WS2");
        CHECK(store.look("WS2") == Names{"(no subscriber)"});
    });
}

TEST_CASE("One hub looks at a time, and another one when it is gone") {
    support::both_stores([](const store::Connect& connect) {
        NewsStore store(connect);
        const auto claim = [&](std::int64_t owner) {
            return store.write([&](store::Transaction& transaction) {
                return claim_look(transaction, owner, store.now);
            });
        };
        CHECK(claim(1));
        CHECK(claim(1));
        CHECK_FALSE(claim(2));
        store.now += std::chrono::seconds(60);
        CHECK(claim(2));
        CHECK_FALSE(claim(1));
        store.now -= std::chrono::days(1);
        CHECK(claim(1));
    });
}

TEST_CASE(
    "A topic whose first subscription came in force since the last look is looked at once") {
    each_news_store([](NewsStore& store) {
        store.look("WS1");
        store.subscribe("http://new.example/", "d");
        CHECK(store.look("WS1") == Names{"d"});
        CHECK(store.look("WS1") == Names{"nothing"});
        store.subscribe("http://other.example/", "d");  // not the first one
        CHECK(store.look("WS1") == Names{"nothing"});
    });
}
