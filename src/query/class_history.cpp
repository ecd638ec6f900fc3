// What a class or a release changed, as an excerpt.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "query/as_of.hpp"
#include "query/many_rows.hpp"
#include "query/query.hpp"
#include "tables/mass_changes.hpp"
#include "tables/replacement.hpp"

namespace query {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// While a release is being replaced, what it comes to stands for a row; rows that only the
// replacement has come in as they are moved into place, which takes minutes.
Result<void> lay_over(Transaction& transaction, tables::Row& row,
                      const tables::Releases& releases) {
    const auto is_its = [&](const auto& each) { return each.version == row.release.version; };
    if (std::ranges::none_of(releases.replacing(), is_its)) return {};
    tables::ObjectRow object;
    object.oid = row.oid;
    object.object = row.object;
    auto replaced = tables::replaced_rows(transaction, object, releases);
    if (!replaced) return tl::unexpected(replaced.error());
    for (auto& each : *replaced)
        if (each.release.version == row.release.version) row = std::move(each);
    return {};
}

Result<std::vector<tables::Row>> whole(Transaction& transaction,
                                       const std::vector<std::int64_t>& sids, const AsOf& now) {
    auto stored = tables::rows_numbered(transaction, sids);
    if (!stored) return tl::unexpected(stored.error());
    std::vector<tables::Row> rows;
    rows.reserve(stored->size());
    for (auto& [sid, row] : *stored) {
        if (const auto laid = lay_over(transaction, row, now.releases); !laid)
            return tl::unexpected(laid.error());
        row.of_day = now.order.find(row.release.version)->of_day;
        rows.push_back(std::move(row));
    }
    std::ranges::sort(rows, [&](const tables::Row& a, const tables::Row& b) {
        const auto x = now.order.find(a.release.version)->rank,
                   y = now.order.find(b.release.version)->rank;
        return x != y ? x > y : a.object < b.object;
    });
    return rows;
}

Result<HistoryPage> excerpt(Transaction& transaction, const ReadContext& reading, const AsOf& now,
                            ManyRows rows, const PageRequest& window) {
    const auto chosen = rows.choose(window);
    if (!chosen) return tl::unexpected(chosen.error());
    auto shown = whole(transaction, chosen->sids, now);
    if (!shown) return tl::unexpected(shown.error());
    HistoryPage excerpt;
    excerpt.current = now.current;
    excerpt.rows = std::move(*shown);
    excerpt.recorded = chosen->recorded;
    excerpt.cut = chosen->cut;
    excerpt.numbered_by_recording = true;
    excerpt.people = reading.people;
    excerpt.narrowing = window.narrowing;
    if (tables::has_mass_changes(transaction))
        excerpt.mass_changes = tables::mass_changes_of(transaction, excerpt.rows);
    return excerpt;
}

bool is_known(Transaction& transaction, const ReadContext& reading,
              const std::string& class_name) {
    if (reading.builds.build)
        for (const auto& count : reading.builds.build->class_counts())
            if (count.class_name == class_name) return true;
    return !transaction
                .query("SELECT oid FROM objects WHERE class = ? LIMIT 1",
                       {store::Value{class_name}})
                .empty();
}

}  // namespace

Result<HistoryPage> class_history(const ReadContext& reading, const std::string& class_name,
                                  const PageRequest& window) {
    return store::perform(
        reading.pool, Access::read, [&](Transaction& transaction) -> Result<HistoryPage> {
            if (!is_known(transaction, reading, class_name))
                return base::fail(base::Kind::absent, "there is no class " + class_name);
            const auto now = as_of_now(transaction, reading);
            const auto since = now.order.begins_behind(window.since);
            if (!since) return tl::unexpected(since.error());
            std::vector<const tables::ReleaseOrder::Place*> places;
            for (const auto* place : now.shown())
                if (static_cast<std::ptrdiff_t>(place->rank) > *since) places.push_back(place);
            auto found = excerpt(transaction, reading, now,
                                 ManyRows(transaction, class_name, std::move(places)), window);
            if (found) found->last_modified = now.current.released_on;
            return found;
        });
}

Result<HistoryPage> release_history(const ReadContext& reading, const std::string& version,
                                    const PageRequest& window) {
    return store::perform(
        reading.pool, Access::read, [&](Transaction& transaction) -> Result<HistoryPage> {
            const auto now = as_of_now(transaction, reading);
            const auto* place = now.order.find(version);
            if (place == nullptr || !place->is_shown) return no_release(version);
            auto found =
                excerpt(transaction, reading, now, ManyRows(transaction, {}, {place}), window);
            if (found) found->last_modified = place->release.released_on;
            return found;
        });
}

}  // namespace query
