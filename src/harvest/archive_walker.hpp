// harvest/archive_walker.hpp -- walks archives backwards, one page of each at a time, and records their entries.
// Progress is in the store after each page, so that any harvester goes on where one has ended.
// Belongs to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "feed/feed.hpp"
#include "feed/pipermail.hpp"
#include "harvest/archives.hpp"
#include "harvest/entries.hpp"
#include "harvest/fetch.hpp"
#include "harvest/options.hpp"
#include "harvest/redirect_queue.hpp"
#include "net/client.hpp"
#include "net/request.hpp"

namespace harvest {

// What a page of an archive has: older entries, or what a list has to be read in.
struct ArchivePage {
    std::vector<feed::Entry> entries = {};      // the oldest first
    std::string previous_url = {};              // of a feed document; empty: it is the oldest
    std::optional<feed::ListIndex> index = {};  // of a mailing list
    bool is_month = false;                      // of a mailing list
};
// Returns what the body of an answer has. Pure.
//   error  malformed: "empty", "html?", "no version", …
[[nodiscard]] base::Result<ArchivePage> read_archive_page(const std::string& url,
                                                          const net::Response& response);

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
    // Abandons what is open, and gives its claims back.
    void give_back();

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
    void write_results();
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
