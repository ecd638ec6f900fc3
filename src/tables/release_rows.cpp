// SPDX-License-Identifier: MIT
#include "tables/release_rows.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/mass_changes.hpp"
#include "tables/object_search.hpp"
#include "tables/releases.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

Value number(std::size_t value) { return Value{static_cast<std::int64_t>(value)}; }

// FROM … WHERE …, and the values of its marks.
struct Clause {
    std::string sql;
    std::vector<Value> values;
};

std::size_t count_of(Transaction& transaction, const Clause& clause) {
    return static_cast<std::size_t>(
        transaction.query("SELECT COUNT(*)" + clause.sql, clause.values).at(0).integer(0));
}

// Adds that the label begins with the text of a selection: the newest one, unless a row that is not shown
// brought another one than the row of the release has.
void add_label(Clause& clause, const RowSelection& selection) {
    const auto label = range_of_prefix(base::search_prefix(selection.text));
    // SQLite's index of labels has only objects that have one.
    clause.sql +=
        "o.label_key <> '' AND o.label_key >= ? AND o.label_key < ? AND (h.label = o.label OR"
        " o.build <= ?)";
    clause.values.insert(clause.values.end(), {Value{label.first}, Value{label.behind},
                                               Value{selection.newest_build}});
}

//   index  of history, which has all that is asked for unless there is a text
Clause clause_of(Transaction& transaction, const RowSelection& selection,
                 const CountedRows& release, std::string_view index) {
    const std::string read_first(store::read_first(transaction.engine()));
    const auto indexed = "history h" + store::by_index(transaction.engine(), index);
    Clause clause;
    if (selection.text.empty())
        clause.sql = " FROM " + indexed;
    else
        clause.sql = " FROM " + indexed + read_first + "objects o ON o.oid = h.oid";
    clause.sql += " WHERE h.version = ?";
    // Where no other kind was counted, leaving out 100,000 rows takes half as long.
    if (release.reconstructed > 0) clause.sql += " AND h.kind IN " + kinds_of_news();
    clause.values.emplace_back(release.version);
    if (selection.only_own) clause.sql += " AND h.quiet = ''";
    if (!selection.class_name.empty()) {
        clause.sql += selection.text.empty() ? " AND h.class = ?" : " AND o.class = ?";
        clause.values.emplace_back(selection.class_name);
    }
    if (!selection.text.empty()) {
        const auto name = range_of_prefix(base::fold_ascii(selection.text));
        clause.sql += " AND ((o.name_key >= ? AND o.name_key < ?) OR (";
        clause.values.insert(clause.values.end(), {Value{name.first}, Value{name.behind}});
        add_label(clause, selection);
        clause.sql += "))";
    }
    return clause;
}

enum class From { first, last };

std::vector<std::int64_t> sids_in(Transaction& transaction, Clause clause,
                                  const std::string& order, std::size_t from, std::size_t most) {
    clause.values.insert(clause.values.end(), {number(most), number(from)});
    return oids_of(transaction.query(
        "SELECT h.sid" + clause.sql + " ORDER BY " + order + " LIMIT ? OFFSET ?", clause.values));
}

// Returns numbers of rows by class and name, or from the last to the first.
std::vector<std::int64_t> named_from(Transaction& transaction, const RowSelection& selection,
                                     const CountedRows& release, From end, std::size_t from,
                                     std::size_t most) {
    const std::string direction = end == From::first ? "" : " DESC";
    // MariaDB would sort all rows by a class that is the same in all of them.
    const auto order =
        (selection.class_name.empty() ? "h.class" + direction + ", " : "") + "h.name" + direction;
    return sids_in(transaction, clause_of(transaction, selection, release, "history_by_name"),
                   order, from, most);
}

