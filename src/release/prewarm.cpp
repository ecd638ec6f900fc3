// SPDX-License-Identifier: MIT
#include "release/prewarm.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "release/batch_collector.hpp"
#include "tables/object_search.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Rows of `objects` in one part of the second step, by oid.
constexpr std::int64_t part_rows = 200'000;
// Most bytes that the objects of a batch have in the build, unless it is a single object.
constexpr std::uint64_t batch_bytes = 4 << 20;
// Longest transaction while no process waits; one that starts to wait also waits for the commit, a
// third of that.
constexpr std::chrono::milliseconds longest_alone{50};

// The indexes kept of earlier releases, each opened once a job. Safe from any thread.
class KeptIndexes {
   public:
    explicit KeptIndexes(const ReleaseJob& job) : job_(job) {}

    struct Kept {
        source::Build index;             // as the release was recorded; nullptr: none was kept
        std::set<ObjectName> uncovered;  // what was recorded of these may not be what it lists
    };
    // Valid as long as this.
    //   throws  store::Failure
    const Kept& of(const std::string& version) {
        const std::lock_guard lock(mutex_);
        const auto [known, is_new] = kept_.try_emplace(version);
        if (is_new) known->second = {open(version), uncovered_in(version)};
        return known->second;
    }

   private:
    [[nodiscard]] source::Build open(const std::string& version) const {
        const auto recorded = job_.read(tables::recorded_release, version);
        if (!recorded) return nullptr;
        for (const auto& build : {job_.previous, job_.build})
            if (build && build->release().version == version &&
                !base::contradict(build->digest(), recorded->digest))
                return build;
        return job_.open_kept(version, recorded->digest);
    }

    [[nodiscard]] std::set<ObjectName> uncovered_in(const std::string& version) const {
        const auto names = job_.read([&](Transaction& transaction) {
            return tables::failed_objects(transaction, version, {});
        });
        return {names.begin(), names.end()};
    }

    const ReleaseJob& job_;
    std::mutex mutex_;
    std::map<std::string, Kept> kept_;
};

// The newest earlier release in which a job compared every class of the selection. Objects whose bytes are
// those of its index are unchanged.
struct BaseRelease {
    source::Build index;
    std::set<ObjectName> exceptions;  // failed then, or were compared in a later release
    std::vector<std::string> later;   // the releases between it and the job's
};

class PrewarmJob {
   public:
    PrewarmJob(const ReleaseJob& job, const Selection& selection, Progress& progress,
               const std::stop_token& stop)
        : job_(job), selection_(selection), progress_(progress),
          runner_(job.context.pool, job.options, stop), kept_(job) {}

    Result<JobResult> run() {
        if (const auto* objects = std::get_if<Objects>(&selection_)) return run_list(*objects);
        releases_ = job_.known_releases();
        recorded_classes_ = job_.read(tables::recorded_classes);
        if (has_ended_before()) {
            not_compared_ = classes_not_compared_in(*job_.build);
            if (not_compared_.empty()) return retry(failed_in(current().version));
        }
        base_ = find_base();
        for (const auto step :
             {&PrewarmJob::step_of_the_build, &PrewarmJob::step_of_what_is_gone})
            if (const auto done = runner_.run((this->*step)()); !done || !*done)
                return runner_.unfinished(done);
        return finish();
    }

   private:
    [[nodiscard]] const base::Release& current() const { return job_.release(); }

    // Empty: every class.
    [[nodiscard]] std::string class_name() const {
        const auto* of_class = std::get_if<OfClass>(&selection_);
        return of_class == nullptr ? std::string() : of_class->class_name;
    }
    [[nodiscard]] bool is_selected(std::string_view class_of_object) const {
        const auto only = class_name();
        return (only.empty() || class_of_object == only) && !job_.build->skips(class_of_object);
    }
    // The same for objects that a build lists: most have the class of the one before.
    [[nodiscard]] auto is_selected_in_order() const {
        return [this, last = std::string(), is = is_selected("")](std::string_view name) mutable {
            if (name != last) is = is_selected(last = name);
            return is;
        };
    }

