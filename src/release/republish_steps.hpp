// release/republish_steps.hpp -- a re-publication: its state in the store, which outlives the processes that work on it,
// and its steps, each for a range of objects: what republish() has its workers do. A step that is done again changes
// nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/release.hpp"
#include "base/result.hpp"
#include "history/context.hpp"
#include "release/job_runner.hpp"
#include "store/pool.hpp"
#include "tables/objects.hpp"

namespace release {

// One attempt for a release at a time.
struct Attempt {
    enum class Stage : unsigned char {
        compute,           // readers see the old rows
        move,              // readers see the new rows, and not all are in their tables yet
        complete_another,  // rows of an earlier attempt are in force, and must be moved first
    };

    std::string version;
    std::string from, to;  // digests of the build that is recorded and of the new one
    std::string name;      // unique
    // An earlier attempt ended early, so that any object of the new build may lack its row.
    bool after_another = false;
    Stage stage = Stage::compute;
    bool operator==(const Attempt&) const = default;
};

// Returns the attempt of this build that is under way, or begins one. Deletes, in small
// transactions, what abandoned attempts left.
//   error   refused: the release is not recorded, or not the newest, or has another date, or is
//           recorded with this very content
//   throws  store::Failure, as all functions below
[[nodiscard]] base::Result<Attempt> begin(store::Pool& pool, const base::Release& release,
                                          const std::string& digest);

// Puts the new rows in force, all at once. From then on, the classes that the build skips no longer
// count as prewarmed in its release.
//   highest_sid  when set: the number of the last row before the rows in force were last compared.
//               Nothing happens when there is another one
//   returns     whether the new rows are in force now
//   error       refused: a newer release was recorded meanwhile; conflict: another build replaced
//               the release, or is about to
[[nodiscard]] base::Result<bool> put_in_force(const history::Context& context,
                                              const Attempt& attempt, const source::Source& build,
                                              std::optional<std::int64_t> highest_sid);

// Returns whether the rows of the attempt are in force. That stays so until the transaction ends.
//   error  conflict: another attempt has begun, or this one was ended by another process
[[nodiscard]] base::Result<bool> is_in_force(store::Transaction& transaction,
                                             const Attempt& attempt);

// Ends an attempt in force: its rows are in their tables.
enum class End : unsigned char {
    noted,
    noted_before,  // by another process
    too_early,     // a row is not in its table yet; then nothing is noted
};
//   error  conflict: another build has replaced the release
[[nodiscard]] base::Result<End> end(store::Transaction& transaction, const Attempt& attempt);

struct RepublishContext {
    const ReleaseJob& job;
    Attempt attempt;
    source::Build replaced;  // as it was recorded; nullptr: its index was not kept
    tables::Releases releases;

    [[nodiscard]] const base::Release& release() const { return job.release(); }
    [[nodiscard]] store::Pool& pool() const { return job.pool(); }
};

// Objects that are gone are compared before those in the build, whose new names they may have had
// (rule C9).
enum class Presence : unsigned char { gone, in_build };

// Computes replacements and writes them. Safe from any thread.
class Comparison {
   public:
    explicit Comparison(const RepublishContext& republication);  // which must outlive it
    ~Comparison();

    //   first_pass  objects that stay as they are are counted
    //   error       conflict: another build has replaced the release; what loading an object met
    //   throws      store::Failure, as all functions below
    [[nodiscard]] base::Result<Counters> run(const tables::OidRange& range, Presence presence,
                                             bool first_pass, const KeepGoing& keep_going);

   private:
    class Seen;
    class Collector;
    struct Rows;
    enum class Verdict : unsigned char { other_presence, same, differs };

    [[nodiscard]] Rows read(const tables::OidRange& range) const;
    [[nodiscard]] base::Result<Verdict> judge(const tables::ObjectRow& row,
                                              Presence presence) const;

    const RepublishContext& republication_;
    std::unique_ptr<Seen> seen_;
};

// Moves replacements that are in force into their tables.
//   error  malformed: stored notes can't be read
[[nodiscard]] base::Result<void> move_rows(const RepublishContext& republication,
                                           const tables::OidRange& range,
                                           const KeepGoing& keep_going);

// Lists those objects as not covered by the job of the release (table `failed`) that were compared
// in it, and whose class the build skips: they were compared with an earlier publication.
void list_skipped(const RepublishContext& republication, const tables::OidRange& range);

// Records the objects of a part of the build that have no row, in these classes.
//   classes  the empty name stands for all
[[nodiscard]] base::Result<Counters> add_objects(const RepublishContext& republication,
                                                 std::uint64_t from, std::uint64_t to,
                                                 const std::set<std::string>& classes,
                                                 const KeepGoing& keep_going);

// Tries again what could not be read in the build before.
[[nodiscard]] base::Result<Counters> retry_failed(const RepublishContext& republication,
                                                  const KeepGoing& keep_going);

}  // namespace release
