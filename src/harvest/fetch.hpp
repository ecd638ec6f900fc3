// harvest/fetch.hpp -- the requests of fetches, and what their answers mean.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "feed/feed.hpp"
#include "feed/pipermail.hpp"
#include "harvest/schedule.hpp"
#include "net/request.hpp"

namespace harvest {

// One fetch, over all the redirects that it follows.
struct Fetch {
    ClaimedFeed claimed;
    std::string url;              // that is requested now
    bool is_conditional = false;  // it sends validators
    std::size_t redirects = 0;    // that were followed
    bool is_permanent = true;     // all of them were 301 or 308
    bool is_downgraded = false;   // from https to http
};
inline constexpr std::size_t most_redirects = 5;

struct FetchSettings {
    // "Varve/1.0 (+https://x.org/changes; mail@x.org)"; a fetch adds the number of readers.
    std::string user_agent = "Varve-harvester";
    std::chrono::milliseconds connect{5'000}, total{30'000};
    std::size_t most_bytes = 150 * 1024;  // of a body, where the feed has no limit of its own
    std::size_t most_entries = 20;        // the newest ones that are looked at
};

// Begins a fetch. Validators are sent byte for byte as the server sent them, but once a day they are left out: a
// server may say that nothing has changed when it has.
[[nodiscard]] Fetch begin_fetch(ClaimedFeed claimed);

// Returns the request for fetch.url. User-Agent: "Varve/1.0 (+https://x.org; mail@x.org; 12 readers)".
//   error  malformed: the URL
[[nodiscard]] base::Result<net::Request> request_of(const Fetch& fetch,
                                                    const FetchSettings& settings);

// Returns the fetch at the URL to which the answer redirects, or why it ends there; nullopt: it is no redirect.
[[nodiscard]] std::optional<base::Result<Fetch>> redirected(const Fetch& fetch,
                                                            const net::Response& response);

// The meaning of an answer. `after` has the new validators, hash and title of the feed.
struct ReadAnswer {
    FeedRow after;
    FetchOutcome outcome;
    std::optional<feed::Feed> feed = {};    // with entries to record; nullopt: there are none
    std::vector<feed::Entry> entries = {};  // of these the newest ones, the oldest first
    // The URL is that of a mailing list's archive, from which the entries come.
    std::optional<feed::ListIndex> list = {};
};
[[nodiscard]] ReadAnswer read_answer(const Fetch& fetch, const net::Response& response,
                                     const FetchSettings& settings);
[[nodiscard]] ReadAnswer read_failure(const Fetch& fetch, const net::Failure& failure);
// Returns the answer for a chain of redirects that leads nowhere.
[[nodiscard]] ReadAnswer read_failed_redirect(const Fetch& fetch, const base::Error& error);

// Returns the answer for a redirect to a server that stayed busy with other requests of ours.
[[nodiscard]] ReadAnswer read_busy_redirect(const Fetch& fetch);
// Returns the answer without its entries, because the store rejects them; the next fetch gets the body again.
[[nodiscard]] ReadAnswer read_unrecordable(ReadAnswer answer);

// Returns the newest entries, the oldest of them first: by their times where all have one, else as in the document.
[[nodiscard]] std::vector<feed::Entry> newest_entries(std::vector<feed::Entry> entries,
                                                      std::size_t most);

}  // namespace harvest
