// SPDX-License-Identifier: MIT
#include "tables/release_counts.hpp"

#include <algorithm>

#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/prewarmed.hpp"

namespace tables {
namespace {

std::uint64_t count_at(const store::Row& row, std::size_t column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

constexpr std::int64_t most_new_rows = 20'000;  // that are read one by one

//   last  of all rows that are counted then
void add_counts(CountedRows& all, std::int64_t last, const std::vector<store::Row>& rows) {
    for (const auto& row : rows) {
        const auto number = count_at(row, 2);
        all.rows += number;
        const auto kind = kind_named(row.text(1));
        if (!kind) continue;
        auto& counted = all.by_release[row.text(0)][*kind];
        counted.rows += number;
        counted.last = last;
    }
    all.last = last;
}

// The values of IN (…) of a statement that is prepared once for up to 64 of them.
std::vector<store::Value> values_of_versions(std::span<const std::string> versions) {
    return {versions.begin(), versions.end()};
}

}  // namespace

CountedRows count_rows_by_kind(store::Transaction& transaction, CountedRows earlier) {
    std::string builds;
    bool is_being_replaced = false;
    for (const auto& row :
         transaction.query("SELECT version, digest, replacing FROM releases ORDER BY version")) {
        builds += row.text(0) + ' ' + row.text(1) + '\n';
        is_being_replaced = is_being_replaced || row.integer(2) != 0;
    }
    const auto newest = transaction.query("SELECT MAX(sid) FROM history");
    const auto last = newest.at(0).is_null(0) ? 0 : newest.at(0).integer(0);
    // Counted by the database, these would be a walk over the index of all.
    if (earlier.last > 0 && last - earlier.last <= most_new_rows && earlier.builds == builds &&
        !is_being_replaced) {
        add_counts(earlier, last,
                   transaction.query("SELECT version, kind, 1 FROM history WHERE sid > ?"
                                     " ORDER BY sid",
                                     {store::Value{earlier.last}}));
        if (earlier.rows == count_at(transaction.query("SELECT COUNT(*) FROM history").at(0), 0))
            return earlier;
    }
    CountedRows all;
    add_counts(
        all, last,
        transaction.query("SELECT version, kind, COUNT(*) FROM history GROUP BY version, kind"));
    // Otherwise rows may move into place until the next count, and nothing shows it.
    if (!is_being_replaced) all.builds = std::move(builds);
    return all;
}

std::map<std::string, std::vector<ClassCount>> classes_by_release(
    store::Transaction& transaction, std::span<const std::string> versions) {
    std::map<std::string, std::vector<ClassCount>> all;
    const auto sql = "SELECT h.version, o.class, h.kind, COUNT(*) FROM history h" +
                     std::string(store::read_first(transaction.engine())) +
                     "objects o ON o.oid = h.oid WHERE h.kind IN " +
                     std::string(kinds_of_news()) + " AND h.version IN";
    for (const auto& row :
         query_in(transaction, sql, {}, values_of_versions(versions),
                  " GROUP BY h.version, o.class, h.kind ORDER BY h.version, o.class, h.kind")) {
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

std::map<std::string, std::vector<ChangedObject>> most_changed(
    store::Transaction& transaction, std::span<const std::string> versions, std::size_t most) {
    std::map<std::string, std::vector<ChangedObject>> all;
    const auto size = store::byte_length(transaction.engine(), "notes");
    const auto sql = "SELECT n.version, o.class, o.name, h.label FROM (SELECT sid, version,"
                     " ROW_NUMBER() OVER (PARTITION BY version ORDER BY " +
                     size + " DESC, sid) AS place FROM history WHERE kind = '" +
                     std::string(name_of(RowKind::changed)) + "' AND version IN";
    for (const auto& row :
         query_in(transaction, sql, {}, values_of_versions(versions),
                  ") n JOIN history h ON h.sid = n.sid JOIN objects o ON o.oid = h.oid"
                  " WHERE n.place <= " +
                      std::to_string(most) + " ORDER BY n.version, n.place"))
        all[row.text(0)].push_back({{row.text(1), row.text(2)}, row.text(3)});
    return all;
}

std::map<std::string, ReleaseCounts> count_by_release(store::Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    for (const auto& [version, kinds] : count_rows_by_kind(transaction).by_release)
        for (const auto& [kind, rows] : kinds) all[version].rows[kind] = rows.rows;
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
