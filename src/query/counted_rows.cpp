// SPDX-License-Identifier: MIT
#include "query/counted_rows.hpp"

#include <chrono>
#include <utility>

namespace query {

bool CountedRowsCache::is_good(const Kept& kept, std::int64_t newest_row, bool is_current) const {
    const auto age = clock_() - kept.counted_at;
    const auto most = is_current ? std::chrono::minutes(1) : std::chrono::minutes(10);
    return kept.newest_row == newest_row && age >= age.zero() && age < most;
}

std::vector<CountedRowsPtr> CountedRowsCache::get(store::Transaction& transaction,
                                                  std::span<const std::string> versions,
                                                  const std::string& current) {
    auto newest = tables::newest_rows(transaction);
    std::map<std::string, CountedRowsPtr> found;
    std::vector<std::string> wanted;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& version : versions) {
            const auto kept = kept_.find(version);
            if (kept != kept_.end() && is_good(kept->second, newest[version], version == current))
                found[version] = kept->second.rows;
            else
                wanted.push_back(version);
        }
    }
    const auto now = clock_();
    auto counted = tables::count_rows(transaction, wanted);
    const std::lock_guard lock(mutex_);
    for (auto& each : counted) {
        auto& kept = kept_[each.version];
        const auto row = newest[each.version];
        if (kept.newest_row != row || kept.rows == nullptr || *kept.rows != each)
            kept.rows = std::make_shared<const tables::CountedRows>(std::move(each));
        kept.newest_row = row;
        kept.counted_at = now;
        found[kept.rows->version] = kept.rows;
    }
    std::vector<CountedRowsPtr> all;
    for (const auto& version : versions) all.push_back(found.at(version));
    return all;
}

}  // namespace query
