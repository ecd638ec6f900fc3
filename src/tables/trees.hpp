// tables/trees.hpp -- the table trees: whole trees of objects as of releases. All verbs throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tables/releases.hpp"
#include "tree/object.hpp"

namespace tables {

// The tree of an object as of a release; it has no nodes when the object had vanished.
struct KnownTree {
    std::string version;
    std::vector<tree::Node> nodes;
};

// Returns the newest tree of each object, by oid; objects that have none (forgotten ones) are
// left out.
//   error  malformed: stored bytes are damaged
//   cost   a query for 64 objects, and one for 64 objects whose trees are of one release
[[nodiscard]] base::Result<std::map<std::int64_t, KnownTree>> newest_trees(
    store::Transaction& transaction, std::span<const std::int64_t> oids,
    const Releases& releases);

// The newest tree of a release up to `current`, and whether a newer one is stored: by a build
// that was prewarmed before it became current, or before the site was rolled back.
struct TreeAsOf {
    std::optional<KnownTree> tree;
    bool is_newest = true;  // then no tree is read
};
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<TreeAsOf> tree_as_of(store::Transaction& transaction, std::int64_t oid,
                                                const Release& current, const Releases& releases);

// Returns the releases in which a tree of each object was stored, newest first, by oid.
//   cost  a query for 64 objects, of an index alone
[[nodiscard]] std::map<std::int64_t, std::vector<std::string>> tree_versions(
    store::Transaction& transaction, std::span<const std::int64_t> oids,
    const Releases& releases);

// Returns the tree stored for a release; no nodes when none is.
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<std::vector<tree::Node>> tree_of(store::Transaction& transaction,
                                                            std::int64_t oid,
                                                            const std::string& version);

// A tree as the column holds it, and back. Pure.
//   error  malformed: the bytes are damaged
[[nodiscard]] std::string packed_tree(const std::vector<tree::Node>& nodes);
[[nodiscard]] base::Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes);

struct NewTree {
    std::int64_t oid;
    const std::string* version;
    const std::string* packed;  // packed_tree()
};
void insert_trees(store::Transaction& transaction, std::span<const NewTree> trees);

// Deletes all but the newest `keep` trees of each object; 0 keeps all.
void prune_trees(store::Transaction& transaction, std::span<const std::int64_t> oids,
                 std::size_t keep, const Releases& releases);

}  // namespace tables
