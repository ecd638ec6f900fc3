// release/forget.hpp -- what is recorded, deleted on purpose: a release, a class or an object.
// Goes on beside requests, in small transactions; not beside a release job.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "base/date.hpp"
#include "base/result.hpp"
#include "history/refresh.hpp"
#include "store/pool.hpp"

namespace release {

struct WholeRelease {
    std::string version;
};
struct WholeClass {
    std::string class_name;  // as it is recorded
};
using Forgettable = std::variant<WholeRelease, WholeClass, tree::ObjectName>;

// Rows of the store.
struct Share {
    std::uint64_t objects = 0, history = 0, trees = 0;
    bool operator==(const Share&) const = default;
};

// What forget() would delete; of a release: its rows, and the objects that nothing else is
// known of.
//   now     tells which leases have run out
//   error   absent: nothing of that name is recorded; conflict: a release job is running, or a
//           release that was published again is being put in place
//   throws  store::Failure
//   cost    reads the whole store: some seconds for a million objects
[[nodiscard]] base::Result<Share> share_of(store::Pool& pool, const Forgettable& what,
                                           base::Seconds now);

struct Forgetting {
    store::Pool& pool;
    const history::Settings& settings;
    // How far it is, several times a second; may be empty.
    std::function<void(std::uint64_t done, std::uint64_t all)> told = {};
    // A transaction is ended once it has run so long; its commit takes about as long again.
    std::chrono::milliseconds longest_write{3};
};

// Deletes it; returns what this run deleted. Killed or failed, the same call goes on.
//
// A class or an object goes with all that hangs on it. Jobs count its class as not finished.
//
// A release goes as if it had never been recorded: an object whose newest tree was of that
// release goes back to the tree before, and is compared from there on; without an older tree
// it goes, or, where rows of other releases stay, is seen for the first time again, from the
// newest of them on. Rows of later releases stay as they are, also when they were compared with
// this one. Classes whose objects it touches count as not finished in it and later releases.
//   error   absent: the release is not recorded; malformed: a stored tree is damaged
//   throws  store::Failure
[[nodiscard]] base::Result<Share> forget(const Forgetting& forgetting, const Forgettable& what);

}  // namespace release
