// SPDX-License-Identifier: MIT
#include "release/forget_steps.hpp"

#include <algorithm>

#include "store/dialect.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using store::Value;

struct Step {
    std::size_t oids = 0;  // that are done
    Share gone;
};

Result<Step> delete_in_time(Transaction& transaction, const Forgetting& forgetting, Oids oids,
                            const DeleteSome& delete_some) {
    const auto end = steady_clock::now() + forgetting.longest_write;
    Step step;
    while (step.oids < oids.size() && (step.oids == 0 || steady_clock::now() < end)) {
        const auto some =
            oids.subspan(step.oids, std::min(oids_together, oids.size() - step.oids));
        const auto gone = delete_some(transaction, some);
        if (!gone) return tl::unexpected(gone.error());
        tables::move_generation(transaction);
        add(step.gone, *gone);
        step.oids += some.size();
    }
    return step;
}

std::uint64_t delete_rows(Transaction& transaction, std::string_view before, Oids oids) {
    return static_cast<std::uint64_t>(transaction.execute(in_oids(before), with_oids({}, oids)));
}

}  // namespace

std::string in_oids(std::string_view before) {
    std::string sql(before);
    sql += " IN (?";
    for (std::size_t i = 1; i < oids_together; ++i) sql += ", ?";
    return sql + ")";
}

std::vector<Value> with_oids(std::initializer_list<Value> first, Oids oids) {
    std::vector<Value> values(first);
    for (std::size_t i = 0; i < oids_together; ++i)
        values.emplace_back(oids[std::min(i, oids.size() - 1)]);
    return values;
}

Share delete_objects(Transaction& transaction, Oids oids) {
    // First, as those do who record: in another order they would wait for each other.
    (void)transaction.query(in_oids("SELECT oid FROM objects WHERE oid") +
                                std::string(store::for_update(transaction.engine())),
                            with_oids({}, oids));
    Share gone;
    gone.history = delete_rows(transaction, "DELETE FROM history WHERE oid", oids);
    gone.trees = delete_rows(transaction, "DELETE FROM trees WHERE oid", oids);
    (void)delete_rows(transaction, "DELETE FROM replacements WHERE oid", oids);
    gone.objects = delete_rows(transaction, "DELETE FROM objects WHERE oid", oids);
    return gone;
}

Result<Share> delete_in_steps(const Forgetting& forgetting, Oids oids,
                              const DeleteSome& delete_some) {
    Share gone;
    while (!oids.empty()) {
        const auto step =
            store::perform(forgetting.pool, Access::write, [&](Transaction& transaction) {
                return delete_in_time(transaction, forgetting, oids, delete_some);
            });
        if (!step) return tl::unexpected(step.error());
        add(gone, step->gone);
        oids = oids.subspan(step->oids);
    }
    return gone;
}

void drop_leases(Transaction& transaction) { transaction.execute("DELETE FROM leases"); }

void add(Share& sum, const Share& share) {
    sum.objects += share.objects;
    sum.history += share.history;
    sum.trees += share.trees;
}

}  // namespace release