    [[nodiscard]] std::vector<std::string> finished_releases() const {
        return job_.read(tables::prewarmed_releases, class_name());
    }
    [[nodiscard]] bool has_ended_before() const {
        // Objects that a re-publication brought may have no row yet.
        for (const auto& replacing : releases_.replacing())
            if (replacing.version == current().version) return false;
        return std::ranges::count(finished_releases(), current().version) > 0;
    }

    // The selected classes of which the job of that build's release may not have compared each
    // object: it skipped them, or their objects were first recorded later.
    [[nodiscard]] std::set<std::string> classes_not_compared_in(
        const source::Source& build) const {
        const auto& version = build.release().version;
        return job_.read([&](Transaction& transaction) {
            const auto compared = tables::prewarmed_classes(transaction, version);
            std::set<std::string> others;
            for (const auto& [name, objects] : build.class_counts())
                if (is_selected(name) && !compared.contains(name)) others.insert(name);
            for (const auto& name : recorded_classes_)
                if (is_selected(name) && !compared.contains(name) &&
                    has_objects_compared_before(transaction, name, version))
                    others.insert(name);
            return others;
        });
    }
    [[nodiscard]] bool has_objects_compared_before(Transaction& transaction,
                                                   const std::string& class_of_objects,
                                                   const std::string& version) const {
        return std::ranges::any_of(
            tables::releases_compared_in(transaction, class_of_objects),
            [&](const auto& last) { return releases_.is_later(version, last); });
    }

    [[nodiscard]] Objects failed_in(const std::string& version) const {
        return job_.read(tables::failed_objects, version, class_name());
    }

    // Objects that a request compared in one of these releases last: they may have changed there,
    // and changed back since.
    [[nodiscard]] Objects compared_last_in(const std::vector<std::string>& versions) const {
        return job_.read(tables::objects_compared_in, versions, class_name());
    }

    [[nodiscard]] std::optional<BaseRelease> find_base() {
        std::optional<BaseRelease> best;
        // The rows of a re-publication that are not in place yet are in no table that is read here.
        if (!releases_.replacing().empty()) return best;
        for (const auto& version : finished_releases()) {
            if (!releases_.is_later(current().version, version)) continue;
            if (best && !releases_.is_later(version, best->index->release().version)) continue;
            const auto& index = kept_.of(version).index;
            if (!index || !classes_not_compared_in(*index).empty()) continue;
            best = BaseRelease{index, {}, {}};
        }
        if (!best) return best;
        const auto& version = best->index->release().version;
        for (const auto& release : releases_.up_to(current()))
            if (releases_.is_later(release.version, version) &&
                release.version != current().version)
                best->later.push_back(release.version);
        for (auto& names : {failed_in(version), compared_last_in(best->later)})
            best->exceptions.insert(names.begin(), names.end());
        return best;
    }
    [[nodiscard]] std::string base_digest() const { return base_ ? base_->index->digest() : ""; }

    [[nodiscard]] std::string task(const std::string& what, const std::string& parts) const {
        const auto digest =
            base::md5_hex(job_.build->digest() + ' ' + class_name() + ' ' + parts + ' ' +
                          std::to_string(job_.options.part_objects) + ' ' +
                          base::join(classes_of_task(), "\t"));
        return current().version + ' ' + what + ' ' + digest;
    }
    // What a part that is done covers depends on the classes that are skipped.
    [[nodiscard]] std::vector<std::string> classes_of_task() const {
        std::vector<std::string> classes(not_compared_.begin(), not_compared_.end());
        for (const auto& count : job_.build->class_counts())
            if (is_selected(count.class_name)) classes.push_back(count.class_name);
        for (const auto& name : recorded_classes_)
            if (job_.build->skips(name)) classes.push_back('-' + name);
        return classes;
    }

    void expect_objects_of_the_build() {
        for (const auto& count : job_.build->class_counts())
            if (is_selected(count.class_name)) progress_.all += count.objects;
    }

    // -- first step: the objects of the build

