// tables/forgetting.hpp -- what forgetting counts, reads and deletes: a release, a class or an
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
[[nodiscard]] std::uint64_t count_history(store::Transaction& transaction,
                                          const Versions& versions);
// Counts trees of the releases, and objects of which no other release has a row or a tree.
[[nodiscard]] Deleted count_only_in(store::Transaction& transaction, const Versions& versions,
                                    const OidRange& range);
//   cost  an index look-up for each object of the class
[[nodiscard]] Deleted count_class(store::Transaction& transaction, const std::string& class_name);
[[nodiscard]] Deleted count_object(store::Transaction& transaction, const ObjectName& name);
// Whether any table that is not emptied with an object names the class.
[[nodiscard]] bool has_traces_of_class(store::Transaction& transaction,
                                       const std::string& class_name);
[[nodiscard]] std::vector<std::int64_t> oids_named(store::Transaction& transaction,
                                                   const ObjectName& name);

struct NamePage {
    std::vector<std::int64_t> oids;
    std::string last_name;
};
// Objects of the class whose names come after `last`, in byte order.
[[nodiscard]] NamePage objects_behind(store::Transaction& transaction, const ObjectName& last,
                                      std::size_t most);

// Objects that were compared in the release last, or have a row, a tree or a replacement of it.
[[nodiscard]] std::vector<std::int64_t> objects_touched_by(store::Transaction& transaction,
                                                           const std::string& version,
                                                           const OidRange& range);

// An object with its trees and rows, contents left out.
struct Record {
    struct Row {
        std::string version, since, date, label;
        std::optional<RowKind> kind;
    };
    ObjectRow object;
    std::vector<std::string> trees;  // versions, in no order
    std::vector<Row> rows;

    // nullptr: none of that release
    [[nodiscard]] const Row* row_of(const std::string& version) const;
};
// Locks and reads objects; those that do not exist are left out.
[[nodiscard]] std::vector<Record> lock_records(store::Transaction& transaction,
                                               std::span<const std::int64_t> oids);

// Deletes objects with their rows, trees and replacements. Locks them first.
Deleted delete_objects(store::Transaction& transaction, std::span<const std::int64_t> oids);
// Deletes what these objects have of a release.
Deleted delete_rows_of_release(store::Transaction& transaction, const std::string& version,
                               std::span<const std::int64_t> oids);
// Deletes mass changes and failed objects of the class.
void delete_notes_on_class(store::Transaction& transaction, const std::string& class_name);
// Deletes the release itself with its failed objects, mass changes and acceptances. Leaves what
// objects have of it (delete_rows_of_release) and that it was prewarmed (delete_prewarmed_release).
void delete_release(store::Transaction& transaction, const std::string& version);

}  // namespace tables
