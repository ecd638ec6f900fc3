// SPDX-License-Identifier: MIT
#include "tables/compared_in.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tables/lists.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

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
