// release/attempt.hpp -- where the replacing of a release stands, as the store tells it: one
// attempt at a time, which survives the processes that work on it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "store/pool.hpp"

namespace release {

struct Attempt {
    std::string version;
    std::string from, to;  // digests of the build that is recorded, and of the new one
    std::string name;      // no other attempt has it
    // Every object of the new build may lack its row: an attempt before this one ended early.
    bool after_another = false;
    bool operator==(const Attempt&) const = default;
};

enum class Step : unsigned char {
    compute,   // readers see the old rows
    place,     // they see the new ones, not all of which are in place
    put_away,  // rows of an attempt before are in force, and have to be placed first
};
struct Standing {
    Attempt attempt;
    Step step = Step::compute;
};

// Goes on with the attempt of this build, or begins one; what others left that are given up is
// deleted, in small transactions.
//   error   refused: the release is not recorded, or not the newest, or of another day, or with
//           this very content
//   throws  Failure, as all that follow
[[nodiscard]] base::Result<Standing> begin(store::Pool& pool, const base::Release& release,
                                           const std::string& digest);

// Puts the new rows in force, all at once.
//   generation  as it was before what is in force then was looked over; if it has moved, nothing
//               happens
//   returns     whether they are in force now
//   error       refused: a newer release has been recorded meanwhile
[[nodiscard]] base::Result<bool> put_in_force(store::Pool& pool, const Attempt& attempt,
                                              const base::Release& release,
                                              std::optional<std::int64_t> generation);

// The last word: all is in place.
void note_finished(store::Transaction& transaction, const Attempt& attempt);

}  // namespace release
