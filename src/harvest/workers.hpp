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
#include "harvest/getter.hpp"

namespace harvest {

// Fetches the feeds that are due, and records what came of it.
class Fetcher {
   public:
    // Of what one transaction writes: short enough for others that wait for the store.
    static constexpr std::size_t results_at_once = 50;

    //   throws  std::system_error: the system gives no thread
    Fetcher(HarvestContext& context, Getter& getter);

    // Writes what is finished, and claims and begins what is due.
    void work();
    // Takes what has been read.
    void take_read();
    void write_results();

    // Answers are being read.
    [[nodiscard]] bool is_reading() const { return reader_.size() > 0; }
    // How many fetches have begun that are not written, and how many of these are finished.
    [[nodiscard]] std::size_t open() const { return open_ + reader_.size() + results_.size(); }
    [[nodiscard]] std::size_t results() const { return results_.size(); }
    // More may be due than was claimed.
    [[nodiscard]] bool has_more() const { return has_more_; }

   private:
    using Outcomes = std::map<std::string, std::int64_t>;
    struct Answered {
        ClaimedFeed claimed;
        Fetch fetch;
        net::Response response;
    };
    struct Result {
        ClaimedFeed claimed;
        std::string url;  // behind redirects
        ReadAnswer answer;
    };
    void claim();
    void begin(ClaimedFeed claimed, SteadyTime until);
    void write(std::span<Result> results);
    void write_alone(Result& result);
    // Records the entries of a fetch. The value points into `result`.
    [[nodiscard]] FinishedFetch record(store::Transaction& transaction, const Result& result,
                                       std::span<const ReadyEntry> ready, Outcomes& outcomes,
                                       base::Seconds now);

    HarvestContext& context_;
    Getter& getter_;
    std::size_t open_ = 0;  // that the getter has
    // Reading a feed takes as long as all the rest.
    Background<Answered, Result> reader_;
    std::vector<Result> results_;  // that are not written
    bool has_more_ = false;
    SteadyTime claim_at_{};
};

// What a page of an archive has: older entries, or what a list has to be read in.
struct ArchivePage {
    std::vector<feed::Entry> entries = {};      // the oldest first
    std::string previous_url = {};              // of a feed document; empty: it is the oldest
    std::optional<feed::ListIndex> index = {};  // of a mailing list
    bool is_month = false;                      // of a mailing list
};

// Walks archives backwards, one page of each at a time, and records their entries.
class ArchiveWalker {
   public:
    static constexpr std::size_t most_open = 8;                      // pages at once
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;  // of a page

    ArchiveWalker(HarvestContext& context, Getter& getter) : context_(context), getter_(getter) {}

    // Writes what was read, and claims and begins what is due, looking once a second.
    void work();
    void write_results();

    // How many pages have been begun that are not written.
    [[nodiscard]] std::size_t open() const { return open_ + results_.size(); }

   private:
    // A page, or why it could not be read.
    struct Result {
        ClaimedArchive claimed;
        std::string url;  // behind redirects
        std::optional<ArchivePage> page = {};
        FetchOutcome failure = {};
    };
    void begin(ClaimedArchive claimed, SteadyTime until);
    [[nodiscard]] static Result read(ClaimedArchive claimed, std::string url,
                                     Getter::Answer answer);
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
    Getter& getter_;
    std::size_t open_ = 0;         // that the getter has
    std::vector<Result> results_;  // that are not written
    // The months that the walk of a list is about, by feed. A harvester without them reads the index.
    struct Months {
        std::vector<feed::ListMonth> months;       // newest first
        std::optional<base::Seconds> finished_at;  // of the walk before this one
    };
    std::unordered_map<std::int64_t, Months> months_;
    SteadyTime look_at_{};
};

}  // namespace harvest
