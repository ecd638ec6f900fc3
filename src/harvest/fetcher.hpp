// harvest/fetcher.hpp -- fetches the feeds that are due, and records what came of it.
// Belongs to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/background.hpp"
#include "harvest/entries.hpp"
#include "harvest/fetch.hpp"
#include "harvest/options.hpp"
#include "harvest/redirect_queue.hpp"
#include "net/client.hpp"

namespace harvest {

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
    // Abandons what is open, and gives its claims back.
    void give_back();

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
        SteadyTime until{};          // all of it, redirects included, ends before its claim does
        SteadyTime claimed_until{};  // when this harvester stops relying on the claim

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
    void drop_late_results();
    void write(std::span<Result> results);
    void write_alone(Result& result);
    // What a transaction adds to.
    struct Written {
        Outcomes& outcomes;
        tables::FeedsWritten& feeds;
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
    base::Background<Answered, Result> reader_;
    std::vector<Result> results_;  // that are not written
    Outcomes outcomes_;            // that are not written
    bool has_more_ = false;
    SteadyTime claim_at_{}, follow_at_{};
};

}  // namespace harvest
