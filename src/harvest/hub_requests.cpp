// SPDX-License-Identifier: MIT
#include "harvest/hub_requests.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "harvest/feeds.hpp"
#include "net/url.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

using namespace std::chrono_literals;

// After the first request, the second …; the last one from then on.
constexpr std::array<std::chrono::seconds, 5> hub_request_pauses{
    10min, 1h, 6h, std::chrono::days(1), std::chrono::days(7)};

// Puts a request off because others go to the same base URL first.
void put_off(Transaction& transaction, const store::Row& row, base::Seconds until) {
    transaction.execute("UPDATE feed_hubs SET due_at = ? WHERE feed = ? AND due_at = ?",
                        {Value{format_rfc3339(until)}, row.value(0), row.value(5)});
}

}  // namespace

bool is_hub_request_due(Transaction& transaction, base::Seconds now) {
    return !transaction
                .query("SELECT 1 FROM feed_hubs WHERE due_at > '' AND due_at <= ? LIMIT 1",
                       {Value{format_rfc3339(now)}})
                .empty();
}

std::vector<ClaimedHubRequest> claim_hub_requests(Transaction& transaction,
                                                  const ClaimTerms& terms, base::Seconds now) {
    std::vector<ClaimedHubRequest> claimed;
    std::map<std::string, int> of_base;
    const auto time = format_rfc3339(now), until = format_rfc3339(now + fetch_claim);
    const auto rows = transaction.query(
        "SELECT h.feed, h.hub_url, h.topic, h.token, h.secret, h.due_at, h.failures,"
        " f.system_enabled FROM feed_hubs h LEFT JOIN feeds f ON f.id = h.feed"
        " WHERE h.due_at > '' AND h.due_at <= ? ORDER BY h.due_at, h.feed LIMIT ?",
        {Value{time}, Value{static_cast<std::int64_t>(terms.most)}});
    for (const auto& row : rows) {
        const auto url = net::parse_url(row.text(1));
        if (!url || row.is_null(7) || row.integer(7) == 0) {
            transaction.execute("DELETE FROM feed_hubs WHERE feed = ?", {row.value(0)});
            continue;
        }
        auto base_url = base_url_of(*url);
        const auto before_it = of_base[base_url]++;
        if (before_it > 0 || !claim_base_url(transaction, base_url, terms.claim, now)) {
            put_off(transaction, row, now + 2 * spacing * (before_it + 1));
            continue;
        }
        const auto taken = transaction.execute(
            "UPDATE feed_hubs SET asked_at = ?, due_at = ? WHERE feed = ? AND due_at = ?",
            {Value{time}, Value{until}, row.value(0), row.value(5)});
        if (taken == 0) {  // by another harvester
            release_base_url(transaction, base_url, terms.claim, now);
            continue;
        }
        claimed.push_back({.feed = row.integer(0),
                           .claim = terms.claim,
                           .base_url = std::move(base_url),
                           .hub_url = row.text(1),
                           .topic = row.text(2),
                           .token = row.text(3),
                           .secret = row.text(4),
                           .requests = row.integer(6),
                           .until = until});
    }
    return claimed;
}

bool finish_hub_request(Transaction& transaction, const ClaimedHubRequest& request,
                        base::Seconds now) {
    const auto last = static_cast<std::int64_t>(hub_request_pauses.size()) - 1;
    const auto which = std::clamp<std::int64_t>(request.requests, 0, last);
    const auto pause = hub_request_pauses.at(static_cast<std::size_t>(which));
    release_base_url(transaction, request.base_url, request.claim, now);
    const auto ended = transaction.execute(
        "UPDATE feed_hubs SET failures = ?, due_at = ? WHERE feed = ? AND token = ?"
        " AND due_at = ?",
        {Value{request.requests + 1}, Value{format_rfc3339(now + pause)}, Value{request.feed},
         Value{request.token}, Value{request.until}});
    return ended > 0;
}

void give_back(Transaction& transaction, const ClaimedHubRequest& request, base::Seconds now) {
    release_base_url(transaction, request.base_url, request.claim, now);
    transaction.execute(
        "UPDATE feed_hubs SET due_at = ? WHERE feed = ? AND token = ? AND due_at = ?",
        {Value{format_rfc3339(now)}, Value{request.feed}, Value{request.token},
         Value{request.until}});
}

}  // namespace harvest
