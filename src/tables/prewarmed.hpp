// tables/prewarmed.hpp -- what the release job notes and reads: which releases and classes it has
// prewarmed (table `warmed`), which objects it could not read (`failed`), and which objects it has
// to look at besides those of the build. All functions throw store::Failure. Class names are
// compared as they are spelled. In `warmed` an empty one says that a job over all classes has ended,
// and nothing of a single class: the job may have skipped some.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "tables/objects.hpp"
#include "tables/releases.hpp"

namespace tables {

// -- what was prewarmed

// Returns the releases in which this class was prewarmed, in no order; of an empty name, those in
// which a job over all classes has ended.
[[nodiscard]] std::vector<std::string> prewarmed_releases(store::Transaction& transaction,
                                                          const std::string& class_name);
[[nodiscard]] std::set<std::string> prewarmed_classes(store::Transaction& transaction,
                                                      const std::string& version);
// Returns false for the newest release that is recorded, until a job has compared all its objects.
[[nodiscard]] bool is_compared(store::Transaction& transaction, const Releases& releases,
                               const std::string& version);
[[nodiscard]] bool is_prewarmed(store::Transaction& transaction, const std::string& class_name,
                                const std::string& version);
// Returns all pairs of class and version.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> prewarmed(
    store::Transaction& transaction);
void note_prewarmed(store::Transaction& transaction, const std::string& class_name,
                    const std::string& version, base::Seconds now, std::uint64_t objects);
// Sets the number of objects.
void update_prewarmed(store::Transaction& transaction, const std::string& class_name,
                      const std::string& version, std::uint64_t objects);
void delete_prewarmed(store::Transaction& transaction, const std::string& class_name,
                      const std::string& version);
// Deletes the notes on the class and on all classes together, in every release.
void delete_prewarmed_class(store::Transaction& transaction, const std::string& class_name);
void delete_prewarmed_release(store::Transaction& transaction, const std::string& version);

// -- objects that could not be read

// An object that a release job could not read, or that its end does not cover.
struct FailedObject {
    Release release;
    ObjectName object;
    std::string reason;
};
void list_failed(store::Transaction& transaction, std::span<const FailedObject> objects);
inline constexpr std::string_view first_seen_late =
    "was first seen in an older build, after the job";
inline constexpr std::string_view skipped_when_replaced =
    "was compared with an earlier publication, and its class was skipped in the one in force";

// Objects that a job could not read; `only`: of this class, empty: of all.
[[nodiscard]] std::vector<ObjectName> failed_objects(store::Transaction& transaction,
                                                     const std::string& version,
                                                     const std::string& only);
// `version` empty: in every release.
void delete_failed(store::Transaction& transaction, const std::string& version,
                   const ObjectName& object);

// -- objects to look at

// Returns the releases in which objects of the class were compared last that are not known to have
// vanished, as their rows say.
//   cost  a scan of the rows of the class
[[nodiscard]] std::vector<std::string> releases_compared_in(store::Transaction& transaction,
                                                            const std::string& class_name);
// Objects whose row says that they were compared in one of these releases last.
//   cost  a scan of the rows for each version
[[nodiscard]] std::vector<ObjectName> objects_compared_in(store::Transaction& transaction,
                                                          std::span<const std::string> versions,
                                                          const std::string& only);
// Objects that may be gone from the build of `version`: not compared in it, and not known to have
// vanished.
//   compared_in  compared in one of these last; empty: in any release
[[nodiscard]] std::vector<ObjectName> objects_to_look_for(
    store::Transaction& transaction, const OidRange& range, const std::string& version,
    std::span<const std::string> compared_in);

// -- in which release objects were compared last

// Fills in compared_in from what release jobs have prewarmed, and applies to the rows the
// replacements that are in force and not yet moved into place.
//   cost  nothing for rows that were compared in `current` themselves; else a query a class, and
//         for what was not prewarmed in `current` another one that reads a row a release; a query
//         for 64 rows and prewarmed release in which the job could not read an object
void resolve_compared_in(store::Transaction& transaction, std::span<ObjectRow* const> rows,
                         const Release& current, const Releases& releases);
// Returns the releases after `current` in which the class was prewarmed. An object that an older
// build records now was compared in none of them; list_failed() must say so.
[[nodiscard]] std::vector<Release> prewarmed_after(store::Transaction& transaction,
                                                   const std::string& class_name,
                                                   const Release& current,
                                                   const Releases& releases);

}  // namespace tables
