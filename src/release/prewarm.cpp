// SPDX-License-Identifier: MIT
#include "release/prewarm.hpp"

#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tables/object_search.hpp"
#include "tables/releases.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Most bytes that the objects of a batch have in the build, unless it is a single object.
constexpr std::uint64_t batch_bytes = 4 << 20;
// Objects of a list in one part: few, since those that people ask for may be the large ones.
constexpr std::size_t part_of_list = 1000;
// Longest transaction while no process waits; one that starts to wait also waits for the commit, a
// third of that.
constexpr std::chrono::milliseconds longest_alone{50};

// Recorded objects in the order of their keys, some thousand in memory at a time.
class RecordedObjects {
   public:
    // Those of a class (empty: of all) whose key is `from` or later and, unless that is empty, before `behind`.
    // `pool` must outlive this.
    //   throws  store::Failure, as advance()
    RecordedObjects(store::Pool& pool, const std::string& from, std::string behind,
                    std::string class_name)
        : pool_(pool), behind_(std::move(behind)), class_name_(std::move(class_name)) {
        read(from);
    }

    // Returns those of the least key.
    [[nodiscard]] std::span<const tables::ObjectState> now() const {
        return std::span(page_).subspan(first_, last_ - first_);
    }
    [[nodiscard]] const std::string& key() const { return page_[first_].key; }
    [[nodiscard]] bool is_empty() const { return page_.empty(); }
    // Goes on to the next key.
    void advance() {
        first_ = last_;
        if (first_ == page_.size()) return read(page_.back().key + '\0');
        find_last();
    }

   private:
    static constexpr std::size_t at_once = 4096;

    void read(const std::string& from) {
        page_ = store::perform(pool_, Access::read, tables::states_from, from, behind_,
                               class_name_, at_once);
        first_ = last_ = 0;
        if (!page_.empty()) find_last();
    }
    void find_last() {
        last_ = first_ + 1;
        while (last_ < page_.size() && page_[last_].key == page_[first_].key) ++last_;
    }

    store::Pool& pool_;
    const std::string behind_, class_name_;
    std::vector<tables::ObjectState> page_;
    std::size_t first_ = 0, last_ = 0;  // of the least key
};

// Collects names until they make a batch, and has the recorder bring each batch up to date. One thread at a time.
class Batches {
   public:
    //   number  of the build
    Batches(const ReleaseJob& job, std::int64_t number, Progress& progress,
            const KeepGoing& keep_going)
        : job_(job), number_(number), progress_(progress), keep_going_(keep_going) {
        longest_write_.alone = longest_alone;
    }

    Counters counters;

    // Passes an object that is counted already. Returns false when the part must end.
    bool pass() {
        constexpr std::uint64_t objects_between_looks = 4096;
        ++progress_.done;
        return ++passed_ % objects_between_looks != 0 || keep_going_();
    }

    // Adds an object, and records the batch when it is full. Returns false when the part must
    // end, after an error or since keep_going() says so.
    //   bytes   that it takes in memory, about
    //   throws  store::Failure
    bool add(ObjectName name, std::uint64_t bytes) {
        names_.push_back(std::move(name));
        bytes_ += bytes;
        const bool is_full = names_.size() >= job_.options.batch_objects || bytes_ >= batch_bytes;
        return !is_full || (record() && keep_going_());
    }

    // Records the rest.
    //   returns  what came of all objects
    //   error    the first that a batch met
    Result<Counters> end() {
        if (!error_ && keep_going_()) record();
        if (error_) return tl::unexpected(*error_);
        return std::move(counters);
    }

   private:
    bool record() {
        const auto brought = history::bring_up_to_date(
            job_.context, *job_.build, job_.previous.get(), names_, longest_write_, number_);
        if (!brought) {
            error_ = brought.error();
            return false;
        }
        for (const auto& one : *brought) counters.count(one);
        progress_.done += names_.size();
        names_.clear();
        bytes_ = 0;
        return true;
    }

    const ReleaseJob& job_;
    const std::int64_t number_;
    Progress& progress_;
    const KeepGoing& keep_going_;
    history::LongestWrite longest_write_;
    std::vector<ObjectName> names_;
    std::uint64_t bytes_ = 0, passed_ = 0;
    std::optional<base::Error> error_;
};

