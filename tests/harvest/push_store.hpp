// A store with source feeds and what is agreed with their hubs; its clock is set by the test.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harvest/push.hpp"
#include "harvest_store.hpp"

namespace support {

inline const harvest::HubLinks links_to_hub{"https://hub.example/", "https://a.example/feed?x=1"};

struct PushStore : HarvestStore {
    using HarvestStore::HarvestStore;

    // A feed that is due in an hour.
    void add_feed(int id) {
        const auto text = std::to_string(id);
        execute("INSERT INTO feeds (id, url, url_digest, base_url, added_at, next_fetch_attempt)"
                " VALUES (" +
                text + ", 'https://a.example/" + text + "', 'digest" + text +
                "', 'https://a.example', '2008-04-01T00:00:00Z', '" +
                base::format_rfc3339(now + std::chrono::hours(1)) + "')");
    }
    void note(std::int64_t feed = 1, const harvest::HubLinks& links = links_to_hub) {
        write([&](store::Transaction& transaction) {
            harvest::note_hub(transaction, feed, links, now);
        });
    }
    // What a request to the hub leaves.
    void ask() {
        execute("UPDATE feed_hubs SET failures = failures + 1, asked_at = '" +
                base::format_rfc3339(now) + "', due_at = '" +
                base::format_rfc3339(now + std::chrono::minutes(10)) + "'");
    }
    std::string token(int feed = 1) {
        return value("SELECT token FROM feed_hubs WHERE feed = " + std::to_string(feed));
    }
    bool answer(const std::string& token, const harvest::HubQuestion& question) {
        return write([&](store::Transaction& transaction) {
            return harvest::answer_question(transaction, token, question, now);
        });
    }
    bool confirm(int feed = 1, std::chrono::seconds lease = std::chrono::days(10)) {
        return answer(token(feed), {.topic = links_to_hub.topic, .lease = lease});
    }
    // A feed whose hub has confirmed.
    void subscribe() {
        add_feed(1);
        note();
        ask();
        REQUIRE(confirm());
    }
    bool push(const std::string& to) {
        return write([&](store::Transaction& transaction) {
            return harvest::take_push(transaction, to, now);
        });
    }
    bool is_pushed(std::int64_t feed = 1) {
        std::vector<harvest::ClaimedFeed> claimed(1);
        claimed[0].feed.id = feed;
        write([&](store::Transaction& transaction) {
            harvest::note_hubs(transaction, claimed, now);
        });
        return claimed[0].feed.pushed;
    }
    // A fetch that begins now, and that is next planned for a day later.
    void fetch(std::optional<base::Seconds> previous, bool has_news) {
        execute("UPDATE feeds SET claim = 0, next_fetch_attempt = '" +
                base::format_rfc3339(now + std::chrono::days(1)) + "'");
        write([&](store::Transaction& transaction) {
            harvest::note_fetch(transaction, {1, previous, has_news}, now);
        });
    }
    // How long after now the feed is fetched.
    std::chrono::minutes next_fetch() {
        const auto time = base::parse_rfc3339(value("SELECT next_fetch_attempt FROM feeds"));
        return std::chrono::duration_cast<std::chrono::minutes>(time.value() - now);
    }
};

template <class F>
void each_push_store(F fn) {
    each_store([&](const store::Connect& connect) {
        PushStore push_store(connect);
        fn(push_store);
    });
}

}  // namespace support
