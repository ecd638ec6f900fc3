// query/object_at.hpp -- an object as of one release: its whole tree, and which release brought each
// node of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/added_in.hpp"
#include "query/history_page.hpp"
#include "query/tree_at.hpp"

namespace query {

struct ObjectAt {
    History history;    // up to the release; vanished: not in it
    KnownPast past;     // the tree, and the other releases that can be asked for
    std::string label;  // what people called it then

    // What is known of where a node comes from.
    struct Origin {
        enum class Kind : unsigned char {
            row,            // a row of `release` added it
            reconstructed,  // so does one that was read from timestamps
            or_before,  // the row of `release` or an earlier one did, and does not have all it did
            older,      // no row added it: it was there when the object was first seen
            ignored,    // [ignore]: its changes are not recorded
        };
        Kind kind = Kind::older;
        Release release = {};  // of the row
        bool operator==(const Origin&) const = default;
    };
    std::vector<Origin> origins;                    // each once
    std::vector<compare::AddedIn::Mark> origin_of;  // of each node, before those below it
    Release first_seen;  // the oldest release of which its tree is known

    [[nodiscard]] const Release& release() const { return past.tree.release; }
    [[nodiscard]] bool there() const { return past.tree.there; }
};

// Returns the object as of a release.
//   history  all of its rows, as HistoryService::history_of returns them
//   version  empty: the current release, or the newest one of which something is known
//   error    absent: the release or its tree is not known; the text is for people and names the
//            nearest that is. malformed: a stored tree is damaged
//   throws   store::Failure
//   cost     a tree, and what the rows hold; two more trees for each of the newest 20 rows that are not whole
[[nodiscard]] base::Result<ObjectAt> object_at(const ReadContext& context, History history,
                                               const std::string& version);

}  // namespace query
