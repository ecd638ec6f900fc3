// SPDX-License-Identifier: MIT
#include "history/republication.hpp"

#include <algorithm>

#include "tree/outline.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using store::Value;

tables::Releases releases_before(const Release& release, const tables::Releases& releases) {
    auto earlier = releases.up_to(release);
    std::erase_if(earlier, [&](const auto& each) { return each.version == release.version; });
    return tables::Releases(std::move(earlier));
}

// Stamps are not content (C1): a place that was stamped anew is no other change.
bool are_same(const compare::Change& a, const compare::Change& b) {
    return a.op == b.op && std::ranges::equal(a.path, b.path, tree::same_content) &&
           tree::signature_of(a.before) == tree::signature_of(b.before) &&
           tree::signature_of(a.after) == tree::signature_of(b.after);
}

bool are_alike(const tables::Row& a, const tables::Row& b) {
    return a.kind == b.kind && a.notes.renamed_to == b.notes.renamed_to &&
           a.notes.renamed_from == b.notes.renamed_from;
}

bool are_same(const tables::Row& a, const tables::Row& b) {
    const auto same = [](const auto& x, const auto& y) { return are_same(x, y); };
    return are_alike(a, b) && std::ranges::equal(a.notes.changes, b.notes.changes, same);
}

bool are_same(const std::optional<tables::Row>& a, const std::optional<tables::Row>& b) {
    return a.has_value() == b.has_value() && (!a || are_same(*a, *b));
}

// Whether all that the two differ in may come of what is ignored, now or when one was recorded:
// the changes of a row, and whether there is a row where nothing but changes makes one.
bool may_differ_by_ignoring(const std::optional<tables::Row>& recorded,
                            const std::optional<tables::Row>& now) {
    const bool was_told = recorded && recorded->kind != tables::RowKind::withdrawn;
    if (was_told && now) return are_alike(*recorded, *now);
    if (!was_told && !now) return false;
    const auto kind = was_told ? recorded->kind : now->kind;
    return kind == tables::RowKind::changed || kind == tables::RowKind::reconstructed;
}

}  // namespace

Republication::Republication(const Context& desk, const source::Source& build,
                             const source::Source* previous, const tables::Releases& releases)
    : desk_(desk), build_(build), previous_(previous), releases_(releases),
      earlier_(releases_before(build.release(), releases)), examiner_(desk, build, previous) {}

Result<Republication::Answer> Republication::of(const tables::ObjectRow& object) const {
    const auto known = read(object);
    if (!known) return tl::unexpected(known.error());
    const auto after = examiner_.load(known->spelling, object.object);
    if (!after) return tl::unexpected(after.error());
    auto verdict = judge(object, *known, *after);
    if (!verdict) return tl::unexpected(verdict.error());
    const auto stands = this->stands(object, *known, *verdict);
    if (!stands) return tl::unexpected(stands.error());
    verdict->stands = *stands;
    return answer(object, *known, *after, std::move(*verdict));
}

Result<Republication::Known> Republication::read(const tables::ObjectRow& object) const {
    return store::perform(
        desk_.pool, Access::read, [&](Transaction& transaction) -> Result<Known> {
            auto identity = identify(transaction, &build_, object.object);
            if (!identity) return tl::unexpected(identity.error());
            auto recorded = tables::find_row(transaction, object.oid, build_.release().version);
            if (!recorded) return tl::unexpected(recorded.error());
            auto tree = tables::newest_tree(transaction, object.oid, earlier_);
            if (!tree) return base::fail_at(object.object.name, tree.error());
            auto known = read_rows(transaction, object);
            known.spelling = std::move(identity->spelling);
            known.recorded = std::move(*recorded);
            // Of this release alone there may be one.
            if (*tree && earlier_.find((*tree)->version) != nullptr)
                known.tree = std::move(*tree);
            tables::ObjectRow then = object;
            then.ace_version = known.tree ? known.tree->version : "";
            tables::settle(transaction, then, {}, earlier_);
            known.since = std::move(then.compared_in);
            if (known.recorded && !known.recorded->since.empty())
                known.since = known.recorded->since;
            return known;
        });
}

