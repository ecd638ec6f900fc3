// tables/builds.hpp -- the table builds: which builds were accepted, and their numbers. An object is up to date in a
// build when it was compared with it or a later one (objects.build), so numbers only grow: they come from a
// counter in `meta`. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/date.hpp"
#include "base/result.hpp"
#include "tables/releases.hpp"

namespace tables {

// Returns what is wrong with the counter; empty: nothing.
[[nodiscard]] std::string counter_fault(store::Transaction& transaction);

// Keeps others from numbering builds, and from beginning or ending to forget releases, until the transaction ends. At
// two nodes of a cluster, one of two that do so is committed.
//   returns  forgetting()
//   throws   store::Failure: counter_fault() too
std::string lock_builds(store::Transaction& transaction);

// Returns the number of a build; 0: it has none, and may get one.
//   error  conflict: another publication of the release is in force, a later release has a build, or a release is
//          being forgotten
[[nodiscard]] base::Result<std::int64_t> find_number(store::Transaction& transaction,
                                                     const Release& release,
                                                     const std::string& digest);

enum class Publication { first, again };

// Gives a build its number, and records its release. A build that has one keeps it; one of another kind of
// source joins the publication in force.
//   again  a further publication of the newest release, with a number of its own
//   error  as of find_number(); refused: there is nothing to publish again, or a later release has a build
[[nodiscard]] base::Result<std::int64_t> number_build(store::Transaction& transaction,
                                                      const Release& release,
                                                      const std::string& digest,
                                                      Publication publication, base::Seconds now);

// Returns the number of the publication of a release that is in force; 0: none. It stays so until the transaction ends,
// but for other nodes of a cluster.
[[nodiscard]] std::int64_t share_number_of(store::Transaction& transaction,
                                           const std::string& version);

// Notes that all objects were compared with the build.
//   unreadable  objects of it that could not be read
//   returns     whether that was noted of no publication of the release before
[[nodiscard]] bool note_recorded(store::Transaction& transaction, const std::string& version,
                                 std::int64_t number, base::Seconds now,
                                 std::uint64_t unreadable);

// The release that is being forgotten, with all later ones; empty: none. No build gets a number meanwhile.
[[nodiscard]] std::string forgetting(store::Transaction& transaction);
// Returns the same, which stays so until the transaction ends, but for other nodes of a cluster.
[[nodiscard]] std::string share_forgetting(store::Transaction& transaction);
// Note the beginning and the end of that; need lock_builds(). The builds of these releases are deleted, so that
// nothing is recorded from them any more.
void begin_forgetting(store::Transaction& transaction, const std::string& version);
void end_forgetting(store::Transaction& transaction);

}  // namespace tables
