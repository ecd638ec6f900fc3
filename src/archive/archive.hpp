// store/archive.hpp -- the whole store as JSON Lines, and back: backup, and the way from one
// engine to the other. The format: docs/schema.md, "Backup".
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"
#include "store/pool.hpp"

namespace store {

// A longer line is neither written nor read. One row is a line; its blobs take 4/3 of their size.
inline constexpr std::size_t longest_archive_line = std::size_t{256} << 20;

struct TableCount {
    std::string_view table;
    std::uint64_t rows = 0;
    bool operator==(const TableCount&) const = default;
};
using RowCounts = std::vector<TableCount>;  // every table, in the order of the archive

// Takes the archive's next bytes; what it can't take ends the export with its error.
using WriteBytes = std::function<base::Result<void>(std::string_view bytes)>;

// Writes one state of all tables, rows in the order of their primary keys; equal stores give
// equal bytes, whatever the engine.
//   error   refused (check_schema), too_large (a row above longest_archive_line), malformed
//           (text that is no UTF-8); whatever `write` returns. What was written then has no
//           last line, and import_store refuses it
//   throws  Failure
//   cost    memory: some 20 MB, or three times the largest row
[[nodiscard]] base::Result<RowCounts> export_store(Connection& connection,
                                                   const WriteBytes& write);

// Up to into.size() bytes of an archive; 0: its end.
using ReadBytes = std::function<base::Result<std::size_t>(std::span<char> into)>;

// What an import that was broken off has left: it stands in the way, or is cleared first.
enum class Leftovers { refuse, clear };

// Reads an archive into a store that has the schema and no rows but those of `meta`. Nobody
// else may write into the store meanwhile. While it works, and after it was broken off, the
// store has a mark for which check_schema refuses it; the mark goes with the last transaction.
// A bad archive is cleared away again; after a Failure the mark and the rows stay, for
// Leftovers::clear.
//   error   malformed, too_large: the archive, with the line's number; refused: the store
//           (not empty, another schema, unfinished import); conflict: somebody else wrote;
//           whatever `read` returns
//   throws  Failure
//   cost    memory: some 20 MB, or ten times the longest line; transactions of at most 4,000
//           rows or 4 MB and one row
[[nodiscard]] base::Result<RowCounts> import_store(Pool& pool, const ReadBytes& read,
                                                   Leftovers leftovers);

}  // namespace store
