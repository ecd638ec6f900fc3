// SPDX-License-Identifier: MIT
#include "tables/renames.hpp"

#include <algorithm>

#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/trees.hpp"
#include "tree/outline.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

const store::Insert a_rename{"renames",
                             {"version", "oid", "digest", "class", "signature", "new_name"},
                             {"version", "oid", "digest"}};

void insert(Transaction& transaction, const Rename& rename, const std::string& digest) {
    transaction.execute(store::upsert_sql(transaction.engine(), a_rename),
                        std::vector<Value>{Value{rename.version}, Value{rename.oid},
                                           Value{digest}, Value{rename.to.class_name},
                                           Value{rename.signature}, Value{rename.to.name}});
}

// The release and those after it. Most often there is one.
std::vector<Value> release_and_later(const Release& release, const Releases& releases) {
    std::vector<Value> versions{Value{release.version}};
    for (const auto& each : releases.all())
        if (releases.is_later(each.version, release.version)) versions.emplace_back(each.version);
    return versions;
}

std::vector<Value> joined(std::vector<Value> first, const std::vector<Value>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// Reads what some objects had before a release.
class FormerContents {
   public:
    FormerContents(Transaction& transaction, const FormerContentQuery& query,
                   const Releases& releases)
        : transaction_(transaction), query_(query), releases_(releases),
          since_(release_and_later(query.release, releases)),
          has_tree_since_("EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version IN (" +
                          marks(since_.size()) + "))") {}

    std::vector<FormerContent> read() {
        if (query_.name_keys.empty() || query_.signatures.empty()) return {};
        add_untouched();
        add_noted();
        if (query_.rows == RowsOfRelease::are_replaced)
            add_from_trees({Value{query_.release.version}});
        else if (since_.size() > 1)
            add_from_trees({since_.begin() + 1, since_.end()});
        return std::move(contents_);
    }

   private:
    [[nodiscard]] std::vector<Value> signatures() const {
        return {query_.signatures.begin(), query_.signatures.end()};
    }
    [[nodiscard]] std::vector<Value> name_keys() const {
        return {query_.name_keys.begin(), query_.name_keys.end()};
    }

    // `row`: oid, class, name, signature, name_key.
    void add(const store::Row& row) {
        const auto is_one_of = [](const auto& list, const std::string& text) {
            return std::ranges::find(list, text) != list.end();
        };
        if (!is_one_of(query_.signatures, row.text(3))) return;
        if (!std::ranges::binary_search(query_.name_keys, row.text(4))) return;
        contents_.push_back({row.integer(0), {row.text(1), row.text(2)}, row.text(3)});
    }

    // Neither the release nor a later one has changed these.
    void add_untouched() {
        for (const auto& row :
             query_in(transaction_,
                      "SELECT o.oid, o.class, o.name, o.signature, o.name_key FROM objects o "
                      "WHERE NOT " +
                          has_tree_since_ + " AND o.class = ? AND o.name_key IN",
                      joined(since_, {Value{query_.class_name}}), name_keys()))
            add(row);
    }

    // These have vanished in the release, and the table says what they had.
    void add_noted() {
        for (const auto& row : query_in(
                 transaction_,
                 "SELECT DISTINCT o.oid, o.class, o.name, n.signature, o.name_key"
                 " FROM renames n JOIN objects o ON o.oid = n.oid WHERE " +
                     has_tree_since_ + " AND n.version = ? AND n.class = ? AND n.signature IN",
                 joined(since_, {Value{query_.release.version}, Value{query_.class_name}}),
                 signatures()))
            add(row);
    }

    // Of the others that one of the releases has changed, the trees before are known.
    void add_from_trees(const std::vector<Value>& versions) {
        const auto first =
            joined(versions, {Value{query_.release.version}, Value{query_.class_name}});
        std::map<std::int64_t, store::Row> changed;
        for (auto& row :
             query_in(transaction_,
                      "SELECT o.oid, o.class, o.name, o.signature, o.name_key FROM objects o "
                      "WHERE EXISTS"
                      " (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version IN (" +
                          marks(versions.size()) +
                          ")) AND NOT EXISTS (SELECT 1 FROM renames n WHERE n.oid = o.oid"
                          " AND n.version = ?) AND o.class = ? AND o.name_key IN",
                      first, name_keys()))
            changed.insert_or_assign(row.integer(0), std::move(row));
        std::vector<std::int64_t> oids;
        for (const auto& [oid, row] : changed) oids.push_back(oid);
        for (std::size_t at = 0; at < oids.size(); at += longest_list)
            add_former_trees(
                std::span(oids).subspan(at, std::min(longest_list, oids.size() - at)), changed);
    }

    void add_former_trees(std::span<const std::int64_t> oids,
                          const std::map<std::int64_t, store::Row>& changed) {
        const auto trees = newest_trees(transaction_, oids, earlier_);
        if (!trees && oids.size() > 1) {
            // One of them is damaged; the others are not.
            for (std::size_t i = 0; i < oids.size(); ++i)
                add_former_trees(oids.subspan(i, 1), changed);
        }
        if (!trees) return;
        for (const auto& [oid, tree] : *trees) {
            // The only tree may be that of a later release.
            if (earlier_.find(tree.version) == nullptr) continue;
            const auto signature = tree::signature_of(tree.nodes);
            const auto& row = changed.at(oid);
            if (std::ranges::find(query_.signatures, signature) == query_.signatures.end())
                continue;
            contents_.push_back({oid, {row.text(1), row.text(2)}, signature});
        }
    }

    [[nodiscard]] static Releases releases_before(const Release& release,
                                                  const Releases& releases) {
        auto earlier = releases.up_to(release);
        std::erase_if(earlier, [&](const auto& each) { return each.version == release.version; });
        return Releases(std::move(earlier));
    }

    Transaction& transaction_;
    const FormerContentQuery& query_;
    const Releases& releases_;
    const Releases earlier_ = releases_before(query_.release, releases_);
    const std::vector<Value> since_;
    const std::string has_tree_since_;
    std::vector<FormerContent> contents_;
};

}  // namespace

