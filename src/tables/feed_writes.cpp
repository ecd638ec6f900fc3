// SPDX-License-Identifier: MIT
#include "tables/feed_writes.hpp"

#include <algorithm>
#include <string>

#include "store/dialect.hpp"
#include "tables/releases.hpp"

namespace tables {

namespace {

using store::Transaction;
using store::Value;

const store::Insert a_sum{"harvest_notes", {"name", "number"}, {"name"}};

}  // namespace

bool lock_feed(Transaction& transaction, std::int64_t feed) {
    static const std::string sql = "SELECT id FROM feeds WHERE id = ?";
    return !transaction
                .query(sql + std::string(store::for_update(transaction.engine())), {Value{feed}})
                .empty();
}

void move_feed_writes(Transaction& transaction, std::vector<std::int64_t> feeds) {
    if (feeds.empty()) return;
    std::ranges::sort(feeds);
    const auto twice = std::ranges::unique(feeds);
    feeds.erase(twice.begin(), twice.end());
    for (const auto feed : feeds)
        transaction.execute("UPDATE feeds SET writes = writes + 1 WHERE id = ?", {Value{feed}});
    static const Value name{"writes " + slot_of_process()};
    store::add_many(transaction, a_sum, std::vector{name, Value{std::int64_t{1}}});
}

std::int64_t all_feed_writes(Transaction& transaction) {
    // One row for each slot: '!' follows ' '.
    const auto rows = transaction.query(
        "SELECT SUM(number) FROM harvest_notes WHERE name >= 'writes ' AND name < 'writes!'");
    return rows.empty() || rows.front().is_null(0) ? 0 : rows.front().integer(0);
}

}  // namespace tables
