// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>
#include <set>

#include "history/references.hpp"
#include "history/writer.hpp"
#include "tables/compared_in.hpp"
#include "tables/replacements.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using Recordings = std::vector<Recording*>;

// An object that others record first that many times in a row has another cause than bad luck.
constexpr int most_attempts = 10;

// The object cannot be read, and others can.
bool is_its_own_fault(const base::Error& error) {
    return error.kind == base::ErrorKind::malformed || error.kind == base::ErrorKind::too_large;
}

Status status_of(const Recording& item) {
    if (!item.before.row) return Status::added;
    if (item.outcome.rows.empty()) return Status::unchanged;
    return item.after.is_there() ? Status::changed : Status::vanished;
}

class Recorder {
   public:
    Recorder(const Context& context, const source::Source& build, const source::Source* previous,
             std::span<const ObjectName> names, const RecordSettings& settings)
        : view_{context, build, previous}, settings_(settings),
          items_(names.begin(), names.end()) {}

    Result<std::vector<Recorded>> run() {
        while (std::ranges::any_of(items_, is_waiting)) {
            auto done = plan()
                            .and_then([this] { return load(); })
                            .and_then([this] { return read_before(); })
                            .and_then([this] { return find_renames(); })
                            .and_then([this] { return decide(); })
                            .and_then([this] { return write(); })
                            .and_then([this] { return check_attempts(); });
            if (!done) return tl::unexpected(done.error());
        }
        std::vector<Recorded> results;
        results.reserve(items_.size());
        for (auto& item : items_) results.push_back(std::move(item.result));
        return results;
    }

   private:
    [[nodiscard]] const Release& current() const { return view_.current(); }
    static bool is_waiting(const Recording& item) { return item.step == Step::plan; }

    Recordings at(Step step) {
        Recordings items;
        for (auto& item : items_)
            if (item.step == step) items.push_back(&item);
        return items;
    }

    // -- plan: what is recorded, and what has to be done

    Result<void> plan() {
        auto items = at(Step::plan);
        auto identities = read_identities(items);
        if (!identities) return tl::unexpected(identities.error());
        std::set<ObjectName> taken;
        for (std::size_t i = 0; i < items.size(); ++i) {
            auto& item = *items[i];
            item.before = {};
            item.outcome = {};
            item.result.computed = false;
            item.before.row = std::move((*identities)[i].row);
            item.result.spelling = std::move((*identities)[i].spelling);
            // Another name of an object that comes earlier in the list waits until that is done.
            const auto& spelling = item.result.spelling;
            if (taken.insert(item.before.row ? item.name() : spelling.value_or(item.name()))
                    .second)
                plan_one(item);
        }
        move_into_place(items);
        return {};
    }

    Result<std::vector<Identity>> read_identities(const Recordings& items) {
        std::vector<ObjectName> names;
        for (const auto* item : items) names.push_back(item->result.object);
        using Read = Result<std::vector<Identity>>;
        return store::perform(
            view_.context.pool, Access::read, [&](Transaction& transaction) -> Read {
                auto identities = identify(transaction, &view_.build, names);
                if (!identities) return identities;
                releases_ = known_releases(transaction, view_.context.settings, &view_.build,
                                           view_.previous);
                std::vector<tables::ObjectRow*> rows;
                for (auto& identity : *identities)
                    if (identity.row) rows.push_back(&*identity.row);
                tables::resolve_compared_in(transaction, rows, current(), releases_);
                return identities;
            });
    }

    void plan_one(Recording& item) const {
        const auto& row = item.before.row;
        const auto& spelling = item.result.spelling;
        item.result.row = row;
        if (!row && !spelling) return item.end(Status::absent);
        // The build says nothing of it: its history stays as it is.
        if (row && view_.build.skips(row->object.class_name)) return item.end(Status::compared);
        if (row && is_compared(*row, current(), releases_)) {
            // After a lost race somebody has recorded what this item found.
            return item.end(item.result.status == Status::absent ? Status::compared
                                                                 : item.result.status);
        }
        if (row && row->is_replaced) return;  // move_into_place() first, then plan again
        const bool may_have_same_bytes =
            row && spelling == row->object && settings_.same_bytes != nullptr;
        if (may_have_same_bytes && settings_.same_bytes(row->object, row->compared_in))
            return unchanged(item);
        item.step = Step::load;
    }

    void unchanged(Recording& item) const {
        item.end(Status::unchanged,
                 settings_.note_unchanged == NoteUnchanged::yes ? Step::note : Step::nothing);
        auto& row = *item.result.row;
        row.ace_version = row.compared_in = current().version;
    }

    // The outcome is compared with what the tables hold, so pending replacements go there first.
    void move_into_place(const Recordings& items) {
        for (auto* item : items) {
            if (item->step != Step::plan || !item->before.row || !item->before.row->is_replaced)
                continue;
            store::perform(view_.context.pool, Access::write, [&](Transaction& transaction) {
                store::CountChanges counts;
                tables::move_into_place(transaction, item->before.row->oid,
                                        view_.context.settings.keep_trees, releases_, counts);
                tables::change_counts(transaction, counts);
            });
            ++item->attempts;
        }
    }

    // -- load: what the build has, and what was known before

