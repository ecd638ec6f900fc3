// SPDX-License-Identifier: MIT
#include "tables/counters.hpp"

#include <fmt/format.h>
#include <random>
#include <string_view>

#include "store/claim.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"

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

void mark_copies(Transaction& transaction, const std::vector<std::int64_t>& feeds) {
    const Value time{std::string(store::due_at_once)};
    std::vector<Value> names;
    names.reserve(feeds.size());
    for (const auto feed : feeds) names.emplace_back(std::to_string(feed));
    execute_in(transaction,
               store::make_due_sql({"topics", "look_at"}) +
                   "subject = 'source_feed' AND class = '' AND name IN",
               {time, time}, names);
}

}  // namespace tables
