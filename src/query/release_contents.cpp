// What the pages of releases show.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "query/as_of.hpp"
#include "query/many_rows.hpp"
#include "query/name_range.hpp"
#include "query/query.hpp"
#include "store/dialect.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using store::Value;
using ClassCount = ReleaseContents::ClassCount;

void add(std::vector<KindCount>& kinds, std::string_view kind, std::int64_t objects) {
    if (const auto known = tables::kind_named(kind))
        kinds.push_back({*known, static_cast<std::uint64_t>(objects)});
    std::ranges::sort(kinds, {}, &KindCount::kind);
}

ReleaseSummary summary_of(Transaction& transaction, const Release& release) {
    ReleaseSummary summary{release, {}};
    for (const auto& row :
         transaction.query("SELECT kind, COUNT(*) FROM history WHERE version = ? AND kind IN " +
                               std::string(kinds_of_news()) + " GROUP BY kind",
                           {Value{release.version}}))
        add(summary.kinds, row.text(0), row.integer(1));
    return summary;
}

std::vector<ClassCount> classes_of(Transaction& transaction, const Release& release) {
    std::vector<ClassCount> classes;
    for (const auto& row : transaction.query(
             "SELECT o.class, h.kind, COUNT(*) FROM history h" +
                 std::string(store::read_first(transaction.engine())) +
                 "objects o ON o.oid = h.oid WHERE h.version = ? AND h.kind IN " +
                 std::string(kinds_of_news()) + " GROUP BY o.class, h.kind ORDER BY o.class",
             {Value{release.version}})) {
        if (classes.empty() || classes.back().class_name != row.text(0))
            classes.push_back({row.text(0), 0, {}});
        classes.back().objects += static_cast<std::uint64_t>(row.integer(2));
        add(classes.back().kinds, row.text(1), row.integer(2));
    }
    std::ranges::stable_sort(classes, std::greater(), &ClassCount::objects);
    return classes;
}

// The rows that are asked for, as SQL behind SELECT ….
struct Asked {
    std::string sql;
    std::vector<Value> values;
};

Asked asked_for(store::Engine engine, const Release& release, const ContentsQuery& query,
                std::uint64_t candidates) {
    const bool names_first = candidates > most_sorted;
    const std::string read_first(store::read_first(engine)), plain = names_first ? "+" : "";
    Asked asked;
    asked.sql = names_first ? " FROM objects o" + read_first + "history h ON h.oid = o.oid"
                            : " FROM history h" + read_first + "objects o ON o.oid = h.oid";
    asked.sql +=
        " WHERE h.version = ? AND " + plain + "h.kind IN " + std::string(kinds_of_news());
    asked.values.emplace_back(release.version);
    if (!query.class_name.empty()) {
        asked.sql += " AND o.class = ?";
        asked.values.emplace_back(query.class_name);
    }
    if (!query.text.empty()) {
        const auto range = names_beginning_with(query.text);
        asked.sql += " AND ((o.name_key >= ? AND o.name_key < ?)"
                     " OR (o.label_key >= ? AND o.label_key < ?))";
        for (const auto& bound : {range.first, range.behind, range.first, range.behind})
            asked.values.emplace_back(bound);
    }
    return asked;
}

Result<void> fill_entries(Transaction& transaction, ReleaseContents& contents,
                          const ContentsQuery& query, std::uint64_t candidates) {
    auto [sql, values] =
        asked_for(transaction.engine(), contents.summary.release, query, candidates);
    contents.matching =
        query.text.empty()
            ? candidates
            : static_cast<std::uint64_t>(
                  transaction.query("SELECT COUNT(*)" + sql, values).at(0).integer(0));
    values.emplace_back(static_cast<std::int64_t>(query.most));
    values.emplace_back(static_cast<std::int64_t>(query.from));
    std::vector<std::int64_t> sids;
    for (const auto& row : transaction.query(
             "SELECT h.sid" + sql + " ORDER BY o.class, o.name LIMIT ? OFFSET ?", values))
        sids.push_back(row.integer(0));
    auto rows = tables::rows_numbered(transaction, sids);
    if (!rows) return tl::unexpected(rows.error());
    for (const auto sid : sids) {
        const auto& row = rows->at(sid);
        contents.entries.push_back({row.object, row.label.empty() ? row.object.name : row.label,
                                    row.kind, compare::count(row.notes.changes)});
    }
    return {};
}

std::vector<tables::MassChange> mass_changes_in(Transaction& transaction,
                                                const Release& release) {
    std::vector<tables::MassChange> found;
    for (const auto& row : transaction.query(
             "SELECT class, path, objects, of_objects FROM mass_changes WHERE version = ? AND"
             " path <> '' ORDER BY class, path LIMIT 10000",
             {Value{release.version}}))
        found.push_back({release.version, row.text(0), row.text(1),
                         static_cast<std::uint64_t>(row.integer(2)),
                         static_cast<std::uint64_t>(row.integer(3))});
    return found;
}

std::uint64_t candidates_of(const ReleaseContents& contents, const std::string& class_name) {
    std::uint64_t objects = 0;
    for (const auto& count : contents.classes)
        if (class_name.empty() || count.class_name == class_name) objects += count.objects;
    return objects;
}

}  // namespace

std::vector<ReleaseSummary> newest_releases(const ReadContext& reading, std::size_t most) {
    return store::perform(reading.pool, Access::read, [&](Transaction& transaction) {
        auto places = as_of_now(transaction, reading);
        std::vector<ReleaseSummary> summaries;
        for (const auto* place : places.shown()) {
            if (summaries.size() >= most) break;
            summaries.push_back(summary_of(transaction, place->release));
        }
        return summaries;
    });
}

Result<ReleaseContents> release_contents(const ReadContext& reading, const std::string& version,
                                         const ContentsQuery& query) {
    return store::perform(
        reading.pool, Access::read, [&](Transaction& transaction) -> Result<ReleaseContents> {
            const auto now = as_of_now(transaction, reading);
            const auto* place = now.order.find(version);
            if (place == nullptr || !place->is_shown) return no_release(version);
            const auto& all = now.releases.all();
            const auto rank = place->rank;
            ReleaseContents contents;
            contents.summary = summary_of(transaction, place->release);
            if (rank > 0) contents.before = all[rank - 1];
            if (rank + 1 < all.size() && !(now.current < all[rank + 1]))
                contents.after = all[rank + 1];
            contents.classes = classes_of(transaction, place->release);
            contents.mass_changes = mass_changes_in(transaction, place->release);
            const auto candidates = candidates_of(contents, query.class_name);
            if (const auto filled = fill_entries(transaction, contents, query, candidates);
                !filled)
                return tl::unexpected(filled.error());
            return contents;
        });
}

}  // namespace query
