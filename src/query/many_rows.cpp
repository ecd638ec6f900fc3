// SPDX-License-Identifier: MIT
#include "query/many_rows.hpp"

#include <algorithm>
#include <bit>
#include <ranges>
#include <set>
#include <tuple>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace query {
namespace {

using base::Result;
using store::Value;

// A class of up to so many objects is read object by object.
constexpr std::int64_t few_objects = 5'000;

Value number(std::size_t value) { return Value{static_cast<std::int64_t>(value)}; }

std::vector<std::int64_t> numbers_in(const store::Rows& rows) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(rows.size());
    for (const auto& row : rows) numbers.push_back(row.integer(0));
    return numbers;
}

}  // namespace

std::string_view kinds_of_news() {
    static const std::string list = [] {
        std::string text;
        for (const auto kind :
             {tables::RowKind::changed, tables::RowKind::created, tables::RowKind::vanished,
              tables::RowKind::reappeared, tables::RowKind::withdrawn, tables::RowKind::adopted})
            text += (text.empty() ? "('" : ", '") + std::string(tables::name_of(kind)) + "'";
        return text + ")";
    }();
    return list;
}

ManyRows::ManyRows(store::Transaction& transaction, std::string class_name,
                   std::vector<const Place*> places)
    : transaction_(transaction), class_name_(std::move(class_name)), places_(std::move(places)) {}

bool ManyRows::has_few_objects() {
    if (class_name_.empty()) return false;
    return transaction_
               .query("SELECT COUNT(*) FROM (SELECT oid FROM objects WHERE class = ? LIMIT ?) o",
                      {Value{class_name_}, Value{few_objects + 1}})
               .at(0)
               .integer(0) <= few_objects;
}

std::string ManyRows::source(bool names_first) const {
    const std::string read_first(store::read_first(transaction_.engine()));
    return names_first ? " FROM objects o" + read_first + "history h ON h.oid = o.oid"
                       : " FROM history h" + read_first + "objects o ON o.oid = h.oid";
}

// A + keeps SQLite from looking up each object once a version and kind.
std::string ManyRows::condition(bool names_first, std::size_t versions) const {
    const std::string kind = names_first ? "+h.kind" : "h.kind";
    const std::string version = names_first && versions > 1 ? "+h.version" : "h.version";
    std::string sql = class_name_.empty() ? " WHERE " : " WHERE o.class = ? AND ";
    sql += kind + " IN " + std::string(kinds_of_news()) + " AND " + version + " IN (?";
    for (std::size_t i = 1; i < std::bit_ceil(versions); ++i) sql += ", ?";
    return sql + ")";
}

// Rounded up by naming the last once more: few statements, each prepared once.
std::vector<Value> ManyRows::bound(const std::vector<const Place*>& places) const {
    std::vector<Value> values;
    if (!class_name_.empty()) values.emplace_back(class_name_);
    for (const auto* place : places) values.emplace_back(place->release.version);
    values.insert(values.end(), std::bit_ceil(places.size()) - places.size(), values.back());
    return values;
}

void ManyRows::count() {
    const auto from =
        class_name_.empty() ? std::string(" FROM history h") : source(objects_first_);
    for (const auto& row :
         transaction_.query("SELECT h.version, COUNT(*)" + from +
                                condition(objects_first_, places_.size()) + " GROUP BY h.version",
                            bound(places_))) {
        const auto rows = static_cast<std::size_t>(row.integer(1));
        counts_[row.text(0)] = rows;
        recorded_ += rows;
    }
}

std::size_t ManyRows::rows_of(const Place& place) const {
    const auto known = counts_.find(place.release.version);
    return known == counts_.end() ? 0 : known->second;
}

std::vector<std::int64_t> ManyRows::newest(std::size_t most) {
    std::vector<std::int64_t> sids;
    for (const auto* place : places_) {
        const auto rows = rows_of(*place);
        if (rows == 0) continue;
        if (sids.size() >= most) break;
        const bool names_first = objects_first_ || rows > most_sorted;
        auto values = bound({place});
        values.push_back(number(most - sids.size()));
        const auto found = numbers_in(transaction_.query("SELECT h.sid" + source(names_first) +
                                                             condition(names_first, 1) +
                                                             " ORDER BY o.class, o.name LIMIT ?",
                                                         values));
        sids.insert(sids.end(), found.begin(), found.end());
    }
    return sids;
}

