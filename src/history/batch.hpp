// history/batch.hpp -- many objects brought up to date at once, for the release job: read
// together, decided one by one, written together. The outcome is that of refresh() for each.
// Safe from any thread, in any number of processes, beside requests: an object that somebody
// else records meanwhile is left to refresh().
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/refresh.hpp"

namespace history {

enum class Fate : unsigned char {
    absent,     // neither in the build nor in the store
    compared,   // was compared in this release already, or in a newer one
    unchanged,  // as in the release it was compared in last, but for what is ignored
    added,      // had no row: first sight, or created
    changed,    // content changed, or came back
    vanished,   // is not in the build any more
    failed,     // could not be read; listed in `failed`
};

struct Brought {
    ObjectName object;
    Fate fate = Fate::absent;
    std::string reason;  // failed: why
};

// Whether the row of an unchanged object is moved on. Not where the end of a job notes the
// whole class.
enum class NoteUnchanged { yes, no };

struct BatchSettings {
    NoteUnchanged note_unchanged = NoteUnchanged::yes;
    // A transaction is ended once it has run so long.
    std::chrono::milliseconds longest_write{14};
    // Whether the object's bytes are those of that release. Empty: nobody knows.
    std::function<bool(const ObjectName&, const std::string& version)> same_bytes;
};

// Brings the objects up to date with the build; `names` as the build spells them, or as they
// are recorded.
//   previous  the kept index of the release before; may be nullptr
//   returns   what became of each, in the order of names
//   error     unavailable: the build can't be read; conflict: the release is recorded with
//             other content. What was written until then stands
//   throws    store::Failure
//   memory    the trees of all the objects at once: pass some hundred, or some megabytes
[[nodiscard]] base::Result<std::vector<Brought>> bring_up_to_date(
    const Context& desk, const source::Source& build, const source::Source* previous,
    std::span<const ObjectName> names, const BatchSettings& settings);

}  // namespace history