// Returns numbers of rows as they were recorded, or from the last to the first.
std::vector<std::int64_t> recorded_from(Transaction& transaction, const RowSelection& selection,
                                        const CountedRows& release, From end, std::size_t from,
                                        std::size_t most) {
    // Where a release has many other rows, those of the class are sorted instead of sought: all of
    // the others may lie before them.
    constexpr std::size_t sought_while_sorting_one = 16;
    const bool is_sparse =
        !selection.class_name.empty() &&
        release.news(selection.class_name) * sought_while_sorting_one < release.news({});
    const auto index = is_sparse ? "history_by_name" : "history_by_recording";
    return sids_in(transaction, clause_of(transaction, selection, release, index),
                   end == From::first ? "h.sid" : "h.sid DESC", from, most);
}

// Reads rows as `read` does, which has so many, from the end that is nearer.
template <class Read>
std::vector<std::int64_t> from_nearer_end(Read read, Transaction& transaction,
                                          const RowSelection& selection,
                                          const CountedRows& release, std::size_t rows,
                                          std::size_t from, std::size_t most) {
    const auto taken = std::min(most, rows - from);
    const auto behind = rows - from - taken;
    if (from <= behind) return read(transaction, selection, release, From::first, from, taken);
    auto sids = read(transaction, selection, release, From::last, behind, taken);
    std::ranges::reverse(sids);
    return sids;
}

// Returns the first spelling of a beginning that comes behind a name, in the order of bytes; nullopt: none.
//   folded  the beginning in lower case
std::optional<std::string> spelling_behind(const std::string& folded, const std::string& name) {
    const auto capital = [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    };
    const auto byte = [](char c) { return static_cast<unsigned char>(c); };
    std::optional<std::string> found;
    for (std::size_t at = 0; at < folded.size(); ++at) {
        const bool is_end = at == name.size();
        for (const char c : {capital(folded[at]), folded[at]})
            if (is_end || byte(c) > byte(name[at])) {
                found = name.substr(0, at) + c;
                for (auto rest = at + 1; rest < folded.size(); ++rest)
                    *found += capital(folded[rest]);
                break;
            }
        const bool goes_on =
            !is_end && (name[at] == folded[at] || name[at] == capital(folded[at]));
        if (!goes_on) break;
    }
    return found;
}

// Returns the spellings of a beginning that names of one class have, in the order of bytes.
std::vector<std::string> spellings_of(Transaction& transaction, const RowSelection& of_class,
                                      const CountedRows& release, const std::string& folded) {
    auto [sql, values] = clause_of(transaction, of_class, release, "history_by_name");
    sql = "SELECT h.name" + sql + " AND h.name >= ? ORDER BY h.name LIMIT 1";
    std::vector<std::string> spellings;
    for (auto next = spelling_behind(folded, {}); next;) {
        values.emplace_back(*next);
        const auto name = transaction.query(sql, values);
        values.pop_back();
        if (name.empty()) break;
        auto begin = name.front().text(0).substr(0, folded.size());
        next = spelling_behind(folded, begin);
        if (base::fold_ascii(begin) == folded) spellings.push_back(std::move(begin));
    }
    return spellings;
}

// Calls fn with each range of the rows whose names begin with the text of a selection, in one class and
// spelling each.
template <class F>
void with_names(Transaction& transaction, const RowSelection& selection,
                const CountedRows& release, F&& fn) {
    for (const auto& each : release.classes) {
        if (!selection.class_name.empty() && selection.class_name != each.class_name) continue;
        const RowSelection of_class{each.class_name};
        auto range = clause_of(transaction, of_class, release, "history_by_name");
        range.sql += " AND h.name >= ? AND h.name < ?";
        const auto of_all = range.values;
        for (const auto& spelling :
             spellings_of(transaction, of_class, release, base::fold_ascii(selection.text))) {
            const auto bounds = range_of_prefix(spelling);
            range.values = of_all;
            range.values.insert(range.values.end(), {Value{bounds.first}, Value{bounds.behind}});
            fn(range);
        }
    }
}

struct NamedRow {
    ObjectName object;
    std::int64_t sid = 0;
    auto operator<=>(const NamedRow&) const = default;
};

