// SPDX-License-Identifier: MIT
#include "tables/prewarmed.hpp"

#include <algorithm>
#include <map>

#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/replacements.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

// Objects that are not known to have vanished: one whose trees are forgotten has no signature.
const std::string may_be_there = "(signature <> '' OR label = '')";

std::vector<ObjectName> names_in(const store::Rows& rows, const std::string& only) {
    std::vector<ObjectName> names;
    for (const auto& row : rows)
        if (only.empty() || row.text(0) == only) names.push_back({row.text(0), row.text(1)});
    return names;
}

// The releases in which this class was prewarmed, newest first.
std::vector<std::string> prewarmed_in(Transaction& transaction, const std::string& class_name,
                                      const Releases& releases) {
    auto versions = prewarmed_releases(transaction, class_name);
    std::erase_if(versions,
                  [&](const auto& version) { return releases.find(version) == nullptr; });
    std::ranges::sort(versions,
                      [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    return versions;
}

bool any_failed(Transaction& transaction, const std::string& class_name,
                const std::string& version) {
    return !transaction
                .query("SELECT name FROM failed WHERE version = ? AND class = ? LIMIT 1",
                       {Value{version}, Value{class_name}})
                .empty();
}

// Those of the rows' objects that the job of the release could not read.
std::set<std::string> failed_among(Transaction& transaction, const std::string& class_name,
                                   const std::string& version, std::span<ObjectRow* const> rows) {
    std::set<std::string> failed;
    // Most jobs can read everything: one query says so for any number of rows.
    if (rows.size() > longest_list && !any_failed(transaction, class_name, version))
        return failed;
    std::vector<Value> names;
    for (const auto* row : rows) names.emplace_back(row->object.name);
    for (const auto& row : query_in(
             transaction, "SELECT name FROM failed WHERE version = ? AND class = ? AND name IN",
             {Value{version}, Value{class_name}}, names))
        failed.insert(row.text(0));
    return failed;
}

// Fills in the release for those of the rows that its job covers, and leaves the others in `rows`,
// unless they were compared in it or a later one.
void resolve_in(Transaction& transaction, const std::string& class_name,
                std::vector<ObjectRow*>& rows, const std::string& version,
                const Releases& releases) {
    std::erase_if(rows, [&](const ObjectRow* row) {
        return !releases.is_later(version, row->compared_in);
    });
    if (rows.empty()) return;
    const auto failed = failed_among(transaction, class_name, version, rows);
    std::erase_if(rows, [&](ObjectRow* row) {
        if (failed.contains(row->object.name)) return false;
        row->compared_in = version;
        return true;
    });
}

void resolve_class(Transaction& transaction, const std::string& class_name,
                   std::vector<ObjectRow*> rows, const Release& current,
                   const Releases& releases) {
    // Most classes were prewarmed in the current release, and nobody asks for more then.
    if (releases.find(current.version) != nullptr &&
        is_prewarmed(transaction, class_name, current.version))
        resolve_in(transaction, class_name, rows, current.version, releases);
    if (rows.empty()) return;
    for (const auto& version : prewarmed_in(transaction, class_name, releases))
        if (!rows.empty()) resolve_in(transaction, class_name, rows, version, releases);
}

}  // namespace

std::vector<std::string> prewarmed_releases(Transaction& transaction,
                                            const std::string& class_name) {
    std::vector<std::string> versions;
    for (const auto& row :
         transaction.query("SELECT version FROM warmed WHERE class = ?", {Value{class_name}}))
        versions.push_back(row.text(0));
    return versions;
}

bool is_compared(Transaction& transaction, const Releases& releases, const std::string& version) {
    const auto* newest = releases.newest();
    return newest == nullptr || newest->version != version ||
           is_prewarmed(transaction, "", version);
}

bool is_prewarmed(Transaction& transaction, const std::string& class_name,
                  const std::string& version) {
    return !transaction
                .query("SELECT version FROM warmed WHERE class = ? AND version = ?",
                       {Value{class_name}, Value{version}})
                .empty();
}

std::set<std::string> prewarmed_classes(Transaction& transaction, const std::string& version) {
    std::set<std::string> classes;
    for (const auto& row :
         transaction.query("SELECT class FROM warmed WHERE version = ?", {Value{version}}))
        classes.insert(row.text(0));
    return classes;
}

std::vector<std::pair<std::string, std::string>> prewarmed(Transaction& transaction) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& row : transaction.query("SELECT class, version FROM warmed"))
        all.emplace_back(row.text(0), row.text(1));
    return all;
}

