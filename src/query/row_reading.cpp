// The rows of history, read.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <utility>

#include "query/row_reading.hpp"
#include "tables/lists.hpp"
#include "tables/release_order.hpp"
#include "tables/replacement.hpp"

namespace query {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

// A row of one of the objects that are read, not read itself yet.
struct Pick {
    std::size_t rank = 0;    // of its release
    std::size_t object = 0;  // by class and name
    int of_day = 0;
    std::int64_t sid = 0;                   // 0: replaced is it
    const tables::Row* replaced = nullptr;  // to be shown in place of what is stored

    [[nodiscard]] std::pair<std::ptrdiff_t, std::size_t> place() const {
        return {-static_cast<std::ptrdiff_t>(rank), object};
    }
};

class Reader {
   public:
    Reader(Transaction& transaction, std::vector<const tables::ObjectRow*> objects,
           const Release& current, const tables::Releases& releases)
        : transaction_(transaction), objects_(std::move(objects)), releases_(releases),
          order_(releases, current) {
        std::ranges::sort(objects_, {}, [](const auto* object) { return object->object; });
        for (std::size_t at = 0; at < objects_.size(); ++at) places_[objects_[at]->oid] = at;
    }

    Result<Rows> read(const PageRequest& window) {
        const auto since = order_.begins_behind(window.since);
        if (!since) return tl::unexpected(since.error());
        if (const auto read = read_replaced(); !read) return tl::unexpected(read.error());
        pick_rows();
        Rows rows;
        for (const auto& pick : picks_) ++rows.of_object[objects_[pick.object]->oid];
        std::erase_if(picks_, [&](const Pick& pick) {
            return static_cast<std::ptrdiff_t>(pick.rank) <= *since;
        });
        std::ranges::sort(picks_, {}, &Pick::place);
        rows.cut = window.narrowing.is_set() && picks_.size() > most_narrowed;
        if (const auto judged = narrow(window.narrowing); !judged)
            return tl::unexpected(judged.error());
        rows.recorded = picks_.size();
        auto shown = whole(slice_of(window, picks_.size()));
        if (!shown) return tl::unexpected(shown.error());
        rows.rows = std::move(*shown);
        return rows;
    }

   private:
    Result<void> read_replaced() {
        for (const auto* object : objects_) {
            auto rows = tables::replaced_rows(transaction_, *object, releases_);
            if (!rows) return tl::unexpected(rows.error());
            std::ranges::move(*rows, std::back_inserter(replaced_));
        }
        return {};
    }

    void pick_rows() {
        std::set<std::pair<std::int64_t, std::string_view>> in_place;
        for (const auto& row : replaced_) {
            in_place.emplace(row.oid, row.release.version);
            pick(row.release.version, {.object = places_.at(row.oid), .replaced = &row});
        }
        std::vector<Value> oids;
        for (const auto* object : objects_) oids.emplace_back(object->oid);
        for (const auto& row : tables::query_in(
                 transaction_, "SELECT sid, oid, version FROM history WHERE oid IN", {}, oids))
            if (in_place.empty() || !in_place.contains({row.integer(1), row.text(2)}))
                pick(row.text(2), {.object = places_.at(row.integer(1)), .sid = row.integer(0)});
    }

    void pick(const std::string& version, Pick pick) {
        // Every row is written with its release, in one transaction.
        const auto* place = order_.find(version);
        if (place == nullptr || !place->is_shown) return;
        pick.rank = place->rank;
        pick.of_day = place->of_day;
        picks_.push_back(pick);
    }

    Result<void> narrow(const ChangeFilter& narrowing) {
        if (!narrowing.is_set()) return {};
        // The oldest beyond this are neither looked at nor counted.
        picks_.resize(std::min(picks_.size(), most_narrowed));
        const auto shown = shown_among(transaction_, sids_of(picks_), narrowing);
        if (!shown) return tl::unexpected(shown.error());
        const std::set<std::int64_t> stay(shown->begin(), shown->end());
        std::erase_if(picks_, [&](const Pick& pick) {
            return pick.replaced != nullptr ? !narrowing.shows(*pick.replaced)
                                            : !stay.contains(pick.sid);
        });
        return {};
    }

    static std::vector<std::int64_t> sids_of(std::span<const Pick> picks) {
        std::vector<std::int64_t> sids;
        for (const auto& pick : picks)
            if (pick.replaced == nullptr) sids.push_back(pick.sid);
        return sids;
    }

    Result<std::vector<tables::Row>> whole(Slice slice) {
        const auto picks = std::span(picks_).subspan(slice.from, slice.size());
        auto stored = tables::rows_numbered(transaction_, sids_of(picks));
        if (!stored) return tl::unexpected(stored.error());
        std::vector<tables::Row> rows;
        rows.reserve(picks.size());
        for (const auto& pick : picks) {
            rows.push_back(pick.replaced != nullptr ? *pick.replaced
                                                    : std::move(stored->at(pick.sid)));
            rows.back().of_day = pick.of_day;
        }
        return rows;
    }

    Transaction& transaction_;
    std::vector<const tables::ObjectRow*> objects_;  // by class and name
    const tables::Releases& releases_;
    tables::ReleaseOrder order_;
    std::unordered_map<std::int64_t, std::size_t> places_;  // oid -> place in objects_
    std::vector<tables::Row> replaced_;
    std::vector<Pick> picks_;  // newest release first, then by object
};

}  // namespace

Result<std::vector<std::int64_t>> shown_among(Transaction& transaction,
                                              std::span<const std::int64_t> sids,
                                              const ChangeFilter& narrowing) {
    std::set<std::int64_t> shown;
    // In steps, so that the notes of a few rows only are held at once.
    for (std::size_t at = 0; at < sids.size(); at += tables::longest_list) {
        const auto step = sids.subspan(at, std::min(tables::longest_list, sids.size() - at));
        for (const auto& stored :
             tables::query_in(transaction, "SELECT sid, notes FROM history WHERE sid IN", {},
                              tables::values_of(step))) {
            tables::Row row;
            auto notes = tables::notes_from_json(stored.text(1));
            if (!notes) return tl::unexpected(notes.error());
            row.notes = std::move(*notes);
            if (narrowing.shows(row)) shown.insert(stored.integer(0));
        }
    }
    std::vector<std::int64_t> found;
    std::ranges::copy_if(sids, std::back_inserter(found),
                         [&](std::int64_t sid) { return shown.contains(sid); });
    return found;
}

Slice slice_of(const PageRequest& window, std::size_t rows) {
    if (window.before == 0) return {0, std::min(window.most, rows)};
    // Numbered from the oldest, number i stands at rows - 1 - i.
    const auto to = rows + archive_page - std::min(window.before, rows + archive_page);
    return {rows - std::min(window.before, rows), std::min(to, rows)};
}

Result<Rows> load_rows(Transaction& transaction, const tables::ObjectRow& object,
                       const Release& current, const PageRequest& window,
                       const tables::Releases& releases) {
    return Reader(transaction, {&object}, current, releases).read(window);
}

Result<Rows> load_rows(Transaction& transaction, std::span<const tables::ObjectRow> objects,
                       const Release& current, const PageRequest& window,
                       const tables::Releases& releases) {
    std::vector<const tables::ObjectRow*> each;
    for (const auto& object : objects) each.push_back(&object);
    return Reader(transaction, std::move(each), current, releases).read(window);
}

}  // namespace query
