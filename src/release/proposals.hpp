// release/proposals.hpp -- what a site could write into [names], [important], [minor] and [ignore], from what changed
// between two builds. Writes nothing. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "history/context.hpp"
#include "release/mass_change.hpp"
#include "source/source.hpp"

namespace release {

// A place of a class, as a line of the configuration names it.
struct ProposedPlace {
    std::vector<std::string> path;  // as the line has it
    std::vector<std::string> tags;  // from the top of the object
    // Objects that changed there; for [names], those of the sample that have a name of their own there.
    std::uint64_t objects = 0;
    std::uint64_t behind =
        0;  // [important]: of these, objects in whose rows another change leads
    bool operator==(const ProposedPlace&) const = default;
};

// What is proposed for a class. Objects are counted that both builds have.
struct ClassProposal {
    std::string class_name;
    std::uint64_t looked_at = 0;
    std::uint64_t changed = 0;    // that get a row
    std::uint64_t unchanged = 0;  // of these, objects that get none if `ignore` is ignored
    std::uint64_t sampled = 0;    // objects that [names] was judged by
    std::uint64_t labelled = 0;   // of these, objects for which a name was found by itself
    std::vector<ProposedPlace> names, important, minor, ignore;
    bool operator==(const ClassProposal&) const = default;
};

struct Proposals {
    std::uint64_t looked_at = 0, changed = 0;  // objects in both builds, and those that get a row
    std::uint64_t unreadable = 0;              // objects in both that were not compared
    bool is_sample = false;              // of a running database: not all objects were compared
    bool are_places_left_out = false;    // there were more than are counted
    std::vector<ClassProposal> classes;  // by name, those for which something is proposed
    bool operator==(const Proposals&) const = default;
};

// Compares what both builds have, as a release job does, and proposes
//   ignore     places where one number, date or code took the place of another in most objects of a class, if most of
//              its rows say nothing else
//   minor      other places whose values changed in most objects
//   important  at most three places where few objects changed, while other changes lead the rows: the name, and those
//              with a handful of different values, such as a status
//   names      where a class has no line, and few names are found by themselves: a short text that nearly all of 200
//              objects have, and nearly none shares
// Nothing that the settings have already, and nothing for classes that are too small for mass changes.
//   before, after  the older and the newer build
//   error   unavailable: an object cannot be loaded, because a build cannot be reached
//   cost    two walks over the list of `after`, each of which loads what differs; of a running database at most 1,000
//           objects of a class. Keeps counters for at most 5,000 places of a class and 50,000 in all
[[nodiscard]] base::Result<Proposals> propose(const source::Source& before,
                                              const source::Source& after,
                                              const history::Settings& settings,
                                              const MassChangeSettings& mass_change);

}  // namespace release
