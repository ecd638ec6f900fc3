// tables/tables.hpp -- the rows of releases, objects, history and trees, read and written in
// a transaction of the caller's. The one place that knows their columns (docs/schema.md).
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// A row of the table objects.
struct ObjectRow {
    std::int64_t oid = 0;
    ObjectName object;           // the spelling first recorded
    std::string label;           // what people call it; empty: adopted, not yet compared
    std::string signature;       // empty: vanished, or adopted and not yet compared
    base::Date last_modified{};  // date of the last release that changed it
    std::string ace_version;     // newest release it was compared in by itself
    // The newest it was compared in at all: the later of ace_version and the release in which
    // the job of its class was finished (settle()). As read from the table: ace_version.
    std::string compared_in;
    // What a release that was published again made of it is in force, and not yet in the table
    // itself: settle() has laid it over this row (tables/replacement.hpp).
    bool is_replaced = false;
    bool operator==(const ObjectRow&) const = default;
};

// The tree of an object as of a release; nodes are empty when it had vanished.
struct KnownTree {
    std::string version;
    std::vector<tree::Node> nodes;
};

// Releases in their order, and what is asked of that order.
class Releases {
   public:
    Releases() = default;
    explicit Releases(std::vector<Release> releases);  // sorts; one of each version is kept

    void add(const Release& release);  // unless its version is known
    [[nodiscard]] const Release* find(std::string_view version) const;
    // `a` is the later release of the two; an unknown version is earlier than every known one.
    [[nodiscard]] bool is_later(std::string_view a, std::string_view b) const;
    // The newest before `release`; nullptr: none is known.
    [[nodiscard]] const Release* before(const Release& release) const;
    // nullptr: none is known.
    [[nodiscard]] const Release* newest() const {
        return releases_.empty() ? nullptr : &releases_.back();
    }
    [[nodiscard]] std::vector<Release> up_to(const Release& release) const;
    [[nodiscard]] const std::vector<Release>& all() const { return releases_; }

    // Releases that were published again, while their replacements are in force and not all of
    // them in place (releases.replacing). Most often none.
    struct Replacing {
        std::string version, digest;
    };
    void add_replacing(std::string version, std::string digest);
    [[nodiscard]] const std::vector<Replacing>& replacing() const { return replacing_; }

   private:
    std::vector<Release> releases_;
    std::vector<Replacing> replacing_;
};

// A write failed because another process wrote the same object first, or removed it: who looks
// again finds what became of it.
[[nodiscard]] inline bool somebody_came_between(const store::Failure& failure) {
    return failure.kind().duplicate || failure.kind().orphan;
}

[[nodiscard]] Releases load_releases(store::Transaction& transaction);

// Writes the release unless it is there.
// An empty digest is filled in; that of a server takes the place of that of files, and the other
// way round, so that what is served now is what the next build of this version is held to.
//   error  conflict: it is there with a digest that contradicts this one
[[nodiscard]] base::Result<void> record_release(store::Transaction& transaction,
                                                const Release& release, std::string_view digest);
// A release whose build was served once; nullopt: none of this version was.
struct RecordedRelease {
    base::Date released_on{};
    std::string digest;
};
[[nodiscard]] std::optional<RecordedRelease> recorded_release(store::Transaction& transaction,
                                                              std::string_view version);

// Exact, else the only match without regard to ASCII case.
[[nodiscard]] std::optional<ObjectRow> find_object(store::Transaction& transaction,
                                                   const ObjectName& asked);

// Fills in compared_in from what the release job has finished, and lays a replacement over the
// row that is in force and not yet in place.
//   cost  nothing when the row was compared in `current` by itself; else a query or two
void settle(store::Transaction& transaction, ObjectRow& row, const Release& current,
            const Releases& releases);

// The newest tree of a release up to `current`, and whether a newer one is stored: by a build
// that was warmed before it became current, or before the site was rolled back.
struct TreeAsOf {
    std::optional<KnownTree> tree;
    bool is_newest = true;  // then no tree is read
};
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<TreeAsOf> tree_as_of(store::Transaction& transaction, std::int64_t oid,
                                                const Release& current, const Releases& releases);

