// SPDX-License-Identifier: MIT
#include "release/replace.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "base/digest.hpp"
#include "history/bulk.hpp"
#include "history/replacement.hpp"
#include "history/respun.hpp"
#include "history/tables.hpp"
#include "release/attempt.hpp"
#include "release/stage.hpp"
#include "store/dialect.hpp"

namespace release {
namespace {

using base::Result;
using history::ObjectRow;
using history::Replacement;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using store::Value;

// A transaction is ended once it has run so long.
constexpr std::chrono::milliseconds longest_write{8};
// The build is looked over so often for what requests record meanwhile; what is left then is
// found once the new rows are in force.
constexpr int most_passes = 10;
// Replacements written together hold at most so many bytes of trees, or are one.
constexpr std::size_t most_bytes = 4 << 20, most_together = 64;

// Objects are looked at in this order: those that are there may have the content, and so be the
// new name, of one that is gone (C9).
enum class Side : unsigned char { gone, there };

// Objects that need not be looked at again in this process, by oid.
class Seen {
   public:
    [[nodiscard]] bool has(std::int64_t oid) const {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        return at < bits_.size() && bits_[at];
    }
    void add(std::int64_t oid) {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        if (at >= most) return;  // a second look costs time, and changes nothing
        if (at >= bits_.size()) bits_.resize(at + at / 2 + 1);
        bits_[at] = true;
    }

   private:
    static constexpr std::size_t most = std::size_t{1} << 30;
    mutable std::mutex mutex_;
    std::vector<bool> bits_;
};

class Job {
   public:
    Job(const Replacing& replacing, Progress& progress, const std::stop_token& stop)
        : replacing_(replacing), progress_(progress), stop_(stop) {}

    Result<Replaced> run() {
        const auto step = stand();
        if (!step) return tl::unexpected(step.error());
        if (stop_.stop_requested()) return Replaced{};
        releases_ = read_releases();
        clear_abandoned(pool(), attempt_);
        if (replacing_.kept && !attempt_.from.empty() && !attempt_.after_another)
            replaced_ = replacing_.kept(current().version, attempt_.from);
        if (*step == Step::compute)
            if (const auto in_force = compute(); !in_force || !*in_force) return ended(in_force);
        releases_ = read_releases();
        for (const auto stage : {&Job::look_once_more, &Job::place, &Job::add, &Job::count})
            if (const auto done = (this->*stage)(); !done || !*done) return ended(done);
        return finish();
    }

   private:
    using Work = std::function<Result<Tally>(std::int64_t, const GoOn&)>;
    using Done = Result<bool>;  // false: stopped

    [[nodiscard]] const base::Release& current() const { return replacing_.build->release(); }
    [[nodiscard]] store::Pool& pool() const { return replacing_.desk.pool; }

    [[nodiscard]] history::Releases read_releases() const {
        return store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return history::known_releases(transaction, replacing_.desk.settings,
                                           replacing_.build.get(), replacing_.previous.get());
        });
    }

    // Where the attempt stands, after one before it has been put away.
    Result<Step> stand() {
        for (;;) {
            auto standing = begin(pool(), current(), replacing_.build->digest());
            if (!standing) return tl::unexpected(standing.error());
            attempt_ = standing->attempt;
            if (standing->step != Step::put_away) return standing->step;
            releases_ = read_releases();
            const auto done = put_away();
            if (!done) return tl::unexpected(done.error());
            if (!*done) return Step::put_away;
        }
    }

    Done put_away() {
        const auto go_on = [this] { return !stop_.stop_requested(); };
        const auto done = place_some(0, INT64_MAX, go_on);
        if (!done) return tl::unexpected(done.error());
        if (stop_.stop_requested()) return false;
        store::perform(pool(), Access::write, [&](Transaction& transaction) {
            transaction.execute(
                "UPDATE releases SET replacing = 0 WHERE version = ? AND digest = ?",
                {Value{attempt_.version}, Value{attempt_.to}});
        });
        return true;
    }