std::vector<std::int64_t> ManyRows::recorded_between(const PageRequest& window) {
    const auto from =
        class_name_.empty() ? std::string(" FROM history h") : source(objects_first_);
    std::vector<std::int64_t> sids;
    auto skipped = window.before - archive_page;
    for (const auto* place : places_ | std::views::reverse) {
        const auto rows = rows_of(*place);
        if (rows <= skipped) {
            skipped -= rows;
            continue;
        }
        auto values = bound({place});
        values.push_back(number(archive_page - sids.size()));
        values.push_back(number(skipped));
        const auto found =
            numbers_in(transaction_.query("SELECT h.sid" + from + condition(objects_first_, 1) +
                                              " ORDER BY h.sid LIMIT ? OFFSET ?",
                                          values));
        sids.insert(sids.end(), found.begin(), found.end());
        if (sids.size() >= archive_page) break;
        skipped = 0;
    }
    return sids;
}

// The newest ones as far as a narrowing looks; of the last release those recorded last.
ManyRows::Picks ManyRows::newest_picks() {
    Picks picks;
    const auto from =
        class_name_.empty() ? std::string(" FROM history h") : source(objects_first_);
    for (const auto* place : places_) {
        if (rows_of(*place) == 0) continue;
        if (picks.size() >= most_narrowed) break;
        auto values = bound({place});
        values.push_back(number(most_narrowed - picks.size()));
        for (const auto sid :
             numbers_in(transaction_.query("SELECT h.sid" + from + condition(objects_first_, 1) +
                                               " ORDER BY h.sid DESC LIMIT ?",
                                           values)))
            picks.emplace_back(sid, place);
    }
    return picks;
}

std::vector<std::int64_t> ManyRows::first_by_name(const Picks& picks, std::size_t most) {
    std::map<std::int64_t, std::size_t> ranks;
    std::vector<Value> values;
    for (const auto& [sid, place] : picks) {
        ranks[sid] = place->rank;
        values.emplace_back(sid);
    }
    std::vector<std::tuple<std::ptrdiff_t, ObjectName, std::int64_t>> order;
    for (const auto& row :
         tables::query_in(transaction_,
                          "SELECT h.sid, o.class, o.name FROM history h JOIN objects o"
                          " ON o.oid = h.oid WHERE h.sid IN",
                          {}, values))
        order.emplace_back(-static_cast<std::ptrdiff_t>(ranks.at(row.integer(0))),
                           ObjectName{row.text(1), row.text(2)}, row.integer(0));
    std::ranges::sort(order);
    std::vector<std::int64_t> sids;
    for (std::size_t at = 0; at < std::min(most, order.size()); ++at)
        sids.push_back(std::get<2>(order[at]));
    return sids;
}

Result<ManyRows::Chosen> ManyRows::narrowed(const PageRequest& window) {
    auto picks = newest_picks();
    const bool cut = recorded_ > picks.size();
    std::vector<std::int64_t> sids;
    for (const auto& [sid, place] : picks) sids.push_back(sid);
    auto shown = shown_among(transaction_, sids, window.narrowing);
    if (!shown) return tl::unexpected(shown.error());
    if (window.before == 0) {
        const std::set<std::int64_t> stay(shown->begin(), shown->end());
        std::erase_if(picks, [&](const auto& pick) { return !stay.contains(pick.first); });
        return Chosen{first_by_name(picks, window.most), picks.size(), cut};
    }
    // Newest release first and in it the last recorded, as the picks are.
    const auto slice = slice_of(window, shown->size());
    return Chosen{{shown->begin() + static_cast<std::ptrdiff_t>(slice.from),
                   shown->begin() + static_cast<std::ptrdiff_t>(slice.to)},
                  shown->size(),
                  cut};
}

Result<ManyRows::Chosen> ManyRows::choose(const PageRequest& window) {
    if (places_.empty()) return Chosen{};
    objects_first_ = has_few_objects();
    count();
    if (window.narrowing.is_set()) return narrowed(window);
    return Chosen{window.before == 0 ? newest(window.most) : recorded_between(window), recorded_};
}

}  // namespace query
