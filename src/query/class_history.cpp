// SPDX-License-Identifier: MIT
#include "query/class_history.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>

#include "query/object_history.hpp"
#include "tables/objects.hpp"
#include "tables/release_rows.hpp"
#include "tables/replacements.hpp"

namespace query {
namespace {

using base::Result;

// Chooses which rows of some releases a page has.
class RowChooser {
   public:
    //   class_name  empty: of all classes
    //   releases    known ones, newest first
    RowChooser(const ReadView& now, std::string class_name, const std::vector<Release>& releases)
        : now_(now) {
        selection_.class_name = std::move(class_name);
        for (const auto& release : releases) versions_.push_back(release.version);
    }

    struct Chosen {
        std::vector<std::int64_t> sids;  // in no order of names
        std::size_t recorded = 0;
        bool cut = false;  // as in HistoryPage
        std::int64_t oldest_row_before = 0, oldest_row_after = 0;
    };
    Chosen choose(const PageRequest& request) {
        if (versions_.empty()) return Chosen{};
        count_rows();
        std::size_t recorded = 0;
        for (const auto& [version, rows] : counts_) recorded += rows;
        if (request.filter.chooses_rows()) return filtered(request, recorded);
        if (request.before > 0) return archived(request, recorded);
        return Chosen{newest(request.most), recorded};
    }

    // Returns the tags in the newest changes, in any order.
    std::set<std::string> tags() {
        if (versions_.empty()) return {};
        count_rows();
        std::set<std::string> tags;
        static_cast<void>(visit_notes(
            now_.transaction, last_recorded(versions_, tables::behind_all, PageLimits{}.filtered),
            [&](std::int64_t, const tables::NotesOfRow& row) {
                for (const auto& change : row.notes.changes)
                    compare::each_tag(change, [&](const std::string& tag) { tags.insert(tag); });
            },
            note_unreadable_, now_.most_note_bytes()));
        return tags;
    }

   private:
    void count_rows() { counts_ = tables::count_rows(now_.transaction, selection_, versions_); }

    [[nodiscard]] std::size_t count_of(const std::string& version) const {
        const auto known = counts_.find(version);
        return known == counts_.end() ? 0 : known->second;
    }

    [[nodiscard]] std::vector<std::int64_t> newest(std::size_t most) const {
        std::vector<std::int64_t> sids;
        for (const auto& version : versions_) {
            if (count_of(version) == 0) continue;
            if (sids.size() >= most) break;
            append(sids, tables::rows_by_name(now_.transaction, selection_, version, 0,
                                              most - sids.size()));
        }
        return sids;
    }

    // The page, without rows if there is none.
    [[nodiscard]] Chosen archived(const PageRequest& request, std::size_t recorded) const {
        const auto skipped = request.before - archive_page;
        Chosen page{{}, recorded};
        if (request.oldest_row == 0)
            page.sids = counted_to(skipped);
        else if (may_be_numbered(request.oldest_row, skipped, request.limits))
            page.sids = recorded_from(request.oldest_row, archive_page + 1);
        const auto behind = recorded - std::min(recorded, request.before);
        const auto far = request.limits.far_from_ends;
        // Who follows such links goes on with them: rows with lower numbers may have come meanwhile.
        const bool is_far = (request.before > far && behind > far) || request.oldest_row != 0;
        if (!page.sids.empty() && is_far) {
            const auto before = recorded_before(page.sids.front(), archive_page);
            if (before.size() == archive_page) page.oldest_row_before = before.back();
            const auto from = recorded_from(page.sids.front(), archive_page + 1);
            if (from.size() > archive_page) page.oldest_row_after = from.back();
        }
        page.sids.resize(std::min(page.sids.size(), archive_page));
        return page;
    }

    // Returns the rows of a page that has so many before it.
    [[nodiscard]] std::vector<std::int64_t> counted_to(std::size_t skipped) const {
        std::vector<std::int64_t> sids;
        for (const auto& version : versions_ | std::views::reverse) {
            const auto rows = count_of(version);
            if (rows <= skipped) {
                skipped -= rows;
                continue;
            }
            append(sids, tables::rows_as_recorded(now_.transaction, selection_, version, skipped,
                                                  archive_page - sids.size(), rows));
            if (sids.size() >= archive_page) break;
            skipped = 0;
        }
        return sids;
    }

    // Returns the releases, newest first, from that of a row on; none if it is no row of these.
    [[nodiscard]] std::span<const std::string> releases_from(std::int64_t sid) const {
        const auto names = tables::row_names(now_.transaction, std::span(&sid, 1));
        if (names.empty()) return {};
        const auto& [version, object] = names.begin()->second;
        const auto own = std::ranges::find(versions_, version);
        const bool is_of_class =
            selection_.class_name.empty() || selection_.class_name == object.class_name;
        if (own == versions_.end() || !is_of_class) return {};
        return {own, versions_.end()};
    }

    // Returns whether a row may have so many before it, by the rows of its release and of older ones. As
    // many as lie between the ends and a page that is linked so may have come or gone since the link.
    [[nodiscard]] bool may_be_numbered(std::int64_t sid, std::size_t number,
                                       const PageLimits& limits) const {
        const auto own_and_older = releases_from(sid);
        if (own_and_older.empty()) return false;
        std::size_t before = 0;
        for (const auto& version : own_and_older.subspan(1)) before += count_of(version);
        return number + limits.far_from_ends >= before &&
               number < before + count_of(own_and_older.front()) + limits.far_from_ends;
    }

