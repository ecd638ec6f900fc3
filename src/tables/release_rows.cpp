// SPDX-License-Identifier: MIT
#include "tables/release_rows.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/object_search.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

constexpr std::int64_t few_objects = 5'000;

Value number(std::size_t value) { return Value{static_cast<std::int64_t>(value)}; }

// FROM … WHERE …, and the values of its marks.
struct Clause {
    std::string sql;
    std::vector<Value> values;
};

enum class Names { needed, not_needed };

// A + keeps SQLite from looking up each object once a version and kind.
Clause clause_of(const Transaction& transaction, const RowSelection& selection,
                 std::span<const std::string> versions, Names names) {
    const std::string read_first(store::read_first(transaction.engine()));
    const bool needs_objects =
        names == Names::needed || !selection.class_name.empty() || !selection.text.empty();
    const bool objects_first = needs_objects && selection.objects_first;
    Clause clause;
    if (!needs_objects)
        clause.sql = " FROM history h WHERE ";
    else if (objects_first)
        clause.sql = " FROM objects o" + read_first + "history h ON h.oid = o.oid WHERE ";
    else
        clause.sql = " FROM history h" + read_first + "objects o ON o.oid = h.oid WHERE ";
    if (!selection.class_name.empty()) {
        clause.sql += "o.class = ? AND ";
        clause.values.emplace_back(selection.class_name);
    }
    clause.sql += (objects_first ? "+h.kind IN " : "h.kind IN ") + std::string(kinds_of_news());
    clause.sql +=
        objects_first && versions.size() > 1 ? " AND +h.version IN (?" : " AND h.version IN (?";
    clause.values.insert(clause.values.end(), versions.begin(), versions.end());
    // Rounded up by naming the last once more: few statements, each prepared once.
    for (auto i = versions.size(); i < std::bit_ceil(versions.size()); ++i)
        clause.values.emplace_back(versions.back());
    for (std::size_t i = 1; i < std::bit_ceil(versions.size()); ++i) clause.sql += ", ?";
    clause.sql += ")";
    if (!selection.text.empty()) {
        const auto range = range_of_prefix(base::fold_ascii(selection.text));
        clause.sql += " AND ((o.name_key >= ? AND o.name_key < ?)"
                      " OR (o.label_key >= ? AND o.label_key < ?))";
        for (const auto& bound : {range.first, range.behind, range.first, range.behind})
            clause.values.emplace_back(bound);
    }
    return clause;
}

std::vector<std::int64_t> rows_in_order(Transaction& transaction, const RowSelection& selection,
                                        const std::string& version, std::string_view order,
                                        Names names, std::size_t from, std::size_t most) {
    auto [sql, values] = clause_of(transaction, selection, std::span(&version, 1), names);
    values.push_back(number(most));
    values.push_back(number(from));
    std::vector<std::int64_t> sids;
    for (const auto& row : transaction.query("SELECT h.sid" + sql + " ORDER BY " +
                                                 std::string(order) + " LIMIT ? OFFSET ?",
                                             values))
        sids.push_back(row.integer(0));
    return sids;
}

void add(std::vector<KindCount>& kinds, std::string_view kind, std::int64_t objects) {
    if (const auto known = kind_named(kind))
        kinds.push_back({*known, static_cast<std::uint64_t>(objects)});
    std::ranges::sort(kinds, {}, &KindCount::kind);
}

}  // namespace

std::string_view kinds_of_news() {
    static const std::string list = [] {
        std::string text;
        for (const auto kind : {RowKind::changed, RowKind::created, RowKind::vanished,
                                RowKind::reappeared, RowKind::withdrawn, RowKind::adopted})
            text += (text.empty() ? "('" : ", '") + std::string(name_of(kind)) + "'";
        return text + ")";
    }();
    return list;
}