// The tree stored for a release; empty nodes when none is.
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<std::vector<tree::Node>> tree_of(store::Transaction& transaction,
                                                            std::int64_t oid,
                                                            const std::string& version);

// The newest tree of the object; nullopt: none was ever stored (adopted objects).
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<std::optional<KnownTree>> newest_tree(store::Transaction& transaction,
                                                                 std::int64_t oid,
                                                                 const Releases& releases);

// A tree as the column holds it, and back. Pure.
//   error  malformed: the bytes are damaged
[[nodiscard]] std::string packed_tree(const std::vector<tree::Node>& nodes);
[[nodiscard]] base::Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes);

void insert_tree(store::Transaction& transaction, std::int64_t oid, std::string_view version,
                 const std::vector<tree::Node>& nodes);

// All but the newest `keep` trees go; 0 keeps all.
void prune_trees(store::Transaction& transaction, std::int64_t oid, std::size_t keep,
                 const Releases& releases);

// The column label_key, which whoever writes a label writes beside it: the label with its ASCII
// letters in lower case; empty where it is the name, which has a key of its own.
[[nodiscard]] std::string label_key_of(const ObjectRow& row);

// The new row's oid.
[[nodiscard]] std::int64_t insert_object(store::Transaction& transaction, const ObjectRow& row);

// Moves the row on, if it is still as it was read. False: somebody was first.
[[nodiscard]] bool update_object(store::Transaction& transaction, const ObjectRow& now,
                                 std::string_view version_read);

void insert_history(store::Transaction& transaction, const Row& row);
void update_notes(store::Transaction& transaction, const Row& row);

// Versions that have a row of this object.
[[nodiscard]] std::vector<std::string> recorded_versions(store::Transaction& transaction,
                                                         std::int64_t oid);

// The row of one release, as the table has it; nullopt: there is none.
//   error  malformed: notes that are no notes
[[nodiscard]] base::Result<std::optional<Row>> find_row(store::Transaction& transaction,
                                                        std::int64_t oid,
                                                        const std::string& version);

// Whole rows by their number; of_day is not filled in. A number that there is none of is left
// out.
//   error   malformed: notes that are no notes
//   throws  Failure, as what follows
//   cost    a query for 64 rows
[[nodiscard]] base::Result<std::unordered_map<std::int64_t, Row>> rows_numbered(
    store::Transaction& transaction, std::span<const std::int64_t> sids);

// The objects of a class whose content is this now (rule C9), at most so many.
[[nodiscard]] std::vector<ObjectRow> objects_with(store::Transaction& transaction,
                                                  std::string_view class_name,
                                                  std::string_view signature, std::size_t most);

// What stands in the notes of a vanished row whose object has this new name: as to_json(Notes)
// writes it; a name can't be written in two ways.
[[nodiscard]] std::string claim_on(const ObjectName& object);

// The objects whose vanished row of this release says that `object` is their new name.
[[nodiscard]] std::vector<ObjectName> vanished_into(store::Transaction& transaction,
                                                    const Release& release,
                                                    const ObjectName& object);

// The new names that objects of the class which vanished in this release have.
[[nodiscard]] std::vector<ObjectName> claimed_names(store::Transaction& transaction,
                                                    const Release& release,
                                                    const std::string& class_name);

// Lists an object that could not be read, among those that the end of a job does not cover.
void list_failed(store::Transaction& transaction, const Release& release,
                 const ObjectName& object, const std::string& reason);

// A day as the tables hold it.
//   throws  logic_error when it is none
[[nodiscard]] base::Date date_of(const std::string& text);

// The releases after `current` in which a job of the class was finished. A row that is born now,
// by a build of before, was compared in none of them: list_failed() says so.
[[nodiscard]] std::vector<Release> warmed_after(store::Transaction& transaction,
                                                const std::string& class_name,
                                                const Release& current, const Releases& releases);
inline constexpr std::string_view born_late = "was first seen in an older build, after the job";

// Columns of a table, and a row's values in their order.
extern const std::string_view object_columns;  // SELECT … FROM objects, as object_from reads it
[[nodiscard]] ObjectRow object_from(const store::Row& row);

[[nodiscard]] std::int64_t generation(store::Transaction& transaction);
void move_generation(store::Transaction& transaction);

}  // namespace tables
