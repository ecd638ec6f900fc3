// store/archive_tables.hpp -- the tables of an archive, and what a store says of their columns.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/dialect.hpp"

namespace store {

// A test holds these to the schema.
struct ArchiveTable {
    std::string_view name;
    std::vector<std::string_view> keys;          // of the primary key, in its order
    std::vector<std::string_view> long_columns;  // that may hold megabytes
};

// Every table of the schema, those that others refer to first; `releases` and `meta` last, so
// that a store that is being filled shows no release until all of its rows are there.
[[nodiscard]] std::span<const ArchiveTable> archive_tables();

struct TableShape {
    const ArchiveTable* table;
    std::vector<Column> columns;  // in the order of the schema

    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view column) const;
};

// The shapes of archive_tables(), in their order, as they are in this store.
[[nodiscard]] std::vector<TableShape> shapes_of(Connection& connection);

}  // namespace store