bool has_few_objects(Transaction& transaction, const std::string& class_name) {
    return transaction
               .query("SELECT COUNT(*) FROM (SELECT oid FROM objects WHERE class = ? LIMIT ?) o",
                      {Value{class_name}, Value{few_objects + 1}})
               .at(0)
               .integer(0) <= few_objects;
}

std::map<std::string, std::size_t> count_rows(Transaction& transaction,
                                              const RowSelection& selection,
                                              std::span<const std::string> versions) {
    std::map<std::string, std::size_t> counts;
    if (versions.empty()) return counts;
    const auto [sql, values] = clause_of(transaction, selection, versions, Names::not_needed);
    for (const auto& row :
         transaction.query("SELECT h.version, COUNT(*)" + sql + " GROUP BY h.version", values))
        counts[row.text(0)] = static_cast<std::size_t>(row.integer(1));
    return counts;
}

std::vector<std::int64_t> rows_by_name(Transaction& transaction, const RowSelection& selection,
                                       const std::string& version, std::size_t from,
                                       std::size_t most) {
    return rows_in_order(transaction, selection, version, "o.class, o.name", Names::needed, from,
                         most);
}

std::vector<std::int64_t> rows_as_recorded(Transaction& transaction,
                                           const RowSelection& selection,
                                           const std::string& version, std::size_t from,
                                           std::size_t most) {
    return rows_in_order(transaction, selection, version, "h.sid", Names::not_needed, from, most);
}

std::vector<std::int64_t> last_recorded_rows(Transaction& transaction,
                                             const RowSelection& selection,
                                             const std::string& version, std::size_t most) {
    return rows_in_order(transaction, selection, version, "h.sid DESC", Names::not_needed, 0,
                         most);
}

std::map<std::int64_t, RowName> row_names(Transaction& transaction,
                                          std::span<const std::int64_t> sids) {
    std::map<std::int64_t, RowName> names;
    for (const auto& row : query_in(transaction,
                                    "SELECT h.sid, h.version, o.class, o.name FROM history h"
                                    " JOIN objects o ON o.oid = h.oid WHERE h.sid IN",
                                    {}, values_of(sids)))
        names[row.integer(0)] = {row.text(1), {row.text(2), row.text(3)}};
    return names;
}

std::vector<KindCount> count_kinds(Transaction& transaction, const std::string& version) {
    std::vector<KindCount> kinds;
    for (const auto& row :
         transaction.query("SELECT kind, COUNT(*) FROM history WHERE version = ? AND kind IN " +
                               std::string(kinds_of_news()) + " GROUP BY kind",
                           {Value{version}}))
        add(kinds, row.text(0), row.integer(1));
    return kinds;
}

std::uint64_t count_reconstructed(Transaction& transaction, const std::string& version) {
    return static_cast<std::uint64_t>(
        transaction
            .query("SELECT COUNT(*) FROM history WHERE version = ? AND kind = ?",
                   {Value{version}, Value{std::string(name_of(RowKind::reconstructed))}})
            .at(0)
            .integer(0));
}

std::vector<ClassCount> count_classes(Transaction& transaction, const std::string& version) {
    std::vector<ClassCount> classes;
    for (const auto& row : transaction.query(
             "SELECT o.class, h.kind, COUNT(*) FROM history h" +
                 std::string(store::read_first(transaction.engine())) +
                 "objects o ON o.oid = h.oid WHERE h.version = ? AND h.kind IN " +
                 std::string(kinds_of_news()) + " GROUP BY o.class, h.kind ORDER BY o.class",
             {Value{version}})) {
        if (classes.empty() || classes.back().class_name != row.text(0))
            classes.push_back({row.text(0), 0, {}});
        classes.back().objects += static_cast<std::uint64_t>(row.integer(2));
        add(classes.back().kinds, row.text(1), row.integer(2));
    }
    std::ranges::stable_sort(classes, std::greater(), &ClassCount::objects);
    return classes;
}

}  // namespace tables
