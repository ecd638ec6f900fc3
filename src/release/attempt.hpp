// release/attempt.hpp -- the state of a re-publication in the store: one attempt for a release at
// a time, which outlives the processes that work on it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/release.hpp"
#include "base/result.hpp"
#include "history/context.hpp"
#include "store/pool.hpp"

namespace release {

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
//   generation  when set: the generation of the history before the rows in force were last
//               compared. Nothing happens when it has moved on
//   returns     whether the new rows are in force now
//   error       refused: a newer release was recorded meanwhile; conflict: another build replaced
//               the release, or is about to
[[nodiscard]] base::Result<bool> put_in_force(const history::Context& context,
                                              const Attempt& attempt, const source::Source& build,
                                              std::optional<std::int64_t> generation);

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

}  // namespace release