    Result<void> load() {
        for (auto* item : at(Step::load)) {
            auto after = view_.load(item->result.spelling, item->name());
            if (!after && !is_its_own_fault(after.error())) return tl::unexpected(after.error());
            if (!after) {
                fail(*item, after.error());
                continue;
            }
            item->result.computed = true;
            const auto& row = item->before.row;
            if (row && after->is_there() && row->signature == after->signature)
                unchanged(*item);
            else
                item->after = std::move(*after);
        }
        return {};
    }

    void fail(Recording& item, const base::Error& error) const {
        item.result.error = error;
        item.result.row.reset();
        item.end(Status::failed,
                 settings_.list_failed == ListFailed::yes ? Step::list : Step::nothing);
    }

    Result<void> read_before() {
        Recordings known;
        for (auto* item : at(Step::load)) {
            if (item->before.row) {
                known.push_back(item);
                continue;
            }
            auto absent_from = view_.absent_from(item->after.spelling);
            if (!absent_from) return tl::unexpected(absent_from.error());
            item->before.absent_from = std::move(*absent_from);
        }
        return read_known(known);
    }

    Result<void> read_known(std::span<Recording* const> items) const {
        if (items.empty()) return {};
        const auto read = try_read_known(items);
        if (read || !is_its_own_fault(read.error())) return read;
        if (items.size() == 1) {
            fail(*items.front(), base::Error{read.error().kind, items.front()->name().name +
                                                                    ": " + read.error().text});
            return {};
        }
        // One of the trees is damaged; the others are not.
        for (std::size_t i = 0; i < items.size(); ++i)
            if (const auto one = read_known(items.subspan(i, 1)); !one) return one;
        return {};
    }

    Result<void> try_read_known(std::span<Recording* const> items) const {
        std::vector<std::int64_t> oids;
        for (const auto* item : items) oids.push_back(item->before.row->oid);
        return store::perform(view_.context.pool, Access::read,
                              [&](Transaction& transaction) -> Result<void> {
                                  auto trees = tables::newest_trees(transaction, oids, releases_);
                                  if (!trees) return tl::unexpected(trees.error());
                                  auto recorded = tables::recorded_in(transaction, oids);
                                  for (auto* item : items) {
                                      auto& before = item->before;
                                      if (auto tree = trees->extract(before.row->oid))
                                          before.tree = std::move(tree.mapped());
                                      if (auto versions = recorded.extract(before.row->oid))
                                          before.recorded = std::move(versions.mapped());
                                  }
                                  return {};
                              });
    }

    // -- decide

    Result<void> find_renames() {
        std::vector<RenameCase*> cases;
        for (auto* item : at(Step::load)) {
            item->rename = rename_case(item->before, item->after);
            if (item->rename) cases.push_back(&*item->rename);
        }
        return history::find_renames(view_, cases, releases_);
    }

    Result<void> decide() {
        for (auto* item : at(Step::load)) {
            auto outcome = view_.decide(item->before, item->after, releases_);
            if (!outcome) return tl::unexpected(outcome.error());
            item->outcome = std::move(*outcome);
            item->before.tree.reset();
        }
        return describe_rows();
    }

    Result<void> describe_rows() {
        std::vector<tables::Row*> rows;
        for (auto* item : at(Step::load))
            for (auto& row : item->outcome.rows) rows.push_back(&row);
        if (const auto done = describe(view_, rows); !done) return done;
        for (auto* item : at(Step::load)) {
            if (item->before.row && item->outcome.is_nothing())
                unchanged(*item);
            else
                prepare(*item);
            item->after.nodes = {};
        }
        return {};
    }

    // Makes all that can be made before the transaction.
    static void prepare(Recording& item) {
        item.end(status_of(item), Step::write);
        item.notes.clear();
        for (auto& row : item.outcome.rows) {
            if (item.rename) note_rename(row, *item.rename);
            tables::shorten(row.notes);
            item.notes.push_back(tables::to_json(row.notes));
        }
        if (item.outcome.store_tree) item.packed = tables::packed_tree(item.after.nodes);
    }

    // -- write

    Result<void> write() {
        Recordings items;
        for (const auto step : {Step::write, Step::note, Step::list})
            for (auto* item : at(step)) items.push_back(item);
        const bool some_are_there = std::ranges::any_of(items, [](const Recording* item) {
            return item->step == Step::write && item->after.is_there();
        });
        if (some_are_there)
            if (const auto is = view_.build.confirm(); !is) return is;
        const Writer writer(view_, settings_.longest_write, releases_);
        for (std::span<Recording* const> rest = items; !rest.empty();) {
            const auto done = writer.write_some(rest);
            if (!done) return tl::unexpected(done.error());
            rest = rest.subspan(*done);
        }
        return {};
    }

    [[nodiscard]] Result<void> check_attempts() const {
        for (const auto& item : items_)
            if (is_waiting(item) && item.attempts >= most_attempts)
                return base::fail(base::ErrorKind::conflict, "other processes keep recording " +
                                                                 item.result.object.class_name +
                                                                 " " + item.result.object.name +
                                                                 "; try again");
        return {};
    }

    const BuildView view_;
    const RecordSettings& settings_;
    std::vector<Recording> items_;
    tables::Releases releases_;
};

}  // namespace

Result<std::vector<Recorded>> bring_up_to_date(const Context& context,
                                               const source::Source& build,
                                               const source::Source* previous,
                                               std::span<const ObjectName> names,
                                               const RecordSettings& settings) {
    return Recorder(context, build, previous, names, settings).run();
}

}  // namespace history
