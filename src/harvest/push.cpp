// SPDX-License-Identifier: MIT
#include "harvest/push.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>
#include <unistd.h>

#include "base/digest.hpp"
#include "net/url.hpp"
#include "store/dialect.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

using namespace std::chrono_literals;

const store::Insert a_hub{
    "feed_hubs", {"feed", "hub_url", "topic", "token", "secret", "due_at"}, {"feed"}};

constexpr std::size_t token_bytes = 16, secret_bytes = 32;
// A lease is renewed when three quarters of it are over, but not more often than this.
constexpr std::chrono::seconds renewal_not_before = 10min;
constexpr std::chrono::seconds pause_of_refused = std::chrono::days(7);
constexpr std::int64_t requests_of_refused = 5;  // as many as make a hub count as dead
// A push may be ahead of the publisher's own answers, for which caches stand.
constexpr std::chrono::seconds look_again = 1min, caches_may_last = 1h;
// How soon a feed is fetched whose hub turns out to be dead.
constexpr std::chrono::seconds without_hub = 30min;
constexpr std::size_t feeds_at_once = 32;

// Returns random bits as hexadecimal digits.
template <std::size_t bytes>
std::string random_hex() {
    std::array<char, bytes> random{};
    if (::getentropy(random.data(), random.size()) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot get random bytes");
    return base::to_hex({random.data(), random.size()});
}

bool is_same_url(const std::string& a, const std::string& b) {
    if (a == b) return true;
    const auto first = net::parse_url(a), second = net::parse_url(b);
    return first && second && net::normalized(*first) == net::normalized(*second);
}

// Makes a feed due at this time, if it would be later and nobody fetches it now.
void fetch_by(Transaction& transaction, std::int64_t feed, base::Seconds time) {
    const Value at{format_rfc3339(time)};
    transaction.execute("UPDATE feeds SET next_fetch_attempt = ? WHERE id = ?"
                        " AND system_enabled = 1 AND claim = 0 AND next_fetch_attempt > ?",
                        {at, Value{feed}, at});
}

// What a row says of whether its hub can be relied upon.
struct HubTimes {
    std::string asked_at, expires_at, pushed_at, missed_at;
    [[nodiscard]] bool is_live(base::Seconds now) const {
        return expires_at > format_rfc3339(now) && pushed_at >= missed_at;
    }
};
HubTimes times_in(const store::Row& row, std::size_t first) {
    return {row.text(first), row.text(first + 1), row.text(first + 2), row.text(first + 3)};
}

}  // namespace

void note_hub(Transaction& transaction, std::int64_t feed, const HubLinks& links,
              base::Seconds now) {
    const auto rows =
        transaction.query("SELECT hub_url, topic FROM feed_hubs WHERE feed = ?", {Value{feed}});
    if (rows.empty() && links.hub_url.empty()) return;
    if (!rows.empty()) {
        if (HubLinks{rows[0].text(0), rows[0].text(1)} == links) return;
        transaction.execute("DELETE FROM feed_hubs WHERE feed = ?", {Value{feed}});
    }
    if (!net::parse_url(links.hub_url) || !net::parse_url(links.topic)) return;
    store::insert_unless_there(transaction, a_hub,
                               std::vector{Value{feed}, Value{links.hub_url}, Value{links.topic},
                                           Value{random_hex<token_bytes>()},
                                           Value{random_hex<secret_bytes>()},
                                           Value{format_rfc3339(now)}});
}

