// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "history/build_view.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace history {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;

// What has to be done for an object.
enum class Step : unsigned char {
    nothing,
    plan,   // read again what is recorded: at first, and after a lost race
    load,   // load it and compare
    note,   // it is unchanged: update its row
    write,  // record the outcome
    list,   // list it as failed
};

// An object on its way through the stages.
struct Recording {
    explicit Recording(const ObjectName& name) { result.object = name; }

    Recorded result;
    Step step = Step::plan;
    // Attempts that came to nothing; after the first one it has a transaction of its own.
    int attempts = 0;
    Before before;
    After after;
    Outcome outcome;
    std::string packed;              // the tree, as it is stored
    std::vector<std::string> notes;  // of outcome.rows, as they are stored

    // The recorded spelling.
    [[nodiscard]] const ObjectName& name() const {
        return before.row ? before.row->object : result.object;
    }
    void end(Status status, Step then = Step::nothing) {
        result.status = status;
        step = then;
    }
};

// Objects that are written with the same statements. When a transaction loses a race, each of them may be
// the cause.
constexpr std::size_t together = 64;
// New objects whose words are written together. Titles may have a hundred words, and the clock of the
// transaction has to see how long they take.
constexpr std::size_t most_without_words = 128;

[[noreturn]] void lose_race() {
    throw store::Failure("another was first to record an object", {.duplicate = true}, 0);
}

// Plans again what may have lost a race.
void plan_again(std::span<Recording* const> items) {
    for (auto* item : items) {
        ++item->attempts;
        item->step = Step::plan;
    }
}

// Writes the recorder's results in short transactions, never a second row for one that another process
// wrote.
class Writer {
   public:
    // The caller keeps all of them alive.
    Writer(const BuildView& view, LongestWrite longest, const tables::Releases& releases)
        : view_(view), longest_(longest), releases_(releases) {}

    // Writes the first items in one transaction: as many as there is time for. Recordings that
    // somebody else may have recorded get the step `plan` instead.
    //   needs   items of the steps write, note and list, or what it left itself; at least one
    //   returns the number of items at the beginning that are done, or have the step `plan`
    //   error   conflict: the release is recorded with other content
    //   throws  store::Failure
    [[nodiscard]] Result<std::size_t> write_some(std::span<Recording* const> items) const {
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
            plan_again(is_ending
                           ? items.first(written)
                           : items.subspan(written, std::min(together, items.size() - written)));
            return 0;
        }
    }

   private:
    // How far a transaction has come.
    struct Progress {
        std::size_t written = 0;  // items
        bool is_ending = false;   // only what is written of all of them at the end is missing
    };
    // What a transaction writes of all its items at the end.
    struct Summary {
        std::vector<const tables::ObjectRow*> fresh;  // objects that had no row
    };

    [[nodiscard]] const Release& current() const { return view_.current(); }

    // What was planned while an earlier release was as it was first published does not hold once its
    // re-publication is in force. Objects without a row have nothing that is replaced.
    void check_replacing(Transaction& transaction, std::span<Recording* const> items) const {
        const auto is_known = [](const Recording* item) { return item->before.row.has_value(); };
        if (std::ranges::any_of(items, is_known) &&
            !tables::is_replacing_as_known(transaction, releases_))
            lose_race();
    }

    void finish(std::span<Recording* const> items) const {
        for (auto* item : items) {
            if (item->step == Step::write)
                item->result.wrote_history = !item->outcome.rows.empty();
            if (item->step == Step::write) item->result.row = std::move(item->outcome.row);
            item->step = Step::nothing;
        }
    }

    //   progress  is right also when it throws
    void write_in_time(Transaction& transaction, std::span<Recording* const> items,
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
        for (const auto& release : seen)
            // Known by name alone: no digest contradicts another.
            if (release.version != current().version)
                static_cast<void>(tables::record_release(transaction, release, {}));
        note_first_seen_late(transaction, summary.fresh);
        add_words();
        tables::note_sharing(transaction);
    }

    void write_together(Transaction& transaction, std::span<Recording* const> items,
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
        tables::insert_rows(transaction, rows);
        tables::prune_trees(transaction, to_prune, view_.context.settings.keep_trees, releases_);
    }

    // Returns their oids; 0 for those that are listed.
    std::vector<std::int64_t> write_objects(Transaction& transaction,
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

    void note_first_seen_late(Transaction& transaction,
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

    std::int64_t write_known(Transaction& transaction, const Recording& item) const {
        if (item.step == Step::list) {
            const tables::FailedObject failed{current(), item.name(), item.result.error->text};
            tables::list_failed(transaction, std::span(&failed, 1));
            return 0;
        }
        const auto& now = item.step == Step::note ? *item.result.row : item.outcome.row;
        if (!tables::update_object(transaction, now, *item.before.row)) lose_race();
        return now.oid;
    }

    const BuildView& view_;
    LongestWrite longest_;
    const tables::Releases& releases_;
};

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
                tables::move_into_place(transaction, item->before.row->oid,
                                        view_.context.settings.keep_trees, releases_);
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
