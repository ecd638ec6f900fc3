// SPDX-License-Identifier: MIT
#include "store/row_counts.hpp"

#include <array>
#include <set>

#include "store/dialect.hpp"

namespace store {

void CountChanges::add(std::string_view class_name, std::string_view version,
                       std::string_view kind, std::int64_t rows) {
    for (const auto of : {std::string_view(), class_name})
        changes_[Key(of, version, kind)] += rows;
}

void change_counts(Transaction& transaction, const CountChanges& changes,
                   const std::string& slot) {
    static const Insert a_count{"row_counts",
                                {"class", "version", "kind", "slot", "objects", "writes"},
                                {"class", "version", "kind", "slot"}};
    std::vector<Value> values;
    for (const auto& [key, rows] : changes.changes_) {
        const auto& [class_name, version, kind] = key;
        values.insert(values.end(), {Value{class_name}, Value{version}, Value{kind}, Value{slot},
                                     Value{rows}, Value{std::int64_t{1}}});
    }
    add_many(transaction, a_count, values);
}

void count_again(Transaction& transaction, const std::string& version) {
    const Value of{version};
    transaction.execute("DELETE FROM row_counts WHERE version = ?", {of});
    constexpr std::array classes{"class", "''"};
    for (const std::string each : classes)
        transaction.execute("INSERT INTO row_counts (class, version, kind, slot, objects, writes)"
                            " SELECT " +
                                each +
                                ", version, kind, '00', COUNT(*), 1 FROM history"
                                " WHERE version = ? GROUP BY version, kind" +
                                (each == "class" ? ", class" : ""),
                            {of});
}

std::vector<std::string> counted_versions(Transaction& transaction) {
    std::set<std::string> versions;
    // From one to the next by the index: a DISTINCT would walk over all rows.
    for (const std::string table : {"history", "row_counts"})
        for (std::string last;;) {
            const std::vector<Value> behind{Value{last}};
            const auto rows = transaction.query("SELECT version FROM " + table +
                                                    " WHERE version > ? ORDER BY version LIMIT 1",
                                                behind);
            if (rows.empty()) break;
            last = rows.front().text(0);
            versions.insert(last);
        }
    return {versions.begin(), versions.end()};
}

std::vector<WrongCount> wrong_counts(Transaction& transaction) {
    std::vector<WrongCount> wrong;
    for (const auto& row : transaction.query(
             "SELECT class, version, kind, SUM(there), SUM(counted) FROM"
             " (SELECT class, version, kind, COUNT(*) AS there, 0 AS counted FROM history"
             " GROUP BY version, class, kind UNION ALL"
             " SELECT '', version, kind, COUNT(*), 0 FROM history GROUP BY version, kind"
             " UNION ALL SELECT class, version, kind, 0, objects FROM row_counts) n"
             " GROUP BY class, version, kind HAVING SUM(there) <> SUM(counted)"
             " ORDER BY version, class, kind"))
        wrong.push_back({row.text(0), row.text(1), row.text(2), row.integer(3), row.integer(4)});
    return wrong;
}

}  // namespace store
