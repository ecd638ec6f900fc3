// harvest/workers.hpp -- the two things that a harvester does by turns: it fetches the feeds that are due, and walks
// archives. Progress is in the store after each page, so that any harvester goes on where one has ended.
// All belong to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feed/feed.hpp"
#include "feed/pipermail.hpp"
#include "harvest/archives.hpp"
#include "harvest/background.hpp"
#include "harvest/claims.hpp"
#include "harvest/entries.hpp"
#include "harvest/fetch.hpp"
#include "harvest/options.hpp"
#include "net/client.hpp"
#include "net/request.hpp"

namespace harvest {

// Requests that were redirected, and wait until the base URL they lead to is free.
//   Open  an open request of a worker that has claimed a base URL for it:
//           Fetch fetch, SteadyTime until   what it fetches, and how long it may take
//           std::int64_t claim() const
//           std::string& base_url()     that is claimed; empty: none is
template <class Open>
class RedirectQueue {
   public:
    //   next  where it leads
    void add(Open open, Fetch next) {
        const auto url = net::parse_url(next.url);
        open.fetch = std::move(next);
        waiting_.push_back({std::move(open), url ? net::origin_of(*url) : std::string()});
    }
    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }

    struct Followed {
        std::vector<Open> free;  // their new base URL is claimed
        std::vector<Open> late;  // have waited long enough
    };
    // Releases the base URLs that requests came from, and claims those that they lead to and that are free.
    //   throws  store::Failure: all requests stay queued. After a commit in doubt, a base URL may stay claimed until the
    //           claim expires
    [[nodiscard]] Followed follow(HarvestContext& context) {
        if (waiting_.empty()) return {};
        std::vector<bool> is_free;
        context.write([&](store::Transaction& transaction, base::Seconds now) {
            is_free.clear();  // the transaction may be run again
            for (auto& [open, base_url] : waiting_) {
                release_base_url(transaction, open.base_url(), open.claim(), now);
                is_free.push_back(claim_base_url(transaction, base_url, open.claim(), now));
            }
        });
        const auto now = context.steady();
        Followed followed;
        std::vector<Waiting> left;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            auto& [open, base_url] = waiting_[i];
            // Released once: other requests of this claim may have it next.
            open.base_url() = is_free[i] ? base_url : std::string();
            if (now >= open.until)
                followed.late.push_back(std::move(open));
            else if (is_free[i])
                followed.free.push_back(std::move(open));
            else
                left.push_back(std::move(waiting_[i]));
        }
        waiting_ = std::move(left);
        return followed;
    }

   private:
    struct Waiting {
        Open open;
        std::string base_url;
    };
    std::vector<Waiting> waiting_;
};

// Fetches the feeds that are due, and records what came of it.
class Fetcher {
   public:
    // Of what one transaction writes: short enough for others that wait for the store.
    static constexpr std::size_t results_at_once = 50;

    //   throws  std::system_error: the system gives no thread
    Fetcher(HarvestContext& context, net::Client client);

    // Writes what is finished, follows redirects, and claims and sends what is due.
    void work();
    // Waits for answers, and hands them to the thread that reads them.
    void receive(std::chrono::milliseconds at_most);
    void write_results();
    // Answers are awaited, or being read.
    [[nodiscard]] bool is_fetching() const { return !open_.empty() || reader_.size() > 0; }
    // Fetches have begun that are not finished.
    [[nodiscard]] bool is_open() const { return is_fetching() || !redirected_.empty(); }
    [[nodiscard]] std::size_t results() const { return results_.size(); }
    // More may be due than was claimed.
    [[nodiscard]] bool has_more() const { return has_more_; }
    void wake() { client_.wake(); }

   private:
    using Outcomes = std::map<std::string, std::int64_t>;
    struct Open {
        Fetch fetch;
        SteadyTime until{};  // all of it, redirects included, ends before its claim does

