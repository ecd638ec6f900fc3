// SPDX-License-Identifier: MIT
#include "render/history_strip.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/page.hpp"
#include "render/stacked_bars.hpp"

namespace render {
namespace {

using base::Release;
using tables::Row;
using tables::RowKind;
using State = Stretch::State;

class StretchFinder {
   public:
    StretchFinder(const std::vector<Row>& rows, const std::vector<Release>& releases)
        : rows_(rows), releases_(releases) {
        for (std::size_t i = 0; i < releases.size(); ++i) index_[releases[i].version] = i;
    }

    std::vector<Stretch> find() {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto at = index_.find(rows_[i].release.version);
            if (at == index_.end() || at->second < next_) continue;
            add_between(at->second, rows_[i].kind == RowKind::vanished);
            add(State::recorded, at->second + 1, i);
            newer_ = &rows_[i];
        }
        add_between(releases_.size(), false);
        return std::move(found_);
    }

   private:
    // Adds the releases between two rows, or at an end.
    void add_between(std::size_t end, bool is_absent) {
        if (is_absent) return add(State::absent, end);
        if (newer_ != nullptr && !newer_->since.empty()) {
            const auto since = index_.find(newer_->since);
            add(State::skipped, since == index_.end() ? end : std::min(end, since->second));
        }
        add(State::unchanged, end);
    }

    void add(State state, std::size_t end, std::size_t row = 0) {
        if (end <= next_) return;
        found_.push_back({state, row, next_, end});
        next_ = end;
    }

    const std::vector<Row>& rows_;
    const std::vector<Release>& releases_;
    std::map<std::string_view, std::size_t> index_;
    std::vector<Stretch> found_;
    std::size_t next_ = 0;
    const Row* newer_ = nullptr;
};

std::string words_of_row(const Row& row) {
    const auto counts = counts_text(tables::count_changes(row.notes));
    const std::string word(word_of(row.kind));
    if (row.kind == RowKind::changed && !counts.empty()) return counts;
    return counts.empty() ? word : word + ": " + counts;
}

ReleaseColumn column_of(const Row& row, bool is_linked) {
    const auto counts = tables::count_changes(row.notes);
    ReleaseColumn column;
    column.version = row.release.version;
    if (row.kind == RowKind::reconstructed)
        column.parts[0] = counts.added + counts.replaced + counts.removed;
    else
        column.parts = {0, counts.added, counts.replaced, counts.removed};
    column.is_marked = column.all() == 0;
    if (is_linked) column.url = "#" + row.release.version;
    column.words = base::format_date(row.release.released_on) + ", " + words_of_row(row);
    return column;
}

// The rows of the pictured releases, newest first.
std::string strip_table(const std::vector<const Row*>& pictured) {
    std::vector<std::vector<std::string>> rows;
    for (const auto* row : pictured) {
        const auto counts = tables::count_changes(row->notes);
        auto heading = as_html(row->release.version);
        if (row->kind != RowKind::changed) heading += ", " + std::string(word_of(row->kind));
        rows.push_back({heading, with_separators(counts.added), with_separators(counts.replaced),
                        with_separators(counts.removed)});
    }
    return folded_table(number_table("Changes in each release",
                                     {"Release", "Added", "Replaced", "Removed"}, rows));
}

}  // namespace

std::vector<Stretch> stretches_of(const std::vector<Row>& rows,
                                  const std::vector<Release>& releases) {
    return StretchFinder(rows, releases).find();
}

std::string range_of(const std::vector<Release>& releases, std::size_t from, std::size_t end) {
    const auto& newest = releases[from].version;
    if (end - from == 1) return newest;
    return releases[end - 1].version + (end - from == 2 ? " and " : " to ") + newest;
}

std::string history_strip(const std::vector<Row>& rows, const query::FollowedReleases& followed,
                          std::size_t from, std::size_t end) {
    const auto& releases = followed.releases;
    if (rows.size() < 2 || releases.size() < 2) return {};
    const auto shown = std::min(releases.size(), most_columns);
    BarPicture picture;
    picture.is_logarithmic = true;
    picture.columns.resize(shown);
    picture.label = "Changes in each release from " + releases[shown - 1].version + " to " +
                    releases.front().version + ". The table below has the same numbers.";
    std::vector<const Row*> pictured;
    for (const auto& stretch : stretches_of(rows, releases))
        for (auto i = stretch.from; i < std::min(stretch.end, shown); ++i) {
            auto& column = picture.columns[shown - 1 - i];
            column.version = releases[i].version;
            column.has_tick = stretch.state == State::unchanged;
            if (stretch.state != State::recorded) continue;
            const auto& row = rows[stretch.row];
            column = column_of(row, stretch.row >= from && stretch.row < end);
            if (stretch.row == 0 && row.kind == RowKind::vanished)
                picture.vanished = shown - 1 - i;
            pictured.push_back(&row);
        }
    for (std::size_t i = 0; i < shown; ++i)
        if (releases[i].version == followed.first_seen) picture.first_seen = shown - 1 - i;
    const auto svg = stacked_bars(picture);
    return svg.empty() ? svg : svg + strip_table(pictured);
}

}  // namespace render
