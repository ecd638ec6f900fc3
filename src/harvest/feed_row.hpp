// harvest/feed_row.hpp -- a row of the table feeds as a value.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "net/url.hpp"
#include "store/connection.hpp"

namespace harvest {

// Failures are counted in quarters: a hard failure, which rarely goes away, counts 4, a soft one 2, a temporary one 1.
// Operators and JSON see 1, 0.5 and 0.25.
inline constexpr std::int64_t quarters_of_hard = 4, quarters_of_soft = 2,
                              quarters_of_temporary = 1;

// Bytes of the titles of feeds and entries that are kept.
inline constexpr std::size_t longest_title = 512;

// Who gets to see a feed. Queries of URLs often hold keys, so everyone who can read the site or the log sees the URLs of a
// feed without theirs, unless the operator made them public.
enum class Audience : unsigned char { operators, everyone };

// A row of the table feeds. Absent times are nullopt, absent texts empty.
struct FeedRow {
    std::int64_t id = 0;
    std::string url, base_url;
    std::string name;  // that the operator gave it
    base::Seconds created_at{};
    std::optional<base::Date> last_read = {};  // when somebody last asked for our copy
    // What the feed says about itself.
    std::string rss_title = {}, description = {}, home_url = {}, language = {};
    std::int64_t most_kb = 0;   // of a body, decoded; 0: as configured
    bool public_query = false;  // everyone may see the queries of its URLs
    bool system_enabled = true;
    std::string system_status = {};  // "Working", "parse error", "HTTP 404 Not Found", …
    std::optional<base::Seconds> last_fetch_attempt = {}, last_fetch_success = {};
    std::string last_fetch_hash = {};                     // MD5 of the body, 32 hex digits
    std::int64_t last_fetch_failures = 0;                 // quarters
    std::string http_etag = {}, http_last_modified = {};  // byte for byte as the server sent them
    bool http_304 = false;  // the server has answered 304 to them at least once
    std::optional<base::Seconds> next_fetch_attempt = {};  // nullopt: never, it is disabled
    bool queued = false;                                   // a harvester has claimed it
    std::int64_t update_minutes = 0;  // between updates, as the feed says; 0: it does not
    // When it asks not to be fetched: hours of the day in UTC, and days of the week from Sunday.
    std::bitset<24> skip_hours = {};
    std::bitset<7> skip_days = {};
    std::int64_t poll_minutes = 0;  // between fetches, as the last one decided; 0: there was none
    std::optional<base::Seconds> last_new_stories = {};
    std::optional<base::Seconds> last_full_fetch = {};  // without validators
    std::string moved_to = {};  // where its server says that it has moved to (301, 308)
    bool is_url_cut = false;    // no column: shown_to() left out the query of `url`
    bool operator==(const FeedRow&) const = default;

    // The operator's name of it, else its own title, else its URL.
    [[nodiscard]] const std::string& display_name() const;
    // Returns last_fetch_failures as people see it: "2.5" for ten quarters.
    [[nodiscard]] std::string failures() const;
};

// Returns whether our copy of a feed shows other texts of it than before: its names, URLs, description or language, as the
// table keeps them.
[[nodiscard]] bool shows_other_texts(const FeedRow& before, const FeedRow& after);

// Returns a URL of a feed as everyone may see it: without its query and fragment unless the operator made them public, and
// empty if it is no valid URL, as one with a user name.
[[nodiscard]] std::string shown_url(const FeedRow& feed, const std::string& url);
// Returns the row with its URLs as this audience may see them.
[[nodiscard]] FeedRow shown_to(Audience audience, FeedRow feed);

// Returns the key of a URL: the SHA-256 of its normalized spelling.
[[nodiscard]] std::string digest_of_url(const net::Url& url);

// ---- For the functions of this folder that read and write rows ----

// Returns "SELECT columns FROM feeds f " + rest.
//   more  columns behind those of the feed: ", b.free_at"
[[nodiscard]] std::string select_feeds(std::string_view rest, std::string_view more = {});
// How many columns of a feed come before others.
inline constexpr std::size_t feed_columns = 29;
// Reads a feed in the first columns of a row.
[[nodiscard]] FeedRow feed_in(const store::Row& row);

// The columns that a fetch may change: "rss_title = ?, …", and their values.
inline constexpr std::string_view fetched_columns =
    "rss_title = ?, description = ?, home_url = ?, language = ?, system_enabled = ?,"
    " system_status = ?, last_fetch_attempt = ?, last_fetch_success = ?, last_fetch_hash = ?,"
    " last_fetch_failures = ?, http_etag = ?, http_last_modified = ?, http_304 = ?,"
    " next_fetch_attempt = ?, update_minutes = ?, skip_times = ?, poll_minutes = ?,"
    " last_new_stories = ?, last_full_fetch = ?, moved_to = ?";
void append_fetched_values(std::vector<store::Value>& values, const FeedRow& feed);

}  // namespace harvest