    Done run_stage(const std::string& what, std::int64_t parts, const Work& work) {
        Stage stage;
        stage.terms.task = task(what);
        stage.terms.clock = replacing_.desk.clock;
        stage.terms.length = replacing_.lease;
        if (replacing_.is_gone) stage.terms.is_gone = replacing_.is_gone;
        stage.parts = parts;
        stage.threads = replacing_.threads;
        progress_.all += static_cast<std::uint64_t>(parts);
        stage.work = [&](std::int64_t part, const GoOn& go_on) {
            auto tally = work(part, go_on);
            ++progress_.done;
            return tally;
        };
        return release::run(pool(), stage, stop_);
    }

    [[nodiscard]] std::string task(const std::string& what) const {
        return current().version + ' ' + what + ' ' + base::md5_hex(attempt_.name + what);
    }

    // By oid.
    [[nodiscard]] std::int64_t slices() const {
        const auto rows = store::perform(pool(), Access::read, [](Transaction& transaction) {
            return transaction.query("SELECT MAX(oid) FROM objects");
        });
        const auto highest = rows.at(0).is_null(0) ? 0 : rows.at(0).integer(0);
        return highest / replacing_.part_rows + 1;
    }
    struct Range {
        std::int64_t after, to;
    };
    [[nodiscard]] Range range_of(std::int64_t slice) const {
        return {slice * replacing_.part_rows, (slice + 1) * replacing_.part_rows};
    }

    // -- the new rows, beside those in force

    // Computes them, and puts them in force.
    Done compute() {
        for (int pass = 0; pass < most_passes; ++pass) {
            const auto generation = read_generation();
            const auto written = look_over(pass);
            if (!written) return tl::unexpected(written.error());
            if (!*written) return false;
            if (**written > 0) continue;
            const auto in_force = put_in_force(pool(), attempt_, current(), generation);
            if (!in_force || *in_force) return in_force;
        }
        return put_in_force(pool(), attempt_, current(), std::nullopt);
    }

    // What requests to the old build recorded just before they learned of the new one.
    Done look_once_more() {
        const auto written = look_over(most_passes);
        if (!written) return tl::unexpected(written.error());
        return written->has_value();
    }

    [[nodiscard]] std::int64_t read_generation() const {
        return store::perform(pool(), Access::read, [](Transaction& transaction) {
            return history::generation(transaction);
        });
    }

    // How many replacements were written; nullopt: stopped.
    Result<std::optional<std::uint64_t>> look_over(int pass) {
        std::uint64_t written = 0;
        for (const auto side : {Side::gone, Side::there}) {
            const auto what = (side == Side::gone ? "gone " : "there ") + std::to_string(pass);
            tasks_.push_back(task(what));
            const auto done =
                run_stage(what, slices(), [&](std::int64_t slice, const GoOn& go_on) {
                    return look_at(slice, side, pass, go_on);
                });
            if (!done) return tl::unexpected(done.error());
            if (!*done) return std::nullopt;
            const auto tally = tally_of(tasks_.back());
            written += tally.added + tally.changed + tally.vanished + tally.withdrawn;
        }
        return written;
    }

