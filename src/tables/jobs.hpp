// tables/jobs.hpp -- what jobs read and write in many rows at once: which releases were prewarmed
// (`warmed`), which objects could not be read (`failed`), mass changes, the rows that forgetting
// deletes, and the switch to the rows of a re-publication.
// All functions throw store::Failure. Class names are compared as they are spelled.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "tables/mass_changes.hpp"
#include "tables/objects.hpp"
#include "tables/rows.hpp"

namespace tables {

// Objects by oid: above `after`, up to `to`.
struct OidRange {
    std::int64_t after = 0, to = 0;
};
inline constexpr OidRange all_oids{0, std::numeric_limits<std::int64_t>::max()};

// Returns 0 for an empty table.
[[nodiscard]] std::int64_t highest_oid(store::Transaction& transaction);

// -- prewarming. An empty class name stands for all classes.

// Returns the releases in which a job of this class, or of all, was finished, in no order. A
// release that is being replaced is left out, since objects that it brought may have no row yet.
[[nodiscard]] std::vector<std::string> prewarmed_releases(store::Transaction& transaction,
                                                          const std::string& class_name);
[[nodiscard]] std::set<std::string> prewarmed_classes(store::Transaction& transaction,
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

// Objects that a job could not read; `only`: of this class, empty: of all.
[[nodiscard]] std::vector<ObjectName> failed_objects(store::Transaction& transaction,
                                                     const std::string& version,
                                                     const std::string& only);
// `version` empty: in every release.
void delete_failed(store::Transaction& transaction, const std::string& version,
                   const ObjectName& object);

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
// Most requests first, then the oldest row.
[[nodiscard]] std::vector<ObjectName> most_requested_objects(store::Transaction& transaction,
                                                             std::size_t most);

// -- mass changes

struct ChangedRow {
    std::int64_t oid = 0;
    std::string class_name;
    Notes notes;
};
// Rows of kind `changed` of a release, above an oid, by oid.
//   error  malformed: stored notes cannot be read
[[nodiscard]] base::Result<std::vector<ChangedRow>> changed_rows(store::Transaction& transaction,
                                                                 const std::string& version,
                                                                 std::int64_t after,
                                                                 std::size_t most);
// Inserting what is there already changes nothing.
void insert_mass_changes(store::Transaction& transaction, std::span<const MassChange> changes);
void delete_mass_changes(store::Transaction& transaction, const std::string& version);

// -- re-publication

struct RecordedBuild {
    base::Date released_on{};
    std::string digest;      // empty: no build of the release was served yet
    bool replacing = false;  // rows of a re-publication are in force and not all in their tables
};
[[nodiscard]] std::optional<RecordedBuild> read_build(store::Transaction& transaction,
                                                      const std::string& version);
// The same; no other transaction can change it until this one ends.
[[nodiscard]] std::optional<RecordedBuild> lock_build(store::Transaction& transaction,
                                                      const std::string& version);
// Returns a release whose rows are being replaced; nullopt: there is none.
[[nodiscard]] std::optional<std::string> replacing_release(store::Transaction& transaction);
// Puts the rows of the build `to` in force. Returns false when `from` is not recorded any more.
[[nodiscard]] bool begin_replacing(store::Transaction& transaction, const std::string& version,
                                   const std::string& from, const std::string& to);
void end_replacing(store::Transaction& transaction, const std::string& version,
                   const std::string& digest);

// Oids that have a replacement by this build, ascending.
[[nodiscard]] std::vector<std::int64_t> replaced_oids(
    store::Transaction& transaction, const std::string& version, const std::string& digest,
    const OidRange& range, std::int64_t most = std::numeric_limits<std::int64_t>::max());
// Deletes replacements that are not in force and not of the build `keep`. Returns how many.
[[nodiscard]] std::uint64_t delete_abandoned_replacements(store::Transaction& transaction,
                                                          const std::string& keep,
                                                          std::int64_t most);
[[nodiscard]] std::vector<ObjectRow> objects_in(store::Transaction& transaction,
                                                const OidRange& range);
// Oids of the objects that have a row of kind created or vanished in the release.
[[nodiscard]] std::vector<std::int64_t> oids_created_or_vanished(store::Transaction& transaction,
                                                                 const std::string& version,
                                                                 const OidRange& range);

// -- forgetting

// Rows that were deleted or would be.
struct Deleted {
    std::uint64_t objects = 0, history = 0, trees = 0;
    void add(const Deleted& other) {
        objects += other.objects, history += other.history, trees += other.trees;
    }
    bool operator==(const Deleted&) const = default;
};

[[nodiscard]] std::uint64_t count_history(store::Transaction& transaction,
                                          const std::string& version);
// Counts trees of the release, and objects of which no other release has a row or a tree.
[[nodiscard]] Deleted count_only_in(store::Transaction& transaction, const std::string& version,
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

struct TouchedObject {
    std::int64_t oid = 0;
    std::string class_name;
};
// Objects that were compared in the release last, or have a row, a tree or a replacement of it.
[[nodiscard]] std::vector<TouchedObject> objects_touched_by(store::Transaction& transaction,
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

// Deletes objects with their rows, trees, replacements and renames. Locks them first.
Deleted delete_objects(store::Transaction& transaction, std::span<const std::int64_t> oids);
// Deletes what these objects have of a release.
Deleted delete_rows_of_release(store::Transaction& transaction, const std::string& version,
                               std::span<const std::int64_t> oids);
// Deletes mass changes and failed objects of the class.
void delete_notes_on_class(store::Transaction& transaction, const std::string& class_name);
// Deletes the release itself with its failed objects, mass changes and acceptances. Leaves what
// objects have of it (delete_rows_of_release) and that it was prewarmed (delete_prewarmed_release).
void delete_release(store::Transaction& transaction, const std::string& version);

// -- all releases

struct ReleaseCounts {
    bool has_digest = false;                     // its build was served once
    bool is_prewarmed = false;                   // a job has finished all classes
    std::uint64_t prewarmed_classes = 0;         // that jobs have finished
    std::uint64_t failed = 0;                    // objects that a job could not read
    std::uint64_t compared = 0;                  // objects whose row was compared in it last
    std::map<RowKind, std::uint64_t> rows = {};  // of history; kinds without a row are left out
    bool operator==(const ReleaseCounts&) const = default;
};
// By version.
//   cost  reads an index of `history` and the table `objects` from end to end
[[nodiscard]] std::map<std::string, ReleaseCounts> count_by_release(
    store::Transaction& transaction);

}  // namespace tables