    JobStep step_of_the_build() {
        // With a base release, most objects need no more than a look-up. Parts are larger then, because
        // each has a transaction of its own for what it records: 8 % less time where 1 % changed.
        const auto usual = job_.options.part_objects;
        const auto objects = base_ ? usual * 5 / 2 : usual;
        auto parts = std::make_shared<source::Parts>(job_.build->parts(objects));
        expect_objects_of_the_build();
        return {
            task("objects", parts->order + ' ' + base_digest() + ' ' + std::to_string(objects)),
            static_cast<std::int64_t>(parts->size()),
            [this, parts](std::int64_t part, const KeepGoing& keep_going) {
                const auto i = static_cast<std::size_t>(part);
                return prewarm_part(parts->places[i], parts->places[i + 1], keep_going);
            }};
    }

    Result<Counters> prewarm_part(std::uint64_t from, std::uint64_t to,
                                  const KeepGoing& keep_going) {
        auto batches = collector(note_unchanged());
        auto is_wanted = is_selected_in_order();
        job_.build->each(from, to, [&](const source::Listed& listed) {
            if (!is_wanted(listed.class_name)) return true;
            batches.count_bytes(listed.bytes);
            auto name = listed.id();
            if (is_as_in_base(listed, name)) {
                batches.count_unchanged();
                return batches.pass(keep_going);
            }
            return batches.add(std::move(name), listed.bytes, keep_going);
        });
        return batches.end(keep_going);
    }

    [[nodiscard]] bool is_as_in_base(const source::Listed& listed, const ObjectName& name) const {
        if (!base_ || base_->exceptions.contains(name)) return false;
        const auto known = base_->index->digest_of(name);
        return known && *known && **known == listed.digest;
    }

    // -- second step: what is recorded and no longer in the build

    JobStep step_of_what_is_gone() {
        auto parts = std::make_shared<source::Parts>();
        if (base_) {
            // Most of these objects need no more than a look-up.
            *parts = base_->index->parts(job_.options.part_objects * 10);
            expect_objects_of_the_build();
        }
        const auto parts_of_base = static_cast<std::int64_t>(base_ ? parts->size() : 0);
        const auto parts_of_rows = job_.read(tables::highest_oid) / part_rows + 1;
        return {task("gone", parts->order + ' ' + base_digest()), parts_of_base + parts_of_rows,
                [this, parts, parts_of_base](std::int64_t part, const KeepGoing& keep_going) {
                    if (part >= parts_of_base)
                        return look_for_rows(part - parts_of_base, keep_going);
                    const auto i = static_cast<std::size_t>(part);
                    return look_for_base(parts->places[i], parts->places[i + 1], keep_going);
                }};
    }

    // Objects that the base release had.
    Result<Counters> look_for_base(std::uint64_t from, std::uint64_t to,
                                   const KeepGoing& keep_going) {
        auto batches = collector(history::NoteUnchanged::no);
        auto is_wanted = is_selected_in_order();
        base_->index->each(from, to, [&](const source::Listed& listed) {
            if (!is_wanted(listed.class_name)) return true;
            auto name = listed.id();
            const auto in_build = job_.build->digest_of(name);
            if (in_build && *in_build) return batches.pass(keep_going);
            return batches.add(std::move(name), listed.bytes, keep_going);
        });
        return batches.end(keep_going);
    }

    // Objects that requests recorded since; all recorded ones, where there is no base release.
    Result<Counters> look_for_rows(std::int64_t slice, const KeepGoing& keep_going) {
        auto batches = collector(note_unchanged());
        for (auto& name : recorded_in(slice)) {
            const auto found = job_.build->find(name);
            if (!found) return tl::unexpected(found.error());
            if (!*found && !batches.add(std::move(name), batch_bytes / 256, keep_going)) break;
        }
        return batches.end(keep_going);
    }

    [[nodiscard]] Objects recorded_in(std::int64_t slice) const {
        const tables::OidRange range{slice * part_rows, (slice + 1) * part_rows};
        Objects names;
        if (!base_ || !base_->later.empty())
            names = job_.read(tables::objects_to_look_for, range, current().version,
                              base_ ? base_->later : std::vector<std::string>());
        std::erase_if(names, [&](const auto& name) { return !is_selected(name.class_name); });
        // Neither the index of the base release nor the releases since name these.
        if (base_ && slice == 0)
            for (auto& name : failed_in(base_->index->release().version))
                names.push_back(std::move(name));
        return names;
    }

