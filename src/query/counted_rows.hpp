// query/counted_rows.hpp -- keeps how many rows releases have, by class and kind.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "store/pool.hpp"
#include "tables/release_rows.hpp"

namespace query {

// Never null. The same object is returned for as long as the rows of the release are the same.
using CountedRowsPtr = std::shared_ptr<const tables::CountedRows>;

// Keeps the counts of a release until a row of it has a higher number than before, and otherwise for a minute,
// those of releases other than the current one for ten: rows may be forgotten, and on MariaDB a row may be
// committed after one that has a higher number. Safe from any thread.
class CountedRowsCache {
   public:
    explicit CountedRowsCache(base::Clock clock) : clock_(std::move(clock)) {}

    // Returns them for each of these releases, in their order.
    //   current  the version of the current release
    //   throws   store::Failure
    //   cost     that of tables::newest_rows(), and of tables::count_rows() for those that are not kept
    [[nodiscard]] std::vector<CountedRowsPtr> get(store::Transaction& transaction,
                                                  std::span<const std::string> versions,
                                                  const std::string& current);

   private:
    struct Kept {
        std::int64_t newest_row = 0;
        base::Seconds counted_at{};
        CountedRowsPtr rows;
    };
    [[nodiscard]] bool is_good(const Kept& kept, std::int64_t newest_row, bool is_current) const;

    const base::Clock clock_;
    std::mutex mutex_;                  // guards what follows; not held while the store is read
    std::map<std::string, Kept> kept_;  // by version
};

}  // namespace query
