// SPDX-License-Identifier: MIT
#include "tables/trees.hpp"

#include <algorithm>

#include "base/compress.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tree/json.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

// A tree is never stored above this size (bytes of JSON), so a larger one is damage.
constexpr std::size_t largest_tree = std::size_t{4} << 30;

const store::Insert a_new_tree{"trees", {"oid", "version", "tree"}, {}};

tl::unexpected<base::Error> damaged(const std::string& version, const base::Error& error) {
    return base::fail_at("stored tree of " + version, error);
}

}  // namespace

std::map<std::int64_t, std::vector<std::string>> tree_versions(Transaction& transaction,
                                                               std::span<const std::int64_t> oids,
                                                               const Releases& releases) {
    std::map<std::int64_t, std::vector<std::string>> versions;
    for (const auto& row : query_in(transaction, "SELECT oid, version FROM trees WHERE oid IN",
                                    {}, values_of(oids)))
        versions[row.integer(0)].push_back(row.text(1));
    for (auto& [oid, of_object] : versions)
        std::ranges::sort(of_object,
                          [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    return versions;
}

Result<std::map<std::int64_t, KnownTree>> newest_trees(Transaction& transaction,
                                                       std::span<const std::int64_t> oids,
                                                       const Releases& releases) {
    // The newest trees of most objects of a batch are of one and the same release.
    std::map<std::string, std::vector<Value>> by_version;
    for (const auto& [oid, versions] : tree_versions(transaction, oids, releases))
        by_version[versions.front()].emplace_back(oid);
    std::map<std::int64_t, KnownTree> trees;
    for (const auto& [version, owners] : by_version)
        for (const auto& row :
             query_in(transaction, "SELECT oid, tree FROM trees WHERE version = ? AND oid IN",
                      {Value{version}}, owners)) {
            auto nodes = unpacked_tree(row.blob(1));
            if (!nodes) return damaged(version, nodes.error());
            trees[row.integer(0)] = {version, std::move(*nodes)};
        }
    return trees;
}

Result<TreeAsOf> tree_as_of(Transaction& transaction, std::int64_t oid, const Release& current,
                            const Releases& releases) {
    const auto known = tree_versions(transaction, std::span(&oid, 1), releases);
    if (known.empty()) return TreeAsOf{};
    const auto& versions = known.begin()->second;
    const auto shown = std::ranges::find_if(versions, [&](const auto& version) {
        return !releases.is_later(version, current.version);
    });
    if (shown == versions.begin()) return TreeAsOf{};
    if (shown == versions.end()) return TreeAsOf{std::nullopt, false};
    auto nodes = tree_of(transaction, oid, *shown);
    if (!nodes) return tl::unexpected(nodes.error());
    return TreeAsOf{KnownTree{*shown, std::move(*nodes)}, false};
}

Result<std::vector<tree::Node>> tree_of(Transaction& transaction, std::int64_t oid,
                                        const std::string& version) {
    const auto rows = transaction.query("SELECT tree FROM trees WHERE oid = ? AND version = ?",
                                        {Value{oid}, Value{version}});
    if (rows.empty()) return std::vector<tree::Node>();
    auto nodes = unpacked_tree(rows.front().blob(0));
    if (!nodes) return damaged(version, nodes.error());
    return nodes;
}

std::string packed_tree(const std::vector<tree::Node>& nodes) {
    std::string json;
    tree::append_json(json, nodes);
    return base::compress(json);
}

Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes) {
    const auto json = base::decompress(bytes, largest_tree);
    if (!json) return tl::unexpected(json.error());
    return tree::parse_nodes(*json);
}

void insert_trees(Transaction& transaction, std::span<const NewTree> trees) {
    std::vector<Value> values;
    for (const auto& tree : trees)
        values.insert(values.end(),
                      {Value{tree.oid}, Value{*tree.version}, Value{store::Blob{*tree.packed}}});
    store::insert_many(transaction, a_new_tree, values);
}

void prune_trees(Transaction& transaction, std::span<const std::int64_t> oids, std::size_t keep,
                 const Releases& releases) {
    if (keep == 0 || oids.empty()) return;
    for (const auto& [oid, versions] : tree_versions(transaction, oids, releases))
        for (auto i = keep; i < versions.size(); ++i)
            transaction.execute("DELETE FROM trees WHERE oid = ? AND version = ?",
                                {Value{oid}, Value{versions[i]}});
}

}  // namespace tables