class PrewarmJob {
   public:
    PrewarmJob(const ReleaseJob& job, const Selection& selection, Progress& progress)
        : job_(job), selection_(selection), progress_(progress) {}

    Result<JobResult> run(const std::stop_token& stop) {
        const auto number = history::number_of(job_.pool(), *job_.build, job_.context.clock());
        if (!number) return tl::unexpected(number.error());
        number_ = *number;
        const auto* objects = std::get_if<Objects>(&selection_);
        const auto step = objects != nullptr ? step_of_list(*objects) : step_of_the_build();
        store::perform(job_.pool(), Access::write, begin_task, step.task);
        const auto done = run_step(job_.pool(), job_.options, step, stop);
        if (!done) return tl::unexpected(done.error());
        JobResult result{.counters = counted(job_.pool(), step.task), .finished = *done};
        return *done ? finish(step, std::move(result)) : result;
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
    // The same for objects in a row: most have the class of the one before.
    [[nodiscard]] auto is_selected_in_order() const {
        return [this, last = std::string(), is = is_selected("")](std::string_view name) mutable {
            if (name != last) is = is_selected(last = name);
            return is;
        };
    }

    // What a part that is done covers depends on the classes that are skipped.
    [[nodiscard]] std::string task(const std::string& what) const {
        std::string covered = what + ' ' + class_name();
        for (const auto& count : job_.build->class_counts()) covered += '\t' + count.class_name;
        for (const auto& name :
             store::perform(job_.pool(), Access::read, tables::recorded_classes))
            if (job_.build->skips(name)) covered += "\t-" + name;
        return std::to_string(number_) + ' ' + base::md5_hex(covered);
    }

    // -- objects of the build and recorded ones, side by side in the order of the index

    JobStep step_of_the_build() {
        const auto objects = job_.options.part_objects;
        const auto parts = std::make_shared<const source::Parts>(job_.build->parts(objects));
        for (const auto& count : job_.build->class_counts())
            if (is_selected(count.class_name)) progress_.all += count.objects;
        return {task(parts->order + ' ' + std::to_string(objects)),
                static_cast<std::int64_t>(parts->size()),
                [this, parts](std::int64_t part, const KeepGoing& keep_going) {
                    return compare_part(*parts, static_cast<std::size_t>(part), keep_going);
                }};
    }

    // Returns the key at which a part begins; nullopt: the build has nothing from there on.
    [[nodiscard]] std::optional<std::string> first_key(const source::Parts& parts,
                                                       std::size_t part) const {
        if (part == 0) return std::string();
        std::optional<std::string> key;
        job_.build->each(parts.places[part], UINT64_MAX, [&](const source::Listed& listed) {
            key = base::fold_ascii(listed.name);
            return false;
        });
        return key;
    }

    Result<Counters> compare_part(const source::Parts& parts, std::size_t part,
                                  const KeepGoing& keep_going) {
        Batches batches(job_, number_, progress_, keep_going);
        const auto from = first_key(parts, part);
        if (!from) return batches.end();
        const auto behind =
            part + 1 < parts.size() ? first_key(parts, part + 1) : std::optional<std::string>();
        RecordedObjects recorded(job_.pool(), *from, behind.value_or(std::string()),
                                 class_name());
        auto is_wanted = is_selected_in_order();
        bool may_go_on = true;
        std::vector<bool> is_listed;  // of recorded.now()
        const auto pass_recorded = [&] {
            for (std::size_t i = 0; may_go_on && i < recorded.now().size(); ++i)
                if (is_listed.size() <= i || !is_listed[i])
                    may_go_on = look_for(recorded.now()[i], batches);
            is_listed.clear();
            recorded.advance();
        };
        job_.build->each(parts.places[part], parts.places[part + 1], [&](const auto& listed) {
            const auto key = base::fold_ascii(listed.name);
            while (may_go_on && !recorded.is_empty() && recorded.key() < key) pass_recorded();
            if (!may_go_on || !is_wanted(listed.class_name)) return may_go_on;
            batches.counters.bytes += listed.bytes;
            const auto* state = recorded.is_empty() || recorded.key() != key
                                    ? nullptr
                                    : state_of(listed, recorded.now(), is_listed);
            may_go_on = compare(listed, state, batches);
            return may_go_on;
        });
        while (may_go_on && !recorded.is_empty()) pass_recorded();
        return batches.end();
    }

    // Returns what is recorded of exactly this spelling, and marks it; nullptr: nothing.
    static const tables::ObjectState* state_of(const source::Listed& listed,
                                               std::span<const tables::ObjectState> states,
                                               std::vector<bool>& is_listed) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            const auto& object = states[i].object;
            if (object.name != listed.name || object.class_name != listed.class_name) continue;
            is_listed.resize(states.size());
            is_listed[i] = true;
            return &states[i];
        }
        return nullptr;
    }

    // An object of the build: history::is_up_to_date() without a look-up.
    //   returns  whether the part may go on
    bool compare(const source::Listed& listed, const tables::ObjectState* state,
                 Batches& batches) const {
        const bool is_compared = state != nullptr && state->build >= number_;
        const bool has_same_bytes =
            state != nullptr && state->bytes == history::bytes_of(listed.digest);
        if (!is_compared && !has_same_bytes) return batches.add(listed.id(), listed.bytes);
        if (is_compared)
            batches.counters.count_compared();
        else
            batches.counters.count_unchanged();
        return batches.pass();
    }

    // A recorded object that the build does not list so spelled.
    bool look_for(const tables::ObjectState& state, Batches& batches) const {
        if (state.is_gone || state.build >= number_ || !is_selected(state.object.class_name))
            return true;
        return batches.add(ObjectName(state.object), batch_bytes / 256);
    }

    // -- a list of objects

    JobStep step_of_list(const Objects& objects) {
        progress_.all += objects.size();
        std::string all;
        for (const auto& object : objects) all += object.class_name + '\t' + object.name + '\n';
        const auto parts = (objects.size() + part_of_list - 1) / part_of_list;
        return {task(all), static_cast<std::int64_t>(parts),
                [this, &objects](std::int64_t part, const KeepGoing& keep_going) {
                    const auto from = static_cast<std::size_t>(part) * part_of_list;
                    const auto some = std::min(part_of_list, objects.size() - from);
                    return compare_list(std::span(objects).subspan(from, some), keep_going);
                }};
    }

    Result<Counters> compare_list(std::span<const ObjectName> objects,
                                  const KeepGoing& keep_going) {
        Batches batches(job_, number_, progress_, keep_going);
        for (const auto& object : objects)
            if (!batches.add(ObjectName(object), batch_bytes / 16)) break;
        return batches.end();
    }

    // -- the end

    Result<JobResult> finish(const JobStep& step, JobResult result) {
        const bool is_list = std::holds_alternative<Objects>(selection_);
        if (!is_list)
            result.mass_changes =
                find_mass_changes(job_.pool(), *job_.build, class_name(),
                                  job_.context.settings.ranking, job_.mass_change);
        const auto noted =
            store::perform(job_.pool(), Access::write, [&](Transaction& transaction) {
                return note_end(transaction, step, result);
            });
        if (!noted) return tl::unexpected(noted.error());
        result.newly_recorded = *noted;
        return result;
    }

    //   returns  whether the whole release is recorded now and was not before
    //   error    conflict: it was published again meanwhile, or forgotten
    Result<bool> note_end(Transaction& transaction, const JobStep& step,
                          const JobResult& result) const {
        if (tables::share_number_of(transaction, current().version) != number_ ||
            !end_task(transaction, step.task, step.parts))
            return history::overtaken(current());
        delete_expired_leases(transaction);
        if (std::holds_alternative<Objects>(selection_)) return false;
        tables::replace_mass_changes(transaction, current().version, class_name(),
                                     result.mass_changes);
        return class_name().empty() &&
               tables::note_recorded(transaction, current().version, number_,
                                     job_.context.clock(), result.counters.failed);
    }

    const ReleaseJob& job_;
    const Selection& selection_;
    Progress& progress_;
    std::int64_t number_ = 0;  // of the build
};

}  // namespace

Result<JobResult> prewarm(const ReleaseJob& job, const Selection& selection, Progress& progress,
                          const std::stop_token& stop) {
    return run_job([&] { return PrewarmJob(job, selection, progress).run(stop); });
}

}  // namespace release
