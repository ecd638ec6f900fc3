// SPDX-License-Identifier: MIT
#include "tables/lists.hpp"

#include <algorithm>
#include <array>

namespace tables {
namespace {

constexpr std::array<std::size_t, 4> sizes{1, 4, 16, longest_list};

// Calls run(sql, values) for each list.
template <class Run>
void for_each_list(std::string_view before, const std::vector<store::Value>& first,
                   std::span<const store::Value> values, std::string_view behind, Run&& run) {
    for (std::size_t at = 0; at < values.size(); at += longest_list) {
        const auto count = std::min(longest_list, values.size() - at);
        const auto size = *std::ranges::lower_bound(sizes, count);
        auto bound = first;
        for (std::size_t i = 0; i < size; ++i)
            bound.push_back(values[at + std::min(i, count - 1)]);
        run(std::string(before) + " (" + marks(size) + ")" + std::string(behind), bound);
    }
}

}  // namespace

std::string marks(std::size_t count) {
    std::string text = "?";
    for (std::size_t i = 1; i < count; ++i) text += ", ?";
    return text;
}

store::Rows query_in(store::Transaction& transaction, std::string_view before,
                     const std::vector<store::Value>& first, std::span<const store::Value> values,
                     std::string_view behind) {
    store::Rows rows;
    for_each_list(before, first, values, behind, [&](const auto& sql, const auto& bound) {
        for (auto& row : transaction.query(sql, bound)) rows.push_back(std::move(row));
    });
    return rows;
}

std::uint64_t execute_in(store::Transaction& transaction, std::string_view before,
                         const std::vector<store::Value>& first,
                         std::span<const store::Value> values) {
    std::uint64_t written = 0;
    for_each_list(before, first, values, {}, [&](const auto& sql, const auto& bound) {
        written += static_cast<std::uint64_t>(transaction.execute(sql, bound));
    });
    return written;
}

std::vector<store::Value> values_of(std::span<const std::int64_t> numbers) {
    return {numbers.begin(), numbers.end()};
}

std::vector<std::int64_t> oids_of(const store::Rows& rows) {
    std::vector<std::int64_t> oids;
    for (const auto& row : rows) oids.push_back(row.integer(0));
    return oids;
}

}  // namespace tables