    // -- a list of objects

    Result<JobResult> run_list(const Objects& objects) {
        progress_.all += objects.size();
        std::string all;
        for (const auto& object : objects) all += object.class_name + '\t' + object.name + '\n';
        // Parts are small, since objects that people ask for may be the large ones.
        constexpr std::size_t part_objects = 1000;
        const auto parts = (objects.size() + part_objects - 1) / part_objects;
        const auto done =
            runner_.run({task("list", base::md5_hex(all)), static_cast<std::int64_t>(parts),
                         [&](std::int64_t part, const KeepGoing& keep_going) {
                             const auto from = static_cast<std::size_t>(part) * part_objects;
                             const auto some = std::min(part_objects, objects.size() - from);
                             return prewarm_list({objects.data() + from, some}, keep_going);
                         }});
        if (!done) return tl::unexpected(done.error());
        // Earlier runs have worked on all parts. What failed then may be readable now.
        if (*done && progress_.done == 0) return retry(failed_among(objects));
        return JobResult{runner_.counted(), {}, *done, false};
    }

    Result<Counters> prewarm_list(std::span<const ObjectName> objects,
                                  const KeepGoing& keep_going) {
        auto batches = collector(history::NoteUnchanged::yes);
        batches.count_with(count_unknown_as_failed);
        for (const auto& object : objects)
            if (!batches.add(ObjectName(object), batch_bytes / 16, keep_going)) break;
        return batches.end(keep_going);
    }

    // Whoever listed an object that is neither in the build nor recorded made a mistake.
    static void count_unknown_as_failed(Counters& counters, const history::Recorded& brought) {
        if (brought.status != history::Status::absent) return counters.count(brought);
        counters.count(history::failed(
            brought.object, {base::ErrorKind::absent, "is neither in the build nor recorded"}));
    }

    [[nodiscard]] Objects failed_among(const Objects& objects) const {
        const std::set<ObjectName> listed(objects.begin(), objects.end());
        auto names = failed_in(current().version);
        std::erase_if(names, [&](const auto& name) { return !listed.contains(name); });
        return names;
    }

    // Tries again what the job that prewarmed the release could not read.
    Result<JobResult> retry(const Objects& objects) {
        auto counters = record(objects, batch_bytes / 16);
        if (!counters) return tl::unexpected(counters.error());
        return JobResult{.counters = std::move(*counters),
                         .finished = !runner_.is_stopped(),
                         .finished_before = true};
    }

    // -- batches

    Result<Counters> record(const Objects& objects, std::uint64_t bytes_each) {
        auto batches = collector(history::NoteUnchanged::yes);
        const auto keep_going = runner_.until_stopped();
        for (const auto& object : objects)
            if (!batches.add(ObjectName(object), bytes_each, keep_going)) break;
        return batches.end(keep_going);
    }

    // With a base release, what may have been recorded later is found by the releases between.
    [[nodiscard]] history::NoteUnchanged note_unchanged() const {
        return base_ ? history::NoteUnchanged::no : history::NoteUnchanged::yes;
    }

    BatchCollector collector(history::NoteUnchanged note_unchanged) {
        history::RecordSettings settings;
        settings.note_unchanged = note_unchanged;
        settings.list_failed = history::ListFailed::yes;
        settings.longest_write.alone = longest_alone;
        settings.same_bytes = [this](const ObjectName& name, const std::string& version) {
            return has_bytes_of(name, version);
        };
        return {job_.context,
                *job_.build,
                job_.previous.get(),
                std::move(settings),
                {job_.options.batch_objects, batch_bytes},
                progress_};
    }

    [[nodiscard]] bool has_bytes_of(const ObjectName& name, const std::string& version) {
        const auto& [index, uncovered] = kept_.of(version);
        if (!index || uncovered.contains(name)) return false;
        const auto before = index->digest_of(name), now = job_.build->digest_of(name);
        return before && now && *before && *before == *now;
    }

    // -- the end

