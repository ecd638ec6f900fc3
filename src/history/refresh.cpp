// SPDX-License-Identifier: MIT
#include "history/refresh.hpp"

#include <algorithm>

#include "tree/outline.hpp"
#include "tree/stamp.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// A loser of this many races in a row meets something other than bad luck.
constexpr int most_races = 10;

struct Read {
    Identity identity;
    Releases releases;
};

// A row whose name differs from what was asked for only by case, though the build has both:
// another object.
Result<bool> is_another(const source::Source& build, const ObjectName& asked,
                        const ObjectName& recorded) {
    if (recorded == asked) return false;
    const auto here = build.find(asked), there = build.find(recorded);
    if (!here) return tl::unexpected(here.error());
    if (!there) return tl::unexpected(there.error());
    return *here == asked && *there == recorded;
}

class Refresh {
   public:
    Refresh(const Desk& desk, const source::Source& build, const source::Source* previous)
        : desk_(desk), build_(build), previous_(previous) {}

    // nullopt: somebody was first, look again.
    Result<std::optional<Refreshed>> once(const ObjectName& asked) {
        const auto read = this->read(asked);
        if (!read) return tl::unexpected(read.error());
        const auto& [row, spelling] = read->identity;
        if (row && is_compared(*row, current(), read->releases))
            return Refreshed{*row, spelling, false};
        if (!spelling && !row)
            return base::fail(base::Kind::absent, asked.class_name + " " + asked.name +
                                                      " is in no release known here");
        const auto after = load(spelling, row);
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
                return Read{std::move(*identity),
                            known_releases(transaction, desk_.settings, &build_, previous_)};
            });
    }

    Result<After> load(const std::optional<ObjectName>& spelling,
                       const std::optional<ObjectRow>& row) const {
        if (!spelling) return After{row->object, {}, {}};
        auto object = build_.load(*spelling);
        if (!object) return tl::unexpected(object.error());
        auto signature = tree::signature_of(object->nodes);
        return After{*spelling, std::move(object->nodes), std::move(signature)};
    }

    [[nodiscard]] bool is_same(const ObjectRow& row, const After& after) const {
        return after.is_there() && row.signature == after.signature;
    }

    // Compared in this release, nothing changed.
    Result<std::optional<Refreshed>> note(const ObjectRow& row,
                                          const std::optional<ObjectName>& spelling) const {
        auto now = row;
        now.ace_version = current().version;
        const auto moved = store::perform(
            desk_.pool, Access::write, [&](Transaction& transaction) -> Result<bool> {
                const auto released = record_release(transaction, current(), build_.digest());
                if (!released) return tl::unexpected(released.error());
                return update_object(transaction, now, row.ace_version);
            });
        if (!moved) return tl::unexpected(moved.error());
        if (!*moved) return std::nullopt;
        return Refreshed{now, spelling, false};
    }

    Result<std::optional<Refreshed>> record(const Read& read, const After& after) {
        const auto before = known_before(read, after);
        if (!before) return tl::unexpected(before.error());
        const auto evidence = evidence_for(read, *before);
        if (!evidence) return tl::unexpected(evidence.error());
        const Setting setting{current(),       read.releases, desk_.settings.names,
                              build_.models(), *evidence,     desk_.clock()};
        const auto outcome = decide(*before, after, setting);
        const auto twins = twins_of(read, after);
        if (!twins) return tl::unexpected(twins.error());
        return write(*before, after, outcome, *twins);
    }

    Result<Before> known_before(const Read& read, const After& after) const {
        Before before{read.identity.row, std::nullopt, {}, {}};
        if (!read.identity.row) {
            if (previous_ == nullptr) return before;
            const auto known = previous_->find(after.spelling);
            if (!known) return tl::unexpected(known.error());
            if (!*known) before.absent_from = previous_->release().version;
            return before;
        }
        return store::perform(
            desk_.pool, Access::read, [&](Transaction& transaction) -> Result<Before> {
                auto tree = newest_tree(transaction, read.identity.row->oid, read.releases);
                if (!tree) return base::fail_at(read.identity.row->object.name, tree.error());
                return Before{read.identity.row,
                              std::move(*tree),
                              {},
                              recorded_versions(transaction, read.identity.row->oid)};
            });
    }

    Result<compare::Evidence> evidence_for(const Read& read, const Before& before) const {
        if (before.tree) return compare::Evidence{};  // the trees decide (C2)
        // Samples the build, so that what follows can't fail.
        if (const auto sampled = build_.is_loading_stamp(""); !sampled)
            return tl::unexpected(sampled.error());
        const auto after = read.identity.row ? read.identity.row->last_modified
                                             : desk_.settings.first_seen_since;
        return compare::Evidence{
            after, read.releases.up_to(current()),
            [this](std::string_view stamp) { return is_of_the_build(stamp); }};
    }

    [[nodiscard]] bool is_of_the_build(std::string_view text) const {
        const auto stamp = tree::parse_stamp(text);
        const auto& users = desk_.settings.build_users;
        if (stamp && std::find(users.begin(), users.end(), stamp->by) != users.end()) return true;
        return build_.is_loading_stamp(text).value_or(true);
    }

    // Created objects whose content is that of the one that came or went (C9).
    Result<std::vector<ObjectName>> twins_of(const Read& read, const After& after) const {
        const auto& object = read.identity.row ? read.identity.row->object : after.spelling;
        const auto& signature = after.is_there() ? after.signature : read.identity.row->signature;
        if (read.identity.row && after.is_there()) return std::vector<ObjectName>();
        return desk_.renames.created_with(build_, previous_, object.class_name, signature);
    }

    Result<std::optional<Refreshed>> write(const Before& before, const After& after,
                                           const Outcome& outcome,
                                           const std::vector<ObjectName>& twins) const {
        using Written = Result<std::optional<Refreshed>>;
        try {
            return store::perform(
                desk_.pool, Access::write, [&](Transaction& transaction) -> Written {
                    const auto released = record_release(transaction, current(), build_.digest());
                    if (!released) return tl::unexpected(released.error());
                    return write_outcome(transaction, before, after, outcome, twins);
                });
        } catch (const store::Failure& failure) {
            if (failure.meaning().duplicate) return std::nullopt;
            throw;
        }
    }

    Result<std::optional<Refreshed>> write_outcome(Transaction& transaction, const Before& before,
                                                   const After& after, const Outcome& outcome,
                                                   const std::vector<ObjectName>& twins) const {
        auto row = outcome.row;
        if (!before.row)
            row.oid = insert_object(transaction, row);
        else if (!update_object(transaction, row, before.row->ace_version))
            return std::nullopt;
        for (auto each : outcome.rows) {
            each.oid = row.oid;
            const auto renamed = with_rename(transaction, std::move(each), before, after, twins);
            if (!renamed) return tl::unexpected(renamed.error());
            if (renamed->release.version != current().version)
                if (const auto known = record_release(transaction, renamed->release, {}); !known)
                    return tl::unexpected(known.error());
            insert_history(transaction, *renamed);
        }
        if (outcome.store_tree) {
            insert_tree(transaction, row.oid, current().version, after.nodes);
            prune_trees(transaction, row.oid, desk_.settings.keep_trees,
                        known_releases(transaction, desk_.settings, &build_, previous_));
        }
        if (!outcome.rows.empty()) move_generation(transaction);
        return Refreshed{row, after.is_there() ? std::optional(after.spelling) : std::nullopt,
                         !outcome.rows.empty()};
    }

    Result<Row> with_rename(Transaction& transaction, Row row, const Before& before,
                            const After& after, const std::vector<ObjectName>& twins) const {
        if (twins.size() != 1) return row;
        if (row.kind == Kind::vanished) {
            const auto others = vanished_with(transaction, row.object, before.row->signature);
            if (!others) return tl::unexpected(others.error());
            // Another that vanished in this release may have been first to claim it.
            const bool claimed = !vanished_into(transaction, current(), twins.front()).empty();
            if (others->empty() && !claimed) row.notes.renamed_to = twins.front();
        }
        if (row.kind == Kind::created && twins.front() == row.object) {
            auto from = vanished_with(transaction, row.object, after.signature);
            if (!from) return tl::unexpected(from.error());
            if (from->empty()) from = vanished_into(transaction, current(), row.object);
            if (from->size() == 1) row.notes.renamed_from = from->front();
        }
        return row;
    }

    // Other objects of the class that had this content when last seen and are not in the build.
    Result<std::vector<ObjectName>> vanished_with(Transaction& transaction,
                                                  const ObjectName& object,
                                                  const std::string& signature) const {
        std::vector<ObjectName> gone;
        constexpr std::size_t most = 100;  // one is a rename, that many are a pattern
        for (const auto& row : objects_with(transaction, object.class_name, signature, most)) {
            if (row.object == object) continue;
            const auto found = build_.find(row.object);
            if (!found) return tl::unexpected(found.error());
            if (!*found) gone.push_back(row.object);
        }
        return gone;
    }

    const Desk& desk_;
    const source::Source& build_;
    const source::Source* previous_;
};

}  // namespace

