// SPDX-License-Identifier: MIT
#include "history/batch.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "history/batch_writer.hpp"
#include "history/examine.hpp"
#include "store/dialect.hpp"
#include "tables/bulk.hpp"

namespace history {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using store::Value;

using Items = std::vector<Item*>;

bool differs_by_case(const ObjectName& a, const ObjectName& b) {
    return a != b && base::equal_ignoring_case(a.class_name, b.class_name) &&
           base::equal_ignoring_case(a.name, b.name);
}

// The object can't be read, and others can.
bool is_its_own_fault(const base::Error& error) {
    return error.kind == base::Kind::malformed || error.kind == base::Kind::too_large;
}

Fate fate_of(const Item& item) {
    if (!item.before.row) return Fate::added;
    if (item.outcome.rows.empty()) return Fate::unchanged;
    return item.after.is_there() ? Fate::changed : Fate::vanished;
}

Fate fate_of(const Refreshed& done) {
    if (!done.wrote_history) return Fate::unchanged;
    return done.spelling ? Fate::changed : Fate::vanished;
}

class Batch {
   public:
    Batch(const Context& desk, const source::Source& build, const source::Source* previous,
          std::span<const ObjectName> names, const BatchSettings& settings)
        : desk_(desk), build_(build), previous_(previous), settings_(settings),
          examiner_(desk, build, previous), items_(names.begin(), names.end()) {}

    Result<std::vector<Brought>> run() {
        for (const auto step :
             {&Batch::find_in_build, &Batch::read_rows, &Batch::load, &Batch::read_before,
              &Batch::decide, &Batch::look_for_renames, &Batch::write, &Batch::refresh_alone})
            if (auto done = (this->*step)(); !done) return tl::unexpected(done.error());
        std::vector<Brought> brought;
        for (auto& item : items_) brought.push_back(std::move(item.brought));
        return brought;
    }

   private:
    [[nodiscard]] const Release& current() const { return build_.release(); }

    Items on(Course course) {
        Items items;
        for (auto& item : items_)
            if (item.course == course) items.push_back(&item);
        return items;
    }

    Result<void> find_in_build() {
        for (auto& item : items_) {
            auto found = build_.find(item.name());
            if (!found) return tl::unexpected(found.error());
            if (*found && **found != item.name()) item.course = Course::alone;
            item.spelling = std::move(*found);
        }
        return {};
    }

    Result<void> read_rows() {
        std::vector<ObjectName> names;
        for (const auto& item : items_) names.push_back(item.name());
        auto rows = store::perform(desk_.pool, Access::read, [&](Transaction& transaction) {
            releases_ = known_releases(transaction, desk_.settings, &build_, previous_);
            auto found = tables::objects_named(transaction, names);
            std::vector<tables::ObjectRow*> settled;
            for (auto& row : found) settled.push_back(&row);
            tables::settle_all(transaction, settled, current(), releases_);
            return found;
        });
        std::multimap<std::string, tables::ObjectRow> by_key;
        for (auto& row : rows) by_key.emplace(base::fold_ascii(row.object.name), std::move(row));
        for (auto& item : items_) {
            const auto [first, last] = by_key.equal_range(base::fold_ascii(item.name().name));
            for (auto at = first; at != last; ++at) meet(item, at->second);
            if (item.course == Course::look) judge_row(item);
        }
        return {};
    }

    static void meet(Item& item, const tables::ObjectRow& row) {
        if (row.object == item.name()) item.before.row = row;
        // Whose row it is, refresh() knows.
        if (differs_by_case(row.object, item.name())) item.course = Course::alone;
    }

    void judge_row(Item& item) const {
        const auto& row = item.before.row;
        if (!row && !item.spelling) return item.end(Fate::absent);
        if (!row) return;
        if (is_compared(*row, current(), releases_)) return item.end(Fate::compared);
        if (row->is_replaced) {
            item.course = Course::alone;
            return;
        }
        if (item.spelling && settings_.same_bytes &&
            settings_.same_bytes(item.name(), row->compared_in))
            unchanged(item);
    }

    void unchanged(Item& item) const {
        item.end(Fate::unchanged,
                 settings_.note_unchanged == NoteUnchanged::yes ? Course::note : Course::nothing);
    }

    Result<void> load() {
        for (auto* item : on(Course::look)) {
            auto after = examiner_.load(item->spelling, item->name());
            if (!after && !is_its_own_fault(after.error())) return tl::unexpected(after.error());
            if (!after) {
                item->fail(after.error());
                continue;
            }
            const auto& row = item->before.row;
            if (row && after->is_there() && row->signature == after->signature)
                unchanged(*item);
            else
                item->after = std::move(*after);
        }
        return {};
    }

    Result<void> read_before() {
        std::vector<std::int64_t> oids;
        const auto items = on(Course::look);
        for (const auto* item : items)
            if (item->before.row) oids.push_back(item->before.row->oid);
        if (!oids.empty()) {
            auto known = read_known(oids);
            if (!known && !is_its_own_fault(known.error())) return tl::unexpected(known.error());
            for (auto* item : items) {
                if (known)
                    take(*item, *known);
                else if (item->before.row)
                    item->course = Course::alone;  // one of the trees is damaged
            }
        }
        for (auto* item : items) {
            if (item->before.row) continue;
            auto absent_from = examiner_.absent_from(item->after.spelling);
            if (!absent_from) return tl::unexpected(absent_from.error());
            item->before.absent_from = std::move(*absent_from);
        }
        return {};
    }

