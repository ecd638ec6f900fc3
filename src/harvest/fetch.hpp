// harvest/fetch.hpp -- the requests of fetches, what their answers mean, and what is recorded of them: when a feed is
// fetched next.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "feed/feed.hpp"
#include "feed/pipermail.hpp"
#include "harvest/claims.hpp"
#include "net/request.hpp"
#include "store/worker.hpp"

namespace harvest {

// The outcome of a fetch, in the words of LiveJournal's synsuck.
enum class FetchStatus : unsigned char {
    ok,           // entries are new or were edited
    nonew,        // the body has nothing that is new
    notmodified,  // 304, or the same bytes as before
    toobig,
    parseerror,
    noitems,
    posterror,  // the entries cannot be recorded
    failed,     // the server or the network
    disabled,   // 410, or too many failures
};
[[nodiscard]] std::string_view name_of(FetchStatus status);

// How likely a failure is to last. Counted as 0.25, 0.5 and 1, as rss-fetcher does.
enum class Severity : unsigned char { none, temporary, soft, hard };

// What the header fields of an answer say about later requests. Times in the past and unreadable ones are absent.
struct ServerHints {
    std::optional<std::chrono::seconds> retry_after = {};  // RFC 9110 section 10.2.3
    std::optional<std::chrono::seconds> fresh_for = {};    // RFC 9111 section 4.2.1
    bool operator==(const ServerHints&) const = default;
};
[[nodiscard]] ServerHints read_hints(const std::vector<net::Field>& fields, base::Seconds now);

// The result of a fetch.
struct FetchOutcome {
    FetchStatus status = FetchStatus::failed;
    Severity severity = Severity::none;
    // "Working", "parse error", "HTTP 404 Not Found", "DNS error", …: the column system_status.
    std::string system_status = "Working";
    std::string detail = {};  // of the note: "empty", "not modified", "same hash", …
    std::size_t skipped = 0, added = 0, edited = 0;
    int http_status = 0;  // 0: there was no answer
    ServerHints server = {};
    std::optional<feed::UpdateHints> feed = {};  // nullopt: the feed was not read
};

// One fetch of a feed or of a page of an archive, over all the redirects that it follows.
struct Fetch {
    std::string url;                      // that is requested now
    std::vector<net::Field> fields = {};  // of each request
    std::size_t most_body = 0;            // bytes, decoded
    bool is_conditional = false;          // it sends validators
    std::int64_t claim = 0;               // by which base URLs are claimed for it
    std::string base_url = {};            // that is claimed now; empty: none is
    store::SteadyTime until = {};         // all of it ends before its claim does
    std::size_t redirects = 0;            // that were followed
    bool is_permanent = true;             // all of them were 301 or 308
    bool is_downgraded = false;           // from https to http
};
inline constexpr std::size_t most_redirects = 5;

struct FetchSettings {
    // "Varve/1.0 (+https://x.org/changes; mail@x.org)"; a fetch adds the number of readers.
    std::string user_agent = "Varve-harvester";
    std::chrono::milliseconds connect{5'000}, total{30'000};
    std::size_t most_bytes = 150 * 1024;  // of a body, where the feed has no limit of its own
    std::size_t most_entries = 20;        // the newest ones that are looked at
};

// Begins a fetch of a page: what all requests have.
[[nodiscard]] Fetch begin_page(std::string url, std::string user_agent);
// Begins a fetch of a feed. User-Agent: "Varve/1.0 (+https://x.org; mail@x.org; 12 readers)". Validators are sent byte for
// byte as the server sent them, but once a day they are left out: a server may say that nothing has changed when it has.
[[nodiscard]] Fetch begin_fetch(const ClaimedFeed& claimed, const FetchSettings& settings);

// Returns the request for fetch.url.
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
[[nodiscard]] ReadAnswer read_answer(const ClaimedFeed& claimed, const Fetch& fetch,
                                     const net::Response& response,
                                     const FetchSettings& settings);
// Return the outcome of a fetch that ends with a status that is no success; with a failure of the network; where a chain of
// redirects leads nowhere; and at a redirect to a server that stayed busy with other requests of ours.
[[nodiscard]] FetchOutcome failed_status(const net::Response& response, base::Seconds now);
[[nodiscard]] FetchOutcome failed_request(const net::Failure& failure);
[[nodiscard]] FetchOutcome failed_redirect(const base::Error& error);
[[nodiscard]] FetchOutcome busy_redirect();
// Returns the outcome of a document that cannot be read.
[[nodiscard]] FetchOutcome parse_error(const base::Error& error);
// "parse error; empty", "DNS error"
[[nodiscard]] std::string explanation_of(const FetchOutcome& outcome);
// Returns until when the server wants to be left alone (429): as long as it says, at most a day, or else for an hour.
[[nodiscard]] std::optional<base::Seconds> hold_after(const FetchOutcome& outcome,
                                                      base::Seconds now);
// Returns the answer without its entries, because the store rejects them; the next fetch gets the body again.
[[nodiscard]] ReadAnswer read_unrecordable(ReadAnswer answer);

// Returns the newest entries, the oldest of them first: by their times where all have one, else as in the document.
[[nodiscard]] std::vector<feed::Entry> newest_entries(std::vector<feed::Entry> entries,
                                                      std::size_t most);

// What else the next fetch depends on.
struct ScheduleTime {
    base::Seconds now{};
    double random = 0;  // 0 up to 1: spreads the fetches of many feeds
};

// Returns a fetch as it is to be written: times, failures, status, event and note. Validators, hash, titles and URL
// are those of `after`, which the caller has filled in.
// The next fetch: 30 minutes after news and 60 without; a day where nobody reads; 3 hours
// after a parse error or an empty feed, 60 minutes after one that is too big; 3 hours for each whole failure after
// others. Not before what the server (Retry-After, max-age, Expires) and the feed (ttl, sy:updatePeriod, skipHours,
// skipDays) ask for, each for at most a day but the skipped hours and days; and up to a tenth later at random. A server
// that says 429 is left alone with all of its feeds for as long as it asks for, or an hour. 410 disables a feed; so do
// more than 30 failures, but then it is tried once a week.
[[nodiscard]] FinishedFetch schedule(const ClaimedFeed& claimed, FeedRow after,
                                     const FetchOutcome& outcome, const ScheduleTime& time);

}  // namespace harvest
