// history/context.hpp -- what recording and reading depend on: settings, the store, the clock; and
// which object a name means.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "history/decision.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"
#include "tables/objects.hpp"

namespace history {

// [history], [names], [search], [important], [minor], [ignore] and [curators] of the configuration.
struct Settings {
    base::Date first_seen_since = base::Date{std::chrono::year{2007} / 1 / 1};
    std::vector<std::string> build_users;  // timestamps of these users are no evidence (C4)
    std::size_t keep_trees = 0;            // 0: all, else the newest this many, >= 2
    NamePaths names;
    NamePaths search;                            // where other names of objects are
    compare::Ranking ranking;                    // what leads, and what comes last
    compare::Ignored ignored;                    // what is no change (C10)
    std::vector<Release> known_releases;         // releases.tsv
    std::map<std::string, ObjectName> curators;  // the persons behind users of timestamps
};

// Remembers the labels of up to 200,000 objects in the build that it was asked about last; when there are
// more, it begins anew.
// Safe from any thread.
class LabelCache {
   public:
    // Returns the label of an object of the build; empty where that is its name, or the object
    // itself is damaged or too large.
    //   name   as the build spells it
    //   error  unavailable: the build cannot be read
    //   cost   a load of the object at the first call
    [[nodiscard]] base::Result<std::string> of(const ObjectName& name,
                                               const source::Source& build,
                                               const NamePaths& names);

   private:
    std::mutex mutex_;   // guards what follows; not held while an object is loaded
    std::string build_;  // the digest of the build
    std::map<ObjectName, std::string> labels_;
};

// The caller keeps all of it alive longer than what uses it.
struct Context {
    store::Pool& pool;
    const Settings& settings;
    const base::Clock& clock;
    LabelCache& labels;
};

// Which object was asked for: its recorded row, and how the build spells it.
struct Identity {
    std::optional<tables::ObjectRow> row;
    std::optional<ObjectName> spelling;  // nullopt: not in the build
};

// Returns true when the build has both names, which differ by case only: two objects.
//   error  what the look-up in the build met
[[nodiscard]] base::Result<bool> are_two(const source::Source& build, const ObjectName& asked,
                                         const ObjectName& recorded);

// Finds objects in the store and in the build: by their exact name, else by the only match
// without regard to ASCII case. A build that spells an object otherwise means the same object,
// unless it has both spellings, or several recorded objects may be meant.
//   build    nullptr: none is available
//   returns  one for each name, in their order
//   error    what the look-up in the build met
//   throws   store::Failure
//   cost     a query for 64 names
[[nodiscard]] base::Result<std::vector<Identity>> identify(store::Transaction& transaction,
                                                           const source::Source* build,
                                                           std::span<const ObjectName> asked);

// Returns the number of a build, which gets one if it has none.
//   error   conflict, as of tables::number_build()
//   throws  store::Failure
[[nodiscard]] base::Result<std::int64_t> number_of(store::Pool& pool, const source::Source& build,
                                                   base::Seconds now);

// Returns ObjectRow::bytes of an object with this digest: 64 bits of it, never 0.
[[nodiscard]] std::int64_t bytes_of(const source::Digest& digest);

// Returns the same of an object that a build spells so; 0: it lacks the object.
//   error  what the look-up in its index met
[[nodiscard]] base::Result<std::int64_t> bytes_in(const source::Source& build,
                                                  const std::optional<ObjectName>& spelling);

// Returns whether an object need not be compared with a build: it was compared with this or a later one, or the
// build says of it what the one said that it was compared with last, or nothing.
//   identity  has a row
//   number    of the build
//   error     what a look-up in its index met
[[nodiscard]] base::Result<bool> is_up_to_date(const Identity& identity,
                                               const source::Source& build, std::int64_t number);

// Returns the releases that are recorded, configured, or those of the available builds.
//   throws  store::Failure
[[nodiscard]] tables::Releases known_releases(store::Transaction& transaction,
                                              const Settings& settings,
                                              const source::Source* build,
                                              const source::Source* previous);

}  // namespace history
