// release/republish_steps.hpp -- the steps of a re-publication, each for a range of objects: what
// republish() has its workers do. A step that is done again changes nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "release/attempt.hpp"
#include "release/job_runner.hpp"
#include "tables/objects.hpp"

namespace release {

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
    [[nodiscard]] base::Result<Verdict> judge(const tables::ObjectRow& row, Presence presence,
                                              bool is_renamed) const;

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
