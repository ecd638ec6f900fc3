// SPDX-License-Identifier: MIT
#include "history/republication.hpp"

#include <algorithm>

#include "tables/prewarmed.hpp"
#include "tree/outline.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

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

bool are_same(const tables::Row& a, const tables::Row& b) {
    const auto same = [](const auto& x, const auto& y) { return are_same(x, y); };
    return a.kind == b.kind && std::ranges::equal(a.notes.changes, b.notes.changes, same);
}

bool are_same(const std::optional<tables::Row>& a, const std::optional<tables::Row>& b) {
    return a.has_value() == b.has_value() && (!a || are_same(*a, *b));
}

// Whether all that the two differ in may come of what is ignored, now or when one was recorded:
// the changes of a row, and whether there is a row where nothing but changes makes one.
bool may_differ_by_ignoring(const std::optional<tables::Row>& recorded,
                            const std::optional<tables::Row>& now) {
    const bool was_shown = recorded && recorded->kind != tables::RowKind::withdrawn;
    if (was_shown && now) return recorded->kind == now->kind;
    if (!was_shown && !now) return false;
    const auto kind = was_shown ? recorded->kind : now->kind;
    return kind == tables::RowKind::changed || kind == tables::RowKind::reconstructed;
}

// What the tables hold of an object.
struct Known {
    std::optional<ObjectName> spelling;          // the build's; nullopt: it is not there
    std::optional<tables::Row> recorded_row;     // of this release
    std::optional<tables::KnownTree> tree;       // of an earlier one
    bool had_vanished = false;                   // in the newest row of an earlier one
    std::string since;                           // the release to compare with
    base::Date last_modified;                    // by an earlier release
    std::vector<std::string> versions_with_row;  // earlier ones
};

// What the release makes of an object, as if nobody had recorded it before.
struct Fresh {
    std::optional<tables::Row> row;
    std::string label, other_names;
};

// An object on its way through the stages.
struct Recomputing {
    const tables::ObjectRow* object = nullptr;
    Known known;
    After after;
    Fresh fresh;
    // What was recorded reads the same today: where the row differs, [ignore] does.
    bool stands = false;
    std::optional<base::Error> error;
};

class Recomputation {
   public:
    Recomputation(const BuildView& view, const tables::Releases& releases)
        : view_(view), releases_(releases), earlier_(releases_before(view.current(), releases)) {}

    std::vector<Result<Recomputed>> run(std::span<const tables::ObjectRow> objects) const {
        std::vector<Recomputing> items(objects.size());
        for (std::size_t i = 0; i < items.size(); ++i) items[i].object = &objects[i];
        read(items);
        for (auto& item : items)
            if (!item.error)
                if (const auto done = load_and_decide(item); !done) item.error = done.error();
        std::vector<Result<Recomputed>> answers;
        answers.reserve(items.size());
        for (auto& item : items) answers.push_back(answer_of(item));
        return answers;
    }

   private:
    [[nodiscard]] const Context& context() const { return view_.context; }

    // -- what is known

    void read(std::span<Recomputing> items) const {
        auto known = try_read(items);
        if (known) {
            for (std::size_t i = 0; i < items.size(); ++i)
                items[i].known = std::move((*known)[i]);
        } else if (items.size() == 1) {
            items.front().error = known.error();
        } else {
            // What cannot be read of one object says nothing of the others.
            for (std::size_t i = 0; i < items.size(); ++i) read(items.subspan(i, 1));
        }
    }

    Result<std::vector<Known>> try_read(std::span<const Recomputing> items) const {
        std::vector<std::int64_t> oids;
        std::vector<ObjectName> names;
        for (const auto& item : items) {
            oids.push_back(item.object->oid);
            names.push_back(item.object->object);
        }
        using Read = Result<std::vector<Known>>;
        return store::perform(
            context().pool, Access::read, [&](Transaction& transaction) -> Read {
                auto identities = identify(transaction, &view_.build, names);
                if (!identities) return tl::unexpected(identities.error());
                auto recorded =
                    tables::rows_of_release(transaction, oids, view_.current().version);
                if (!recorded) return tl::unexpected(recorded.error());
                auto trees = tables::newest_trees(transaction, oids, earlier_);
                if (!trees) return base::fail_at(names.front().name, trees.error());
                // Without one of its rows, nobody knows what the object was before.
                std::optional<tables::UnreadableRow> unreadable;
                const auto rows = tables::row_summaries(
                    transaction, oids, [&](const auto& row) { unreadable = row; });
                if (unreadable)
                    return base::fail(base::ErrorKind::malformed,
                                      names.front().name + ": " + unreadable->reason);
                std::vector<Known> all;
                for (std::size_t i = 0; i < items.size(); ++i) {
                    const auto of_object = rows.find(oids[i]);
                    static const std::vector<tables::RowSummary> none;
                    auto& known = all.emplace_back(known_of(
                        *items[i].object, of_object == rows.end() ? none : of_object->second));
                    known.spelling = std::move((*identities)[i].spelling);
                    if (auto row = recorded->extract(oids[i]))
                        known.recorded_row = std::move(row.mapped());
                    // The only tree may be that of this release.
                    if (auto tree = trees->extract(oids[i]);
                        tree && earlier_.find(tree.mapped().version) != nullptr)
                        known.tree = std::move(tree.mapped());
                }
                find_since(transaction, items, all);
                return all;
            });
    }

