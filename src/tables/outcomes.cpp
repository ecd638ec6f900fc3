// SPDX-License-Identifier: MIT
#include "tables/outcomes.hpp"

#include <string_view>

#include "store/dialect.hpp"

namespace tables {
namespace {

constexpr std::string_view prefix = "count ";

}  // namespace

void count_outcomes(store::Transaction& transaction, const std::string& table,
                    const std::map<std::string, std::int64_t>& outcomes,
                    const std::string& slot) {
    std::vector<store::Value> values;
    for (const auto& [name, number] : outcomes) {
        if (number == 0) continue;
        values.emplace_back(std::string(prefix) + name + ' ' + slot);
        values.emplace_back(number);
    }
    store::add_many(transaction, {table, {"name", "number"}, {"name"}}, values);
}

std::vector<std::pair<std::string, std::uint64_t>> load_outcomes(store::Transaction& transaction,
                                                                 const std::string& table) {
    std::map<std::string, std::uint64_t> sums;
    for (const auto& row : transaction.query("SELECT name, number FROM " + table +
                                             " WHERE name >= 'count ' AND name < 'count!'")) {
        const std::string_view name = row.text(0);
        const auto outcome = name.substr(prefix.size(), name.rfind(' ') - prefix.size());
        sums[std::string(outcome)] += static_cast<std::uint64_t>(row.integer(1));
    }
    return {sums.begin(), sums.end()};
}

}  // namespace tables
