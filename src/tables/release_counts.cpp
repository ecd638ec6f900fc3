// SPDX-License-Identifier: MIT
#include "tables/release_counts.hpp"

#include <algorithm>

#include "tables/lists.hpp"
#include "tables/prewarmed.hpp"

namespace tables {
namespace {

std::uint64_t count_at(const store::Row& row, std::size_t column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

// The values of IN (…) of a statement that is prepared once for up to 64 of them.
std::vector<store::Value> values_of_versions(std::span<const std::string> versions) {
    return {versions.begin(), versions.end()};
}

}  // namespace

std::map<std::string, RowsByKind> count_rows_by_kind(store::Transaction& transaction) {
    std::map<std::string, RowsByKind> all;
    for (const auto& row : transaction.query("SELECT version, kind, SUM(objects), SUM(writes)"
                                             " FROM row_counts WHERE class = '' GROUP BY version,"
                                             " kind"))
        if (const auto kind = kind_named(row.text(1)))
            all[row.text(0)][*kind] = {count_at(row, 2), row.integer(3)};
    return all;
}

std::map<std::string, std::vector<ClassCount>> classes_by_release(
    store::Transaction& transaction, std::span<const std::string> versions) {
    std::map<std::string, std::vector<ClassCount>> all;
    const auto sql = "SELECT version, class, kind, SUM(objects) FROM row_counts WHERE class <> "
                     "'' AND kind IN " +
                     std::string(kinds_of_news()) + " AND version IN";
    for (const auto& row : query_in(transaction, sql, {}, values_of_versions(versions),
                                    " GROUP BY version, class, kind HAVING SUM(objects) > 0"
                                    " ORDER BY version, class, kind")) {
        const auto kind = kind_named(row.text(2));
        if (!kind) continue;
        auto& classes = all[row.text(0)];
        if (classes.empty() || classes.back().class_name != row.text(1))
            classes.push_back({row.text(1), 0, {}});
        classes.back().objects += count_at(row, 3);
        classes.back().kinds.push_back({*kind, count_at(row, 3)});
    }
    for (auto& [version, classes] : all)
        for (auto& each : classes) std::ranges::sort(each.kinds, {}, &KindCount::kind);
    return all;
}

std::map<std::string, ReleaseCounts> count_by_release(store::Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    for (const auto& [version, kinds] : count_rows_by_kind(transaction))
        for (const auto& [kind, rows] : kinds)
            if (rows.rows > 0) all[version].rows[kind] = rows.rows;
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
