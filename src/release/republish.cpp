// SPDX-License-Identifier: MIT
#include "release/republish.hpp"

#include <optional>
#include <set>

#include "base/digest.hpp"
#include "release/republish_steps.hpp"
#include "tables/prewarmed.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Requests record rows meanwhile, so the objects are compared again until a pass finds nothing;
// what is left after this many passes is found once the new rows are in force.
constexpr int most_passes = 10;

class RepublishJob {
   public:
    RepublishJob(const ReleaseJob& job, Progress& progress, const std::stop_token& stop)
        : job_(job), progress_(progress), runner_(job.context.pool, job.options, stop),
          republication_{job, {}, nullptr, {}}, comparison_(republication_) {}

    Result<JobResult> run() {
        const auto stage = begin_attempt();
        if (!stage) return tl::unexpected(stage.error());
        if (runner_.is_stopped()) return JobResult{};
        republication_.releases = job_.known_releases();
        const auto& attempt = republication_.attempt;
        if (!attempt.from.empty() && !attempt.after_another)
            republication_.replaced = job_.open_kept(current().version, attempt.from);
        if (*stage == Attempt::Stage::compute)
            if (const auto in_force = compute(); !in_force || !*in_force)
                return runner_.unfinished(in_force);
        republication_.releases = job_.known_releases();
        for (const auto step :
             {&RepublishJob::compare_late_rows, &RepublishJob::move, &RepublishJob::add})
            if (const auto done = (this->*step)(); !done || !*done)
                return runner_.unfinished(done);
        return finish();
    }

   private:
    using Work = std::function<Result<Counters>(std::int64_t, const KeepGoing&)>;
    using Done = Result<bool>;  // false: stopped

    [[nodiscard]] const base::Release& current() const { return job_.release(); }

    // Where the attempt stands, after an earlier one whose rows are in force was completed.
    Result<Attempt::Stage> begin_attempt() {
        for (;;) {
            auto begun = begin(job_.pool(), current(), job_.build->digest());
            if (!begun) return tl::unexpected(begun.error());
            republication_.attempt = *begun;
            if (begun->stage != Attempt::Stage::complete_another) return begun->stage;
            republication_.releases = job_.known_releases();
            const auto done = complete_another();
            if (!done) return tl::unexpected(done.error());
            if (!*done) return begun->stage;
        }
    }

    Done complete_another() {
        const auto moved = move_all_and(
            [&](Transaction& transaction) { return end(transaction, republication_.attempt); });
        if (moved || moved.error().kind != base::ErrorKind::conflict) return moved;
        return true;  // another process has completed it, and replaced it since
    }

    // Moves rows until `note_end` finds them all in their tables.
    Done move_all_and(const std::function<Result<End>(Transaction&)>& note_end) {
        for (;;) {
            const auto moved =
                move_rows(republication_, tables::all_oids, runner_.until_stopped());
            if (!moved) return tl::unexpected(moved.error());
            if (runner_.is_stopped()) return false;
            const auto noted = store::perform(job_.pool(), Access::write, note_end);
            if (!noted) return tl::unexpected(noted.error());
            if (*noted != End::too_early) return true;
        }
    }

    Done run_step(const std::string& what, std::int64_t parts, const Work& work) {
        progress_.all += static_cast<std::uint64_t>(parts);
        return runner_.run({task(what), parts, [&](std::int64_t part, const KeepGoing& go) {
                                auto counters = work(part, go);
                                ++progress_.done;
                                return counters;
                            }});
    }

    [[nodiscard]] std::string task(const std::string& what) const {
        return current().version + ' ' + what + ' ' +
               base::md5_hex(republication_.attempt.name + what);
    }

    [[nodiscard]] std::int64_t part_oids() const {
        return static_cast<std::int64_t>(job_.options.part_objects);
    }
    [[nodiscard]] std::int64_t parts_of_oids() const {
        return job_.read(tables::highest_oid) / part_oids() + 1;
    }
    [[nodiscard]] tables::OidRange range_of(std::int64_t part) const {
        return {part * part_oids(), (part + 1) * part_oids()};
    }

    // -- the new rows are computed beside those in force

