// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "history/build_view.hpp"
#include "tables/releases.hpp"

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
    note,   // it is unchanged: note that it was compared
    write,  // record the outcome
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
    std::int64_t bytes = 0;                    // what the index of the build says of it
    std::optional<std::int64_t> bytes_before;  // of the release before; nullopt: nobody knows
    std::string last_release;  // the release of the build that it was compared with last
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
    // It may have lost a race.
    void plan_again() {
        ++attempts;
        step = Step::plan;
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

using Recordings = std::vector<Recording*>;

// An object that others record first that many times in a row has another cause than bad luck.
constexpr int most_attempts = 10;

// The object cannot be read, and others can.
bool is_its_own_fault(const base::Error& error) {
    return error.kind == base::ErrorKind::malformed || error.kind == base::ErrorKind::too_large;
}

Status status_of(const Recording& item) {
    const auto& rows = item.outcome.rows;
    if (!item.before.row) return Status::added;
    if (rows.empty()) return Status::unchanged;
    if (rows.back().kind == tables::RowKind::withdrawn) return Status::withdrawn;
    return item.after.is_there() ? Status::changed : Status::vanished;
}

class Recorder {
   public:
    Recorder(const Context& context, const source::Source& build, const source::Source* previous,
             std::span<const ObjectName> names, LongestWrite longest_write, std::int64_t number)
        : view_{context, build, previous}, longest_write_(longest_write), number_of_job_(number),
          items_(names.begin(), names.end()) {}

    Result<std::vector<Recorded>> run() {
        while (std::ranges::any_of(items_, is_waiting)) {
            auto done = number_build()
                            .and_then([this] { return plan(); })
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

    Result<void> number_build() {
        read_releases();
        if (number_of_job_ != 0 && number_ != number_of_job_) return overtaken(current());
        if (number_ == 0) {
            const auto number = number_of(view_.context.pool, view_.build, view_.context.clock());
            if (!number) return tl::unexpected(number.error());
            read_releases();
        }
        if (!is_just_before(view_.previous)) view_.previous = nullptr;
        if (number_ != 0) return {};
        // A node that its cluster has dropped may be behind what was just written to another one.
        return base::fail(base::ErrorKind::unavailable,
                          "the store is behind what was just written to it");
    }

    void read_releases() {
        releases_ = store::perform(view_.context.pool, Access::read, known_releases,
                                   view_.context.settings, &view_.build, nullptr);
        number_ = releases_.number_of(current().version, view_.build.digest());
    }

    // What it is the index of may have been forgotten, or published again, since it was opened.
    bool is_just_before(const source::Source* previous) const {
        const auto* before = releases_.build_before(current());
        return previous != nullptr && before != nullptr && *before == previous->release() &&
               releases_.number_of(before->version, previous->digest()) != 0;
    }

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
            if (!taken.insert(item.before.row ? item.name() : spelling.value_or(item.name()))
                     .second)
                continue;
            if (const auto planned = plan_one(item); !planned) return planned;
        }
        return {};
    }

    Result<std::vector<Identity>> read_identities(const Recordings& items) const {
        std::vector<ObjectName> names;
        for (const auto* item : items) names.push_back(item->result.object);
        return store::perform(view_.context.pool, Access::read, [&](Transaction& transaction) {
            return identify(transaction, &view_.build, names);
        });
    }

    Result<void> plan_one(Recording& item) const {
        const auto& row = item.before.row;
        const auto& spelling = item.result.spelling;
        item.result.row = row;
        item.step = Step::load;
        if (!row && !spelling) item.end(Status::absent);
        if (!row) return {};
        const auto is_done = is_up_to_date({row, spelling}, view_.build, number_);
        if (!is_done) return tl::unexpected(is_done.error());
        if (!*is_done) return {};
        const bool has_same_bytes =
            row->build < number_ && !view_.build.skips(row->object.class_name);
        // After a lost race somebody has recorded what this item found.
        const auto found = item.result.status;
        item.end(found != Status::absent ? found
                 : has_same_bytes        ? Status::unchanged
                                         : Status::compared);
        return {};
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
            const auto bytes = bytes_in(view_.build, item->result.spelling);
            if (!bytes) return tl::unexpected(bytes.error());
            item->bytes = *bytes;
            item->after = std::move(*after);
            if (is_as_recorded(*item)) item->after.nodes = {};
        }
        return {};
    }

    // It has the content that is recorded: only that it was compared has to be noted.
    static bool is_as_recorded(const Recording& item) {
        const auto& row = item.before.row;
        return row && row->signature == item.after.signature &&
               row->is_gone() != item.after.is_there();
    }

    static void fail(Recording& item, const base::Error& error) {
        item.result.error = error;
        item.result.row.reset();
        item.end(Status::failed);
    }

    // -- what was before

    Result<void> read_before() {
        Recordings known;
        for (auto* item : at(Step::load)) {
            const auto bytes = view_.bytes_before(item->name());
            if (!bytes) return tl::unexpected(bytes.error());
            item->bytes_before = *bytes;
            if (*bytes) item->before.is_in_previous = **bytes != 0;
            if (!item->before.row) continue;
            item->last_release = releases_.version_of(item->before.row->build);
            // Most of what is as it was needs no more than its row.
            if (!is_as_recorded(*item) || item->last_release.empty()) known.push_back(item);
        }
        read_known(known);
        for (auto* item : at(Step::load)) find_held(*item);
        return {};
    }

    // The rules by which it is known in which release the content before held, and whether there was any:
    // docs/design.md, "What is up to date".
    void find_held(Recording& item) const {
        auto& before = item.before;
        const auto& previous = item.bytes_before;
        const bool is_lacking = previous && *previous == 0;
        const auto version = previous ? view_.previous->release().version : std::string();
        if (!before.row) {
            before.was_absent = is_lacking;
            before.held = is_lacking ? version : std::string();
            return;
        }
        const auto& row = *before.row;
        const bool is_of_release = item.last_release == current().version;
        const bool is_same =
            previous && is_lacking == row.is_gone() && (is_lacking || *previous == row.bytes);
        if (is_of_release)
            before.held = row.held.empty() && is_lacking ? version : row.held;
        else
            before.held = is_same ? version : item.last_release;
        before.was_absent = is_lacking || (is_of_release ? !before.held.empty() : row.is_gone());
    }

    // In one transaction, which has to see the row and what belongs to it.
    void read_known(std::span<Recording* const> items) const {
        if (items.empty()) return;
        std::vector<std::int64_t> oids;
        for (const auto* item : items) oids.push_back(item->before.row->oid);
        store::perform(view_.context.pool, Access::read, [&](Transaction& transaction) {
            const auto rows = tables::objects_numbered(transaction, oids);
            auto trees = tables::newest_trees(transaction, oids, releases_, current());
            std::map<std::int64_t, std::vector<tables::RowKey>> recorded;
            for (auto& key : tables::row_keys(transaction, oids))
                recorded[key.oid].push_back(std::move(key));
            for (auto* item : items) {
                auto& before = item->before;
                const auto row = rows.find(before.row->oid);
                if (row == rows.end() || row->second != *before.row) {
                    item->plan_again();
                    continue;
                }
                if (auto tree = trees.extract(before.row->oid)) {
                    if (!tree.mapped()) {
                        fail_as_recorded(*item, tree.mapped().error().text);
                        continue;
                    }
                    before.tree = std::move(*tree.mapped());
                }
                before.recorded = std::move(recorded[before.row->oid]);
                if (item->last_release.empty()) item->last_release = newest_known(before);
            }
            read_own(transaction, items);
        });
    }

    // What is recorded of it is damaged; that of the others is not.
    static void fail_as_recorded(Recording& item, const std::string& reason) {
        fail(item, {base::ErrorKind::malformed, item.name().name + ": " + reason});
    }

    // Returns the newest earlier release that the object has a row or a tree of.
    [[nodiscard]] std::string newest_known(const Before& before) const {
        auto newest = before.tree ? before.tree->version : std::string();
        for (const auto& [sid, oid, version] : before.recorded)
            if (releases_.is_later(version, newest) &&
                releases_.is_later(current().version, version))
                newest = version;
        return newest;
    }

    // Reads the rows of this release that earlier publications have left.
    void read_own(Transaction& transaction, std::span<Recording* const> items) const {
        std::map<std::int64_t, Recording*> items_of;  // by the numbers of the rows
        std::vector<std::int64_t> sids, oids;
        for (auto* item : items)
            for (const auto& [sid, oid, version] : item->before.recorded)
                if (item->step == Step::load && version == current().version) {
                    items_of[sid] = item;
                    sids.push_back(sid);
                    oids.push_back(oid);
                }
        if (sids.empty()) return;
        auto own = tables::rows_numbered(transaction, sids, tables::log_unreadable);
        const auto rows = tables::row_summaries(transaction, oids);
        for (auto& [sid, item] : items_of) {
            auto& before = item->before;
            auto row_of_release = own.by_sid.extract(sid);
            if (!row_of_release) {
                fail_as_recorded(*item, "its row of " + current().version + " cannot be read");
                continue;
            }
            before.own = std::move(row_of_release.mapped());
            before.last_modified = view_.context.settings.first_seen_since;
            for (const auto& row : rows.at(before.row->oid))
                if (row.date && releases_.is_later(current().version, row.version) &&
                    row.kind != tables::RowKind::withdrawn)
                    before.last_modified = std::max(before.last_modified, *row.date);
        }
    }

    // -- decide

    Result<void> decide() {
        for (auto* item : at(Step::load)) {
            if (is_as_recorded(*item)) {
                note(*item);
                continue;
            }
            auto outcome = view_.decide(item->before, item->after, releases_);
            if (!outcome) return tl::unexpected(outcome.error());
            item->outcome = std::move(*outcome);
            item->outcome.row.build = number_;
            item->outcome.row.bytes = item->bytes;
        }
        return describe_rows();
    }

    void note(Recording& item) const {
        item.end(Status::unchanged, Step::note);
        auto& row = *item.result.row;
        row.build = number_;
        row.bytes = item.bytes;
        row.held = item.before.held;
    }

    Result<void> describe_rows() {
        std::vector<tables::Row*> rows;
        for (auto* item : at(Step::load))
            for (auto& row : item->outcome.rows) rows.push_back(&row);
        if (const auto done = describe(view_, rows); !done) return done;
        for (auto* item : at(Step::load)) {
            prepare(*item);
            item->after.nodes = {};
        }
        return {};
    }

    // Makes all that can be made before the transaction.
    static void prepare(Recording& item) {
        item.end(status_of(item), Step::write);
        item.notes.clear();
        for (auto& row : item.outcome.rows)
            item.notes.push_back(tables::shortened_json(row.notes));
        if (item.outcome.stores_tree && item.after.is_there())
            item.packed = tables::packed_tree(item.after.nodes);
    }

    // -- write: in short transactions, never a second row for one that another process wrote

    Result<void> write() {
        Recordings items;
        for (const auto step : {Step::write, Step::note})
            for (auto* item : at(step)) items.push_back(item);
        if (!items.empty())
            if (const auto is = view_.build.confirm(); !is) return is;
        for (std::span<Recording* const> rest = items; !rest.empty();)
            rest = rest.subspan(write_some(rest));
        return {};
    }

    // Writes the first items in one transaction: as many as there is time for. Recordings that
    // somebody else may have recorded get the step `plan` instead.
    //   needs   items of the steps write and note, or what it left itself; at least one
    //   returns the number of items at the beginning that are done, or have the step `plan`
    //   throws  store::Failure
    [[nodiscard]] std::size_t write_some(std::span<Recording* const> items) const {
        // Between others that have to be written again.
        const auto has_lost = [](const Recording* item) { return item->step == Step::plan; };
        if (const auto next = std::ranges::find_if_not(items, has_lost); next != items.begin())
            return static_cast<std::size_t>(next - items.begin());
        items = {items.begin(), std::ranges::find_if(items, has_lost)};
        if (items.front()->attempts > 0) items = items.first(1);
        Progress progress;
        try {
            const auto write = [&](Transaction& transaction) {
                progress = {};
                // Published again or forgotten since: nothing of it may be written.
                if (tables::share_number_of(transaction, current().version) != number_)
                    lose_race();
                write_in_time(transaction, items, progress);
                return progress.written;
            };
            const auto done = store::perform(view_.context.pool, Access::write, write);
            finish(items.first(done));
            return done;
        } catch (const store::Failure& failure) {
            // Another process wrote the same object first, or removed it.
            if (!failure.kind().duplicate && !failure.kind().orphan) throw;
            const auto [written, is_ending] = progress;
            const auto lost =
                is_ending
                    ? items.first(written)
                    : items.subspan(written).first(std::min(together, items.size() - written));
            for (auto* item : lost) item->plan_again();
            return 0;
        }
    }

    // How far a transaction has come.
    struct Progress {
        std::size_t written = 0;  // items
        bool is_ending = false;   // only what is written of all of them at the end is missing
    };
    using ObjectRows = std::vector<const tables::ObjectRow*>;

    void finish(std::span<Recording* const> items) const {
        for (auto* item : items) {
            if (item->step == Step::write) {
                item->result.wrote_history = !item->outcome.rows.empty();
                item->result.row = std::move(item->outcome.row);
            }
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
            return passed < longest_write_.awaited ||
                   (passed < longest_write_.alone && !transaction.may_be_awaited());
        };
        std::set<Release> seen;  // by timestamps, besides the current one
        for (const auto* item : items)
            for (const auto& row : item->outcome.rows) seen.insert(row.release);
        for (const auto& release : seen)
            if (release.version != current().version)
                tables::record_release(transaction, release);
        ObjectRows fresh;            // of objects that had none
        std::size_t with_words = 0;  // of these
        const auto add_words = [&] {
            tables::add_words(transaction, std::span(fresh).subspan(with_words));
            with_words = fresh.size();
        };
        while (written < items.size() && (written == 0 || may_go_on())) {
            const auto some = items.subspan(written, std::min(together, items.size() - written));
            write_together(transaction, some, fresh);
            written += some.size();
            if (fresh.size() - with_words >= most_without_words) add_words();
        }
        progress.is_ending = true;
        add_words();
    }

    void write_together(Transaction& transaction, std::span<Recording* const> items,
                        ObjectRows& fresh) const {
        const auto oids = write_objects(transaction, items, fresh);
        std::vector<tables::NewTree> trees;
        std::vector<tables::NewRow> rows;
        std::vector<std::int64_t> compared, replaced, to_prune;
        for (std::size_t i = 0; i < items.size(); ++i) {
            auto& item = *items[i];
            if (item.step != Step::write) continue;
            auto& outcome = item.outcome;
            outcome.row.oid = oids[i];
            if (item.before.row) compared.push_back(oids[i]);
            if (outcome.replaces_own) replaced.push_back(oids[i]);
            if (outcome.stores_tree) {
                trees.push_back({oids[i], &current().version, &outcome.row.held,
                                 item.after.is_there() ? &item.packed : nullptr});
                if (item.before.row) to_prune.push_back(oids[i]);
            }
            for (std::size_t j = 0; j < outcome.rows.size(); ++j)
                rows.push_back({oids[i], &outcome.rows[j], &item.notes[j]});
        }
        // What an earlier publication of the release left.
        tables::delete_trees(transaction, current().version, compared);
        tables::delete_rows(transaction, current().version, replaced);
        tables::insert_trees(transaction, trees);
        tables::insert_rows(transaction, rows);
        tables::prune_trees(transaction, to_prune, view_.context.settings.keep_trees, releases_);
    }

    // Returns their oids, and adds to `fresh` the rows of objects that had none.
    std::vector<std::int64_t> write_objects(Transaction& transaction,
                                            std::span<Recording* const> items,
                                            ObjectRows& fresh) const {
        std::vector<std::int64_t> oids(items.size(), 0);
        const auto first = fresh.size();
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
        const auto written = tables::insert_objects(transaction, std::span(fresh).subspan(first));
        for (std::size_t i = 0; i < places.size(); ++i) oids[places[i]] = written[i];
        return oids;
    }

    static std::int64_t write_known(Transaction& transaction, const Recording& item) {
        const bool is_note = item.step == Step::note;
        const auto& now = is_note ? *item.result.row : item.outcome.row;
        const auto write = is_note ? tables::note_compared : tables::update_object;
        if (!write(transaction, now, *item.before.row)) lose_race();
        return now.oid;
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

    BuildView view_;
    const LongestWrite longest_write_;
    const std::int64_t number_of_job_;  // 0: it is no job
    std::vector<Recording> items_;
    tables::Releases releases_;
    std::int64_t number_ = 0;  // of the build
};

}  // namespace

Result<std::vector<Recorded>> bring_up_to_date(const Context& context,
                                               const source::Source& build,
                                               const source::Source* previous,
                                               std::span<const ObjectName> names,
                                               LongestWrite longest_write, std::int64_t number) {
    return Recorder(context, build, previous, names, longest_write, number).run();
}

tl::unexpected<base::Error> overtaken(const Release& release) {
    return base::fail(
        base::ErrorKind::conflict,
        "something of " + release.version +
            " was published again or forgotten meanwhile; run the same command again");
}

}  // namespace history