// Returns the first rows in this order, and adds to `all` how many there are.
std::vector<NamedRow> first_of(Transaction& transaction, const Clause& clause,
                               const std::string& order, std::size_t wanted, std::size_t& all) {
    auto values = clause.values;
    values.push_back(number(wanted));
    std::vector<NamedRow> rows;
    for (const auto& row : transaction.query("SELECT h.class, h.name, h.sid" + clause.sql +
                                                 " ORDER BY " + order + " LIMIT ?",
                                             values))
        rows.push_back({{row.text(0), row.text(1)}, row.integer(2)});
    all += rows.size() < wanted ? rows.size() : count_of(transaction, clause);
    return rows;
}

// Returns the first rows, by class and name, of objects whose labels begin with the text of a selection,
// and whose names do not; and adds to `all` how many there are.
std::vector<NamedRow> with_labels(Transaction& transaction, const RowSelection& selection,
                                  const std::string& version, std::size_t wanted,
                                  std::size_t& all) {
    const auto name = range_of_prefix(base::fold_ascii(selection.text));
    Clause clause;
    clause.sql = " FROM objects o" + std::string(store::read_first(transaction.engine())) +
                 "history h ON h.oid = o.oid WHERE ";
    add_label(clause, selection);
    clause.sql +=
        " AND NOT (o.name_key >= ? AND o.name_key < ?) AND h.version = ? AND h.kind IN " +
        kinds_of_news();
    clause.values.insert(clause.values.end(),
                         {Value{name.first}, Value{name.behind}, Value{version}});
    if (!selection.class_name.empty()) {
        clause.sql += " AND o.class = ?";
        clause.values.emplace_back(selection.class_name);
    }
    return first_of(transaction, clause, "h.class, h.name", wanted, all);
}

FoundRows rows_by_spelling(Transaction& transaction, const RowSelection& selection,
                           const CountedRows& release, std::size_t from, std::size_t most) {
    const auto wanted = from + most;
    FoundRows found;
    auto rows = with_labels(transaction, selection, release.version, wanted, found.all);
    with_names(transaction, selection, release, [&](const Clause& range) {
        std::ranges::move(first_of(transaction, range, "h.name", wanted, found.all),
                          std::back_inserter(rows));
    });
    std::ranges::sort(rows);
    for (auto at = from; at < std::min(wanted, rows.size()); ++at)
        found.sids.push_back(rows[at].sid);
    return found;
}

// Adds the rows of one class and kind that are as quiet as each other, which follow those of the class's others.
void add_rows(CountedRows& release, std::string class_name, KindCount count, Quiet quiet) {
    if (count.kind == RowKind::reconstructed) {
        release.reconstructed += count.objects;
        return;
    }
    auto& classes = release.classes;
    if (classes.empty() || classes.back().class_name != class_name)
        classes.push_back({std::move(class_name), 0, {}});
    auto& of_class = classes.back();
    of_class.objects += count.objects;
    auto& kinds = of_class.kinds;
    if (kinds.empty() || kinds.back().kind != count.kind)
        kinds.push_back(count);
    else
        kinds.back().objects += count.objects;
    for (auto* each : {&of_class.quiet, &release.quiet}) {
        if (quiet == Quiet::mass) each->mass += count.objects;
        if (quiet == Quiet::echo) each->echoes += count.objects;
    }
}

}  // namespace

std::size_t CountedRows::news(std::string_view class_name) const {
    std::uint64_t rows = 0;
    for (const auto& each : classes)
        if (class_name.empty() || each.class_name == class_name) rows += each.objects;
    return static_cast<std::size_t>(rows);
}

std::vector<CountedRows> count_rows(Transaction& transaction,
                                    std::span<const std::string> versions) {
    std::map<std::string_view, CountedRows> counted;
    for (const auto& version : versions) counted[version].version = version;
    for (const auto& row : query_in(
             transaction,
             "SELECT version, class, kind, quiet, COUNT(*) FROM history" +
                 store::by_index(transaction.engine(), "history_by_kind") + " WHERE version IN",
             {}, std::vector<Value>(versions.begin(), versions.end()),
             " GROUP BY version, class, kind, quiet ORDER BY version, class, kind, quiet"))
        if (const auto kind = kind_named(row.text(2)))
            add_rows(counted.at(row.text(0)), row.text(1),
                     {*kind, static_cast<std::uint64_t>(row.integer(4))},
                     quiet_named(row.text(3)));
    std::vector<CountedRows> all;
    for (const auto& version : versions) {
        auto& release = all.emplace_back(std::move(counted.at(version)));
        std::map<RowKind, std::uint64_t> kinds;
        for (auto& each : release.classes) {
            std::ranges::sort(each.kinds, {}, &KindCount::kind);
            for (const auto& [kind, objects] : each.kinds) kinds[kind] += objects;
        }
        for (const auto& [kind, objects] : kinds) release.kinds.push_back({kind, objects});
        std::ranges::stable_sort(release.classes, std::greater(), &ClassCount::objects);
    }
    return all;
}

