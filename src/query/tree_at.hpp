// query/tree_at.hpp -- the tree an object had in an earlier release, where it is known, which release brought each node
// of it, and two of them compared. All functions that take a context throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/added_in.hpp"
#include "query/context.hpp"
#include "query/history_page.hpp"

namespace query {

struct PastTree {
    Release release;
    bool there = true;  // false: the object was not in that release
    std::vector<tree::Node> nodes;
};

// Returns the tree of a recorded object as of a release, up to the build's. Known are the releases a tree was stored in,
// those a change was compared with, and all between them. What the build is known to have of the object holds in the
// current release.
//   version  empty: the newest release of which something is known
//   error    malformed: a stored tree is damaged; absent: the object is not recorded, no release of that version is
//            known, or nothing is known of the object then, and the text names the nearest release of which
//            something is; what a look-up in the build met
[[nodiscard]] base::Result<PastTree> tree_at(const ReadContext& context, const ObjectName& object,
                                             const std::string& version);

// What is known of an object, as of one release and at all.
struct KnownPast {
    PastTree tree;
    struct In {
        Release release;
        bool there = true;
    };
    std::vector<In> releases;  // those of which something is known, oldest first
};

// Two releases of one object compared.
struct Difference {
    ObjectName object;  // first recorded spelling
    std::string label;
    Release from, to;
    bool was_there = true, is_there = true;
    std::vector<compare::Change> changes;
    People people;
    compare::References references =
        {};  // objects that the changes name, by what they are called now
    std::shared_ptr<const tree::Models> models = {};  // of the build; nullptr: none is there
};
// Returns what turns one into the other, without what is ignored. From an object that is not there
// everything was added. Without labels, people and references.
//   error  absent: it is in neither of the two
[[nodiscard]] base::Result<Difference> difference_between(const PastTree& from,
                                                          const PastTree& to,
                                                          const ObjectName& object,
                                                          const tree::Models& models,
                                                          const compare::Ignored& ignored);

//   object  has been brought up to date (HistoryService::history_of)
//   error   absent: no release `from` or `to` is known, or nothing of it in one of the two, or it is
//           in neither; the text is for people and names the release, or the nearest that is known
[[nodiscard]] base::Result<Difference> difference(const ReadContext& context,
                                                  const ObjectName& object,
                                                  const std::string& from, const std::string& to);

// Returns what people call objects now, as rows hold it (compare::References), and those that have no
// page (absent): neither recorded nor in the current build.
//   cost  of look_up()
[[nodiscard]] compare::References current_references(const ReadContext& context,
                                                     std::span<const ObjectName> objects);

// An object as of one release.
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
