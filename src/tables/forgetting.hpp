// tables/forgetting.hpp -- what forgetting counts, reads and deletes: releases, a class or an
// object, with all that hangs on them. All functions throw store::Failure. Class names are compared
// as they are spelled.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tables/objects.hpp"
#include "tables/rows.hpp"

namespace tables {

// Rows that were deleted or would be.
struct Deleted {
    std::uint64_t objects = 0, history = 0, trees = 0;
    void add(const Deleted& other) {
        objects += other.objects, history += other.history, trees += other.trees;
    }
    bool operator==(const Deleted&) const = default;
};

using Versions = std::vector<std::string>;
// Returns objects that have a row or a tree of the releases, or were compared last with a build of
// them, or with one that is no more; those with oids above `after`, up to `to`.
[[nodiscard]] std::vector<std::int64_t> objects_touched_by(store::Transaction& transaction,
                                                           const Versions& versions,
                                                           std::int64_t after, std::int64_t to);
// Counts an object and what it has; if the name is empty, all objects of the class.
//   cost  an index look-up for each object
[[nodiscard]] Deleted count_objects(store::Transaction& transaction, const ObjectName& what);
// Returns the object of this name or, if the name is empty, up to 4,096 of the class.
[[nodiscard]] std::vector<std::int64_t> oids_of(store::Transaction& transaction,
                                                const ObjectName& what);

// An object with its trees and rows, contents left out.
struct Record {
    struct Tree {
        std::string version, since;
    };
    ObjectRow object;
    std::vector<Tree> trees;  // in no order, as the rows
    std::vector<RowSummary> rows;

    [[nodiscard]] std::vector<Tree> trees_and_rows() const;
    [[nodiscard]] bool has_nothing() const { return trees.empty() && rows.empty(); }
};
// Those that do not exist are left out.
//   lock  store::for_update() before they are written
[[nodiscard]] std::vector<Record> read_records(store::Transaction& transaction,
                                               std::span<const std::int64_t> oids,
                                               std::string_view lock = {});

// Deletes objects with their rows, trees, words and mentions. Locks them first.
Deleted delete_objects(store::Transaction& transaction, std::span<const std::int64_t> oids);
void delete_mass_changes_of_class(store::Transaction& transaction, const std::string& class_name);

// Deletes releases with their mass changes and acceptances.
//   throws  on MariaDB Failure (orphan) when there is a row or a tree of one of them
void delete_releases(store::Transaction& transaction, const Versions& versions);

}  // namespace tables
