// archive/archive.hpp -- the whole store as JSON Lines, and back: backup, and the way from one
// engine to the other. The format: docs/schema.md, "Export format".
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

namespace archive {

struct TableCount {
    std::string_view table;
    std::uint64_t rows = 0;
    bool operator==(const TableCount&) const = default;
};
using RowCounts = std::vector<TableCount>;  // every table, in the order of the archive

// Takes the next bytes of the archive. An error ends the export.
using WriteBytes = std::function<base::Result<void>(std::string_view bytes)>;

// Writes one state of all tables, rows in the order of their primary keys. Equal stores give
// equal bytes, whatever the engine.
//   error   refused (store::check_schema; a release is being forgotten), too_large (a row above longest_line), malformed (text
//           that is not UTF-8), and whatever `write` returns. What was written until then lacks
//           the last line, so import_store refuses it
//   throws  store::Failure
//   cost    memory: about 20 MB, or three times the largest row
[[nodiscard]] base::Result<RowCounts> export_store(store::Connection& connection,
                                                   const WriteBytes& write);

// How each archive begins.
inline constexpr std::string_view archive_begins = "{\"varve_export\":";

// Returns how many bytes of the archive it read, at most into.size(); 0 at its end.
using ReadBytes = std::function<base::Result<std::size_t>(std::span<char> into)>;

// What to do with the rows of an earlier import that was interrupted.
enum class Leftovers { refuse, clear };

// Says what is wrong with a text of a column that nobody could read; empty: nothing.
using FaultOf = std::function<std::string(std::string_view table, std::string_view column,
                                          std::string_view text)>;

// Reads an archive into a store that has the schema and no rows except in `meta`. Nobody else
// may write into the store meanwhile. From the first transaction of the import to its last, and
// after an interruption, the store carries a mark for which store::check_schema refuses it.
// After a bad archive the import removes its rows and the mark; after a Failure both stay, for
// Leftovers::clear.
//   fault_of  asked for each text; empty: any text is taken
//   error   malformed, too_large: the archive, with the number of the line; refused: the store
//           (not empty, another schema, unfinished import); conflict: somebody else wrote into
//           it; and whatever `read` returns
//   throws  store::Failure
//   cost    memory: about 20 MB, or ten times the longest line; transactions of at most 4,000
//           rows, or 4 MB and one row
[[nodiscard]] base::Result<RowCounts> import_store(store::Pool& pool, const ReadBytes& read,
                                                   Leftovers leftovers,
                                                   const FaultOf& fault_of = {});

}  // namespace archive
