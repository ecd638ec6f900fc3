// SPDX-License-Identifier: MIT
#include "tables/counters.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <string_view>

#include "store/dialect.hpp"

namespace tables {

using store::Transaction;
using store::Value;

const std::string& slot_of_process() {
    static const auto slot = fmt::format("{:02}", std::random_device()() % 16);
    return slot;
}

void count_outcomes(Transaction& transaction, const std::string& table,
                    const std::map<std::string, std::int64_t>& outcomes,
                    const std::string& slot) {
    std::vector<Value> values;
    for (const auto& [name, number] : outcomes) {
        if (number == 0) continue;
        values.emplace_back("count " + name + ' ' + slot);
        values.emplace_back(number);
    }
    store::add_many(transaction, {table, {"name", "number"}, {"name"}}, values);
}

std::vector<std::pair<std::string, std::uint64_t>> load_outcomes(Transaction& transaction,
                                                                 const std::string& table) {
    std::map<std::string, std::uint64_t> sums;
    for (const auto& row : transaction.query("SELECT name, number FROM " + table +
                                             " WHERE name >= 'count ' AND name < 'count!'")) {
        const std::string name = row.text(0);
        const auto begin = name.find(' ') + 1;
        sums[name.substr(begin, name.rfind(' ') - begin)] +=
            static_cast<std::uint64_t>(row.integer(1));
    }
    return {sums.begin(), sums.end()};
}

bool lock_feed(Transaction& transaction, std::int64_t feed) {
    static const std::string sql = "SELECT id FROM feeds WHERE id = ?";
    return !transaction
                .query(sql + std::string(store::for_update(transaction.engine())), {Value{feed}})
                .empty();
}

void move_feed_writes(Transaction& transaction, std::vector<std::int64_t> feeds) {
    if (feeds.empty()) return;
    std::ranges::sort(feeds);
    const auto twice = std::ranges::unique(feeds);
    feeds.erase(twice.begin(), twice.end());
    for (const auto feed : feeds)
        transaction.execute("UPDATE feeds SET writes = writes + 1 WHERE id = ?", {Value{feed}});
    store::add_many(transaction, {"harvest_notes", {"name", "number"}, {"name"}},
                    std::vector{Value{"writes " + slot_of_process()}, Value{std::int64_t{1}}});
}

std::int64_t all_feed_writes(Transaction& transaction) {
    // One row for each slot: '!' follows ' '.
    const auto rows = transaction.query(
        "SELECT SUM(number) FROM harvest_notes WHERE name >= 'writes ' AND name < 'writes!'");
    return rows.empty() || rows.front().is_null(0) ? 0 : rows.front().integer(0);
}

}  // namespace tables
