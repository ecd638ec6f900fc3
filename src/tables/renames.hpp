// tables/renames.hpp -- the table renames: objects that vanished while one other object of their
// class was created with the same content (rule C9). All verbs throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/pool.hpp"
#include "tree/object.hpp"

namespace tables {

using tree::ObjectName;

// An object that vanished in a release, and the only object of its class that was created in it
// with the content it had. Two rows with the same new object are no rename.
struct Rename {
    std::string version;
    std::int64_t oid = 0;   // of the object that vanished
    std::string signature;  // of its content before
    ObjectName to;          // of the same class
    bool operator==(const Rename&) const = default;
};
// Each takes the place of an earlier one of the same object and release.
void insert_renames(store::Transaction& transaction, std::span<const Rename> renames);

// Objects of one class, before one release.
struct FormerContentQuery {
    std::string version;
    std::string digest;  // of a re-publication that is being computed; empty: of recorded rows
    std::string class_name;
    std::vector<std::string> name_keys;  // folded: objects.name_key
};
struct FormerContent {
    ObjectName object;
    std::string signature;  // empty: it had vanished before
};
// Returns the content that objects with these keys had before the release: those that it did not
// change yet, and those that vanished in it and may have been renamed.
//   cost  two queries for 64 keys, each in an index
[[nodiscard]] std::vector<FormerContent> contents_before(store::Transaction& transaction,
                                                         const FormerContentQuery& query);

// For tables/replacements: the rename of a re-publication that is not in force yet.
void replace_pending_rename(store::Transaction& transaction, const std::string& version,
                            std::int64_t oid, const std::string& digest,
                            const std::optional<Rename>& rename);
void place_rename(store::Transaction& transaction, const std::string& version,
                  const std::string& digest, std::int64_t oid);

}  // namespace tables
