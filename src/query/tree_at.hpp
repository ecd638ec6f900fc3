// query/tree_at.hpp -- the tree an object had in an earlier release, where it is known, and two of
// them compared. All functions that take a context or a pool throw store::Failure, and may write: if
// a re-publication is not finished, they first move the object's replacements into place.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "query/context.hpp"
#include "query/history_page.hpp"
#include "tables/objects.hpp"
#include "tables/rows.hpp"

namespace query {

struct PastTree {
    Release release;
    bool there = true;  // false: the object was not in that release
    std::vector<tree::Node> nodes;
};

// Returns the tree as of a release. Known are the releases a tree was stored in, those a change was
// compared with, and all between them.
//   newest  releases after this one are not seen; none: all are
//   on_unreadable  gets the rows that cannot be read, which count as if they were not there
//   error   malformed: a stored tree is damaged; absent: no release of that version is known,
//           or nothing is known of the object then, and the text names the nearest release of
//           which something is
[[nodiscard]] base::Result<PastTree> tree_at(
    store::Pool& pool, const history::Settings& settings, const tables::ObjectRow& object,
    std::string_view version, const std::optional<Release>& newest = {},
    const tables::OnUnreadable& on_unreadable = tables::log_unreadable);

// The same of a recorded object, in releases up to the build's.
//   error  absent: it is not recorded, or as above; malformed as above
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
// Returns the past of a recorded object in releases up to the build's.
//   version  empty: the newest release of which something is known
//   error    as above
[[nodiscard]] base::Result<KnownPast> known_past(const ReadContext& context,
                                                 const ObjectName& object,
                                                 const std::string& version);

// Returns what turns one into the other, without what is ignored. From an object that is not there
// everything was added.
//   error  absent: it is in neither of the two
[[nodiscard]] base::Result<std::vector<compare::Change>> changes_between(
    const PastTree& from, const PastTree& to, const ObjectName& object,
    const tree::Models& models, const compare::Ignored& ignored);

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
};
//   object  has been brought up to date (HistoryService::history_of)
//   error   absent: no release `from` or `to` is known, or nothing of it in one of the two, or it is
//           in neither; the text is for people and names the release, or the nearest that is known
[[nodiscard]] base::Result<Difference> difference(const ReadContext& context,
                                                  const ObjectName& object,
                                                  const std::string& from, const std::string& to);

// Returns what people call objects now, as rows hold it (compare::References).
//   cost  of with_labels()
[[nodiscard]] compare::References current_references(const ReadContext& context,
                                                     std::span<const ObjectName> objects);

}  // namespace query
