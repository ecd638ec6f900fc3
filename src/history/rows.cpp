// The rows of history, read.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "history/replacement.hpp"
#include "history/tables.hpp"

namespace history {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

constexpr std::string_view row_columns =
    "SELECT h.oid, o.class, o.name, h.version, h.date, h.revision, h.since, h.recorded_at,"
    " h.signature, h.kind, h.label, h.notes FROM history h JOIN objects o ON o.oid = h.oid ";

Result<Row> row_from(const store::Row& stored) {
    Row row;
    row.oid = stored.integer(0);
    row.object = {stored.text(1), stored.text(2)};
    row.release = {stored.text(3), date_of(stored.text(4))};
    row.revision = static_cast<int>(stored.integer(5));
    row.since = stored.text(6);
    const auto recorded = base::parse_rfc3339(stored.text(7));
    const auto kind = kind_named(stored.text(9));
    if (!recorded || !kind)
        return base::fail(base::Kind::malformed, "a history row of unknown kind or time");
    row.recorded_at = *recorded;
    row.signature = stored.text(8);
    row.kind = *kind;
    row.label = stored.text(10);
    auto notes = notes_from_json(stored.text(11));
    if (!notes) return tl::unexpected(notes.error());
    row.notes = std::move(*notes);
    return row;
}

Result<std::vector<Row>> rows_from(const store::Rows& stored) {
    std::vector<Row> rows;
    rows.reserve(stored.size());
    for (const auto& each : stored) {
        auto row = row_from(each);
        if (!row) return tl::unexpected(row.error());
        rows.push_back(std::move(*row));
    }
    return rows;
}

bool newest_first(const Row& a, const Row& b) { return b.release < a.release; }

std::vector<Row>::const_iterator row_of(const std::vector<Row>& rows, std::string_view version) {
    return std::ranges::find_if(rows,
                                [&](const Row& row) { return row.release.version == version; });
}

// Which rows of the object a window shows, and how many there are in all.
struct Choice {
    std::vector<Release> wanted;  // with the dates of their rows; newest first
    std::vector<Row> replaced;    // to be shown in place of those that are stored
    std::size_t recorded = 0;
};

Result<Choice> choose(Transaction& transaction, const ObjectRow& object, const Release& current,
                      const Window& window, const Releases& releases) {
    const Release* since = window.since.empty() ? nullptr : releases.find(window.since);
    if (!window.since.empty() && since == nullptr)
        return base::fail(base::Kind::refused, "no release " + window.since + " is known");
    Choice choice;
    const auto count = [&](const Release& release) {
        // A row keeps the date it was published with; the order is that of the releases.
        const auto* known = releases.find(release.version);
        const auto& place = known != nullptr ? *known : release;
        if (current < place) return;
        ++choice.recorded;
        if (since == nullptr || *since < place) choice.wanted.push_back(release);
    };
    auto replaced = replaced_rows(transaction, object, releases);
    if (!replaced) return tl::unexpected(replaced.error());
    choice.replaced = std::move(*replaced);
    for (const auto& row : transaction.query("SELECT version, date FROM history WHERE oid = ?",
                                             {Value{object.oid}}))
        if (row_of(choice.replaced, row.text(0)) == choice.replaced.end())
            count({row.text(0), date_of(row.text(1))});
    for (const auto& row : choice.replaced) count(row.release);
    std::sort(choice.wanted.begin(), choice.wanted.end(),
              [](const auto& a, const auto& b) { return b < a; });
    choice.wanted.resize(std::min(choice.wanted.size(), window.most));
    return choice;
}

}  // namespace

Result<std::optional<Row>> find_row(Transaction& transaction, std::int64_t oid,
                                    const std::string& version) {
    auto rows = rows_from(
        transaction.query(std::string(row_columns) + "WHERE h.oid = ? AND h.version = ?",
                          {Value{oid}, Value{version}}));
    if (!rows) return tl::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return std::move(rows->front());
}

Result<Rows> load_rows(Transaction& transaction, const ObjectRow& object, const Release& current,
                       const Window& window, const Releases& releases) {
    // First which rows there are, then the notes of those that are shown.
    auto choice = choose(transaction, object, current, window, releases);
    if (!choice) return tl::unexpected(choice.error());
    const auto& wanted = choice->wanted;
    if (wanted.empty()) return Rows{{}, choice->recorded};
    auto rows = rows_from(transaction.query(
        std::string(row_columns) + "WHERE h.oid = ? AND h.date >= ?",
        {Value{object.oid}, Value{base::format_date(wanted.back().released_on)}}));
    if (!rows) return tl::unexpected(rows.error());
    std::erase_if(*rows, [&](const Row& row) {
        return row_of(choice->replaced, row.release.version) != choice->replaced.end();
    });
    std::ranges::move(choice->replaced, std::back_inserter(*rows));
    std::erase_if(*rows, [&](const Row& row) {
        return std::find(wanted.begin(), wanted.end(), row.release) == wanted.end();
    });
    std::sort(rows->begin(), rows->end(), newest_first);
    return Rows{std::move(*rows), choice->recorded};
}

}  // namespace history
