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

// The tree of an object as of a release.
struct KnownTree {
    std::string version;
    std::vector<tree::Node> nodes;
    bool is_there = true;  // false: the release did not have the object
};

// Returns the newest tree of each object, by oid; objects that have none are left out.
//   before  only trees of earlier releases than this one
//   error   malformed: the stored bytes of this one are damaged
//   cost    a query for 64 objects, and one for 64 objects whose trees are of one release
[[nodiscard]] std::map<std::int64_t, base::Result<KnownTree>> newest_trees(
    store::Transaction& transaction, std::span<const std::int64_t> oids, const Releases& releases,
    const Release& before);

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

struct StoredTree {
    std::string version, since;  // as of Row
    bool is_there = true;        // as of KnownTree
};
// Returns what is stored of one object, newest first, without the trees themselves.
[[nodiscard]] std::vector<StoredTree> stored_trees(store::Transaction& transaction,
                                                   std::int64_t oid, const Releases& releases);

// Returns the tree stored for a release; one that is not there when none is.
//   error  malformed: the stored bytes are damaged
[[nodiscard]] base::Result<KnownTree> tree_of(store::Transaction& transaction, std::int64_t oid,
                                              const std::string& version);

// A tree as the column holds it, and back. Pure.
//   error  malformed: the bytes are damaged
[[nodiscard]] std::string packed_tree(const std::vector<tree::Node>& nodes);
[[nodiscard]] base::Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes);

struct NewTree {
    std::int64_t oid;
    const std::string* version;
    const std::string* since;   // as of Row
    const std::string* packed;  // packed_tree(); nullptr: the release does not have the object
};
void insert_trees(store::Transaction& transaction, std::span<const NewTree> trees);
void delete_trees(store::Transaction& transaction, const std::string& version,
                  std::span<const std::int64_t> oids);

// Deletes all but the newest `keep` trees of each object; 0 keeps all.
void prune_trees(store::Transaction& transaction, std::span<const std::int64_t> oids,
                 std::size_t keep, const Releases& releases);

}  // namespace tables