    struct Slice {
        std::vector<ObjectRow> rows;      // compared in this release
        std::set<std::int64_t> replaced;  // by this attempt already
        std::set<std::int64_t> renamed;   // perhaps: came or went in this release
    };
    [[nodiscard]] Slice read(std::int64_t number) const {
        return store::perform(pool(), Access::read, [&](Transaction& transaction) {
            const auto [after, to] = range_of(number);
            Slice slice;
            for (const auto& row : transaction.query(std::string(history::object_columns) +
                                                         "WHERE oid > ? AND oid <= ?",
                                                     {Value{after}, Value{to}}))
                slice.rows.push_back(history::object_from(row));
            std::vector<ObjectRow*> rows;
            for (auto& row : slice.rows) rows.push_back(&row);
            history::settle_all(transaction, rows, current(), releases_);
            std::erase_if(slice.rows, [&](const ObjectRow& row) {
                return row.compared_in != current().version;
            });
            slice.replaced =
                oids(transaction,
                     "SELECT oid FROM replacements WHERE version = ? AND digest = ?"
                     " AND oid > ? AND oid <= ?",
                     {Value{attempt_.version}, Value{attempt_.to}, Value{after}, Value{to}});
            slice.renamed = oids(transaction,
                                 "SELECT oid FROM history WHERE version = ? AND kind IN"
                                 " ('created', 'vanished') AND oid > ? AND oid <= ?",
                                 {Value{attempt_.version}, Value{after}, Value{to}});
            return slice;
        });
    }

    static std::set<std::int64_t> oids(Transaction& transaction, std::string_view sql,
                                       std::initializer_list<Value> values) {
        std::set<std::int64_t> found;
        for (const auto& row : transaction.query(sql, values)) found.insert(row.integer(0));
        return found;
    }

    Result<Tally> look_at(std::int64_t number, Side side, int pass, const GoOn& go_on) {
        const auto slice = read(number);
        const history::Respun respun(replacing_.desk, *replacing_.build,
                                     replacing_.previous.get(), releases_);
        Gathered gathered(*this);
        for (const auto& row : slice.rows) {
            if (slice.replaced.contains(row.oid) || seen_.has(row.oid)) continue;
            if (!go_on()) break;
            const auto may = may_differ(row, side, slice.renamed.contains(row.oid));
            if (!may) return tl::unexpected(may.error());
            if (*may == Look::other_side) continue;
            if (*may == Look::same) {
                if (pass == 0) gathered.tally.note_unchanged();
                seen_.add(row.oid);
                continue;
            }
            if (auto done = gathered.take(row, respun.of(row), pass); !done)
                return tl::unexpected(done.error());
        }
        if (auto done = gathered.flush(); !done) return tl::unexpected(done.error());
        return std::move(gathered.tally);
    }

    enum class Look : unsigned char { other_side, same, differs };
    [[nodiscard]] Result<Look> may_differ(const ObjectRow& row, Side side,
                                          bool is_renamed) const {
        const auto now = replacing_.build->find(row.object);
        if (!now) return tl::unexpected(now.error());
        if (now->has_value() != (side == Side::there)) return Look::other_side;
        if (!replaced_ || is_renamed) return Look::differs;
        const auto then = replaced_->find(row.object);
        if (!then) return tl::unexpected(then.error());
        if (*then != *now) return Look::differs;
        if (!*now) return Look::same;
        const auto before = replaced_->digest_of(**now),
                   after = replacing_.build->digest_of(**now);
        if (!before) return tl::unexpected(before.error());
        if (!after) return tl::unexpected(after.error());
        return *before == *after ? Look::same : Look::differs;
    }

    // Answers on their way to the store.
    class Gathered {
       public:
        explicit Gathered(Job& job) : job_(job) {}

        Tally tally;

        Result<void> take(const ObjectRow& row, Result<history::Respun::Answer> answer,
                          int pass) {
            if (!answer) return note_failed(row, answer.error());
            using Fate = history::Respun::Fate;
            if (!answer->replacement) {
                if (pass == 0) tally.note_unchanged();
                job_.seen_.add(row.oid);
                return {};
            }
            ++tally.looked_at;
            if (answer->fate == Fate::vanished)
                ++tally.vanished;
            else if (answer->fate == Fate::withdrawn)
                ++tally.withdrawn;
            else
                ++tally.changed;
            bytes_ += answer->replacement->tree ? answer->replacement->tree->size() : 0;
            all_.push_back(std::move(*answer->replacement));
            return all_.size() < most_together && bytes_ < most_bytes ? Result<void>() : flush();
        }

