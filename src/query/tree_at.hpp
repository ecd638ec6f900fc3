// query/tree_at.hpp -- the tree an object had in an earlier release, where it is known.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "query/history_page.hpp"
#include "query/query.hpp"
#include "tables/tables.hpp"

namespace query {

struct PastTree {
    Release release;
    bool there = true;  // false: the object was not in that release
    std::vector<tree::Node> nodes;
};

// The tree as of a release. Known are the releases a tree was stored in, those a change was
// compared with, and all between them.
//   newest  releases after this one are not seen; none: all are
//   error   malformed: no release of that version is known; absent: nothing is known of the
//           object then, the text names the nearest release of which something is
//   throws  store::Failure
[[nodiscard]] base::Result<PastTree> tree_at(store::Pool& pool, const history::Settings& settings,
                                             const tables::ObjectRow& object,
                                             std::string_view version,
                                             const std::optional<Release>& newest = {});

// The same of a recorded object, of releases up to the build's.
//   error  absent: it is not recorded, or as above; refused: no such release is known
[[nodiscard]] base::Result<PastTree> tree_at(const ReadContext& reading, const ObjectName& object,
                                             const std::string& version);

// What turns one into the other, but for what is ignored; from what is not there: all that there
// is.
//   error  absent: it is in neither of the two
[[nodiscard]] base::Result<std::vector<compare::Change>> changes_between(
    const PastTree& from, const PastTree& to, const ObjectName& object,
    const tree::Models& models, const compare::Ignored& ignored);

}  // namespace query
