// history/refresh.hpp -- one object brought up to date with a build: loaded, compared with what
// was recorded, and the outcome stored in one transaction.
// Safe from any thread, in any number of processes: a lost race ends in the winner's row.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "history/record.hpp"
#include "history/renames.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace history {

// [history], [names], [ignore] and [curators] of the configuration.
struct Settings {
    base::Date first_seen_since = base::Date{std::chrono::year{2007} / 1 / 1};
    std::vector<std::string> build_users;  // stamps of these users are no evidence (C4)
    std::size_t keep_trees = 0;            // 0: all, else the newest this many, >= 2
    NamePaths names;
    compare::Ignored ignored;                    // what is no change (C10)
    std::vector<Release> known_releases;         // releases.tsv
    std::map<std::string, ObjectName> curators;  // whom the users of stamps stand for
};

struct Context {
    store::Pool& pool;
    const Settings& settings;
    const base::Clock& clock;
    CreatedObjects& renames;
};

// Which object was asked for: its recorded row, and how the build spells it.
struct Identity {
    std::optional<tables::ObjectRow> row;
    std::optional<ObjectName> spelling;  // none: not in the build
};

// Exact, else the only match without regard to ASCII case, in the store and in the build: a
// build that spells an object otherwise means the same one, unless it has both spellings.
//   build  nullptr: none is at hand
//   error  what the build's look-up met
[[nodiscard]] base::Result<Identity> identify(store::Transaction& transaction,
                                              const source::Source* build,
                                              const ObjectName& asked);
// The same of many, in their order, read together.
[[nodiscard]] base::Result<std::vector<Identity>> identify_all(store::Transaction& transaction,
                                                               const source::Source* build,
                                                               std::span<const ObjectName> asked);

// Compared in the release already, or in a newer one: nothing is to be done for it.
[[nodiscard]] bool is_compared(const tables::ObjectRow& row, const Release& release,
                               const tables::Releases& releases);

struct Refreshed {
    tables::ObjectRow row;
    std::optional<ObjectName> spelling;  // the build's; none: it is not there
    bool wrote_history = false;          // rows were written: pages made before are out of date
    bool computed = false;               // the object was loaded, or found to be gone
};

// docs/design.md, "What happens on a request". `previous`: the kept index of the release
// before; may be nullptr.
//   error   absent: neither recorded nor in the build (nothing is stored); what loading met;
//           conflict: the release is recorded with other content, or the race was lost ten times
//   throws  store::Failure
[[nodiscard]] base::Result<Refreshed> refresh(const Context& desk, const source::Source& build,
                                              const source::Source* previous,
                                              const ObjectName& asked);

// Known releases: recorded, configured, and those of the builds at hand.
[[nodiscard]] tables::Releases known_releases(store::Transaction& transaction,
                                              const Settings& settings,
                                              const source::Source* build,
                                              const source::Source* previous);

}  // namespace history
