// SPDX-License-Identifier: MIT
#include "query/class_history.hpp"

#include <algorithm>
#include <functional>
#include <ranges>

#include "query/object_history.hpp"
#include "tables/objects.hpp"
#include "tables/release_rows.hpp"

namespace query {
namespace {

using base::Result;

// Chooses which rows of some releases a page has.
class RowChooser {
   public:
    //   class_name  empty: of all classes
    //   releases    known ones, newest first
    RowChooser(const ReadView& now, std::string class_name, const std::vector<Release>& releases)
        : now_(now), counted_(now.counted(releases)) {
        selection_.class_name = std::move(class_name);
    }

    struct Chosen {
        std::vector<std::int64_t> sids;  // in no order of names
        std::size_t recorded = 0;
        bool cut = false;  // as in HistoryPage
    };
    Chosen choose(const PageRequest& request) {
        std::size_t recorded = 0;
        for (const auto& release : counted_) recorded += news(*release);
        if (request.filter.chooses_rows()) return filtered(request, recorded);
        if (request.before > 0) return Chosen{archived(request.before), recorded};
        return Chosen{newest(request.most), recorded};
    }

    // Returns the tags in the newest changes, in any order.
    std::set<std::string> tags() {
        std::set<std::string> tags;
        visit_notes(
            now_.transaction, last_recorded(PageLimits{}.filtered),
            [&](std::int64_t, const tables::Row& row) {
                for (const auto& change : row.notes.changes)
                    compare::each_tag(change, [&](const std::string& tag) { tags.insert(tag); });
            },
            note_unreadable_, now_.most_note_bytes());
        return tags;
    }

   private:
    [[nodiscard]] std::size_t news(const tables::CountedRows& release) const {
        return release.news(selection_.class_name);
    }

    [[nodiscard]] std::vector<std::int64_t> newest(std::size_t most) const {
        std::vector<std::int64_t> sids;
        for (const auto& release : counted_) {
            if (news(*release) == 0) continue;
            if (sids.size() >= most) break;
            append(sids, tables::rows_by_name(now_.transaction, selection_, *release, 0,
                                              most - sids.size()));
        }
        return sids;
    }

    // Returns the rows of a page of the archive; none if there is no such page.
    [[nodiscard]] std::vector<std::int64_t> archived(std::size_t before) const {
        auto skipped = before - archive_page;
        std::vector<std::int64_t> sids;
        for (const auto& release : counted_ | std::views::reverse) {
            const auto rows = news(*release);
            if (rows <= skipped) {
                skipped -= rows;
                continue;
            }
            append(sids, tables::rows_as_recorded(now_.transaction, selection_, *release, skipped,
                                                  archive_page - sids.size()));
            if (sids.size() >= archive_page) break;
            skipped = 0;
        }
        return sids;
    }

    // Looks at the first rows in the order of a feed. Where there are more, the page has no archive, so
    // nobody has to know how many the filter shows.
    Chosen filtered(const PageRequest& request, std::size_t recorded) const {
        const auto most = request.limits.filtered_of_many;
        std::vector<std::int64_t> looked_at;
        for (const auto& release : counted_) {
            if (news(*release) == 0) continue;
            if (looked_at.size() >= most) break;
            auto some = tables::rows_by_name(now_.transaction, selection_, *release, 0,
                                             most - looked_at.size());
            // Pages of the archive go by recording.
            if (request.before > 0) std::ranges::sort(some, std::greater());
            append(looked_at, some);
        }
        auto [sids, cut] = filtered_rows(now_.transaction, looked_at, request.filter,
                                         note_unreadable_, now_.most_note_bytes());
        const auto found = sids.size();
        cut = cut || recorded > most;
        if (cut && request.before > 0) return Chosen{{}, found, cut};
        const auto slice = slice_of(request, found);
        return Chosen{{sids.begin() + static_cast<std::ptrdiff_t>(slice.from),
                       sids.begin() + static_cast<std::ptrdiff_t>(slice.to)},
                      found,
                      cut};
    }

    // Returns rows of the newest releases that have any; of one that has too many, the last ones.
    [[nodiscard]] std::vector<std::int64_t> last_recorded(std::size_t most) const {
        std::vector<std::int64_t> sids;
        for (const auto& release : counted_) {
            const auto rows = news(*release), taken = std::min(rows, most - sids.size());
            if (taken > 0)
                append(sids, tables::rows_as_recorded(now_.transaction, selection_, *release,
                                                      rows - taken, taken));
        }
        return sids;
    }