std::map<std::string, ReleaseCounts> count_by_release(Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    const auto releases = load_releases(transaction);
    // The newest publication of a release has the last word.
    for (const auto& build : releases.builds()) {
        auto& counts = all[build.version];
        counts.has_build = true;
        counts.is_recorded = build.is_recorded;
        counts.unreadable = build.unreadable;
    }
    std::vector<std::string> versions;
    for (const auto& release : releases.all()) versions.push_back(release.version);
    for (const auto& counted : count_rows(transaction, versions)) {
        auto& rows = all[counted.version].rows;
        for (const auto& [kind, objects] : counted.kinds) rows[kind] = objects;
        if (counted.reconstructed > 0) rows[RowKind::reconstructed] = counted.reconstructed;
    }
    for (const auto& row :
         transaction.query("SELECT build, COUNT(*) FROM objects GROUP BY build"))
        if (const auto version = releases.version_of(row.integer(0)); !version.empty())
            all[version].compared += static_cast<std::uint64_t>(row.integer(1));
    return all;
}

std::map<std::string, std::int64_t> newest_rows(Transaction& transaction) {
    std::map<std::string, std::int64_t> newest;
    for (const auto& row : transaction.query(
             "SELECT r.version, (SELECT h.sid FROM history h" +
             store::by_index(transaction.engine(), "history_by_recording") +
             " WHERE h.version = r.version ORDER BY h.sid DESC LIMIT 1) FROM releases r"))
        newest[row.text(0)] = row.is_null(1) ? 0 : row.integer(1);
    return newest;
}

std::vector<std::int64_t> rows_by_name(Transaction& transaction, const RowSelection& selection,
                                       const CountedRows& release, std::size_t from,
                                       std::size_t most) {
    if (from == 0) return named_from(transaction, selection, release, From::first, from, most);
    // Whole classes are left out by their counts, and within one the nearer end is read.
    auto classes = release.classes;
    std::ranges::sort(classes, {}, &ClassCount::class_name);
    std::vector<std::int64_t> sids;
    for (const auto& each : classes) {
        if (!selection.class_name.empty() && each.class_name != selection.class_name) continue;
        if (sids.size() == most) break;
        if (from >= each.objects) {
            from -= each.objects;
            continue;
        }
        const auto some =
            from_nearer_end(named_from, transaction, {each.class_name}, release, each.objects,
                            std::exchange(from, 0), most - sids.size());
        sids.insert(sids.end(), some.begin(), some.end());
    }
    return sids;
}

std::vector<std::int64_t> rows_as_recorded(Transaction& transaction,
                                           const RowSelection& selection,
                                           const CountedRows& release, std::size_t from,
                                           std::size_t most) {
    const auto rows = release.news(selection.class_name);
    if (from >= rows) return {};
    return from_nearer_end(recorded_from, transaction, selection, release, rows, from, most);
}

FoundRows rows_with_text(Transaction& transaction, const RowSelection& selection,
                         const CountedRows& release, std::size_t from, std::size_t most) {
    constexpr std::size_t most_left_out = 10'000;  // by spelling, in memory
    if (selection.by_spelling && from <= most_left_out)
        return rows_by_spelling(transaction, selection, release, from, most);
    return {named_from(transaction, selection, release, From::first, from, most),
            count_of(transaction, clause_of(transaction, selection, release, "history_by_name"))};
}

}  // namespace tables
