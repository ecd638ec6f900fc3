// SPDX-License-Identifier: MIT
#include "release/replace.hpp"

#include <optional>
#include <set>

#include "base/digest.hpp"
#include "release/replace_steps.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using store::Value;

// The build is looked over so often for what requests record meanwhile; what is left then is
// found once the new rows are in force.
constexpr int most_passes = 10;
class Job {
   public:
    Job(const Replacing& replacing, Progress& progress, const std::stop_token& stop)
        : grounds_{replacing, {}, nullptr, {}}, replacing_(replacing), progress_(progress),
          stop_(stop), look_over_(grounds_) {}

    Result<Replaced> run() {
        const auto step = stand();
        if (!step) return tl::unexpected(step.error());
        if (stop_.stop_requested()) return Replaced{};
        grounds_.releases = read_releases();
        if (replacing_.kept && !grounds_.attempt.from.empty() && !grounds_.attempt.after_another)
            grounds_.replaced = replacing_.kept(current().version, grounds_.attempt.from);
        if (*step == Step::compute)
            if (const auto in_force = compute(); !in_force || !*in_force) return ended(in_force);
        grounds_.releases = read_releases();
        for (const auto stage : {&Job::look_once_more, &Job::place, &Job::add})
            if (const auto done = (this->*stage)(); !done || !*done) return ended(done);
        return finish();
    }

   private:
    using Work = std::function<Result<Tally>(std::int64_t, const GoOn&)>;
    using Done = Result<bool>;  // false: stopped

    [[nodiscard]] const base::Release& current() const { return replacing_.build->release(); }
    [[nodiscard]] store::Pool& pool() const { return replacing_.desk.pool; }

    [[nodiscard]] tables::Releases read_releases() const {
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
            grounds_.attempt = standing->attempt;
            if (standing->step != Step::put_away) return standing->step;
            grounds_.releases = read_releases();
            const auto done = put_away();
            if (!done) return tl::unexpected(done.error());
            if (!*done) return Step::put_away;
        }
    }

    Done put_away() {
        const auto go_on = [this] { return !stop_.stop_requested(); };
        const auto done = release::place(grounds_, all_oids, go_on);
        if (!done) return tl::unexpected(done.error());
        if (stop_.stop_requested()) return false;
        store::perform(pool(), Access::write, [&](Transaction& transaction) {
            transaction.execute(
                "UPDATE releases SET replacing = 0 WHERE version = ? AND digest = ?",
                {Value{grounds_.attempt.version}, Value{grounds_.attempt.to}});
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
        return current().version + ' ' + what + ' ' + base::md5_hex(grounds_.attempt.name + what);
    }

    // By oid.
    [[nodiscard]] std::int64_t slices() const {
        const auto rows = store::perform(pool(), Access::read, [](Transaction& transaction) {
            return transaction.query("SELECT MAX(oid) FROM objects");
        });
        const auto highest = rows.at(0).is_null(0) ? 0 : rows.at(0).integer(0);
        return highest / replacing_.part_rows + 1;
    }
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
            const auto in_force = put_in_force(pool(), grounds_.attempt, current(), generation);
            if (!in_force || *in_force) return in_force;
        }
        return put_in_force(pool(), grounds_.attempt, current(), std::nullopt);
    }

    // What requests to the old build recorded just before they learned of the new one.
    Done look_once_more() {
        const auto written = look_over(most_passes);
        if (!written) return tl::unexpected(written.error());
        return written->has_value();
    }

    [[nodiscard]] std::int64_t read_generation() const {
        return store::perform(pool(), Access::read, [](Transaction& transaction) {
            return tables::generation(transaction);
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
                    return look_over_.at(range_of(slice), side, pass == 0, go_on);
                });
            if (!done) return tl::unexpected(done.error());
            if (!*done) return std::nullopt;
            const auto tally = tally_of(tasks_.back());
            written += tally.added + tally.changed + tally.vanished + tally.withdrawn;
        }
        return written;
    }

    // -- into place

    Done place() {
        return run_stage("place", slices(),
                         [&](std::int64_t slice, const GoOn& go_on) -> Result<Tally> {
                             const auto done = release::place(grounds_, range_of(slice), go_on);
                             if (!done) return tl::unexpected(done.error());
                             return Tally{};
                         });
    }

    // -- objects that have no row, in classes all of whose objects shall have one

    // Empty name: all classes.
    [[nodiscard]] std::set<std::string> warmed_classes() const {
        std::set<std::string> classes;
        const auto rows = store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return transaction.query("SELECT class FROM warmed WHERE version = ?",
                                     {Value{grounds_.attempt.version}});
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
            if (part == all) return try_failed(grounds_);
            const auto i = static_cast<std::size_t>(part);
            return add_part(grounds_, parts.places[i], parts.places[i + 1], warmed, go_on);
        });
    }

    // -- the end

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
        const auto warmed = warmed_classes();
        if (!warmed.empty()) {
            const auto changed = places_changed(pool(), grounds_.attempt.version, {});
            if (!changed) return tl::unexpected(changed.error());
            replaced.mass_changes = mass_changes_in(*changed, classes, replacing_.mass_change);
        }
        // Somebody slow may have written one more.
        while (!store::perform(pool(), Access::write, [&](Transaction& transaction) {
            return end_in(transaction, replaced.mass_changes, warmed);
        })) {
            const auto placed = release::place(grounds_, all_oids, [] { return true; });
            if (!placed) return tl::unexpected(placed.error());
        }
        return replaced;
    }

    // False: not all is in place.
    bool end_in(Transaction& transaction, const std::vector<MassChange>& mass_changes,
                const std::set<std::string>& warmed) const {
        const auto left = transaction.query(
            "SELECT oid FROM replacements WHERE version = ? AND digest = ? LIMIT 1",
            {Value{grounds_.attempt.version}, Value{grounds_.attempt.to}});
        if (!left.empty()) return false;
        transaction.execute("DELETE FROM mass_changes WHERE version = ?",
                            {Value{grounds_.attempt.version}});
        record(transaction, current(), mass_changes);
        for (const auto& class_name : warmed) note_objects(transaction, class_name);
        note_finished(transaction, grounds_.attempt);
        tables::move_generation(transaction);
        forget_leases(transaction, replacing_.desk.clock() - std::chrono::days(7));
        return true;
    }

    void note_objects(Transaction& transaction, const std::string& class_name) const {
        std::uint64_t objects = 0;
        for (const auto& count : replacing_.build->class_counts())
            if (class_name.empty() || count.class_name == class_name) objects += count.objects;
        transaction.execute("UPDATE warmed SET objects = ? WHERE class = ? AND version = ?",
                            {Value{static_cast<std::int64_t>(objects)}, Value{class_name},
                             Value{grounds_.attempt.version}});
    }

    Grounds grounds_;
    const Replacing& replacing_;
    Progress& progress_;
    const std::stop_token& stop_;
    LookOver look_over_;
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
    } catch (const std::exception& error) {
        return base::fail(base::Kind::unavailable, error.what());
    }
}

}  // namespace release