bool is_push_token(std::string_view text) {
    return text.size() == 2 * token_bytes && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

bool answer_question(Transaction& transaction, const std::string& token,
                     const HubQuestion& question, base::Seconds now) {
    const auto rows = transaction.query("SELECT h.topic, h.asked_at, h.expires_at"
                                        " FROM feed_hubs h JOIN feeds f ON f.id = h.feed"
                                        " WHERE h.token = ? AND f.system_enabled = 1",
                                        {Value{token}});
    if (rows.empty() || !is_same_url(rows[0].text(0), question.topic)) return false;
    if (question.mode == HubQuestion::Mode::denied) {
        transaction.execute("UPDATE feed_hubs SET asked_at = '', expires_at = '', failures = ?,"
                            " due_at = ? WHERE token = ?",
                            {Value{requests_of_refused},
                             Value{format_rfc3339(now + pause_of_refused)}, Value{token}});
        return true;
    }
    // A hub whose first question got lost asks again.
    if (rows[0].text(1) <= format_rfc3339(now - verification_within)) return false;
    const auto lease = std::min(question.lease.value_or(lease_asked_for), longest_hub_lease);
    const auto renewal = std::max(lease / 4 * 3, renewal_not_before);
    transaction.execute(
        "UPDATE feed_hubs SET expires_at = ?, due_at = ?, failures = 0 WHERE token = ?",
        {Value{format_rfc3339(now + lease)}, Value{format_rfc3339(now + renewal)}, Value{token}});
    return true;
}

std::optional<std::string> secret_of(Transaction& transaction, const std::string& token) {
    const auto rows = transaction.query(
        "SELECT h.secret FROM feed_hubs h JOIN feeds f ON f.id = h.feed WHERE h.token = ?"
        " AND f.system_enabled = 1",
        {Value{token}});
    if (rows.empty()) return std::nullopt;
    return rows[0].text(0);
}

bool take_push(Transaction& transaction, const std::string& token, base::Seconds now) {
    const Value time{format_rfc3339(now)};
    const auto rows = transaction.query(
        "SELECT feed FROM feed_hubs WHERE token = ? AND pushed_at <> ?", {Value{token}, time});
    if (rows.empty()) return false;
    // In the order in which finished fetches are written, so that neither waits for the other forever. A fetch that is
    // under way may have been answered before the news.
    transaction.execute(
        "UPDATE feeds SET fetch_again = CASE WHEN claim <> 0 THEN 1 ELSE fetch_again END,"
        " next_fetch_attempt = CASE WHEN claim = 0 AND next_fetch_attempt > ? THEN ?"
        " ELSE next_fetch_attempt END WHERE id = ? AND system_enabled = 1",
        {time, time, rows[0].value(0)});
    return transaction.execute("UPDATE feed_hubs SET pushed_at = ? WHERE token = ?",
                               {time, Value{token}}) > 0;
}

void note_hubs(Transaction& transaction, std::span<ClaimedFeed> feeds, base::Seconds now) {
    static const auto sql = [] {
        std::string text = "SELECT feed, asked_at, expires_at, pushed_at, missed_at"
                           " FROM feed_hubs WHERE feed IN (?";
        for (std::size_t i = 1; i < feeds_at_once; ++i) text += ", ?";
        return text + ")";
    }();
    for (auto left = feeds; !left.empty();) {
        const auto part = left.first(std::min(left.size(), feeds_at_once));
        left = left.subspan(part.size());
        std::map<std::int64_t, ClaimedFeed*> by_id;
        std::vector<Value> ids(feeds_at_once, Value{part.front().feed.id});
        for (std::size_t i = 0; i < part.size(); ++i) {
            ids.at(i) = part[i].feed.id;
            by_id.emplace(part[i].feed.id, &part[i]);
        }
        for (const auto& row : transaction.query(sql, ids)) {
            auto& claimed = *by_id.at(row.integer(0));
            claimed.has_hub = true;
            claimed.feed.pushed = times_in(row, 1).is_live(now);
        }
    }
}

void note_fetch(Transaction& transaction, const SuccessfulFetch& fetch, base::Seconds now) {
    const Value feed{fetch.feed};
    const auto rows = transaction.query(
        "SELECT asked_at, expires_at, pushed_at, missed_at FROM feed_hubs WHERE feed = ?",
        {feed});
    if (rows.empty()) return;
    const auto times = times_in(rows[0], 0);
    if (!fetch.previous) return;
    const auto previous = format_rfc3339(*fetch.previous);
    if (!fetch.has_news) {
        if (times.pushed_at >= previous) fetch_by(transaction, fetch.feed, now + look_again);
        return;
    }
    // What came about at the same time as the subscription may have been too early for it.
    const bool was_pushed = times.pushed_at > format_rfc3339(*fetch.previous - caches_may_last);
    if (was_pushed || times.asked_at >= previous || !times.is_live(now)) return;
    transaction.execute("UPDATE feed_hubs SET missed_at = ?, due_at = ? WHERE feed = ?",
                        {Value{format_rfc3339(now)}, Value{format_rfc3339(now)}, feed});
    fetch_by(transaction, fetch.feed, now + without_hub);
}

}  // namespace harvest
