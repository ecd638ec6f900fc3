// The rows of history, read.
// SPDX-License-Identifier: MIT
#include "tables/lists.hpp"
#include "tables/tables.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

constexpr std::string_view row_columns =
    "SELECT h.oid, o.class, o.name, h.version, h.date, h.revision, h.since, h.recorded_at,"
    " h.signature, h.kind, h.label, h.notes, h.sid FROM history h JOIN objects o ON o.oid = "
    "h.oid ";

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

}  // namespace

Result<std::optional<Row>> find_row(Transaction& transaction, std::int64_t oid,
                                    const std::string& version) {
    const auto rows =
        transaction.query(std::string(row_columns) + "WHERE h.oid = ? AND h.version = ?",
                          {Value{oid}, Value{version}});
    if (rows.empty()) return std::nullopt;
    auto row = row_from(rows.front());
    if (!row) return tl::unexpected(row.error());
    return std::move(*row);
}

Result<std::unordered_map<std::int64_t, Row>> rows_numbered(Transaction& transaction,
                                                            std::span<const std::int64_t> sids) {
    std::unordered_map<std::int64_t, Row> rows;
    for (const auto& stored : query_in(transaction, std::string(row_columns) + "WHERE h.sid IN",
                                       {}, values_of(sids))) {
        auto row = row_from(stored);
        if (!row) return tl::unexpected(row.error());
        rows.emplace(stored.integer(12), std::move(*row));
    }
    return rows;
}

}  // namespace tables
