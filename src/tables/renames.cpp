// SPDX-License-Identifier: MIT
#include "tables/renames.hpp"

#include "store/dialect.hpp"
#include "tables/lists.hpp"

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

// An object with a row of this release has its content from it, not from before.
constexpr std::string_view unchanged =
    "SELECT o.class, o.name, o.signature FROM objects o WHERE NOT EXISTS (SELECT 1 FROM history h"
    " WHERE h.oid = o.oid AND h.version = ?) AND o.class = ? AND o.name_key IN";

// A recorded rename does not count where the re-publication replaces the object's row.
constexpr std::string_view vanished =
    "SELECT o.class, o.name, n.signature FROM objects o JOIN renames n ON n.oid = o.oid"
    " LEFT JOIN replacements r ON r.version = n.version AND r.oid = n.oid AND r.digest = ?"
    " WHERE n.version = ? AND (n.digest = ? OR (n.digest = '' AND r.oid IS NULL))"
    " AND o.class = ? AND o.name_key IN";

}  // namespace

void insert_renames(Transaction& transaction, std::span<const Rename> renames) {
    for (const auto& rename : renames) insert(transaction, rename, "");
}

std::vector<FormerContent> contents_before(Transaction& transaction,
                                           const FormerContentQuery& query) {
    std::vector<FormerContent> contents;
    const std::vector<Value> keys(query.name_keys.begin(), query.name_keys.end());
    const auto add = [&](std::string_view statement, const std::vector<Value>& first) {
        for (const auto& row : query_in(transaction, statement, first, keys))
            contents.push_back({{row.text(0), row.text(1)}, row.text(2)});
    };
    const Value version{query.version}, digest{query.digest}, class_name{query.class_name};
    add(unchanged, {version, class_name});
    add(vanished, {digest, version, digest, class_name});
    return contents;
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
