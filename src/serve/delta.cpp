// SPDX-License-Identifier: MIT
#include "serve/delta.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "render/feed.hpp"

namespace serve {

namespace {

// The documents of a feed, from the current one back to earlier ones. Rows are moved into a
// document and back, because they may be large.
class Documents {
   public:
    Documents(query::HistoryPage all, std::size_t most)
        : all_(std::move(all)), most_(most), document_(all_) {
        document_.rows.clear();
    }

    // True when all rows are loaded of the document before the newest `skip` rows were recorded.
    [[nodiscard]] bool has(std::size_t skip) const {
        return skip + std::min(most_, all_.recorded - skip) <= all_.rows.size();
    }

    // Returns what `function` computes from the document before the newest `skip` rows.
    template <class F>
    auto with(std::size_t skip, F&& function) {
        const auto count = std::min(most_, all_.rows.size() - skip);
        const auto begin = all_.rows.begin() + static_cast<std::ptrdiff_t>(skip);
        const auto end = begin + static_cast<std::ptrdiff_t>(count);
        document_.rows.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
        document_.recorded = all_.recorded - skip;
        select_mass_changes();
        auto result = function(std::as_const(document_));
        std::move(document_.rows.begin(), document_.rows.end(), begin);
        return result;
    }

    // Returns how many rows the newest 1, 2, … releases have: ascending.
    [[nodiscard]] std::vector<std::size_t> rows_of_newest_releases() const {
        const auto& rows = all_.rows;
        std::vector<std::size_t> counts;
        for (std::size_t i = 1; i <= rows.size() && counts.size() < most_releases_back; ++i)
            if (i == rows.size() || rows[i].release.version != rows[i - 1].release.version)
                counts.push_back(i);
        return counts;
    }

    // Returns the newest `count` rows. `recorded` stays that of the whole feed: the result is not
    // complete, and its archive is that of the feed.
    [[nodiscard]] query::HistoryPage newest(std::size_t count) && {
        all_.rows.resize(std::min({count, most_, all_.rows.size()}));
        return std::move(all_);
    }

   private:
    // Keeps those of the document's rows, as they would be read with these rows alone.
    void select_mass_changes() {
        document_.mass_changes.clear();
        for (const auto& each : all_.mass_changes)
            if (std::any_of(document_.rows.begin(), document_.rows.end(), [&](const auto& row) {
                    return row.release.version == each.version &&
                           row.object.class_name == each.class_name;
                }))
                document_.mass_changes.push_back(each);
    }

    query::HistoryPage all_;
    std::size_t most_;
    query::HistoryPage document_;
};

}  // namespace

std::optional<NewerItems> newer_items(
    query::HistoryPage page, std::size_t most, std::string_view client_tags, Coding coding,
    const std::function<std::string(const query::HistoryPage&)>& tag_of) {
    Documents documents(std::move(page), most);
    NewerItems newer;
    newer.entity_tag = documents.with(0, tag_of);
    newer.newest_recording = documents.with(0, query::newest_recording);
    if (names_tag(client_tags, tag_in_coding(newer.entity_tag, coding))) {
        newer.page = std::move(documents).newest(0);
        return newer;
    }
    for (const auto skip : documents.rows_of_newest_releases()) {
        if (!documents.has(skip)) return std::nullopt;
        const auto tag = documents.with(skip, tag_of);
        if (!names_tag(client_tags, tag) &&
            !names_tag(client_tags, tag_in_coding(tag, Coding::gzip)))
            continue;
        newer.page = std::move(documents).newest(skip);
        return newer;
    }
    return std::nullopt;
}

}  // namespace serve