void insert_renames(Transaction& transaction, std::span<const Rename> renames) {
    for (const auto& rename : renames) insert(transaction, rename, "");
}

void delete_renames(Transaction& transaction, const std::string& version,
                    std::span<const std::int64_t> oids) {
    static_cast<void>(execute_in(transaction,
                                 "DELETE FROM renames WHERE version = ? AND digest = '' AND"
                                 " oid IN",
                                 {Value{version}}, values_of(oids)));
}

std::map<std::int64_t, Rename> renames_of(Transaction& transaction, const std::string& version,
                                          std::span<const std::int64_t> oids, Lock lock) {
    std::map<std::int64_t, Rename> renames;
    for (const auto& row :
         query_in(transaction,
                  "SELECT oid, class, signature, new_name FROM renames WHERE version = ? AND"
                  " digest = '' AND oid IN",
                  {Value{version}}, values_of(oids),
                  lock == Lock::yes ? store::for_update(transaction.engine()) : ""))
        renames.insert_or_assign(
            row.integer(0),
            Rename{version, row.integer(0), row.text(2), {row.text(1), row.text(3)}});
    return renames;
}

std::vector<FormerContent> contents_before(Transaction& transaction,
                                           const FormerContentQuery& query,
                                           const Releases& releases) {
    return FormerContents(transaction, query, releases).read();
}

void replace_pending_rename(Transaction& transaction, const std::string& version,
                            std::int64_t oid, const std::string& digest,
                            const std::optional<Rename>& rename) {
    transaction.execute("DELETE FROM renames WHERE version = ? AND oid = ? AND digest <> ''",
                        {Value{version}, Value{oid}});
    if (rename) insert(transaction, *rename, digest);
}

void place_rename(Transaction& transaction, const std::string& version, const std::string& digest,
                  std::int64_t oid) {
    const std::vector<Value> key{Value{version}, Value{oid}};
    if (transaction.query("SELECT digest FROM renames WHERE version = ? AND oid = ?", key)
            .empty())
        return;
    transaction.execute("DELETE FROM renames WHERE version = ? AND oid = ? AND digest = ''", key);
    transaction.execute(
        "UPDATE renames SET digest = '' WHERE version = ? AND oid = ? AND digest = ?",
        {Value{version}, Value{oid}, Value{digest}});
}

}  // namespace tables
