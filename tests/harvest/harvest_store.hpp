// A store with source feeds; its clock is set by the test.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harvest/claims.hpp"
#include "harvest/entries.hpp"
#include "support/catch.hpp"
#include "support/pooled_store.hpp"
#include "support/watched_connection.hpp"
#include "tables/counters.hpp"
#include "tables/releases.hpp"

namespace support {

struct HarvestStore : PooledStore {
    using PooledStore::PooledStore;

    // Returns rows as texts, to compare stores.
    std::vector<std::string> rows(const std::string& sql) {
        std::vector<std::string> texts;
        for (const auto& row : query(sql))
            texts.push_back(Catch::StringMaker<store::Row>::convert(row));
        return texts;
    }

    // A feed that is due now.
    std::int64_t add(const std::string& url) {
        return call(harvest::add_feed, harvest::NewFeed{.url = url}, now).value().id;
    }
    harvest::FeedRow feed(std::int64_t id) {
        return call(harvest::load_feed, id, harvest::Audience::operators).value();
    }
    // Records entries as a fetch does.
    harvest::EntriesRecorded record(const std::vector<harvest::ReadyEntry>& ready,
                                    std::int64_t feed) {
        return write([&](store::Transaction& transaction) {
            auto recorded = harvest::record_entries(transaction, feed, ready, now);
            if (recorded.copy_differs) tables::mark_copies(transaction, {feed});
            return recorded;
        });
    }
    // Whether the hub was told to look at our copy of the feed since this was asked last.
    bool is_marked(std::int64_t id) {
        const auto name = std::to_string(id);
        execute("INSERT INTO topics (url, url_digest, subject, class, name, version)"
                " SELECT '', '" +
                name + "', 'source_feed', '', '" + name +
                "', ''"
                " FROM (SELECT 1) one WHERE NOT EXISTS (SELECT 1 FROM topics t WHERE t.name = '" +
                name + "')");
        const bool is_due = value("SELECT look_at FROM topics WHERE name = '" + name + "'") != "";
        execute("UPDATE topics SET look_at = '' WHERE name = '" + name + "'");
        return is_due;
    }
    std::vector<harvest::ClaimedFeed> claim(std::size_t most = 100) {
        const auto due = call(harvest::due_rows, harvest::feed_queue, most, now);
        return call(harvest::claim_feeds, due, next_claim++, now);
    }
    // A fetch that succeeds, after which the feed is due in an hour.
    [[nodiscard]] harvest::FinishedFetch fetch_of(const harvest::ClaimedFeed& claimed) const {
        harvest::FinishedFetch fetch{.claimed = &claimed,
                                     .after = claimed.feed,
                                     .note = "0 skipped / 0 added",
                                     .outcome = "nonew"};
        fetch.after.last_fetch_attempt = fetch.after.last_fetch_success = now;
        fetch.after.next_fetch_attempt = now + std::chrono::hours(1);
        return fetch;
    }
    std::size_t finish(const std::vector<harvest::FinishedFetch>& fetches) {
        return call(harvest::finish_fetches, fetches, now);
    }
    std::size_t finish(const harvest::ClaimedFeed& claimed) {
        return finish({fetch_of(claimed)});
    }
    // "queued; fetch_succeeded 0 skipped / 0 added": the events of a feed, oldest first.
    std::string events(std::int64_t feed) {
        auto events = call(harvest::load_events, feed, 1000);
        std::string text;
        for (auto event = events.rbegin(); event != events.rend(); ++event) {
            if (!text.empty()) text += "; ";
            text.append(harvest::name_of(event->event));
            if (!event->note.empty()) text += " " + event->note;
        }
        return text;
    }

    base::Seconds now{*base::parse_date("2008-04-01") + std::chrono::hours(12)};
    std::int64_t next_claim = 1;
};

// Returns how many rows of tables and indexes MariaDB reads for work(transaction).
template <class Work>
int rows_read(HarvestStore& store, Work work) {
    return store.write([&](store::Transaction& transaction) {
        const auto read_so_far = [&] {
            int sum = 0;
            for (const auto& row : transaction.query("SHOW SESSION STATUS LIKE 'Handler_read_%'"))
                sum += std::stoi(row.text(1));
            return sum;
        };
        const int before = read_so_far();
        work(transaction);
        return read_so_far() - before;
    });
}

// Returns how SQLite finds the rows of each query of work(transaction).
template <class Work>
std::string query_plans(const FreshStore& fresh, Work work) {
    std::vector<std::string> asked;
    const auto note = [&](Statement, std::string_view sql) {
        if (sql.starts_with("SELECT")) asked.emplace_back(sql);
    };
    store::Pool pool(watched(fresh.connect(), note), 1);
    store::perform(pool, store::Access::read, work);
    std::string plans;
    const auto connection = fresh.connect()();
    for (const auto& sql : asked) {
        const std::vector<store::Value> values(
            static_cast<std::size_t>(std::ranges::count(sql, '?')), store::Value{"1"});
        for (const auto& row : connection->query("EXPLAIN QUERY PLAN " + sql, values))
            plans += row.text(3) + '\n';
    }
    return plans;
}

// Runs work on a store, and again with each fault at some of its statements (support::sweep()); calls check with the
// store that had no fault and each of those that had one.
//   prepare  what comes before, without faults
template <class Prepare, class Work, class Check>
void with_each_fault(Prepare prepare, Work work, Check check) {
    const auto engine = GENERATE(engines());
    INFO(name_of(engine));
    const FreshStore prepared(engine);
    {
        HarvestStore before(prepared.connect());
        prepare(before);
    }
    const auto good = FreshStore::copy_of(prepared);
    HarvestStore without_fault(good.connect());
    work(without_fault);
    for (const auto fault : all_faults)
        sweep(fault, [&](const std::shared_ptr<FaultPlan>& plan) {
            const auto fresh = FreshStore::copy_of(prepared);
            {
                HarvestStore faulty_store(faulty(fresh.connect(), plan));
                work(faulty_store);
            }
            HarvestStore after(fresh.connect());
            check(without_fault, after, fault);
        });
}

}  // namespace support