void note_prewarmed(Transaction& transaction, const std::string& class_name,
                    const std::string& version, base::Seconds now, std::uint64_t objects) {
    static const store::Insert a_class{
        "warmed", {"class", "version", "warmed_at", "objects"}, {"class", "version"}};
    const std::vector<Value> values{Value{class_name}, Value{version},
                                    Value{base::format_rfc3339(now)},
                                    Value{static_cast<std::int64_t>(objects)}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_class), values);
}

void update_prewarmed(Transaction& transaction, const std::string& class_name,
                      const std::string& version, std::uint64_t objects) {
    transaction.execute(
        "UPDATE warmed SET objects = ? WHERE class = ? AND version = ?",
        {Value{static_cast<std::int64_t>(objects)}, Value{class_name}, Value{version}});
}

void delete_prewarmed(Transaction& transaction, const std::string& class_name,
                      const std::string& version) {
    transaction.execute("DELETE FROM warmed WHERE class = ? AND version = ?",
                        {Value{class_name}, Value{version}});
}

void delete_prewarmed_class(Transaction& transaction, const std::string& class_name) {
    transaction.execute("DELETE FROM warmed WHERE class IN (?, '')", {Value{class_name}});
}

void delete_prewarmed_release(Transaction& transaction, const std::string& version) {
    transaction.execute("DELETE FROM warmed WHERE version = ?", {Value{version}});
}

void list_failed(Transaction& transaction, std::span<const FailedObject> objects) {
    static const store::Insert failure{
        "failed", {"version", "class", "name", "reason"}, {"version", "class", "name"}};
    for (const auto& [release, object, reason] : objects)
        transaction.execute(store::upsert_sql(transaction.engine(), failure),
                            std::vector<Value>{Value{release.version}, Value{object.class_name},
                                               Value{object.name}, Value{reason}});
}

std::vector<ObjectName> failed_objects(Transaction& transaction, const std::string& version,
                                       const std::string& only) {
    return names_in(
        transaction.query("SELECT class, name FROM failed WHERE version = ?", {Value{version}}),
        only);
}

void delete_failed(Transaction& transaction, const std::string& version,
                   const ObjectName& object) {
    std::string sql = "DELETE FROM failed WHERE class = ? AND name = ?";
    std::vector<Value> values{Value{object.class_name}, Value{object.name}};
    if (!version.empty()) {
        sql += " AND version = ?";
        values.emplace_back(version);
    }
    transaction.execute(sql, values);
}

std::vector<ObjectName> objects_compared_in(Transaction& transaction,
                                            std::span<const std::string> versions,
                                            const std::string& only) {
    const std::vector<Value> values(versions.begin(), versions.end());
    return names_in(
        query_in(transaction, "SELECT class, name FROM objects WHERE ace_version IN", {}, values),
        only);
}

std::vector<std::string> releases_compared_in(Transaction& transaction,
                                              const std::string& class_name) {
    std::vector<std::string> versions;
    for (const auto& row : transaction.query(
             "SELECT DISTINCT ace_version FROM objects WHERE class = ? AND " + may_be_there,
             {Value{class_name}}))
        versions.push_back(row.text(0));
    return versions;
}

std::vector<ObjectName> objects_to_look_for(Transaction& transaction, const OidRange& range,
                                            const std::string& version,
                                            std::span<const std::string> compared_in) {
    const auto sql = "SELECT class, name FROM objects WHERE oid > ? AND oid <= ? AND"
                     " ace_version <> ? AND " +
                     may_be_there;
    const std::vector<Value> first{Value{range.after}, Value{range.to}, Value{version}};
    if (compared_in.empty()) return names_in(transaction.query(sql, first), {});
    const std::vector<Value> values(compared_in.begin(), compared_in.end());
    return names_in(query_in(transaction, sql + " AND ace_version IN", first, values), {});
}

void resolve_compared_in(Transaction& transaction, std::span<ObjectRow* const> rows,
                         const Release& current, const Releases& releases) {
    for (auto* row : rows) row->compared_in = row->ace_version;
    apply_replacements(transaction, rows, current, releases);
    std::map<std::string, std::vector<ObjectRow*>> by_class;
    for (auto* row : rows)
        if (row->compared_in != current.version) by_class[row->object.class_name].push_back(row);
    for (auto& [class_name, of_class] : by_class)
        resolve_class(transaction, class_name, std::move(of_class), current, releases);
}

std::vector<Release> prewarmed_after(Transaction& transaction, const std::string& class_name,
                                     const Release& current, const Releases& releases) {
    std::vector<Release> later;
    for (const auto& version : prewarmed_in(transaction, class_name, releases))
        if (const auto* release = releases.find(version); current < *release)
            later.push_back(*release);
    return later;
}

}  // namespace tables
