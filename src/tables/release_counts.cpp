// SPDX-License-Identifier: MIT
#include "tables/release_counts.hpp"

#include <vector>

#include "tables/release_rows.hpp"

namespace tables {
namespace {

std::uint64_t count_at(const store::Row& row, std::size_t column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

}  // namespace

std::map<std::string, ReleaseCounts> count_by_release(store::Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    std::vector<std::string> versions;
    for (const auto& row : transaction.query("SELECT version FROM releases"))
        versions.push_back(row.text(0));
    // The newest publication of a release has the last word.
    std::map<std::int64_t, std::string> builds;
    for (const auto& row : transaction.query(
             "SELECT number, version, recorded_at, unreadable FROM builds ORDER BY number")) {
        builds[row.integer(0)] = row.text(1);
        auto& counts = all[row.text(1)];
        counts.has_build = true;
        counts.is_recorded = !row.text(2).empty();
        counts.unreadable = count_at(row, 3);
    }
    for (const auto& counted : count_rows(transaction, versions)) {
        auto& rows = all[counted.version].rows;
        for (const auto& [kind, objects] : counted.kinds) rows[kind] = objects;
        if (counted.reconstructed > 0) rows[RowKind::reconstructed] = counted.reconstructed;
    }
    for (const auto& row :
         transaction.query("SELECT build, COUNT(*) FROM objects GROUP BY build"))
        if (const auto build = builds.find(row.integer(0)); build != builds.end())
            all[build->second].compared += count_at(row, 1);
    return all;
}

}  // namespace tables