    Done compute() {
        for (int pass = 0; pass < most_passes; ++pass) {
            const auto highest_sid = job_.read(tables::highest_sid);
            const auto written = compare_all(pass);
            if (!written) return tl::unexpected(written.error());
            if (!*written) return false;
            if (**written > 0) continue;
            const auto in_force =
                put_in_force(job_.context, republication_.attempt, *job_.build, highest_sid);
            if (!in_force || *in_force) return in_force;
        }
        return put_in_force(job_.context, republication_.attempt, *job_.build, std::nullopt);
    }

    // Requests to the old build record rows until their process learns of the new one.
    Done compare_late_rows() {
        const auto written = compare_all(most_passes);
        if (!written) return tl::unexpected(written.error());
        return written->has_value();
    }

    // Returns how many replacements were written; nullopt: stopped.
    Result<std::optional<std::uint64_t>> compare_all(int pass) {
        std::uint64_t written = 0;
        for (const auto presence : {Presence::gone, Presence::in_build}) {
            const auto what =
                (presence == Presence::gone ? "gone " : "there ") + std::to_string(pass);
            const auto done = run_step(
                what, parts_of_oids(), [&](std::int64_t part, const KeepGoing& keep_going) {
                    return comparison_.run(range_of(part), presence, pass == 0, keep_going);
                });
            if (!done) return tl::unexpected(done.error());
            if (!*done) return std::nullopt;
            const auto counters = runner_.counted(task(what));
            written += counters.added + counters.changed + counters.vanished + counters.withdrawn;
        }
        return written;
    }

    // -- the new rows are in force and move into the tables

    Done move() {
        return run_step("place", parts_of_oids(),
                        [&](std::int64_t part, const KeepGoing& go) -> Result<Counters> {
                            const auto done = move_rows(republication_, range_of(part), go);
                            if (!done) return tl::unexpected(done.error());
                            list_skipped(republication_, range_of(part));
                            return Counters{};
                        });
    }

    // -- objects without a row are recorded, in classes that were prewarmed

    [[nodiscard]] std::set<std::string> prewarmed_classes() const {
        return job_.read(tables::prewarmed_classes, current().version);
    }

    Done add() {
        const auto classes = prewarmed_classes();
        constexpr std::uint64_t part_objects = 10'000;
        const auto parts = job_.build->parts(part_objects);
        const auto all = static_cast<std::int64_t>(parts.size());
        return run_step("add", all + 1, [&](std::int64_t part, const KeepGoing& keep_going) {
            if (part == all) return retry_failed(republication_, keep_going);
            const auto i = static_cast<std::size_t>(part);
            return add_objects(republication_, parts.places[i], parts.places[i + 1], classes,
                               keep_going);
        });
    }

    // -- the end

    Result<JobResult> finish() {
        JobResult result{runner_.counted(), {}, true, false};
        const auto classes = prewarmed_classes();
        if (!classes.empty())
            result.mass_changes =
                find_mass_changes(job_.pool(), *job_.build, {}, job_.mass_change);
        // A slow process may write one more replacement, until the end is noted.
        const auto noted = move_all_and([&](Transaction& transaction) {
            return note_end(transaction, result.mass_changes, classes);
        });
        if (!noted || !*noted) return runner_.unfinished(noted);
        return result;
    }

    Result<End> note_end(Transaction& transaction, const std::vector<MassChange>& mass_changes,
                         const std::set<std::string>& classes) const {
        const auto& attempt = republication_.attempt;
        const auto ended = end(transaction, attempt);
        if (!ended || *ended != End::noted) return ended;
        tables::delete_mass_changes(transaction, attempt.version);
        tables::insert_mass_changes(transaction, mass_changes);
        for (const auto& class_name : classes)
            tables::update_prewarmed(transaction, class_name, attempt.version,
                                     objects_of(class_name));
        delete_expired_leases(transaction);
        return ended;
    }

    // The empty name stands for all classes.
    [[nodiscard]] std::uint64_t objects_of(const std::string& class_name) const {
        std::uint64_t objects = 0;
        for (const auto& count : job_.build->class_counts())
            if (class_name.empty() || count.class_name == class_name) objects += count.objects;
        return objects;
    }

    const ReleaseJob& job_;
    Progress& progress_;
    JobRunner runner_;
    RepublishContext republication_;
    Comparison comparison_;
};

}  // namespace

Result<JobResult> republish(const ReleaseJob& job, Progress& progress,
                            const std::stop_token& stop) {
    return run_job([&] { return RepublishJob(job, progress, stop).run(); });
}

}  // namespace release
