// tables/bulk.hpp -- the rows of many objects read and written together, in a transaction of
// the caller's: few journeys to the database, few texts of SQL.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tables/tables.hpp"

namespace tables {

// Rows whose name is one of these without regard to ASCII case, of whatever class.
[[nodiscard]] std::vector<ObjectRow> objects_named(store::Transaction& transaction,
                                                   std::span<const ObjectName> names);

// settle() for many rows.
void settle_all(store::Transaction& transaction, std::span<ObjectRow*> rows,
                const Release& current, const Releases& releases);

// By oid; objects without a tree are left out.
//   error  malformed: stored bytes are damaged
[[nodiscard]] base::Result<std::map<std::int64_t, KnownTree>> newest_trees(
    store::Transaction& transaction, std::span<const std::int64_t> oids,
    const Releases& releases);

// The versions that have a row, by oid.
[[nodiscard]] std::map<std::int64_t, std::vector<std::string>> recorded_in(
    store::Transaction& transaction, std::span<const std::int64_t> oids);

// Which of these signatures an object of the class has.
[[nodiscard]] std::vector<std::string> known_contents(store::Transaction& transaction,
                                                      const std::string& class_name,
                                                      std::span<const std::string> signatures);

// Their oids, in the same order.
//   throws  Failure (duplicate) when one of them has a row
[[nodiscard]] std::vector<std::int64_t> insert_objects(store::Transaction& transaction,
                                                       std::span<const ObjectRow* const> rows);

struct NewTree {
    std::int64_t oid;
    const std::string* version;
    const std::string* packed;  // packed_tree()
};
void insert_trees(store::Transaction& transaction, std::span<const NewTree> trees);

struct NewRow {
    std::int64_t oid;
    const Row* row;
    const std::string* notes;  // to_json(row->notes)
};
void insert_rows(store::Transaction& transaction, std::span<const NewRow> rows);

}  // namespace tables