        [[nodiscard]] std::int64_t claim() const { return fetch.claimed.claim; }
        [[nodiscard]] std::string& base_url() { return fetch.claimed.base_url; }
    };
    struct Answered {
        Open open;
        net::Response response;
    };
    struct Result {
        Open open;
        ReadAnswer answer;
    };
    void claim();
    [[nodiscard]] std::vector<ClaimedFeed> claim_due(std::size_t most);
    void send(Open open);
    void take_answer(net::FinishedRequest finished);
    [[nodiscard]] static Result read(Answered answered, const FetchSettings& settings);
    void take_read();
    void redirect(Open open, base::Result<Fetch> next);
    void follow_redirects();
    void finish(Open open, ReadAnswer answer);
    void write(std::span<Result> results);
    void write_alone(Result& result);
    // What a transaction adds to.
    struct Written {
        Outcomes& outcomes;
        std::vector<std::int64_t>& feeds;  // whose copies show something else
    };
    // Records the entries of a fetch. The value points into `result`.
    [[nodiscard]] FinishedFetch record(store::Transaction& transaction, const Result& result,
                                       std::span<const ReadyEntry> ready, const Written& written,
                                       base::Seconds now);

    HarvestContext& context_;
    net::Client client_;
    FetchSettings settings_;
    std::unordered_map<net::RequestId, Open> open_;
    RedirectQueue<Open> redirected_;
    // Reading a feed takes as long as all the rest.
    Background<Answered, Result> reader_;
    std::vector<Result> results_;  // that are not written
    Outcomes outcomes_;            // that are not written
    bool has_more_ = false;
    SteadyTime claim_at_{}, follow_at_{};
};

// What a page of an archive has: older entries, or what a list has to be read in.
struct ArchivePage {
    std::vector<feed::Entry> entries = {};      // the oldest first
    std::string previous_url = {};              // of a feed document; empty: it is the oldest
    std::optional<feed::ListIndex> index = {};  // of a mailing list
    bool is_month = false;                      // of a mailing list
};

// Walks archives backwards, one page of each at a time, and records their entries.
// Sends requests with a client of its own: pages are large, and must not take the places of fetches.
class ArchiveWalker {
   public:
    static constexpr std::size_t most_open = 8;                      // pages at once
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;  // of a page

    ArchiveWalker(HarvestContext& context, net::Client client);

    // Writes what was read, follows redirects, and claims and sends what is due, looking once a second.
    void work();
    // Waits for answers, and records what they have.
    void receive(std::chrono::milliseconds at_most);
    void write_results();

    [[nodiscard]] bool is_fetching() const { return !open_.empty(); }
    [[nodiscard]] bool is_open() const {
        return !open_.empty() || !redirected_.empty() || !results_.empty();
    }
    void wake() { client_.wake(); }

   private:
    struct Open {
        ClaimedArchive claimed;
        Fetch fetch;         // of the page, over its redirects
        SteadyTime until{};  // it ends before its claim does

        [[nodiscard]] std::int64_t claim() const { return claimed.claim; }
        [[nodiscard]] std::string& base_url() { return claimed.base_url; }
    };
    // A page, or why it could not be read.
    struct Result {
        Open open;
        std::optional<ArchivePage> page = {};
        FetchOutcome failure = {};
    };
    void claim();
    void send(Open open);
    void take_answer(const net::FinishedRequest& finished);
    void redirect(Open open, base::Result<Fetch> next);
    void follow_redirects();
    void write(Result& result);
    void write_part(Result& result, std::span<const ReadyEntry> ready);
    // Each returns what the archive becomes.
    [[nodiscard]] Archive record(store::Transaction& transaction, const Result& result,
                                 std::span<const ReadyEntry> ready, base::Seconds now);
    [[nodiscard]] Archive after_index(store::Transaction& transaction, Archive archive,
                                      const feed::ListIndex& index, base::Seconds now);
    [[nodiscard]] Archive after_month(store::Transaction& transaction, Archive archive,
                                      base::Seconds now);
    [[nodiscard]] Archive after_failure(store::Transaction& transaction, const Result& result,
                                        base::Seconds now);

    HarvestContext& context_;
    net::Client client_;
    FetchSettings settings_;
    std::unordered_map<net::RequestId, Open> open_;
    RedirectQueue<Open> redirected_;
    std::vector<Result> results_;  // that are not written
    // The months that the walk of a list is about, by feed. Whoever does not have them reads the index.
    struct Months {
        std::vector<feed::ListMonth> months;       // newest first
        std::optional<base::Seconds> finished_at;  // of the walk before this one
    };
    std::unordered_map<std::int64_t, Months> months_;
    SteadyTime look_at_{};
};

}  // namespace harvest
