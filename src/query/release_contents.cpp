// SPDX-License-Identifier: MIT
#include "query/release_contents.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "compare/field_change.hpp"
#include "query/histories.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;
using tables::RowKind;

bool came_or_went(RowKind kind) {
    return kind == RowKind::created || kind == RowKind::vanished || kind == RowKind::reappeared;
}

// Returns whether all of it follows from other objects, or happened to most objects of the class; or it is a helper that
// came or went.
bool only_follows(const tables::Row& row, const compare::Ranking& ranking) {
    return came_or_went(row.kind) ? ranking.is_helper(row.object.class_name)
                                  : row.headline.rank == compare::Rank::echo;
}

ReleaseContents::Entry entry_of(const tables::Row& row) {
    return {.object = row.object,
            .label = row.object.label_or_name(row.label),
            .kind = row.kind,
            .counts = tables::count_changes(row.notes),
            .headline = row.headline.title,
            .renamed_to = row.renamed_to,
            .renamed_from = row.renamed_from};
}

tables::FoundRows chosen_entries(const ReadView& now, const tables::RowSelection& selection,
                                 const tables::CountedRows& release, const ContentsQuery& query) {
    if (!query.text.empty())
        return tables::rows_with_text(now.transaction, selection, release, query.from,
                                      query.most);
    return {tables::rows_by_name(now.transaction, selection, release, query.from, query.most),
            release.news(query.class_name)};
}

void fill_entries(const ReadView& now, ReleaseContents& contents,
                  const tables::CountedRows& release, const ContentsQuery& query) {
    const auto& ranking = now.context.settings.ranking;
    const tables::RowSelection selection{.class_name = query.class_name,
                                         .text = query.text,
                                         .newest_build = now.newest_build(),
                                         .by_spelling = release.news(query.class_name) >
                                                        tables::most_compared};
    const auto [sids, matching] = chosen_entries(now, selection, release, query);
    contents.matching = matching;
    auto rows = rows_in_order(now, sids, {tables::any_bytes, longest_shown});
    tables::find_renames(now.transaction, rows);
    join_renames(rows);
    for (const auto& row : rows) {
        // Committed since the release was counted.
        if (row.kind == RowKind::reconstructed) continue;
        contents.entries.push_back(entry_of(row));
        // Whoever asks for a class of helpers wants to see them.
        contents.entries.back().is_shared = row.headline.is_shared;
        contents.entries.back().only_follows =
            !(ranking.is_helper(query.class_name) && came_or_went(row.kind)) &&
            only_follows(row, ranking);
    }
}

ReleaseSummary summary_of(const ReadView& now, const Release& release,
                          const tables::CountedRows& rows) {
    ReleaseSummary summary{release, rows.kinds, rows.reconstructed};
    summary.quiet = rows.quiet;
    const auto* first = now.releases().first_build();
    summary.is_first_seen = first != nullptr && *first == release;
    summary.is_compared = now.releases().is_compared(release.version);
    return summary;
}

// -- what leads a release

constexpr std::size_t most_leading_classes = 8, most_rows_of_class = 24, rows_at_once = 8;
constexpr std::size_t most_named = 2'000;         // rows of a class among which they are spread
constexpr std::size_t most_of_class_leading = 2;  // while other classes have something to say

struct Leading {
    compare::Rank rank = compare::Rank::ordinary;
    std::size_t place = 0;  // of its class
    std::string what = {};  // the kind of its row, and the field that leads
    std::size_t alike = 0;  // how many of those found are of this class and say this
    ReleaseContents::Entry entry;
};

// Returns the classes that lead, those with important places first, then those with most objects.
std::vector<ClassCount> leading_classes(const std::vector<ClassCount>& classes,
                                        const compare::Ranking& ranking) {
    std::vector<ClassCount> leading;
    for (const auto& each : classes)
        if (!ranking.is_helper(each.class_name)) leading.push_back(each);
    std::ranges::stable_partition(leading, [&](const ClassCount& each) {
        return std::ranges::any_of(ranking.important, [&](const auto& of_class) {
            return base::equal_ignoring_case(of_class.first, each.class_name);
        });
    });
    if (leading.size() > most_leading_classes) leading.resize(most_leading_classes);
    return leading;
}

// Rows that are too long to be read for a few words are left out.
std::vector<tables::Row> short_rows(const ReadView& now, std::span<const std::int64_t> sids) {
    auto view = now;
    view.may_be_long = false;
    std::vector<tables::Row> rows;
    for (std::size_t at = 0; at < sids.size(); at += rows_at_once) {
        const auto some = sids.subspan(at, std::min(rows_at_once, sids.size() - at));
        try {
            std::ranges::move(rows_in_order(view, some), std::back_inserter(rows));
        } catch (const tables::NotesTooLong&) {
            continue;
        }
    }
    tables::find_renames(now.transaction, rows);
    return rows;
}

