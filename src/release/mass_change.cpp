// SPDX-License-Identifier: MIT
#include "release/mass_change.hpp"

#include <set>

#include "store/dialect.hpp"
#include "tables/rows.hpp"

namespace release {
namespace {

using store::Value;

// As wide as the column.
constexpr std::size_t longest_place = 512;

std::uint64_t objects_of(const std::vector<source::ClassCount>& classes,
                         const std::string& name) {
    for (const auto& count : classes)
        if (count.class_name == name) return count.objects;
    return 0;
}

store::Rows changed_rows(store::Pool& pool, const std::string& version, std::int64_t after) {
    return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
        return transaction.query("SELECT h.oid, o.class, h.notes FROM history h JOIN objects o"
                                 " ON o.oid = h.oid WHERE h.version = ? AND h.kind = 'changed'"
                                 " AND h.oid > ? ORDER BY h.oid LIMIT 1000",
                                 {Value{version}, Value{after}});
    });
}

}  // namespace

base::Result<Places> places_changed(store::Pool& pool, const std::string& version,
                                    const std::string& only) {
    Places changed;
    std::int64_t after = 0;
    for (auto rows = changed_rows(pool, version, after); !rows.empty();
         rows = changed_rows(pool, version, after)) {
        for (const auto& row : rows) {
            after = row.integer(0);
            if (!only.empty() && row.text(1) != only) continue;
            const auto notes = tables::notes_from_json(row.text(2));
            if (!notes) return tl::unexpected(notes.error());
            std::set<std::string> places;
            for (const auto& change : notes->changes) places.insert(compare::place_of(change));
            auto& of_class = changed[row.text(1)];
            for (const auto& place : places)
                if (of_class.size() < most_places || of_class.contains(place)) ++of_class[place];
        }
    }
    return changed;
}

std::vector<MassChange> mass_changes_in(const Places& changed,
                                        const std::vector<source::ClassCount>& classes,
                                        const MassChangeSettings& settings) {
    std::vector<MassChange> found;
    if (settings.percent == 0) return found;
    for (const auto& [class_name, places] : changed) {
        const auto of = objects_of(classes, class_name);
        if (of < settings.fewest_objects) continue;
        for (const auto& [place, objects] : places)
            if (objects * 100 > of * settings.percent && place.size() <= longest_place)
                found.push_back({class_name, place, objects, of});
    }
    return found;
}

void record(store::Transaction& transaction, const base::Release& release,
            const std::vector<MassChange>& changes) {
    static const store::Insert a_change{"mass_changes",
                                        {"version", "class", "path", "objects", "of_objects"},
                                        {"version", "class", "path"}};
    for (const auto& change : changes) {
        const std::vector<Value> values{Value{release.version}, Value{change.class_name},
                                        Value{change.place},
                                        Value{static_cast<std::int64_t>(change.objects)},
                                        Value{static_cast<std::int64_t>(change.of)}};
        transaction.execute(store::upsert_sql(transaction.engine(), a_change), values);
    }
}

}  // namespace release
