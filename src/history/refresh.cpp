// SPDX-License-Identifier: MIT
#include "history/refresh.hpp"

#include "history/examine.hpp"
#include "tables/replacement.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// A loser of this many races in a row meets something other than bad luck.
constexpr int most_races = 10;

struct Read {
    Identity identity;
    tables::Releases releases;
};

class Refresh {
   public:
    Refresh(const Context& desk, const source::Source& build, const source::Source* previous)
        : desk_(desk), build_(build), previous_(previous), examiner_(desk, build, previous) {}

    // nullopt: somebody was first, look again.
    Result<std::optional<Refreshed>> once(const ObjectName& asked) {
        const auto read = this->read(asked);
        if (!read) return tl::unexpected(read.error());
        const auto& [row, spelling] = read->identity;
        if (row && is_compared(*row, current(), read->releases))
            return Refreshed{*row, spelling, false};
        if (row && row->is_replaced) return move_into_place(*row, read->releases);
        if (!spelling && !row)
            return base::fail(base::Kind::absent, asked.class_name + " " + asked.name +
                                                      " is in no release known here");
        const auto after = examiner_.load(spelling, row ? row->object : asked);
        if (!after) return tl::unexpected(after.error());
        if (row && is_same(*row, *after)) return note(*row, spelling);
        return record(*read, *after);
    }

   private:
    [[nodiscard]] const Release& current() const { return build_.release(); }

    [[nodiscard]] Result<Read> read(const ObjectName& asked) const {
        return store::perform(
            desk_.pool, Access::read, [&](Transaction& transaction) -> Result<Read> {
                auto identity = identify(transaction, &build_, asked);
                if (!identity) return tl::unexpected(identity.error());
                auto releases = known_releases(transaction, desk_.settings, &build_, previous_);
                if (identity->row)
                    tables::settle(transaction, *identity->row, current(), releases);
                return Read{std::move(*identity), std::move(releases)};
            });
    }

    // Written is only upon what is in place; then all is looked at again.
    [[nodiscard]] Result<std::optional<Refreshed>> move_into_place(
        const tables::ObjectRow& row, const tables::Releases& releases) const {
        const auto moved =
            store::perform(desk_.pool, Access::write, [&](Transaction& transaction) {
                return tables::move_into_place(transaction, row.oid, desk_.settings.keep_trees,
                                               releases);
            });
        if (!moved) return tl::unexpected(moved.error());
        return std::nullopt;
    }

    [[nodiscard]] bool is_same(const tables::ObjectRow& row, const After& after) const {
        return after.is_there() && row.signature == after.signature;
    }

    // Compared in this release, nothing changed.
    Result<std::optional<Refreshed>> note(const tables::ObjectRow& row,
                                          const std::optional<ObjectName>& spelling) const {
        auto now = row;
        now.ace_version = now.compared_in = current().version;
        const auto moved = store::perform(
            desk_.pool, Access::write, [&](Transaction& transaction) -> Result<bool> {
                const auto released =
                    tables::record_release(transaction, current(), build_.digest());
                if (!released) return tl::unexpected(released.error());
                return tables::update_object(transaction, now, row.ace_version);
            });
        if (!moved) return tl::unexpected(moved.error());
        if (!*moved) return std::nullopt;
        return Refreshed{now, spelling, false, true};
    }

    Result<std::optional<Refreshed>> record(const Read& read, const After& after) {
        const auto before = known_before(read, after);
        if (!before) return tl::unexpected(before.error());
        const auto outcome = examiner_.decide(*before, after, read.releases);
        if (!outcome) return tl::unexpected(outcome.error());
        const auto twins = examiner_.twins_of(*before, after);
        if (!twins) return tl::unexpected(twins.error());
        if (after.is_there())
            if (const auto is = build_.confirm(); !is) return tl::unexpected(is.error());
        return write(*before, after, *outcome, *twins);
    }

    Result<Before> known_before(const Read& read, const After& after) const {
        if (!read.identity.row) {
            auto absent_from = examiner_.absent_from(after.spelling);
            if (!absent_from) return tl::unexpected(absent_from.error());
            return Before{std::nullopt, std::nullopt, std::move(*absent_from), {}};
        }
        return store::perform(
            desk_.pool, Access::read, [&](Transaction& transaction) -> Result<Before> {
                auto tree =
                    tables::newest_tree(transaction, read.identity.row->oid, read.releases);
                if (!tree) return base::fail_at(read.identity.row->object.name, tree.error());
                return Before{read.identity.row,
                              std::move(*tree),
                              {},
                              tables::recorded_versions(transaction, read.identity.row->oid)};
            });
    }