        Result<void> flush() {
            auto written = job_.write(all_);
            all_.clear();
            bytes_ = 0;
            return written;
        }

       private:
        // It stays as it is, and is listed: the others are not kept waiting.
        Result<void> note_failed(const ObjectRow& row, const base::Error& error) {
            if (error.kind != base::Kind::malformed && error.kind != base::Kind::too_large)
                return tl::unexpected(error);
            history::Brought brought{row.object, history::Fate::failed, error.text, {}};
            tally.note(brought);
            store::perform(job_.pool(), Access::write, [&](Transaction& transaction) {
                history::list_failed(transaction, job_.current(), row.object, error.text);
            });
            job_.seen_.add(row.oid);
            return {};
        }

        Job& job_;
        std::vector<Replacement> all_;
        std::size_t bytes_ = 0;
    };

    Result<void> write(std::span<const Replacement> all) {
        while (!all.empty()) {
            const auto done = store::perform(
                pool(), Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                    const auto in_force = is_in_force(transaction);
                    if (!in_force) return tl::unexpected(in_force.error());
                    const auto end = steady_clock::now() + longest_write;
                    std::size_t put = 0;
                    do history::put(transaction, all[put]);
                    while (++put < all.size() && steady_clock::now() < end);
                    if (*in_force) history::move_generation(transaction);
                    return put;
                });
            if (!done) return tl::unexpected(done.error());
            for (const auto& replacement : all.first(*done)) seen_.add(replacement.object.oid);
            all = all.subspan(*done);
        }
        return {};
    }

    //   error  conflict: neither this attempt's nor what it replaces
    Result<bool> is_in_force(Transaction& transaction) const {
        const auto rows =
            transaction.query("SELECT digest, replacing FROM releases WHERE version = ?",
                              {Value{attempt_.version}});
        const auto digest = rows.empty() ? std::string() : rows.front().text(0);
        if (digest == attempt_.from && !digest.empty()) return false;
        if (digest == attempt_.to && rows.front().integer(1) != 0) return true;
        return base::fail(base::Kind::conflict,
                          attempt_.version + " was replaced by others meanwhile");
    }

    // -- into place

    Done place() {
        return run_stage("place", slices(), [&](std::int64_t slice, const GoOn& go_on) {
            const auto [after, to] = range_of(slice);
            return place_some(after, to, go_on);
        });
    }

    Result<Tally> place_some(std::int64_t after, std::int64_t to, const GoOn& go_on) {
        while (go_on()) {
            const auto some = store::perform(pool(), Access::read, [&](Transaction& transaction) {
                const auto found =
                    oids(transaction,
                         "SELECT oid FROM replacements WHERE version = ? AND"
                         " digest = ? AND oid > ? AND oid <= ? ORDER BY oid"
                         " LIMIT 256",
                         {Value{attempt_.version}, Value{attempt_.to}, Value{after}, Value{to}});
                return std::vector<std::int64_t>(found.begin(), found.end());
            });
            if (some.empty()) break;
            if (const auto moved = move(some); !moved) return tl::unexpected(moved.error());
            after = some.back();
        }
        return Tally{};
    }

    Result<void> move(std::span<const std::int64_t> oids) {
        while (!oids.empty()) {
            const auto done = store::perform(
                pool(), Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                    const auto end = steady_clock::now() + longest_write;
                    std::size_t moved = 0;
                    do {
                        const auto one = history::move_into_place(
                            transaction, oids[moved], replacing_.desk.settings.keep_trees,
                            releases_);
                        if (!one) return tl::unexpected(one.error());
                    } while (++moved < oids.size() && steady_clock::now() < end);
                    return moved;
                });
            if (!done) return tl::unexpected(done.error());
            oids = oids.subspan(*done);
        }
        return {};
    }

    // -- objects that have no row, in classes all of whose objects shall have one

    // Empty name: all classes.
    [[nodiscard]] std::set<std::string> warmed_classes() const {
        std::set<std::string> classes;
        const auto rows = store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return transaction.query("SELECT class FROM warmed WHERE version = ?",
                                     {Value{attempt_.version}});
        });
        for (const auto& row : rows) classes.insert(row.text(0));
        return classes;
    }

    Done add() {
        const auto warmed = warmed_classes();
        constexpr std::uint64_t part_objects = 10'000;
        const auto parts = replacing_.build->parts(part_objects);
        const auto all = static_cast<std::int64_t>(parts.size());
        tasks_.push_back(task("add"));
        return run_stage("add", all + 1, [&](std::int64_t part, const GoOn& go_on) {
            if (part == all) return try_failed();
            const auto i = static_cast<std::size_t>(part);
            return add_part(parts.places[i], parts.places[i + 1], warmed, go_on);
        });
    }

    Result<Tally> add_part(std::uint64_t from, std::uint64_t to,
                           const std::set<std::string>& warmed, const GoOn& go_on) {
        std::vector<ObjectName> names;
        Tally tally;
        std::optional<base::Error> error;
        std::uint64_t bytes = 0;
        const auto flush = [&] {
            const auto brought = bring(names);
            names.clear();
            bytes = 0;
            if (!brought) error = brought.error();
            if (brought) tally.add(*brought);
            return brought && go_on();
        };
        replacing_.build->each(from, to, [&](const source::Listed& listed) {
            if (!warmed.contains("") && !warmed.contains(std::string(listed.class_name)))
                return true;
            auto name = listed.id();
            if (had(name)) return true;
            names.push_back(std::move(name));
            bytes += listed.bytes;
            return (names.size() < most_together && bytes < most_bytes) || flush();
        });
        if (!error) flush();
        if (error) return tl::unexpected(*error);
        return tally;
    }

    // The build before had it, so its row is there.
    [[nodiscard]] bool had(const ObjectName& name) const {
        if (!replaced_) return false;
        const auto known = replaced_->digest_of(name);
        return known && *known;
    }

    Result<Tally> bring(std::span<const ObjectName> names) {
        Tally tally;
        const auto brought = history::bring_up_to_date(replacing_.desk, *replacing_.build,
                                                       replacing_.previous.get(), names, {});
        if (!brought) return tl::unexpected(brought.error());
        for (const auto& one : *brought) {
            using history::Fate;
            if (one.fate == Fate::added || one.fate == Fate::changed || one.fate == Fate::failed)
                tally.note(one);
            if (one.fate != Fate::failed && one.fate != Fate::compared)
                listed_no_more(one.object);
        }
        return tally;
    }

    void listed_no_more(const ObjectName& object) {
        store::perform(pool(), Access::write, [&](Transaction& transaction) {
            transaction.execute(
                "DELETE FROM failed WHERE version = ? AND class = ? AND name = ?",
                {Value{attempt_.version}, Value{object.class_name}, Value{object.name}});
        });
    }

    // What could not be read in the build before may be readable in this one.
    Result<Tally> try_failed() {
        std::vector<ObjectName> names;
        const auto rows = store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return transaction.query("SELECT class, name FROM failed WHERE version = ?",
                                     {Value{attempt_.version}});
        });
        for (const auto& row : rows) names.push_back({row.text(0), row.text(1)});
        Tally tally;
        for (std::span<const ObjectName> rest = names; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), most_together));
            const auto brought = bring(some);
            if (!brought) return tl::unexpected(brought.error());
            tally.add(*brought);
            rest = rest.subspan(some.size());
        }
        return tally;
    }

    // -- the end

    // Where the release changed its objects, counted anew (mass changes).
    Done count() {
        if (warmed_classes().empty()) return true;
        return run_stage("count", slices(),
                         [&](std::int64_t slice, const GoOn&) { return count_places(slice); });
    }

    Result<Tally> count_places(std::int64_t slice) {
        const auto [after, to] = range_of(slice);
        const auto rows = store::perform(
            pool(), Access::read, [&, first = after, last = to](Transaction& transaction) {
                return transaction.query(
                    "SELECT o.class, h.notes FROM history h JOIN objects o ON o.oid = h.oid WHERE"
                    " h.version = ? AND h.kind = 'changed' AND h.oid > ? AND h.oid <= ?",
                    {Value{attempt_.version}, Value{first}, Value{last}});
            });
        Tally tally;
        for (const auto& row : rows) {
            const auto notes = history::notes_from_json(row.text(1));
            if (!notes) return tl::unexpected(notes.error());
            std::set<std::string> places;
            for (const auto& change : notes->changes) places.insert(compare::place_of(change));
            tally.note(
                {{row.text(0), ""}, history::Fate::changed, "", {places.begin(), places.end()}});
        }
        return tally;
    }

    [[nodiscard]] Tally tally_of(const std::string& task) const {
        Tally all;
        const auto results = store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return results_of(transaction, task);
        });
        for (const auto& result : results)
            if (const auto tally = tally_from_json(result)) all.add(*tally);
        return all;
    }

    [[nodiscard]] Tally tallied() const {
        Tally all;
        for (const auto& task : tasks_) all.add(tally_of(task));
        return all;
    }

    Result<Replaced> ended(const Done& done) const {
        if (!done) return tl::unexpected(done.error());
        return Replaced{tallied(), {}, false};
    }

    Result<Replaced> finish() {
        Replaced replaced{tallied(), {}, true};
        const auto classes = replacing_.build->class_counts();
        replaced.mass_changes =
            mass_changes_in(tally_of(task("count")), classes, replacing_.mass_change);
        const auto warmed = warmed_classes();
        // Somebody slow may have written one more.
        while (!store::perform(pool(), Access::write, [&](Transaction& transaction) {
            return end_in(transaction, replaced.mass_changes, warmed);
        })) {
            const auto placed = place_some(0, INT64_MAX, [] { return true; });
            if (!placed) return tl::unexpected(placed.error());
        }
        return replaced;
    }

    // False: not all is in place.
    bool end_in(Transaction& transaction, const std::vector<MassChange>& mass_changes,
                const std::set<std::string>& warmed) const {
        const auto left = transaction.query(
            "SELECT oid FROM replacements WHERE version = ? AND digest = ? LIMIT 1",
            {Value{attempt_.version}, Value{attempt_.to}});
        if (!left.empty()) return false;
        transaction.execute("DELETE FROM mass_changes WHERE version = ?",
                            {Value{attempt_.version}});
        record(transaction, current(), mass_changes);
        for (const auto& class_name : warmed) note_objects(transaction, class_name);
        note_finished(transaction, attempt_);
        history::move_generation(transaction);
        forget_leases(transaction, replacing_.desk.clock() - std::chrono::days(7));
        return true;
    }

    void note_objects(Transaction& transaction, const std::string& class_name) const {
        std::uint64_t objects = 0;
        for (const auto& count : replacing_.build->class_counts())
            if (class_name.empty() || count.class_name == class_name) objects += count.objects;
        transaction.execute("UPDATE warmed SET objects = ? WHERE class = ? AND version = ?",
                            {Value{static_cast<std::int64_t>(objects)}, Value{class_name},
                             Value{attempt_.version}});
    }

    const Replacing& replacing_;
    Progress& progress_;
    const std::stop_token& stop_;
    Attempt attempt_;
    source::Build replaced_;  // as it was recorded; nullptr: its index is not kept
    history::Releases releases_;
    Seen seen_;
    std::vector<std::string> tasks_;  // whose results are summed up
};

}  // namespace

Result<Replaced> replace(const Replacing& replacing, Progress& progress,
                         const std::stop_token& stop) {
    try {
        return Job(replacing, progress, stop).run();
    } catch (const store::Failure& failure) {
        return base::fail(base::Kind::unavailable,
                          std::string("the store failed: ") + failure.what());
    }
}

}  // namespace release