    void find_since(Transaction& transaction, std::span<const Recomputing> items,
                    std::vector<Known>& all) const {
        std::vector<tables::ObjectRow> then;
        std::vector<tables::ObjectRow*> to_resolve;
        for (std::size_t i = 0; i < items.size(); ++i) {
            then.push_back(*items[i].object);
            then.back().ace_version = all[i].tree ? all[i].tree->version : "";
        }
        for (auto& row : then) to_resolve.push_back(&row);
        tables::resolve_compared_in(transaction, to_resolve, {}, earlier_);
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto& recorded = all[i].recorded_row;
            all[i].since = recorded && !recorded->since.empty() ? recorded->since
                                                                : std::move(then[i].compared_in);
        }
    }

    [[nodiscard]] Known known_of(const tables::ObjectRow& object,
                                 std::span<const tables::RowSummary> rows) const {
        Known known;
        known.last_modified = context().settings.first_seen_since;
        bool is_in_release = false;
        std::string newest;
        for (const auto& row : rows) {
            is_in_release = is_in_release || row.version == view_.current().version;
            if (earlier_.find(row.version) == nullptr) continue;
            known.versions_with_row.push_back(row.version);
            known.last_modified = std::max(known.last_modified, row.date);
            if (!newest.empty() && earlier_.is_later(newest, row.version)) continue;
            newest = row.version;
            known.had_vanished = row.signature.empty();
        }
        if (!is_in_release) known.last_modified = object.last_modified;
        return known;
    }

    // -- what the release makes of it

    Result<void> load_and_decide(Recomputing& item) const {
        auto after = view_.load(item.known.spelling, item.object->object);
        if (!after) return tl::unexpected(after.error());
        auto fresh = decide(*item.object, item.known, *after);
        if (!fresh) return tl::unexpected(fresh.error());
        item.after = std::move(*after);
        item.fresh = std::move(*fresh);
        return {};
    }

    Result<Fresh> decide(const tables::ObjectRow& object, const Known& known,
                         const After& after) const {
        const auto before = before_of(object, known, after);
        if (!before) return tl::unexpected(before.error());
        if (!*before) return Fresh{std::nullopt, object.label, object.other_names};
        auto outcome = view_.decide(**before, after, releases_);
        if (!outcome) return tl::unexpected(outcome.error());
        Fresh fresh{std::nullopt, std::move(outcome->row.label),
                    std::move(outcome->row.other_names)};
        for (auto& row : outcome->rows) {
            if (row.release.version != view_.current().version) continue;
            row.oid = object.oid;
            row.object = object.object;
            fresh.row = std::move(row);
        }
        if (!fresh.row) return fresh;
        auto* const row = &*fresh.row;
        if (const auto done = describe(view_, std::span(&row, 1)); !done)
            return tl::unexpected(done.error());
        return fresh;
    }

    // Returns nullopt when the object belongs to no release any more.
    Result<std::optional<Before>> before_of(const tables::ObjectRow& object, const Known& known,
                                            const After& after) const {
        if (known.tree) return known_before(object, known);
        auto absent_from = view_.absent_from(after.spelling);
        if (!absent_from) return tl::unexpected(absent_from.error());
        if (after.is_there())
            return Before{std::nullopt, std::nullopt, std::move(*absent_from),
                          known.versions_with_row};
        // Seen in this release for the first time, and not there after all: it vanished only where
        // the release before is known to have had it.
        if (view_.previous == nullptr || !absent_from->empty()) return std::nullopt;
        auto before = known_before(object, known);
        before.row->ace_version = before.row->compared_in = view_.previous->release().version;
        return before;
    }

    Before known_before(const tables::ObjectRow& object, const Known& known) const {
        auto row = object;
        row.ace_version = row.compared_in = known.since;
        row.last_modified = known.last_modified;
        row.signature.clear();
        if (known.tree) {
            row.label = label_of(known.tree->nodes, object.object, context().settings.names);
            row.other_names = other_names_of(known.tree->nodes, object.object, row.label,
                                             context().settings.search);
            if (!known.had_vanished) row.signature = tree::signature_of(known.tree->nodes);
        }
        return {std::move(row), known.tree, {}, known.versions_with_row};
    }

    // -- whether that differs from what is recorded

    Result<bool> recorded_row_stands(const Recomputing& item) const {
        const auto& recorded = item.known.recorded_row;
        // What a shortened row lacks is known only from the trees.
        const bool is_whole = !recorded || recorded->notes.is_whole();
        if (is_whole && are_same(recorded, item.fresh.row)) return true;
        if (!may_differ_by_ignoring(recorded, item.fresh.row)) return false;
        const auto state = recorded_state(*item.object);
        if (!state) return tl::unexpected(state.error());
        if (!*state) return false;
        auto today = decide(*item.object, item.known, **state);
        if (!today) return tl::unexpected(today.error());
        return are_same(today->row, item.fresh.row);
    }

    // Returns the object as the release had it when it was recorded; nullopt when no tree is known.
    Result<std::optional<After>> recorded_state(const tables::ObjectRow& object) const {
        using State = Result<std::optional<After>>;
        if (object.is_replaced)
            return std::nullopt;  // the table has another content than the row
        return store::perform(
            context().pool, Access::read, [&](Transaction& transaction) -> State {
                const tables::Releases releases(releases_.up_to(view_.current()));
                auto trees =
                    tables::newest_trees(transaction, std::span(&object.oid, 1), releases);
                if (!trees) return base::fail_at(object.object.name, trees.error());
                const auto tree = trees->find(object.oid);
                if (tree == trees->end()) return std::nullopt;
                if (object.signature.empty()) return After{object.object, {}, {}};
                auto signature = tree::signature_of(tree->second.nodes);
                return After{object.object, std::move(tree->second.nodes), std::move(signature)};
            });
    }

    // -- the answer

    Result<Recomputed> answer_of(Recomputing& item) const {
        if (item.error) return tl::unexpected(*item.error);
        const auto stands = recorded_row_stands(item);
        if (!stands) return tl::unexpected(stands.error());
        item.stands = *stands;
        return replacement_of(item);
    }

    static tables::Row shortened(tables::Row row) {
        tables::shorten(row.notes);
        return row;
    }

    std::optional<tables::Row> row_to_be(const Recomputing& item) const {
        const auto& recorded = item.known.recorded_row;
        const auto& fresh = item.fresh.row;
        if (item.stands) return recorded;
        if (!recorded && fresh) return shortened(*fresh);
        if (!recorded) return std::nullopt;
        if (!fresh && recorded->kind == tables::RowKind::withdrawn) return recorded;
        auto row = shortened(fresh.value_or(*recorded));
        row.revision = recorded->revision + 1;
        if (fresh) return row;
        row.kind = tables::RowKind::withdrawn;
        row.recorded_at = context().clock();
        row.signature = item.after.signature;
        row.content.clear();
        row.notes = {};
        row.notes.previous = recorded->notes.previous;
        return row;
    }

    [[nodiscard]] Recomputed replacement_of(Recomputing& item) const {
        const auto& object = *item.object;
        const auto& after = item.after;
        const auto& recorded = item.known.recorded_row;
        const auto row = row_to_be(item);
        const bool row_stands = row.has_value() == recorded.has_value() &&
                                (!row || row->revision == recorded->revision);
        if (row_stands && after.signature == object.signature) return {};
        Recomputed answer;
        auto& replacement = answer.replacement.emplace();
        replacement.version = view_.current().version;
        replacement.digest = view_.build.digest();
        replacement.object = object;
        replacement.object.signature = after.signature;
        replacement.object.label = std::move(item.fresh.label);
        replacement.object.other_names = std::move(item.fresh.other_names);
        replacement.object.last_modified = row && row->kind != tables::RowKind::withdrawn
                                               ? view_.current().released_on
                                               : item.known.last_modified;
        replacement.row = row;
        if (after.signature != object.signature)
            replacement.tree = tables::packed_tree(after.nodes);
        if (row_stands) return answer;
        answer.effect = !item.fresh.row                                     ? Effect::withdrawn
                        : item.fresh.row->kind == tables::RowKind::vanished ? Effect::vanished
                                                                            : Effect::changed;
        return answer;
    }

    const BuildView& view_;
    const tables::Releases& releases_;
    const tables::Releases earlier_;  // than that of the build
};

}  // namespace

std::vector<Result<Recomputed>> recompute(const BuildView& view, const tables::Releases& releases,
                                          std::span<const tables::ObjectRow> objects) {
    return Recomputation(view, releases).run(objects);
}

}  // namespace history
