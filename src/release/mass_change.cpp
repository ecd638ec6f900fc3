// SPDX-License-Identifier: MIT
#include "release/mass_change.hpp"

#include <map>
#include <set>

namespace release {
namespace {

constexpr std::size_t most_paths = 5000;
constexpr std::size_t longest_path = 512;  // as wide as the column

// By class and path: how many objects changed there.
using ChangedPaths = std::map<std::string, std::map<std::string, std::uint64_t>>;

void count_paths(const tables::ChangedRow& row, ChangedPaths& changed) {
    std::set<std::string> paths;
    for (const auto& change : row.notes.changes) paths.insert(compare::place_of(change));
    auto& of_class = changed[row.class_name];
    for (const auto& path : paths)
        if (of_class.size() < most_paths || of_class.contains(path)) ++of_class[path];
}

ChangedPaths changed_paths(store::Pool& pool, const std::string& version,
                           const std::string& only) {
    ChangedPaths changed;
    for (tables::ObjectName last_read;;) {
        const auto [rows, last] =
            store::perform(pool, store::Access::read, tables::changed_rows, version, last_read,
                           std::size_t{1000}, tables::log_unreadable);
        if (!last) return changed;
        for (const auto& row : rows)
            if (only.empty() || row.class_name == only) count_paths(row, changed);
        last_read = *last;
    }
}

}  // namespace

std::vector<MassChange> find_mass_changes(store::Pool& pool, const source::Source& build,
                                          const std::string& only,
                                          const MassChangeSettings& settings) {
    std::vector<MassChange> found;
    if (settings.percent == 0) return found;
    const auto& version = build.release().version;
    const auto classes = build.class_counts();
    for (const auto& [class_name, paths] : changed_paths(pool, version, only)) {
        const auto of = source::objects_of(classes, class_name);
        if (of < settings.fewest_objects) continue;
        for (const auto& [path, objects] : paths)
            if (objects * 100 > of * settings.percent && path.size() <= longest_path)
                found.push_back({version, class_name, path, objects, of});
    }
    return found;
}

}  // namespace release
