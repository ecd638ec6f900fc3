// SPDX-License-Identifier: MIT
#include "history/batch_writer.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tables/bulk.hpp"

namespace history {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;

// Objects of one transaction, and so of one that another may have come before.
constexpr std::size_t most_in_doubt = 1024;

[[noreturn]] void somebody_was_first() {
    throw store::Failure("another was first to record an object", {.duplicate = true}, 0);
}

// Known by name alone: no digest that could contradict another.
void record_seen(Transaction& transaction, const Release& release) {
    (void)tables::record_release(transaction, release, {});
}

}  // namespace

Result<std::size_t> BatchWriter::write_some(std::span<Item* const> items) const {
    try {
        return store::perform(
            desk_.pool, Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                const auto released =
                    tables::record_release(transaction, current(), build_.digest());
                if (!released) return tl::unexpected(released.error());
                return write_in_time(transaction, items);
            });
    } catch (const store::Failure& failure) {
        if (!tables::somebody_came_between(failure)) throw;
        // A statement of many rows does not say which of them failed.
        const auto suspects = items.first(std::min(items.size(), most_in_doubt));
        for (auto* item : suspects) item->course = Course::alone;
        return suspects.size();
    }
}

std::size_t BatchWriter::write_in_time(Transaction& transaction,
                                       std::span<Item* const> items) const {
    constexpr std::size_t together = 64;
    const auto end = steady_clock::now() + longest_;
    std::size_t done = 0;
    std::set<Release> seen;  // by timestamps, beside the current one
    while (done < items.size() && done < most_in_doubt &&
           (done == 0 || steady_clock::now() < end)) {
        const auto some = items.subspan(done, std::min(together, items.size() - done));
        write_together(transaction, some);
        for (const auto* item : some)
            for (const auto& row : item->outcome.rows) seen.insert(row.release);
        done += some.size();
    }
    for (const auto& release : seen)
        if (release.version != current().version) record_seen(transaction, release);
    if (!seen.empty()) tables::move_generation(transaction);
    return done;
}

void BatchWriter::write_together(Transaction& transaction, std::span<Item* const> items) const {
    const auto oids = write_objects(transaction, items);
    std::vector<tables::NewTree> trees;
    std::vector<tables::NewRow> rows;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& item = *items[i];
        if (item.outcome.store_tree) trees.push_back({oids[i], &current().version, &item.packed});
        for (std::size_t j = 0; j < item.outcome.rows.size(); ++j)
            rows.push_back({oids[i], &item.outcome.rows[j], &item.notes[j]});
    }
    tables::insert_trees(transaction, trees);
    tables::insert_rows(transaction, rows);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i]->outcome.store_tree && items[i]->before.row)
            tables::prune_trees(transaction, oids[i], desk_.settings.keep_trees, releases_);
}

// Their oids; 0 where nothing hangs on it.
std::vector<std::int64_t> BatchWriter::write_objects(Transaction& transaction,
                                                     std::span<Item* const> items) const {
    std::vector<std::int64_t> oids(items.size(), 0);
    std::vector<const tables::ObjectRow*> fresh;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& item = *items[i];
        if (item.course == Course::write && !item.before.row) {
            fresh.push_back(&item.outcome.row);
            places.push_back(i);
        } else {
            oids[i] = write_known(transaction, item);
        }
    }
    list_born_late(transaction, fresh);
    const auto written = tables::insert_objects(transaction, fresh);
    for (std::size_t i = 0; i < places.size(); ++i) oids[places[i]] = written[i];
    return oids;
}

void BatchWriter::list_born_late(Transaction& transaction,
                                 std::span<const tables::ObjectRow* const> fresh) const {
    std::map<std::string, std::vector<Release>> later;
    for (const auto* row : fresh) {
        const auto [known, is_new] = later.try_emplace(row->object.class_name);
        if (is_new)
            known->second = tables::warmed_after(transaction, known->first, current(), releases_);
        for (const auto& release : known->second)
            tables::list_failed(transaction, release, row->object,
                                std::string(tables::born_late));
    }
}

std::int64_t BatchWriter::write_known(Transaction& transaction, const Item& item) const {
    if (item.course == Course::list) {
        tables::list_failed(transaction, current(), item.name(), item.brought.reason);
        return 0;
    }
    auto now = item.course == Course::note ? *item.before.row : item.outcome.row;
    now.ace_version = current().version;
    if (!tables::update_object(transaction, now, item.before.row->ace_version))
        somebody_was_first();
    return now.oid;
}

}  // namespace history
