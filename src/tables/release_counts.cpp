// SPDX-License-Identifier: MIT
#include "tables/release_counts.hpp"

#include "tables/prewarmed.hpp"

namespace tables {
namespace {

std::uint64_t count_at(const store::Row& row, std::size_t column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

}  // namespace

std::map<std::string, ReleaseCounts> count_by_release(store::Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    for (const auto& row :
         transaction.query("SELECT version, kind, COUNT(*) FROM history GROUP BY version, kind"))
        if (const auto kind = kind_named(row.text(1)))
            all[row.text(0)].rows[*kind] = count_at(row, 2);
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
    for (const auto& row : transaction.query("SELECT version FROM releases WHERE digest <> ''"))
        all[row.text(0)].has_digest = true;
    return all;
}

}  // namespace tables
