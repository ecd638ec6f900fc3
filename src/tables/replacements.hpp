// tables/replacements.hpp -- the table replacements: what a release that was published again
// makes of objects and their rows. It is written without any effect, put in force for all objects
// at once by one statement on `releases`, and moved into the other tables after that. All verbs
// throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "tables/objects.hpp"
#include "tables/rows.hpp"

namespace tables {

// -- the switch from one build of a release to another

struct RecordedBuild {
    base::Date released_on{};
    std::string digest;      // empty: no build of the release was served yet
    bool replacing = false;  // rows of a re-publication are in force and not all in their tables
};
[[nodiscard]] std::optional<RecordedBuild> read_build(store::Transaction& transaction,
                                                      const std::string& version);
// The same; no other transaction can change it until this one ends. Of two that lock it at nodes of a
// cluster, or lock it and note that they share it, one commits.
[[nodiscard]] std::optional<RecordedBuild> lock_build(store::Transaction& transaction,
                                                      const std::string& version);
// The same; others can share it.
[[nodiscard]] std::optional<RecordedBuild> share_build(store::Transaction& transaction,
                                                       const std::string& version);
// Called in a transaction that writes what holds for the build that it shares, because nodes of a
// cluster know nothing of each other's locks, only of rows that both have written. Others of this
// process wait from here on.
void note_sharing(store::Transaction& transaction);
// Returns whether the releases that are being replaced are those of `known`; none is added or
// ends until the transaction does.
[[nodiscard]] bool is_replacing_as_known(store::Transaction& transaction, const Releases& known);
// Returns a release whose rows are being replaced; nullopt: there is none.
[[nodiscard]] std::optional<std::string> replacing_release(store::Transaction& transaction);
// Puts the rows of the build `to` in force. Returns false when `from` is not recorded any more.
[[nodiscard]] bool begin_replacing(store::Transaction& transaction, const std::string& version,
                                   const std::string& from, const std::string& to);
void end_replacing(store::Transaction& transaction, const std::string& version,
                   const std::string& digest);

// -- replacements

struct Replacement {
    std::string version, digest;  // of the build that was published again
    ObjectRow object;             // its oid, and its new signature, label and last_modified
    // The row of the release; nullopt: the release has none of it. The stored row stands as it is
    // when its revision is the same.
    std::optional<Row> row;
    std::optional<std::string> tree;  // packed_tree(); nullopt: the stored one stands
};

// Writes them in place of earlier ones of these objects.
void put_replacements(store::Transaction& transaction, std::span<const Replacement> replacements);

// Oids that have a replacement by this build, ascending.
[[nodiscard]] std::vector<std::int64_t> replaced_oids(
    store::Transaction& transaction, const std::string& version, const std::string& digest,
    const OidRange& range, std::int64_t most = std::numeric_limits<std::int64_t>::max());
// Deletes replacements that are not in force and not of the build `keep`. Returns how many.
[[nodiscard]] std::uint64_t delete_abandoned_replacements(store::Transaction& transaction,
                                                          const std::string& keep,
                                                          std::int64_t most);
// Applies replacements that are in force and not yet moved into place to rows as they were read
// from the table. Of a release later than `current` only the fact that the object was compared
// in it.
//   cost  a query for 64 rows and release that is being replaced
void apply_replacements(store::Transaction& transaction, std::span<ObjectRow* const> rows,
                        const Release& current, const Releases& releases);

// Returns the rows that are in force in place of those in the table, or in addition to them. Those
// that cannot be read are left out, and `on_unreadable` gets them: what they replace is not in force.
//   cost   nothing while no release is being replaced
[[nodiscard]] std::vector<Row> replaced_rows(store::Transaction& transaction,
                                             const ObjectRow& object, const Releases& releases,
                                             const OnUnreadable& on_unreadable);
// Checks up to `most` replacements that are in force, of objects above an oid. `last` is an oid.
[[nodiscard]] CheckedRows check_replacements(store::Transaction& transaction,
                                             const Releases::Replacing& replacing,
                                             const Releases& releases, std::int64_t after,
                                             std::size_t most);

// Returns the trees that are in force in place of those in the table, or in addition to them, by
// release.
//   error  malformed: stored bytes are damaged
//   cost   nothing while no release is being replaced
[[nodiscard]] base::Result<std::map<std::string, std::vector<tree::Node>>> replaced_trees(
    store::Transaction& transaction, std::int64_t oid, const Releases& releases);

// Moves what is in force for an object into the other tables. Readers see no difference. Of
// several transactions that do so at once, one moves it and the others find it moved.
//   keep  trees of an object, 0: all
void move_into_place(store::Transaction& transaction, std::int64_t oid, std::size_t keep,
                     const Releases& releases);

}  // namespace tables
