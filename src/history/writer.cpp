// SPDX-License-Identifier: MIT
#include "history/writer.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tables/compared_in.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace history {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;

// Objects that are written with the same statements. When a transaction loses a race, each of them may be
// the cause.
constexpr std::size_t together = 64;
// New objects whose words are written together. Titles may have a hundred words, and the clock of the
// transaction has to see how long they take.
constexpr std::size_t most_without_words = 128;

[[noreturn]] void lose_race() {
    throw store::Failure("another was first to record an object", {.duplicate = true}, 0);
}

std::vector<const RenameCase*> rename_cases(std::span<Recording* const> items) {
    std::vector<const RenameCase*> cases;
    for (const auto* item : items)
        if (item->step == Step::write && item->rename) cases.push_back(&*item->rename);
    return cases;
}

// Plans again what may have lost a race. At the end of a transaction, what renames write comes too late
// where somebody else recorded one of the two objects; other things at the end suit anybody.
void plan_again(std::span<Recording* const> items, bool at_end) {
    const bool has_renames = at_end && !rename_cases(items).empty();
    for (auto* item : items) {
        if (has_renames && !item->rename) continue;
        ++item->attempts;
        item->step = Step::plan;
    }
}

}  // namespace

Result<std::size_t> Writer::write_some(std::span<Recording* const> items) const {
    // Between others that have to be written again.
    const auto has_lost = [](const Recording* item) { return item->step == Step::plan; };
    if (const auto next = std::ranges::find_if_not(items, has_lost); next != items.begin())
        return static_cast<std::size_t>(next - items.begin());
    items = {items.begin(), std::ranges::find_if(items, has_lost)};
    if (items.front()->attempts > 0) items = items.first(1);
    Progress progress;
    try {
        const auto write = [&](Transaction& transaction) -> Result<std::size_t> {
            progress = {};
            const auto released =
                tables::record_release(transaction, current(), view_.build.digest());
            if (!released) return tl::unexpected(released.error());
            check_replacing(transaction, items);
            write_in_time(transaction, items, progress);
            return progress.written;
        };
        const auto done = store::perform(view_.context.pool, Access::write, write);
        if (done) finish(items.first(*done));
        return done;
    } catch (const store::Failure& failure) {
        if (!tables::lost_a_race(failure)) throw;
        const auto [written, is_ending] = progress;
        plan_again(is_ending ? items.first(written)
                             : items.subspan(written, std::min(together, items.size() - written)),
                   is_ending);
        return 0;
    }
}

// What was planned while an earlier release was as it was first published does not hold once its
// re-publication is in force. Objects without a row have nothing that is replaced.
void Writer::check_replacing(Transaction& transaction, std::span<Recording* const> items) const {
    const auto is_known = [](const Recording* item) { return item->before.row.has_value(); };
    if (std::ranges::any_of(items, is_known) &&
        !tables::is_replacing_as_known(transaction, releases_))
        lose_race();
}

void Writer::finish(std::span<Recording* const> items) const {
    renames_are_written(current().version, rename_cases(items));
    for (auto* item : items) {
        if (item->step == Step::write) item->result.wrote_history = !item->outcome.rows.empty();
        if (item->step == Step::write) item->result.row = std::move(item->outcome.row);
        item->step = Step::nothing;
    }
}