    // Return rows in the order of the archive: from one of them on, and those before it from there back.
    [[nodiscard]] std::vector<std::int64_t> recorded_from(std::int64_t sid,
                                                          std::size_t most) const {
        std::vector<std::int64_t> sids;
        const auto older = releases_from(sid);
        if (older.empty()) return sids;
        const std::span newer(versions_.data(), versions_.size() - older.size() + 1);
        for (const auto& version : newer | std::views::reverse) {
            if (sids.size() >= most) break;
            if (const auto rows = count_of(version); rows > 0)
                append(sids, tables::rows_recorded_from(now_.transaction, selection_, version,
                                                        version == older.front() ? sid : 1,
                                                        most - sids.size(), rows));
        }
        return sids;
    }
    [[nodiscard]] std::vector<std::int64_t> recorded_before(std::int64_t sid,
                                                            std::size_t most) const {
        const auto older = releases_from(sid);
        return older.empty() ? std::vector<std::int64_t>{} : last_recorded(older, sid, most);
    }

    // Looks at the first rows in the order of a feed. Where there are more, the page has no archive, so
    // nobody has to know how many the filter shows.
    Chosen filtered(const PageRequest& request, std::size_t recorded) const {
        const auto most = request.limits.filtered_of_many;
        std::vector<std::int64_t> looked_at;
        for (const auto& version : versions_) {
            if (count_of(version) == 0) continue;
            if (looked_at.size() >= most) break;
            auto some = tables::rows_by_name(now_.transaction, selection_, version, 0,
                                             most - looked_at.size());
            // Pages of the archive go by recording.
            if (request.before > 0) std::ranges::sort(some, std::greater());
            append(looked_at, some);
        }
        auto [sids, cut, bytes] = filtered_rows(now_.transaction, looked_at, request.filter,
                                                note_unreadable_, now_.most_note_bytes());
        const auto found = sids.size();
        const auto slice = slice_of(request, found);
        return Chosen{{sids.begin() + static_cast<std::ptrdiff_t>(slice.from),
                       sids.begin() + static_cast<std::ptrdiff_t>(slice.to)},
                      found,
                      cut || recorded > most};
    }

    // Returns rows of some releases before one of the first of them, the last first.
    [[nodiscard]] std::vector<std::int64_t> last_recorded(std::span<const std::string> versions,
                                                          std::int64_t sid,
                                                          std::size_t most) const {
        std::vector<std::int64_t> sids;
        for (const auto& version : versions) {
            const auto rows = count_of(version);
            if (rows > 0 && sids.size() < most)
                append(sids, tables::rows_recorded_before(now_.transaction, selection_, version,
                                                          sid, most - sids.size(), rows));
            sid = tables::behind_all;
        }
        return sids;
    }

    static void append(std::vector<std::int64_t>& sids, const std::vector<std::int64_t>& more) {
        sids.insert(sids.end(), more.begin(), more.end());
    }

    const ReadView& now_;
    tables::RowSelection selection_;
    std::vector<std::string> versions_;  // newest first
    std::map<std::string, std::size_t> counts_;
    const tables::OnUnreadable note_unreadable_ = [this](const tables::UnreadableRow& row) {
        now_.context.unreadable.note(row);
    };
};

// While a release is being replaced, its replacement is shown instead of a row. Rows that only the
// replacement has appear when they are moved into place, which takes minutes. Returns false when the
// replacement cannot be read.
bool apply_replacement(const ReadView& now, tables::Row& row,
                       const tables::OnUnreadable& on_unreadable) {
    const auto is_its = [&](const auto& each) { return each.version == row.release.version; };
    if (std::ranges::none_of(now.releases().replacing(), is_its)) return true;
    tables::ObjectRow object;
    object.oid = row.oid;
    object.object = row.object;
    bool is_readable = true;
    const auto note = [&](const tables::UnreadableRow& each) {
        if (each.version == row.release.version) is_readable = false;
        on_unreadable(each);
    };
    for (auto& each : tables::replaced_rows(now.transaction, object, now.releases(), note))
        if (each.release.version == row.release.version) row = std::move(each);
    return is_readable;
}

// Returns the rows newest release first, then by class and name; without those that cannot be read.
std::vector<tables::Row> whole(const ReadView& now, const std::vector<std::int64_t>& sids) {
    const auto note = [&](const tables::UnreadableRow& row) { now.context.unreadable.note(row); };
    auto stored = tables::rows_numbered(now.transaction, sids, note, now.most_note_bytes());
    std::vector<std::pair<std::size_t, tables::Row>> ranked;
    for (auto& [sid, row] : stored) {
        if (!apply_replacement(now, row, note)) continue;
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
    return rows;
}

HistoryPage page_of(const ReadView& now, const std::string& class_name,
                    const std::vector<Release>& releases, const PageRequest& request) {
    const auto chosen = RowChooser(now, class_name, releases).choose(looked_for(request, now));
    HistoryPage page;
    page.current = now.current;
    page.numbered_by_recording = true;
    page.oldest_row_before = chosen.oldest_row_before;
    page.oldest_row_after = chosen.oldest_row_after;
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
    std::vector<std::string> versions;
    for (const auto& release : now.shown()) versions.push_back(release.version);
    if (!tables::count_rows(now.transaction, {class_name}, versions).empty()) return true;
    // Objects that were compared, and had no change yet.
    constexpr std::size_t enough = 1'000;
    const auto compared = tables::releases_compared_in(now.transaction, class_name, enough);
    return std::ranges::any_of(
        compared, [&](const auto& version) { return now.shown(version) != nullptr; });
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
