// tables/renames.hpp -- the table renames: objects that vanished while one other object of their
// class was created with the same content (rule C9). All verbs throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/pool.hpp"
#include "tables/releases.hpp"
#include "tree/object.hpp"

namespace tables {

using tree::ObjectName;

// An object that vanished in a release, and whose content before is that of exactly one object of
// its class that was created in it.
struct Rename {
    std::string version;
    std::int64_t oid = 0;   // of the object that vanished
    std::string signature;  // of its content before
    // The created object, of the same class. Without a name: another object vanished with the
    // same content, so neither was renamed.
    ObjectName to;
    bool operator==(const Rename&) const = default;
};
// Each takes the place of an earlier one of the same object and release.
void insert_renames(store::Transaction& transaction, std::span<const Rename> renames);
void delete_renames(store::Transaction& transaction, const std::string& version,
                    std::span<const std::int64_t> oids);
// Returns those of these objects in the release, by oid; none of a re-publication that is not in
// place yet.
//   Lock::yes  nobody else can change them before the transaction ends
enum class Lock { no, yes };
[[nodiscard]] std::map<std::int64_t, Rename> renames_of(store::Transaction& transaction,
                                                        const std::string& version,
                                                        std::span<const std::int64_t> oids,
                                                        Lock lock = Lock::no);

// Which rows say what the release made of an object: all of them, or, while a re-publication is
// computed, none, because it decides anew.
enum class RowsOfRelease { count, are_replaced };

// Objects of one class that had certain contents before one release.
struct FormerContentQuery {
    Release release;
    std::string class_name;
    std::vector<std::string> signatures;
    std::span<const std::string> name_keys;  // of the objects asked about: objects.name_key
    RowsOfRelease rows = RowsOfRelease::count;
};
struct FormerContent {
    std::int64_t oid = 0;
    ObjectName object;
    std::string signature;
};
// Returns the objects with one of these contents before the release, whatever it or a later one
// made of them, and whether that is recorded or not. Those that cannot be read are left out.
//   releases  known ones
//   cost      a query for 64 names, and one for 64 contents, each in an index; more only where a later
//             release or a re-publication has changed some: another one for 64 names, and the trees of
//             the changed ones
[[nodiscard]] std::vector<FormerContent> contents_before(store::Transaction& transaction,
                                                         const FormerContentQuery& query,
                                                         const Releases& releases);

// For tables/replacements: the rename of a re-publication that is not in force yet.
void replace_pending_rename(store::Transaction& transaction, const std::string& version,
                            std::int64_t oid, const std::string& digest,
                            const std::optional<Rename>& rename);
void place_rename(store::Transaction& transaction, const std::string& version,
                  const std::string& digest, std::int64_t oid);

}  // namespace tables