// Returns some rows of a class that are not quiet, from all over the first of them by name.
std::vector<std::int64_t> spread_rows(const ReadView& now, const std::string& class_name,
                                      const tables::CountedRows& release) {
    const tables::RowSelection selection{.class_name = class_name, .only_own = true};
    const auto named = tables::rows_by_name(now.transaction, selection, release, 0, most_named);
    const auto chosen = std::min(named.size(), most_rows_of_class);
    std::vector<std::int64_t> spread;
    for (std::size_t i = 0; i < chosen; ++i) spread.push_back(named[i * named.size() / chosen]);
    return spread;
}

// Looks at some objects of a few classes, so that large releases cost no more.
std::vector<ReleaseContents::Entry> leading_entries(const ReadView& now,
                                                    const tables::CountedRows& release) {
    const auto& ranking = now.context.settings.ranking;
    std::vector<Leading> found;
    std::size_t place = 0;
    for (const auto& each : leading_classes(release.classes, ranking)) {
        for (const auto& row : short_rows(now, spread_rows(now, each.class_name, release))) {
            // Of a rename, the object that goes on says all.
            if (row.kind == RowKind::withdrawn || row.kind == RowKind::reconstructed ||
                row.renamed_to || only_follows(row, ranking))
                continue;
            found.push_back({row.headline.rank, place,
                             std::string(tables::name_of(row.kind)) + ' ' + row.headline.field, 0,
                             entry_of(row)});
        }
        ++place;
    }
    std::map<std::pair<std::size_t, std::string_view>, std::size_t> alike;
    for (const auto& each : found) ++alike[{each.place, each.what}];
    for (auto& each : found) each.alike = alike[{each.place, each.what}];
    // What few others of the class say leads.
    std::ranges::stable_sort(found, {}, [](const Leading& each) {
        return std::tuple(each.rank, each.place, each.alike);
    });
    std::vector<ReleaseContents::Entry> leading;
    std::map<std::size_t, std::size_t> taken;  // by class
    for (const bool others : {false, true})
        for (auto& each : found) {
            const bool is_late = taken[each.place] >= most_of_class_leading;
            if (leading.size() == most_leading || each.entry.object.name.empty() ||
                is_late != others)
                continue;
            if (!others) ++taken[each.place];
            leading.push_back(std::exchange(each.entry, {}));
        }
    return leading;
}

}  // namespace

std::uint64_t ReleaseSummary::objects(tables::RowKind kind) const {
    const auto found = std::ranges::find(kinds, kind, &KindCount::kind);
    return found == kinds.end() ? 0 : found->objects;
}

std::uint64_t ReleaseSummary::all_objects() const {
    std::uint64_t objects_of_all = 0;
    for (const auto& each : kinds) objects_of_all += each.objects;
    return objects_of_all;
}

Result<ReleaseContents> release_contents(const ReadContext& context, const std::string& version,
                                         const ContentsQuery& query) {
    return read(context, [&](const ReadView& now) -> Result<ReleaseContents> {
        const auto* release = now.shown(version);
        if (release == nullptr) return no_release(version);
        const auto& all = now.releases().all();
        const auto rank = now.releases().position(version)->rank;
        ReleaseContents contents;
        const auto rows = now.counted(std::span(release, 1)).front();
        contents.summary = summary_of(now, *release, *rows);
        if (rank > 0) contents.before = all[rank - 1];
        if (rank + 1 < all.size() && !(now.current < all[rank + 1]))
            contents.after = all[rank + 1];
        contents.classes = rows->classes;
        contents.mass_changes = tables::mass_changes_in(now.transaction, version);
        fill_entries(now, contents, *rows, query);
        return contents;
    });
}

ReleaseList compared_releases(ReleaseList list) {
    if (!list.empty() && !list.front().summary.is_compared) list.erase(list.begin());
    return list;
}

ReleaseList ReleaseListCache::get(const ReadContext& context) {
    std::map<std::string, Kept> kept;
    {
        const std::lock_guard lock(mutex_);
        kept = kept_;
    }
    auto list = read(context, [&](const ReadView& now) {
        const auto shown = now.shown();
        ReleaseList all;
        for (const auto& rows : now.counted(shown)) {
            const auto& release = shown[all.size()];
            auto& listed = all.emplace_back();
            listed.summary = summary_of(now, release, *rows);
            listed.of_day = now.releases().position(release.version)->of_day;
            if (all.size() > detailed_releases) continue;
            auto& details = kept[release.version];
            auto mass_changes = tables::mass_changes_in(now.transaction, release.version);
            if (details.rows == nullptr || *details.rows != *rows ||
                details.mass_changes != mass_changes)
                details = {rows, std::move(mass_changes),
                           std::make_shared<const ReleaseDetails>(
                               ReleaseDetails{rows->classes, leading_entries(now, *rows)})};
            listed.details = details.details;
        }
        return all;
    });
    const std::lock_guard lock(mutex_);
    kept_ = std::move(kept);
    return list;
}

}  // namespace query
