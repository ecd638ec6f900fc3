// harvest/schedule.hpp -- after a fetch: what is recorded about the feed, and when it is fetched next.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "feed/feed.hpp"
#include "harvest/claims.hpp"
#include "net/request.hpp"

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
    nodb,       // the store could not be reached: nothing is recorded but this count
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