Republication::Known Republication::read_rows(Transaction& transaction,
                                              const tables::ObjectRow& object) const {
    Known known;
    known.last_modified = desk_.settings.first_seen_since;
    bool is_in_release = false;
    std::string newest;
    for (const auto& row :
         transaction.query("SELECT version, date, kind, signature FROM history WHERE oid = ?",
                           {Value{object.oid}})) {
        is_in_release = is_in_release || row.text(0) == build_.release().version;
        if (earlier_.find(row.text(0)) == nullptr) continue;
        known.recorded_in.push_back(row.text(0));
        known.last_modified = std::max(known.last_modified, tables::date_of(row.text(1)));
        known.is_adopted =
            known.is_adopted || row.text(2) == tables::name_of(tables::RowKind::adopted);
        if (!newest.empty() && earlier_.is_later(newest, row.text(0))) continue;
        newest = row.text(0);
        known.had_vanished =
            row.text(3).empty() && row.text(2) != tables::name_of(tables::RowKind::adopted);
    }
    if (!is_in_release) known.last_modified = object.last_modified;
    return known;
}

Before Republication::known_before(const tables::ObjectRow& object, const Known& known) const {
    auto row = object;
    row.ace_version = row.compared_in = known.since;
    row.last_modified = known.last_modified;
    row.signature.clear();
    if (known.tree) {
        row.label = label_of(known.tree->nodes, object.object, desk_.settings.names);
        if (!known.had_vanished) row.signature = tree::signature_of(known.tree->nodes);
    }
    return {std::move(row), known.tree, {}, known.recorded_in};
}

// nullopt: the object belongs to no release any more.
Result<std::optional<Before>> Republication::before(const tables::ObjectRow& object,
                                                    const Known& known,
                                                    const After& after) const {
    if (known.tree || known.is_adopted) return known_before(object, known);
    auto absent_from = examiner_.absent_from(after.spelling);
    if (!absent_from) return tl::unexpected(absent_from.error());
    if (after.is_there())
        return Before{std::nullopt, std::nullopt, std::move(*absent_from), known.recorded_in};
    // Seen in this release for the first time, and not there after all: it vanished only where
    // the release before is known to have had it.
    if (previous_ == nullptr || !absent_from->empty()) return std::nullopt;
    auto before = known_before(object, known);
    before.row->ace_version = before.row->compared_in = previous_->release().version;
    return before;
}

Result<Republication::Verdict> Republication::judge(const tables::ObjectRow& object,
                                                    const Known& known,
                                                    const After& after) const {
    const auto before = this->before(object, known, after);
    if (!before) return tl::unexpected(before.error());
    if (!*before) return Verdict{std::nullopt, object.label};
    auto outcome = examiner_.decide(**before, after, releases_);
    if (!outcome) return tl::unexpected(outcome.error());
    Verdict verdict{std::nullopt, std::move(outcome->row.label)};
    for (auto& row : outcome->rows) {
        if (row.release.version != build_.release().version) continue;
        row.oid = object.oid;
        row.object = object.object;
        auto renamed = with_rename(std::move(row), **before, after);
        if (!renamed) return tl::unexpected(renamed.error());
        verdict.row = std::move(*renamed);
    }
    return verdict;
}

Result<bool> Republication::stands(const tables::ObjectRow& object, const Known& known,
                                   const Verdict& verdict) const {
    if (are_same(known.recorded, verdict.row)) return true;
    if (!may_differ_by_ignoring(known.recorded, verdict.row)) return false;
    const auto state = recorded_state(object);
    if (!state) return tl::unexpected(state.error());
    if (!*state) return false;
    const auto today = judge(object, known, **state);
    if (!today) return tl::unexpected(today.error());
    return are_same(today->row, verdict.row);
}

// The object as the release had it when it was recorded; nullopt: no tree tells.
Result<std::optional<After>> Republication::recorded_state(
    const tables::ObjectRow& object) const {
    using State = Result<std::optional<After>>;
    if (object.is_replaced) return std::nullopt;  // the table has another content than the row
    return store::perform(desk_.pool, Access::read, [&](Transaction& transaction) -> State {
        const tables::Releases releases(releases_.up_to(build_.release()));
        auto tree = tables::newest_tree(transaction, object.oid, releases);
        if (!tree) return base::fail_at(object.object.name, tree.error());
        if (!*tree) return std::nullopt;
        if (object.signature.empty()) return After{object.object, {}, {}};
        auto signature = tree::signature_of((*tree)->nodes);
        return After{object.object, std::move((*tree)->nodes), std::move(signature)};
    });
}

