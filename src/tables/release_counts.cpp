// SPDX-License-Identifier: MIT
#include "tables/release_counts.hpp"

#include <vector>

#include "tables/prewarmed.hpp"
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
    for (const auto& row : transaction.query("SELECT version, digest FROM releases")) {
        versions.push_back(row.text(0));
        all[row.text(0)].has_digest = !row.text(1).empty();
    }
    for (const auto& counted : count_rows(transaction, versions)) {
        auto& rows = all[counted.version].rows;
        for (const auto& [kind, objects] : counted.kinds) rows[kind] = objects;
        if (counted.reconstructed > 0) rows[RowKind::reconstructed] = counted.reconstructed;
    }
    for (const auto& row :
         transaction.query("SELECT ace_version, COUNT(*) FROM objects GROUP BY ace_version"))
        all[row.text(0)].compared = count_at(row, 1);
    for (const auto& [class_name, version] : prewarmed(transaction)) {
        if (class_name.empty())
            all[version].is_prewarmed = true;
        else
            ++all[version].prewarmed_classes;
    }
    for (const auto& row :
         transaction.query("SELECT version, COUNT(*) FROM failed GROUP BY version"))
        all[row.text(0)].failed = count_at(row, 1);
    return all;
}

}  // namespace tables