    // A request may have recorded an object in an earlier release after the job had worked on the
    // object's part, which has counted it, or without the object being in any part.
    //   returns  those that could not be read; what the parts could not read is not tried again
    Result<Counters> catch_up() {
        const auto listed = failed_in(current().version);
        const std::set<ObjectName> known(listed.begin(), listed.end());
        Counters failed;
        const auto rest = [&](Objects objects) -> Result<void> {
            std::erase_if(objects, [&](const auto& name) { return known.contains(name); });
            auto late = record(objects, batch_bytes / 256);
            if (!late) return tl::unexpected(late.error());
            failed.failed += late->failed;
            std::ranges::move(late->failures, std::back_inserter(failed.failures));
            return {};
        };
        if (base_) {
            if (const auto done = rest(compared_last_in(base_->later)); !done)
                return tl::unexpected(done.error());
            return failed;
        }
        // Without a base release, the job has noted this release in each row that it compared.
        const auto slices = job_.read(tables::highest_oid) / part_rows + 1;
        for (std::int64_t slice = 0; slice < slices && !runner_.is_stopped(); ++slice)
            if (const auto done = rest(recorded_in(slice)); !done)
                return tl::unexpected(done.error());
        return failed;
    }

    Result<JobResult> finish() {
        auto failed = catch_up();
        if (!failed) return tl::unexpected(failed.error());
        JobResult result{.counters = runner_.counted(), .finished = !runner_.is_stopped()};
        result.counters.add(std::move(*failed));
        if (!result.finished) return result;
        result.mass_changes =
            find_mass_changes(job_.pool(), *job_.build, class_name(), job_.mass_change);
        const auto noted =
            store::perform(job_.pool(), Access::write, [&](Transaction& transaction) {
                return note_end(transaction, result);
            });
        if (!noted) return tl::unexpected(noted.error());
        result.newly_recorded = *noted;
        return result;
    }

    // The selected classes with their objects: those of the build, and those that had recorded
    // objects when the job began.
    [[nodiscard]] std::map<std::string, std::uint64_t> compared_classes() const {
        std::map<std::string, std::uint64_t> classes;
        for (const auto& [name, objects] : job_.build->class_counts())
            if (is_selected(name)) classes.emplace(name, objects);
        for (const auto& name : recorded_classes_)
            if (is_selected(name)) classes.emplace(name, 0);
        return classes;
    }

    // Notes that each class that was selected is prewarmed.
    //   returns  whether the whole release is prewarmed now and was not before
    //   error    conflict: the release is recorded with other content by now, or was forgotten
    Result<bool> note_end(Transaction& transaction, const JobResult& result) const {
        const auto recorded = tables::lock_build(transaction, current().version);
        if (recorded && base::contradict(recorded->digest, job_.build->digest()))
            return base::fail(base::ErrorKind::conflict,
                              current().version + " was recorded with different content");
        if (!recorded)
            if (const auto done =
                    tables::record_release(transaction, current(), job_.build->digest());
                !done)
                return tl::unexpected(done.error());
        auto prewarmed = compared_classes();
        const bool is_whole = class_name().empty();
        const bool was_whole = tables::is_prewarmed(transaction, "", current().version);
        if (is_whole) prewarmed.emplace("", result.counters.looked_at);
        for (const auto& [name, objects] : prewarmed)
            tables::note_prewarmed(transaction, name, current().version, job_.context.clock(),
                                   objects);
        tables::insert_mass_changes(transaction, result.mass_changes);
        delete_expired_leases(transaction);
        return is_whole && !was_whole;
    }

    const ReleaseJob& job_;
    const Selection& selection_;
    Progress& progress_;
    JobRunner runner_;
    KeptIndexes kept_;
    tables::Releases releases_;
    std::vector<std::string> recorded_classes_;  // when the job began
    std::set<std::string> not_compared_;         // by a job over this release that has ended
    std::optional<BaseRelease> base_;
};

}  // namespace

Result<JobResult> prewarm(const ReleaseJob& job, const Selection& selection, Progress& progress,
                          const std::stop_token& stop) {
    return run_job([&] { return PrewarmJob(job, selection, progress, stop).run(); });
}

}  // namespace release
