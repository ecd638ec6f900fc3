// SPDX-License-Identifier: MIT
#include "query/release_contents.hpp"

#include <algorithm>

#include "compare/field_change.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;

std::uint64_t objects_in(const ReleaseContents& contents, const std::string& class_name) {
    std::uint64_t objects = 0;
    for (const auto& count : contents.classes)
        if (class_name.empty() || count.class_name == class_name) objects += count.objects;
    return objects;
}

bool only_follows(const tables::Row& row, const std::vector<tables::MassChange>& mass_changes,
                  const compare::Ranking& ranking) {
    if (row.kind != tables::RowKind::changed || row.notes.changes.empty() ||
        !row.notes.is_whole())
        return false;
    const auto is_shared = [&](const compare::Change& change, std::size_t) {
        const auto place = compare::place_of(change);
        return std::ranges::any_of(mass_changes, [&](const tables::MassChange& each) {
            return each.class_name == row.object.class_name && each.place == place;
        });
    };
    const compare::Ranker ranker(ranking, row.object.class_name);
    const auto fields =
        compare::field_changes(row.notes.changes, ranker, row.notes.references, is_shared);
    return std::ranges::all_of(
        fields, [](const auto& field) { return field.rank == compare::Rank::echo; });
}

void fill_entries(const ReadView& now, ReleaseContents& contents, const ContentsQuery& query) {
    const auto& version = contents.summary.release.version;
    const auto objects = objects_in(contents, query.class_name);
    const tables::RowSelection selection{query.class_name, query.text,
                                         objects > tables::most_sorted};
    contents.matching = objects;
    if (!query.text.empty())
        contents.matching =
            tables::count_rows(now.transaction, selection, std::span(&version, 1))[version];
    const auto sids =
        tables::rows_by_name(now.transaction, selection, version, query.from, query.most);
    const auto rows = tables::rows_numbered(
        now.transaction, sids, [&](const auto& row) { now.context.unreadable.note(row); },
        now.most_note_bytes());
    for (const auto sid : sids) {
        const auto found = rows.find(sid);
        if (found == rows.end()) continue;  // it cannot be read
        const auto& row = found->second;
        contents.entries.push_back(
            {row.object, row.object.label_or_name(row.label), row.kind,
             tables::count_changes(row.notes), row.notes.headline,
             only_follows(row, contents.mass_changes, now.context.settings.ranking)});
    }
}

ReleaseSummary summary_of(const ReadView& now, const Release& release) {
    const auto& version = release.version;
    ReleaseSummary summary{release, tables::count_kinds(now.transaction, version),
                           tables::count_reconstructed(now.transaction, version), false};
    const auto* first = now.releases().first_build();
    summary.is_first_seen = first != nullptr && *first == release;
    return summary;
}

}  // namespace

std::uint64_t ReleaseSummary::objects(tables::RowKind kind) const {
    const auto found = std::ranges::find(kinds, kind, &KindCount::kind);
    return found == kinds.end() ? 0 : found->objects;
}

std::vector<ReleaseSummary> newest_releases(const ReadContext& context, std::size_t most) {
    return read(context, [&](const ReadView& now) {
        std::vector<ReleaseSummary> summaries;
        for (const auto& release : now.shown()) {
            if (summaries.size() >= most) break;
            summaries.push_back(summary_of(now, release));
        }
        return summaries;
    });
}

Result<ReleaseContents> release_contents(const ReadContext& context, const std::string& version,
                                         const ContentsQuery& query) {
    return read(context, [&](const ReadView& now) -> Result<ReleaseContents> {
        const auto* release = now.shown(version);
        if (release == nullptr) return no_release(version);
        const auto& all = now.releases().all();
        const auto rank = now.releases().position(version)->rank;
        ReleaseContents contents;
        contents.summary = summary_of(now, *release);
        if (rank > 0) contents.before = all[rank - 1];
        if (rank + 1 < all.size() && !(now.current < all[rank + 1]))
            contents.after = all[rank + 1];
        contents.classes = tables::count_classes(now.transaction, version);
        contents.mass_changes = tables::mass_changes_in(now.transaction, version);
        fill_entries(now, contents, query);
        return contents;
    });
}

StoreCounts count_store(store::Pool& pool) {
    return store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
        return tables::count_store(transaction);
    });
}

}  // namespace query