// Rule C9, as refresh() has it, with what the replacements say before what the rows say.
Result<tables::Row> Republication::with_rename(tables::Row row, const Before& before,
                                               const After& after) const {
    if (row.kind != tables::RowKind::vanished && row.kind != tables::RowKind::created) return row;
    const auto twins = examiner_.twins_of(before, after);
    if (!twins) return tl::unexpected(twins.error());
    if (twins->size() != 1) return row;
    const auto& twin = twins->front();
    const bool is_gone = row.kind == tables::RowKind::vanished;
    if (!is_gone && twin != row.object) return row;
    return store::perform(
        desk_.pool, Access::read, [&](Transaction& transaction) -> Result<tables::Row> {
            const auto& signature = is_gone ? before.row->signature : after.signature;
            const auto others = had_content(transaction, row.object, signature);
            if (!others) return tl::unexpected(others.error());
            auto claimed_by = claims(transaction, twin);
            if (!claimed_by) return tl::unexpected(claimed_by.error());
            std::erase(*claimed_by, row.object);
            auto renamed = row;
            const auto& from = others->empty() ? *claimed_by : *others;
            if (is_gone && others->empty() && claimed_by->empty())
                renamed.notes.renamed_to = twin;
            if (!is_gone && from.size() == 1) renamed.notes.renamed_from = from.front();
            return renamed;
        });
}

// Other objects of the class that had this content before the release and are not in the build.
Result<std::vector<ObjectName>> Republication::had_content(Transaction& transaction,
                                                           const ObjectName& object,
                                                           const std::string& signature) const {
    auto gone = examiner_.vanished_with(transaction, object, signature);
    if (!gone) return gone;
    // What has a row of the release got its content in it.
    std::erase_if(*gone, [&](const ObjectName& other) {
        return !transaction
                    .query("SELECT h.oid FROM history h JOIN objects o ON o.oid = h.oid WHERE"
                           " o.class = ? AND o.name = ? AND h.version = ?",
                           {Value{other.class_name}, Value{other.name},
                            Value{build_.release().version}})
                    .empty();
    });
    return gone;
}

// Who says that `name` is its new name: by a replacement, or by a row that stands.
Result<std::vector<ObjectName>> Republication::claims(Transaction& transaction,
                                                      const ObjectName& name) const {
    const auto& version = build_.release().version;
    auto claiming = tables::replaced_into(transaction, version, build_.digest(), name);
    for (auto& other : tables::vanished_into(transaction, build_.release(), name)) {
        const auto found = build_.find(other);
        if (!found) return tl::unexpected(found.error());
        const auto replaced = transaction.query(
            "SELECT r.oid FROM replacements r JOIN objects o ON o.oid = r.oid"
            " WHERE r.version = ? AND r.digest = ? AND o.class = ? AND o.name = ?",
            {Value{version}, Value{build_.digest()}, Value{other.class_name}, Value{other.name}});
        if (!*found && replaced.empty()) claiming.push_back(std::move(other));
    }
    return claiming;
}

std::optional<tables::Row> Republication::row_to_be(const Known& known, const After& after,
                                                    const Verdict& verdict) const {
    const auto& recorded = known.recorded;
    if (verdict.stands) return recorded;
    if (!recorded) return verdict.row;
    if (!verdict.row && recorded->kind == tables::RowKind::withdrawn) return recorded;
    auto row = verdict.row.value_or(*recorded);
    row.revision = recorded->revision + 1;
    if (verdict.row) return row;
    row.kind = tables::RowKind::withdrawn;
    row.recorded_at = desk_.clock();
    row.signature = after.signature;
    row.notes = {};
    row.notes.previous = recorded->notes.previous;
    return row;
}

Republication::Answer Republication::answer(const tables::ObjectRow& object, const Known& known,
                                            const After& after, Verdict verdict) const {
    const auto row = row_to_be(known, after, verdict);
    const bool row_stands = row.has_value() == known.recorded.has_value() &&
                            (!row || row->revision == known.recorded->revision);
    if (row_stands && after.signature == object.signature) return {};
    Answer answer;
    auto& replacement = answer.replacement.emplace();
    replacement.version = build_.release().version;
    replacement.digest = build_.digest();
    replacement.object = object;
    replacement.object.signature = after.signature;
    replacement.object.label = std::move(verdict.label);
    replacement.object.last_modified = row && row->kind != tables::RowKind::withdrawn
                                           ? build_.release().released_on
                                           : known.last_modified;
    replacement.row = row;
    if (after.signature != object.signature) replacement.tree = tables::packed_tree(after.nodes);
    if (row_stands) return answer;
    answer.fate = !verdict.row                                     ? Fate::withdrawn
                  : verdict.row->kind == tables::RowKind::vanished ? Fate::vanished
                                                                   : Fate::changed;
    return answer;
}

}  // namespace history
