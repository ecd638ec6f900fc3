// SPDX-License-Identifier: MIT
#include "harvest/base_urls.hpp"

#include <set>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

// Times have whole seconds, so that one second passes between two requests for certain only if two are counted.
constexpr std::chrono::seconds counted_spacing = spacing + std::chrono::seconds(1);
// Nodes of a cluster have clocks of their own, and times are written while others are looked at.
constexpr std::chrono::minutes clocks_differ_by{1};

const store::Insert a_base_url{"base_urls", {"base_url", "free_at", "claim"}, {"base_url"}};

// Returns "SELECT columns FROM the queue q, its base URLs b, WHERE …": rows that are due. One value.
std::string select_due(const UrlQueue& queue, const std::string& columns) {
    const std::string due = "q." + std::string(queue.rows.due);
    return "SELECT " + columns + " FROM " + std::string(queue.rows.table) +
           " q LEFT JOIN base_urls b ON b.base_url = q.base_url WHERE " + due + " > '' AND " +
           due + " <= ?" + std::string(queue.condition);
}

constexpr std::string_view is_free = " AND (b.free_at IS NULL OR b.free_at <= ?)";

}  // namespace

bool claim_base_url(Transaction& transaction, const std::string& base_url, std::int64_t claim,
                    base::Seconds now) {
    const Value end{format_rfc3339(now + store::claim_lasts)};
    return transaction.execute(
               "UPDATE base_urls SET free_at = ?, held = 0, claim = ?"
               " WHERE base_url = ? AND free_at <= ?",
               {end, Value{claim}, Value{base_url}, Value{format_rfc3339(now)}}) == 1 ||
           store::insert_unless_there(transaction, a_base_url,
                                      std::vector{Value{base_url}, end, Value{claim}});
}

void release_base_url(Transaction& transaction, const std::string& base_url, std::int64_t claim,
                      base::Seconds now, const std::optional<base::Seconds>& held_until) {
    transaction.execute(
        "UPDATE base_urls SET free_at = ?, held = ?, claim = 0 WHERE base_url = ? AND claim = ?",
        {Value{format_rfc3339(held_until.value_or(now + counted_spacing))},
         Value{std::int64_t{held_until ? 1 : 0}}, Value{base_url}, Value{claim}});
}

HeldServers held_servers(Transaction& transaction, base::Seconds now) {
    HeldServers held;
    for (const auto& row : transaction.query(
             "SELECT base_url, free_at FROM base_urls WHERE held = 1 AND free_at > ?",
             {Value{format_rfc3339(now)}}))
        if (const auto until = base::parse_rfc3339(row.text(1))) held[row.text(0)] = *until;
    return held;
}

void delete_unneeded_base_urls(Transaction& transaction, base::Seconds now) {
    const Value oldest{format_rfc3339(now - std::chrono::days(2))},
        end_of_claim{format_rfc3339(now + store::claim_lasts + clocks_differ_by)},
        end_of_pause{format_rfc3339(now + longest_pause + clocks_differ_by)};
    const std::string condition =
        "(free_at < ? OR free_at > CASE WHEN held = 0 THEN ? ELSE ? END)";
    // Found first, because a statement that writes locks all rows that it looks at.
    std::vector<Value> unneeded;
    for (const auto& row :
         transaction.query("SELECT base_url FROM base_urls WHERE " + condition + " LIMIT 1000",
                           {oldest, end_of_claim, end_of_pause}))
        unneeded.push_back(row.value(0));
    tables::execute_in(transaction,
                       "DELETE FROM base_urls WHERE " + condition + " AND base_url IN",
                       {oldest, end_of_claim, end_of_pause}, unneeded);
}

std::vector<DueRow> due_rows(Transaction& transaction, const UrlQueue& queue, std::size_t most,
                             base::Seconds now) {
    const std::string key = "q." + std::string(queue.rows.key),
                      due = "q." + std::string(queue.rows.due);
    const auto sql = select_due(queue, key + ", " + due + ", q.claim, q.base_url") +
                     std::string(is_free) + " ORDER BY " + due + " LIMIT ?";
    const Value time{format_rfc3339(now)};
    std::vector<DueRow> rows;
    std::set<std::string> base_urls;
    for (const auto& row :
         transaction.query(sql, {time, time, Value{static_cast<std::int64_t>(most)}}))
        if (base_urls.insert(row.text(3)).second)
            rows.push_back({{row.integer(0), row.text(1), row.integer(2)}, row.text(3)});
    return rows;
}

std::vector<DueRow> claim_rows(Transaction& transaction, const UrlQueue& queue,
                               std::span<const DueRow> due, std::int64_t claim,
                               base::Seconds now) {
    std::vector<DueRow> claimed;
    for (const auto& each : due) {
        if (!claim_base_url(transaction, each.base_url, claim, now)) continue;
        if (store::claim_row(transaction, queue.rows, each.row, claim, now))
            claimed.push_back(each);
        else
            release_base_url(transaction, each.base_url, claim, now);
    }
    return claimed;
}

bool is_any_due(Transaction& transaction, const UrlQueue& queue, base::Seconds then,
                base::Seconds now) {
    return !transaction
                .query(select_due(queue, "1") + " AND (b.free_at IS NULL OR b.held = 0 OR"
                                                " b.free_at <= ?) LIMIT 1",
                       {Value{format_rfc3339(then)}, Value{format_rfc3339(now)}})
                .empty();
}

Waiting waiting_rows(Transaction& transaction, const UrlQueue& queue, base::Seconds now) {
    const std::string due = "q." + std::string(queue.rows.due),
                      since = "MIN(CASE WHEN b.free_at > " + due + " THEN b.free_at ELSE " + due +
                              " END)";
    const Value time{format_rfc3339(now)};
    const auto rows = transaction.query(
        select_due(queue, "COUNT(*), " + since) + std::string(is_free), {time, time});
    const auto& row = rows.at(0);
    return {static_cast<std::uint64_t>(row.integer(0)),
            row.is_null(1) ? std::nullopt : base::parse_rfc3339(row.text(1))};
}

}  // namespace harvest