    Result<std::optional<Refreshed>> write(const Before& before, const After& after,
                                           const Outcome& outcome,
                                           const std::vector<ObjectName>& twins) const {
        using Written = Result<std::optional<Refreshed>>;
        try {
            return store::perform(
                desk_.pool, Access::write, [&](Transaction& transaction) -> Written {
                    const auto released =
                        tables::record_release(transaction, current(), build_.digest());
                    if (!released) return tl::unexpected(released.error());
                    return write_outcome(transaction, before, after, outcome, twins);
                });
        } catch (const store::Failure& failure) {
            if (tables::somebody_came_between(failure)) return std::nullopt;
            throw;
        }
    }

    Result<std::optional<Refreshed>> write_outcome(Transaction& transaction, const Before& before,
                                                   const After& after, const Outcome& outcome,
                                                   const std::vector<ObjectName>& twins) const {
        auto row = outcome.row;
        if (!before.row)
            row.oid = insert_new(transaction, row);
        else if (!tables::update_object(transaction, row, before.row->ace_version))
            return std::nullopt;
        for (auto each : outcome.rows) {
            each.oid = row.oid;
            const auto renamed = with_rename(transaction, std::move(each), before, after, twins);
            if (!renamed) return tl::unexpected(renamed.error());
            if (renamed->release.version != current().version)
                if (const auto known = tables::record_release(transaction, renamed->release, {});
                    !known)
                    return tl::unexpected(known.error());
            tables::insert_history(transaction, *renamed);
        }
        if (outcome.store_tree) {
            tables::insert_tree(transaction, row.oid, current().version, after.nodes);
            tables::prune_trees(transaction, row.oid, desk_.settings.keep_trees,
                                known_releases(transaction, desk_.settings, &build_, previous_));
        }
        if (!outcome.rows.empty()) tables::move_generation(transaction);
        return Refreshed{row, after.is_there() ? std::optional(after.spelling) : std::nullopt,
                         !outcome.rows.empty(), true};
    }

    std::int64_t insert_new(Transaction& transaction, const tables::ObjectRow& row) const {
        const auto releases = known_releases(transaction, desk_.settings, &build_, previous_);
        for (const auto& release :
             tables::warmed_after(transaction, row.object.class_name, current(), releases))
            tables::list_failed(transaction, release, row.object, std::string(tables::born_late));
        return tables::insert_object(transaction, row);
    }

    Result<tables::Row> with_rename(Transaction& transaction, tables::Row row,
                                    const Before& before, const After& after,
                                    const std::vector<ObjectName>& twins) const {
        if (twins.size() != 1) return row;
        if (row.kind == tables::RowKind::vanished) {
            const auto others =
                examiner_.vanished_with(transaction, row.object, before.row->signature);
            if (!others) return tl::unexpected(others.error());
            // Another that vanished in this release may have been first to claim it.
            const bool claimed =
                !tables::vanished_into(transaction, current(), twins.front()).empty();
            if (others->empty() && !claimed) row.notes.renamed_to = twins.front();
        }
        if (row.kind == tables::RowKind::created && twins.front() == row.object) {
            auto from = examiner_.vanished_with(transaction, row.object, after.signature);
            if (!from) return tl::unexpected(from.error());
            if (from->empty()) from = tables::vanished_into(transaction, current(), row.object);
            if (from->size() == 1) row.notes.renamed_from = from->front();
        }
        return row;
    }

    const Context& desk_;
    const source::Source& build_;
    const source::Source* previous_;
    Examiner examiner_;
};

}  // namespace

bool is_compared(const tables::ObjectRow& row, const Release& release,
                 const tables::Releases& releases) {
    return row.compared_in == release.version ||
           releases.is_later(row.compared_in, release.version);
}

tables::Releases known_releases(Transaction& transaction, const Settings& settings,
                                const source::Source* build, const source::Source* previous) {
    auto releases = tables::load_releases(transaction);
    // Of two dates for one version the first one stands: what is recorded, then the builds'
    // own, then what an operator wrote down.
    if (build != nullptr) releases.add(build->release());
    if (previous != nullptr) releases.add(previous->release());
    for (const auto& release : settings.known_releases) releases.add(release);
    return releases;
}

Result<Refreshed> refresh(const Context& desk, const source::Source& build,
                          const source::Source* previous, const ObjectName& asked) {
    for (int race = 0; race < most_races; ++race) {
        Refresh attempt(desk, build, previous);
        const auto done = attempt.once(asked);
        if (!done) return tl::unexpected(done.error());
        if (*done) return **done;
    }
    return base::fail(base::Kind::conflict,
                      "others keep recording " + asked.class_name + " " + asked.name);
}

}  // namespace history
