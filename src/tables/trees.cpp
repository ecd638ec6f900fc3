// SPDX-License-Identifier: MIT
#include "tables/trees.hpp"

#include <algorithm>

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

// A larger tree repeats itself more than others.
constexpr std::size_t largest_with_dictionary = 64 << 10;
constexpr std::size_t least_samples = 100, most_samples = 200;

const store::Insert a_new_tree{"trees", {"oid", "version", "tree"}, {}};
const store::Insert a_dictionary{"dictionaries", {"id", "class", "dictionary"}, {"id"}};

tl::unexpected<base::Error> damaged(const std::string& version, const base::Error& error) {
    return base::fail_at("stored tree of " + version, error);
}

// Unpacks trees, and reads the dictionaries that they name, each once.
class TreeReader {
   public:
    explicit TreeReader(Transaction& transaction) : transaction_(transaction) {}

    Result<std::vector<tree::Node>> read(const std::string& packed) {
        const auto id = base::dictionary_of_frame(packed);
        if (id == 0) return unpacked_tree(packed);
        auto known = known_.find(id);
        if (known == known_.end()) {
            auto dictionary = dictionary_of(id);
            if (!dictionary) return tl::unexpected(dictionary.error());
            known = known_.emplace(id, std::move(*dictionary)).first;
        }
        return unpacked_tree(packed, &known->second);
    }

   private:
    [[nodiscard]] Result<base::DecompressionDictionary> dictionary_of(std::uint32_t id) const {
        const auto rows = transaction_.query("SELECT dictionary FROM dictionaries WHERE id = ?",
                                             {Value{std::int64_t{id}}});
        const auto place = "dictionary " + std::to_string(id);
        if (rows.empty()) return base::fail(base::ErrorKind::malformed, place + " is missing");
        auto dictionary = base::DecompressionDictionary::make(rows.front().blob(0));
        if (!dictionary) return base::fail_at(place, dictionary.error());
        return dictionary;
    }

    Transaction& transaction_;
    std::map<std::uint32_t, base::DecompressionDictionary> known_;
};

// Returns the dictionaries of classes. Of several for one class, that with the smallest id is used; damaged ones are
// not.
DictionariesByClass stored_dictionaries(Transaction& transaction,
                                        std::span<const Value> classes) {
    DictionariesByClass dictionaries;
    for (const auto& row :
         query_in(transaction, "SELECT class, id, dictionary FROM dictionaries WHERE class IN",
                  {}, classes, " ORDER BY id")) {
        auto dictionary = base::CompressionDictionary::make(row.blob(2));
        if (dictionary && base::id_of_dictionary(row.blob(2)) == row.integer(1))
            dictionaries.try_emplace(row.text(0), std::move(*dictionary));
    }
    return dictionaries;
}

std::string json_of(const std::vector<tree::Node>& nodes) {
    std::string json;
    tree::append_json(json, nodes);
    return json;
}

// Returns a dictionary made of trees; empty: they are too few.
std::string dictionary_made_of(const std::vector<const std::vector<tree::Node>*>& trees) {
    std::vector<std::string> samples;
    for (const auto* nodes : trees) {
        if (samples.size() == most_samples) break;
        auto json = nodes->empty() ? std::string() : json_of(*nodes);
        if (!json.empty() && json.size() <= largest_with_dictionary)
            samples.push_back(std::move(json));
    }
    return samples.size() < least_samples ? std::string() : base::make_dictionary(samples);
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
    TreeReader reader(transaction);
    for (const auto& [version, owners] : by_version)
        for (const auto& row :
             query_in(transaction, "SELECT oid, tree FROM trees WHERE version = ? AND oid IN",
                      {Value{version}}, owners)) {
            auto nodes = reader.read(row.blob(1));
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
    auto nodes = TreeReader(transaction).read(rows.front().blob(0));
    if (!nodes) return damaged(version, nodes.error());
    return nodes;
}

std::string packed_tree(const std::vector<tree::Node>& nodes,
                        const base::CompressionDictionary* dictionary) {
    const auto json = json_of(nodes);
    return base::compress(json, json.size() <= largest_with_dictionary ? dictionary : nullptr);
}

Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes,
                                              const base::DecompressionDictionary* dictionary) {
    const auto json = base::decompress(bytes, largest_tree, dictionary);
    if (!json) return tl::unexpected(json.error());
    return tree::parse_nodes(*json);
}

DictionariesByClass dictionaries_for(store::Pool& pool, const TreesByClass& trees) {
    std::vector<Value> classes;
    for (const auto& [class_name, of_class] : trees) classes.emplace_back(class_name);
    const auto read = [&](Transaction& transaction) {
        return stored_dictionaries(transaction, classes);
    };
    auto dictionaries = store::perform(pool, store::Access::read, read);
    std::vector<Value> made;
    for (const auto& [class_name, of_class] : trees) {
        if (dictionaries.contains(class_name)) continue;
        auto dictionary = dictionary_made_of(of_class);
        if (dictionary.empty()) continue;
        made.insert(made.end(), {Value{std::int64_t{base::id_of_dictionary(dictionary)}},
                                 Value{class_name}, Value{store::Blob{std::move(dictionary)}}});
    }
    if (made.empty()) return dictionaries;
    // What the store has is used, whoever was first.
    return store::perform(pool, store::Access::write, [&](Transaction& transaction) {
        store::insert_missing(transaction, a_dictionary, made);
        return read(transaction);
    });
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