    static void append(std::vector<std::int64_t>& sids, const std::vector<std::int64_t>& more) {
        sids.insert(sids.end(), more.begin(), more.end());
    }

    const ReadView& now_;
    tables::RowSelection selection_;
    const std::vector<CountedRowsPtr> counted_;  // newest release first
    const tables::OnUnreadable note_unreadable_ = [this](const tables::UnreadableRow& row) {
        now_.context.unreadable.note(row);
    };
};

// Returns the rows newest release first, then by class and name; without those that cannot be read.
std::vector<tables::Row> whole(const ReadView& now, const std::vector<std::int64_t>& sids) {
    const auto note = [&](const tables::UnreadableRow& row) { now.context.unreadable.note(row); };
    auto stored = tables::rows_numbered(now.transaction, sids, note, now.most_note_bytes());
    std::vector<std::pair<std::size_t, tables::Row>> ranked;
    for (auto& [sid, row] : stored.by_sid) {
        // Committed since the release was counted.
        if (row.kind == tables::RowKind::reconstructed) continue;
        const auto position = now.releases().position(row.release.version);
        row.of_day = position->of_day;
        row.since_on = now.releases().date_of(row.since);
        ranked.emplace_back(position->rank, std::move(row));
    }
    std::ranges::sort(ranked, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second.object < b.second.object;
    });
    std::vector<tables::Row> rows;
    rows.reserve(ranked.size());
    for (auto& [rank, row] : ranked) rows.push_back(std::move(row));
    tables::find_renames(now.transaction, rows);
    return rows;
}

HistoryPage page_of(const ReadView& now, const std::string& class_name,
                    const std::vector<Release>& releases, const PageRequest& request) {
    const auto chosen = RowChooser(now, class_name, releases).choose(looked_for(request, now));
    HistoryPage page;
    page.current = now.current;
    page.numbered_by_recording = true;
    fill_page(page, now,
              {.rows = whole(now, chosen.sids), .recorded = chosen.recorded, .cut = chosen.cut},
              request);
    return page;
}

}  // namespace

bool is_shown_class(const ReadView& now, const std::string& class_name) {
    if (now.build() != nullptr)
        for (const auto& count : now.build()->class_counts())
            if (count.class_name == class_name) return true;
    if (std::ranges::any_of(now.counted(now.shown()),
                            [&](const auto& each) { return each->news(class_name) > 0; }))
        return true;
    // Objects that were compared, and had no change yet.
    constexpr std::size_t enough = 1'000;
    const auto builds = tables::builds_compared_with(now.transaction, class_name, enough);
    return std::ranges::any_of(builds, [&](const auto& number) { return now.is_shown(number); });
}

Result<HistoryPage> class_history(const ReadContext& context, const std::string& class_name,
                                  const PageRequest& request) {
    return read(context, [&](const ReadView& now) -> Result<HistoryPage> {
        if (!is_shown_class(now, class_name))
            return base::fail(base::ErrorKind::absent, "there is no class " + class_name);
        const auto first_rank = first_rank_after(now.releases(), request.since, now.current);
        if (!first_rank) return tl::unexpected(first_rank.error());
        auto releases = now.shown();
        releases.resize(releases.size() - std::min(releases.size(), *first_rank));
        auto page = page_of(now, class_name, releases, request);
        page.last_modified = now.current.released_on;
        return page;
    });
}

Result<HistoryPage> release_history(const ReadContext& context, const std::string& version,
                                    const PageRequest& request) {
    return read(context, [&](const ReadView& now) -> Result<HistoryPage> {
        const auto* release = now.shown(version);
        if (release == nullptr) return no_release(version);
        auto page = page_of(now, {}, {*release}, request);
        page.last_modified = release->released_on;
        return page;
    });
}

Result<std::set<std::string>> class_tags(const ReadContext& context,
                                         const std::string& class_name) {
    return read(context, [&](const ReadView& now) -> Result<std::set<std::string>> {
        if (!is_shown_class(now, class_name))
            return base::fail(base::ErrorKind::absent, "there is no class " + class_name);
        return RowChooser(now, class_name, now.shown()).tags();
    });
}

Result<std::set<std::string>> release_tags(const ReadContext& context,
                                           const std::string& version) {
    return read(context, [&](const ReadView& now) -> Result<std::set<std::string>> {
        const auto* release = now.shown(version);
        if (release == nullptr) return no_release(version);
        return RowChooser(now, {}, {*release}).tags();
    });
}

}  // namespace query
