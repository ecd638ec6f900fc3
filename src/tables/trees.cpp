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

const store::Insert a_new_tree{"trees", {"oid", "version", "since", "tree"}, {}};

Result<KnownTree> known_tree(const std::string& version, const store::Row& row,
                             std::size_t column) {
    if (row.is_null(column)) return KnownTree{version, {}, false};
    auto nodes = unpacked_tree(row.blob(column));
    if (!nodes) return base::fail_at("stored tree of " + version, nodes.error());
    return KnownTree{version, std::move(*nodes)};
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

std::map<std::int64_t, Result<KnownTree>> newest_trees(Transaction& transaction,
                                                       std::span<const std::int64_t> oids,
                                                       const Releases& releases,
                                                       const Release& before) {
    const auto counts = [&](const std::string& version) {
        const auto* release = releases.find(version);
        return release != nullptr && *release < before;
    };
    // The newest trees of most objects of a batch are of one and the same release.
    std::map<std::string, std::vector<Value>> by_version;
    for (const auto& [oid, versions] : tree_versions(transaction, oids, releases))
        if (const auto newest = std::ranges::find_if(versions, counts); newest != versions.end())
            by_version[*newest].emplace_back(oid);
    std::map<std::int64_t, Result<KnownTree>> trees;
    for (const auto& [version, owners] : by_version)
        for (const auto& row :
             query_in(transaction, "SELECT oid, tree FROM trees WHERE version = ? AND oid IN",
                      {Value{version}}, owners))
            trees.insert_or_assign(row.integer(0), known_tree(version, row, 1));
    return trees;
}

Result<TreeAsOf> tree_as_of(Transaction& transaction, std::int64_t oid, const Release& current,
                            const Releases& releases) {
    const auto trees = stored_trees(transaction, oid, releases);
    const auto shown = std::ranges::find_if(trees, [&](const StoredTree& tree) {
        return !releases.is_later(tree.version, current.version);
    });
    if (shown == trees.begin()) return TreeAsOf{};
    if (shown == trees.end()) return TreeAsOf{std::nullopt, false};
    auto tree = tree_of(transaction, oid, shown->version);
    if (!tree) return tl::unexpected(tree.error());
    return TreeAsOf{std::move(*tree), false};
}

std::vector<StoredTree> stored_trees(Transaction& transaction, std::int64_t oid,
                                     const Releases& releases) {
    std::vector<StoredTree> trees;
    for (const auto& row : transaction.query(
             "SELECT version, since, tree IS NOT NULL FROM trees WHERE oid = ?", {Value{oid}}))
        trees.push_back({row.text(0), row.text(1), row.integer(2) != 0});
    std::ranges::sort(trees, [&](const auto& a, const auto& b) {
        return releases.is_later(a.version, b.version);
    });
    return trees;
}

Result<KnownTree> tree_of(Transaction& transaction, std::int64_t oid,
                          const std::string& version) {
    const auto rows = transaction.query("SELECT tree FROM trees WHERE oid = ? AND version = ?",
                                        {Value{oid}, Value{version}});
    if (rows.empty()) return KnownTree{version, {}, false};
    return known_tree(version, rows.front(), 0);
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
                      {Value{tree.oid}, Value{*tree.version}, Value{*tree.since},
                       tree.packed == nullptr ? Value{} : Value{store::Blob{*tree.packed}}});
    store::insert_many(transaction, a_new_tree, values);
}

void delete_trees(Transaction& transaction, const std::string& version,
                  std::span<const std::int64_t> oids) {
    (void)execute_in(transaction, "DELETE FROM trees WHERE version = ? AND oid IN",
                     {Value{version}}, values_of(oids));
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
