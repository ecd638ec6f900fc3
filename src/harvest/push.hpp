// harvest/push.hpp -- the table feed_hubs: hubs that tell us when a source feed has news (W3C WebSub; we are the
// subscriber). What a hub sends is never read: a push that it has signed makes the feed due, and the feed is fetched
// from its publisher like others. While the hub is reliable, one more fetch a day is enough.
// All functions that take a transaction throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "harvest/claims.hpp"
#include "store/pool.hpp"

namespace harvest {

// ---- What a feed says ----

// The hub of a feed and the URL under which the hub knows it. Absolute http or https URLs; both empty: none.
struct HubLinks {
    std::string hub_url, topic;
    bool operator==(const HubLinks&) const = default;
};

// Notes what a feed says of its hub now. Another hub or topic begins anew, with another token and secret; no hub ends
// it; at the hub the old subscription ends with its lease or its next push (secret_of).
//   cost  an index look-up if nothing has changed
void note_hub(store::Transaction& transaction, std::int64_t feed, const HubLinks& links,
              base::Seconds now);

// ---- What hubs send ----

inline constexpr std::chrono::seconds lease_asked_for = std::chrono::days(10);
// How long after a request the hub may ask whether it was meant.
inline constexpr std::chrono::seconds verification_within = std::chrono::days(1);

// Returns whether a text can be a token: 32 lower-case hexadecimal digits.
[[nodiscard]] bool is_push_token(std::string_view text);

// A question of a hub (WebSub section 5.3), or its denial (section 5.2).
struct HubQuestion {
    enum class Mode : unsigned char { subscribe, denied } mode = Mode::subscribe;
    std::string topic;
    std::optional<std::chrono::seconds> lease = {};  // above 0; nullopt: as we asked for
};
// Puts a subscription in force that we asked for, and renews it before its lease ends; or notes that the hub refuses
// it. Leases are cut at longest_hub_lease.
//   returns  whether to confirm: false if this token and topic were not asked for within verification_within
[[nodiscard]] bool answer_question(store::Transaction& transaction, const std::string& token,
                                   const HubQuestion& question, base::Seconds now);

// Returns the secret with which the hub signs pushes to this token; nullopt: there is no such token, or its feed is
// disabled. Then the hub should end the subscription.
[[nodiscard]] std::optional<std::string> secret_of(store::Transaction& transaction,
                                                   const std::string& token);
// Makes a feed due whose hub has sent a signed push, or due again if it is being fetched. Does nothing the second time
// within a second.
//   returns  whether it did
bool take_push(store::Transaction& transaction, const std::string& token, base::Seconds now);

// ---- After fetches ----

// Sets FeedRow::pushed and ClaimedFeed::has_hub. A hub is reliable while a subscription is in force, unless a fetch has
// found news since the last push that the hub had not pushed.
//   cost  a statement for 32 feeds
void note_hubs(store::Transaction& transaction, std::span<ClaimedFeed> feeds, base::Seconds now);

// Looks at a successful fetch of a feed that has a hub, after finish_fetches(). The feed is due again in a minute if a
// push led to the fetch and the publisher did not have the news yet. If the feed has news that the hub should have pushed,
// the feed is fetched as often as others until the hub pushes again, and a subscription is asked for again.
struct SuccessfulFetch {
    std::int64_t feed = 0;
    std::optional<base::Seconds> previous = {};  // attempt before this one
    bool has_news = false;                       // entries were added
};
void note_fetch(store::Transaction& transaction, const SuccessfulFetch& fetch, base::Seconds now);

}  // namespace harvest