    struct Known {
        std::map<std::int64_t, tables::KnownTree> trees;
        std::map<std::int64_t, std::vector<std::string>> recorded;
    };

    Result<Known> read_known(std::span<const std::int64_t> oids) const {
        return store::perform(
            desk_.pool, Access::read, [&](Transaction& transaction) -> Result<Known> {
                auto trees = tables::newest_trees(transaction, oids, releases_);
                if (!trees) return tl::unexpected(trees.error());
                return Known{std::move(*trees), tables::recorded_in(transaction, oids)};
            });
    }

    static void take(Item& item, Known& known) {
        if (!item.before.row) return;
        const auto oid = item.before.row->oid;
        if (auto tree = known.trees.extract(oid)) item.before.tree = std::move(tree.mapped());
        if (auto versions = known.recorded.extract(oid))
            item.before.recorded = std::move(versions.mapped());
    }

    Result<void> decide() {
        for (auto* item : on(Course::look)) {
            auto outcome = examiner_.decide(item->before, item->after, releases_);
            if (!outcome) return tl::unexpected(outcome.error());
            const bool had_vanished =
                item->before.row && outcome->rows.empty() && !outcome->store_tree;
            item->outcome = std::move(*outcome);
            if (had_vanished)
                unchanged(*item);
            else
                prepare(*item);
            item->before.tree.reset();
            item->after.nodes = {};
        }
        return {};
    }

    // All that can be made before the transaction.
    static void prepare(Item& item) {
        item.end(fate_of(item), Course::write);
        for (const auto& row : item.outcome.rows)
            item.notes.push_back(tables::to_json(row.notes));
        if (item.outcome.store_tree) item.packed = tables::packed_tree(item.after.nodes);
    }

    // An object that may be another's new or old name (C9) is left to refresh().
    Result<void> look_for_renames() {
        std::map<std::string, std::vector<std::string>> created;  // by class: contents
        for (auto* item : on(Course::write)) {
            const auto twins = examiner_.twins_of(item->before, item->after);
            if (!twins) return tl::unexpected(twins.error());
            if (twins->size() != 1) continue;
            if (item->after.is_there())
                created[item->name().class_name].push_back(item->after.signature);
            else
                item->course = Course::alone;
        }
        for (const auto& [class_name, contents] : created)
            set_renamed_aside(class_name, contents);
        return {};
    }

    void set_renamed_aside(const std::string& class_name,
                           const std::vector<std::string>& contents) {
        using Names = std::vector<ObjectName>;
        const auto [known, claimed] =
            store::perform(desk_.pool, Access::read, [&](Transaction& transaction) {
                return std::pair<std::vector<std::string>, Names>(
                    tables::known_contents(transaction, class_name, contents),
                    tables::claimed_names(transaction, current(), class_name));
            });
        for (auto* item : on(Course::write))
            if (!item->before.row && item->name().class_name == class_name &&
                (std::ranges::find(known, item->after.signature) != known.end() ||
                 std::ranges::find(claimed, item->name()) != claimed.end()))
                item->course = Course::alone;
    }

    Result<void> write() {
        auto items = on(Course::write);
        for (const auto course : {Course::note, Course::list})
            for (auto* item : on(course)) items.push_back(item);
        if (std::ranges::any_of(items, [](const Item* item) { return item->after.is_there(); }))
            if (const auto is = build_.confirm(); !is) return is;
        const BatchWriter writer(desk_, build_, settings_.longest_write, releases_);
        for (std::span<Item*> rest = items; !rest.empty();) {
            const auto done = writer.write_some(rest);
            if (!done) return tl::unexpected(done.error());
            rest = rest.subspan(*done);
        }
        return {};
    }

    Result<void> refresh_alone() {
        for (auto* item : on(Course::alone)) {
            const auto before = item->brought.fate;
            const auto done = refresh(desk_, build_, previous_, item->name());
            if (!done && done.error().kind == base::Kind::absent) continue;
            if (!done && !is_its_own_fault(done.error())) return tl::unexpected(done.error());
            if (!done) {
                item->fail(done.error());
                store::perform(desk_.pool, Access::write, [&](Transaction& transaction) {
                    tables::list_failed(transaction, current(), item->name(),
                                        item->brought.reason);
                });
            } else if (before == Fate::absent) {
                item->brought.fate = fate_of(*done);
            }
        }
        return {};
    }

    const Context& desk_;
    const source::Source& build_;
    const source::Source* previous_;
    const BatchSettings& settings_;
    Examiner examiner_;
    std::vector<Item> items_;
    tables::Releases releases_;
};

}  // namespace

Result<std::vector<Brought>> bring_up_to_date(const Context& desk, const source::Source& build,
                                              const source::Source* previous,
                                              std::span<const ObjectName> names,
                                              const BatchSettings& settings) {
    return Batch(desk, build, previous, names, settings).run();
}

}  // namespace history