Result<Identity> identify(Transaction& transaction, const source::Source* build,
                          const ObjectName& asked) {
    Identity identity{find_object(transaction, asked), std::nullopt};
    if (build == nullptr) return identity;
    if (identity.row) {
        const auto another = is_another(*build, asked, identity.row->object);
        if (!another) return tl::unexpected(another.error());
        if (*another) identity.row.reset();
    }
    auto spelling = build->find(identity.row ? identity.row->object : asked);
    if (!spelling) return tl::unexpected(spelling.error());
    identity.spelling = std::move(*spelling);
    // The other spelling is taken by an object with a row of its own.
    if (identity.row && identity.spelling && *identity.spelling != identity.row->object) {
        const auto taken = find_object(transaction, *identity.spelling);
        if (taken && taken->object == *identity.spelling) identity.spelling.reset();
    }
    return identity;
}

bool is_compared(const ObjectRow& row, const Release& release, const Releases& releases) {
    return row.ace_version == release.version ||
           releases.is_later(row.ace_version, release.version);
}

Releases known_releases(Transaction& transaction, const Settings& settings,
                        const source::Source* build, const source::Source* previous) {
    auto releases = load_releases(transaction);
    // Of two dates for one version the first one stands: what is recorded, then the builds'
    // own, then what an operator wrote down.
    if (build != nullptr) releases.add(build->release());
    if (previous != nullptr) releases.add(previous->release());
    for (const auto& release : settings.known_releases) releases.add(release);
    return releases;
}

Result<Refreshed> refresh(const Desk& desk, const source::Source& build,
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
