// SPDX-License-Identifier: MIT
#include <algorithm>

#include "harvest/workers.hpp"
#include "tables/counters.hpp"

namespace harvest {

namespace {

using store::Access;
using store::Transaction;

using namespace std::chrono_literals;

constexpr auto look_for_due_every = 1s;
// All of a fetch. Claims last longer, so that clocks may differ.
constexpr auto longest_fetch = 45s;
static_assert(longest_fetch < store::claim_lasts);

void count_recorded(FetchOutcome& outcome, const EntriesRecorded& recorded, std::size_t all) {
    outcome.added = recorded.added;
    outcome.edited = recorded.edited;
    outcome.skipped = all - recorded.added - recorded.edited;
    if (recorded.added + recorded.edited > 0) outcome.status = FetchStatus::ok;
}

// Notes where older entries are: in the document itself, if not all of its entries were looked at.
void note_archive_of(Transaction& transaction, std::int64_t feed, const std::string& url,
                     const ReadAnswer& answer, std::size_t most_entries, base::Seconds now) {
    if (answer.list) note_list_index(transaction, feed, url, *answer.list, now);
    if (!answer.feed || answer.feed->prev_archive_url.empty()) return;
    const bool is_cut = answer.entries.size() >= most_entries;
    note_archive(transaction, feed, is_cut ? url : answer.feed->prev_archive_url, now);
}

}  // namespace

Fetcher::Fetcher(HarvestContext& context, Getter& getter)
    : context_(context), getter_(getter),
      reader_(
          [settings = FetchSettings(context.options)](Answered answered) {
              auto& [claimed, fetch, response] = answered;
              auto answer = read_answer(claimed, fetch, response, settings);
              return Result{std::move(claimed), std::move(fetch.url), std::move(answer)};
          },
          [this] { getter_.wake(); }) {}

void Fetcher::work() {
    write_results();
    claim();
}

void Fetcher::claim() {
    has_more_ = false;
    const auto now = context_.steady();
    const auto most = context_.options.connections;
    const auto busy = open();
    // A claim for a few would cost as much as one for many.
    if (now < claim_at_ || busy > most - most / 4) return;
    // Most of the time nothing is due, and a transaction that writes makes others wait.
    const auto due = context_.read(due_rows, feed_queue, most - std::min(busy, most));
    if (!due.empty())
        for (auto& claimed : context_.write(claim_feeds, due, context_.new_claim())) {
            begin(std::move(claimed), now + longest_fetch);
            has_more_ = true;
        }
    if (!has_more_) claim_at_ = now + look_for_due_every;
}

void Fetcher::begin(ClaimedFeed claimed, SteadyTime until) {
    auto fetch = begin_fetch(claimed, context_.options);
    ++open_;
    const auto use = [this](ClaimedFeed fetched, Fetch ended, Getter::Answer answer) {
        --open_;
        if (answer)
            return reader_.add({std::move(fetched), std::move(ended), *std::move(answer)});
        ReadAnswer failed{.after = fetched.feed, .outcome = std::move(answer.error())};
        results_.push_back({std::move(fetched), std::move(ended.url), std::move(failed)});
    };
    getter_.get(std::move(claimed), std::move(fetch), until, use);
}

void Fetcher::take_read() {
    for (auto& result : reader_.take()) results_.push_back(std::move(result));
}

void Fetcher::write_results() {
    while (!results_.empty()) {
        const auto some = std::span(results_).first(std::min(results_.size(), results_at_once));
        if (!store::is_written("entries cannot be recorded", "", [&] { write(some); }))
            for (auto& result : some) write_alone(result);
        results_.erase(results_.begin(),
                       results_.begin() + static_cast<std::ptrdiff_t>(some.size()));
    }
}

// What cannot be written even without its entries must not keep back the others: its claim ends by itself.
void Fetcher::write_alone(Result& result) {
    const auto url = shown_url(result.claimed.feed, result.claimed.feed.url);
    const auto write_it = [&] { write({&result, 1}); };
    if (store::is_written("the entries of a feed cannot be recorded", url, write_it)) return;
    result.answer = read_unrecordable(std::move(result.answer));
    store::is_written("the fetch of a feed cannot be recorded", url, write_it);
}

void Fetcher::write(std::span<Result> results) {
    // In the order in which others lock several feeds, too.
    std::ranges::sort(results, {}, [](const Result& result) { return result.claimed.feed.id; });
    const auto fresh = store::perform(context_.pool, Access::read, [&](Transaction& transaction) {
        std::vector<std::vector<const feed::Entry*>> all;
        for (const auto& result : results)
            all.push_back(unrecorded(transaction, result.claimed.feed.id, result.answer.entries));
        return all;
    });
    std::vector<std::vector<ReadyEntry>> ready;
    for (const auto& of_feed : fresh) ready.push_back(make_ready(of_feed));
    for (auto& of_feed : ready) note_mentions(of_feed, context_.options.mentions, context_.rules);
    context_.write([&](Transaction& transaction, base::Seconds now) {
        Outcomes outcomes;
        std::vector<FinishedFetch> fetches;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto& claimed = results[i].claimed;
            if (store::has_claim(transaction, feed_queue.rows, claimed.feed.id, claimed.claim))
                fetches.push_back(record(transaction, results[i], ready[i], outcomes, now));
            else
                release_base_url(transaction, claimed.base_url, claimed.claim, now);
        }
        finish_fetches(transaction, fetches, now);
        tables::count_outcomes(transaction, "harvest_notes", outcomes, tables::slot_of_process());
    });
}

FinishedFetch Fetcher::record(Transaction& transaction, const Result& result,
                              std::span<const ReadyEntry> ready, Outcomes& outcomes,
                              base::Seconds now) {
    const auto& [claimed, url, answer] = result;
    auto outcome = answer.outcome;
    bool copy_differs = false;
    if (!answer.entries.empty()) {
        note_seen(transaction, claimed.feed, answer.entries, now);
        const auto recorded = record_entries(transaction, claimed.feed.id, ready, now);
        copy_differs = recorded.copy_differs;
        count_recorded(outcome, recorded, answer.entries.size());
        outcomes["added"] += static_cast<std::int64_t>(recorded.added);
        outcomes["edited"] += static_cast<std::int64_t>(recorded.edited);
        outcomes["second insertion"] += static_cast<std::int64_t>(recorded.inserted_twice);
    }
    note_archive_of(transaction, claimed.feed.id, url, answer, context_.options.most_entries,
                    now);
    const double random = std::uniform_real_distribution<double>()(context_.random);
    auto finished = schedule(claimed, answer.after, outcome, {.now = now, .random = random});
    finished.copy_differs = copy_differs;
    ++outcomes[finished.outcome];
    return finished;
}

}  // namespace harvest