void Writer::write_in_time(Transaction& transaction, std::span<Recording* const> items,
                           Progress& progress) const {
    auto& written = progress.written;
    const auto begin = steady_clock::now();
    const auto may_go_on = [&] {
        const auto passed = steady_clock::now() - begin;
        return passed < longest_.awaited ||
               (passed < longest_.alone && !transaction.may_be_awaited());
    };
    std::set<Release> seen;  // by timestamps, besides the current one
    Summary summary;
    std::size_t with_words = 0;  // of summary.fresh
    const auto add_words = [&] {
        tables::add_words(transaction, std::span(summary.fresh).subspan(with_words));
        with_words = summary.fresh.size();
    };
    while (written < items.size() && (written == 0 || may_go_on())) {
        const auto some = items.subspan(written, std::min(together, items.size() - written));
        write_together(transaction, some, summary);
        for (const auto* item : some)
            for (const auto& row : item->outcome.rows) seen.insert(row.release);
        written += some.size();
        if (summary.fresh.size() - with_words >= most_without_words) add_words();
    }
    progress.is_ending = true;
    write_renames(transaction, current().version, rename_cases(items.first(written)),
                  view_.context.clock());
    for (const auto& release : seen)
        // Known by name alone: no digest contradicts another.
        if (release.version != current().version)
            static_cast<void>(tables::record_release(transaction, release, {}));
    note_first_seen_late(transaction, summary.fresh);
    add_words();
    tables::change_counts(transaction, summary.counts);
    tables::note_sharing(transaction);
}

void Writer::write_together(Transaction& transaction, std::span<Recording* const> items,
                            Summary& summary) const {
    const auto oids = write_objects(transaction, items, summary);
    std::vector<tables::NewTree> trees;
    std::vector<tables::NewRow> rows;
    std::vector<std::int64_t> to_prune;
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto& item = *items[i];
        if (item.step != Step::write) continue;
        item.outcome.row.oid = oids[i];
        if (item.outcome.store_tree) {
            trees.push_back({oids[i], &current().version, &item.packed});
            if (item.before.row) to_prune.push_back(oids[i]);
        }
        for (std::size_t j = 0; j < item.outcome.rows.size(); ++j)
            rows.push_back({oids[i], &item.outcome.rows[j], &item.notes[j]});
    }
    tables::insert_trees(transaction, trees);
    tables::insert_rows(transaction, rows, summary.counts);
    tables::prune_trees(transaction, to_prune, view_.context.settings.keep_trees, releases_);
}

// Returns their oids; 0 for those that are listed.
std::vector<std::int64_t> Writer::write_objects(Transaction& transaction,
                                                std::span<Recording* const> items,
                                                Summary& summary) const {
    std::vector<std::int64_t> oids(items.size(), 0);
    std::vector<const tables::ObjectRow*> fresh;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& item = *items[i];
        if (item.step == Step::write && !item.before.row) {
            fresh.push_back(&item.outcome.row);
            places.push_back(i);
        } else {
            oids[i] = write_known(transaction, item);
        }
    }
    const auto written = tables::insert_objects(transaction, fresh);
    for (std::size_t i = 0; i < places.size(); ++i) oids[places[i]] = written[i];
    summary.fresh.insert(summary.fresh.end(), fresh.begin(), fresh.end());
    return oids;
}

void Writer::note_first_seen_late(Transaction& transaction,
                                  std::span<const tables::ObjectRow* const> fresh) const {
    if (fresh.empty()) return;
    // Read again: the job of a newer release may have ended since.
    const auto releases =
        known_releases(transaction, view_.context.settings, &view_.build, view_.previous);
    std::map<std::string, std::vector<Release>> later;
    std::vector<tables::FailedObject> late;
    for (const auto* row : fresh) {
        const auto [known, is_new] = later.try_emplace(row->object.class_name);
        if (is_new)
            known->second =
                tables::prewarmed_after(transaction, known->first, current(), releases);
        for (const auto& release : known->second)
            late.push_back({release, row->object, std::string(tables::first_seen_late)});
    }
    tables::list_failed(transaction, late);
}

std::int64_t Writer::write_known(Transaction& transaction, const Recording& item) const {
    if (item.step == Step::list) {
        const tables::FailedObject failed{current(), item.name(), item.result.error->text};
        tables::list_failed(transaction, std::span(&failed, 1));
        return 0;
    }
    const auto& now = item.step == Step::note ? *item.result.row : item.outcome.row;
    if (!tables::update_object(transaction, now, *item.before.row)) lose_race();
    return now.oid;
}

}  // namespace history
