// SPDX-License-Identifier: MIT
#include "release/republish_steps.hpp"

#include <mutex>
#include <span>

#include "history/republication.hpp"
#include "release/batch_collector.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace release {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using tables::ObjectRow;
using tables::Replacement;

// A transaction ends once it has run for this long.
constexpr std::chrono::milliseconds longest_write{8};
// Most bytes of objects that are recorded together, unless it is a single object.
constexpr BatchLimits batch_limits{64, 4 << 20};

// Does `write_one` for each of `all`, in transactions that end in time.
//   begin      called first in each transaction; it may refuse
//   write_one  (transaction, one) -> Result<void>
template <class T, class Begin, class WriteOne>
Result<void> write_in_time(store::Pool& pool, std::span<const T> all, Begin&& begin,
                           WriteOne&& write_one) {
    while (!all.empty()) {
        const auto done = store::perform(
            pool, Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                if (const auto may = begin(transaction); !may) return tl::unexpected(may.error());
                const auto end = steady_clock::now() + longest_write;
                std::size_t written = 0;
                do {
                    const auto one = write_one(transaction, all[written]);
                    if (!one) return tl::unexpected(one.error());
                } while (++written < all.size() && steady_clock::now() < end);
                return written;
            });
        if (!done) return tl::unexpected(done.error());
        all = all.subspan(*done);
    }
    return {};
}

Result<void> write(const RepublishContext& republication, std::span<const Replacement> all) {
    const auto begin = [&](Transaction& transaction) -> Result<void> {
        const auto in_force = is_in_force(transaction, republication.attempt);
        if (!in_force) return tl::unexpected(in_force.error());
        tables::note_sharing(transaction);
        return {};
    };
    return write_in_time(republication.pool(), all, begin,
                         [](Transaction& transaction, const Replacement& one) -> Result<void> {
                             tables::put_replacements(transaction, std::span(&one, 1));
                             return {};
                         });
}

// Whether the build before had the object, which has a row then.
bool was_in_build(const RepublishContext& republication, const ObjectName& name) {
    if (!republication.replaced) return false;
    const auto known = republication.replaced->digest_of(name);
    return known && *known;
}

// Objects that earlier steps have counted are not counted again.
BatchCollector collector(const RepublishContext& republication, Progress& progress) {
    BatchCollector batches(republication.job.context, *republication.job.build,
                           republication.job.previous.get(),
                           {.list_failed = history::ListFailed::yes}, batch_limits, progress);
    batches.count_with([&](Counters& counters, const history::Recorded& one) {
        using history::Status;
        if (one.status == Status::added || one.status == Status::changed ||
            one.status == Status::failed)
            counters.count(one);
        if (one.status == Status::failed || one.status == Status::compared) return;
        store::perform(republication.pool(), Access::write, tables::delete_failed,
                       republication.attempt.version, one.object);
    });
    return batches;
}

}  // namespace

// Objects that need not be compared again in this process, by oid.
class Comparison::Seen {
   public:
    [[nodiscard]] bool contains(std::int64_t oid) const {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        return at < bits_.size() && bits_[at];
    }
    void insert(std::int64_t oid) {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        if (at >= most) return;  // comparing it again takes time and changes nothing
        if (at >= bits_.size()) bits_.resize(at + at / 2 + 1);
        bits_[at] = true;
    }

   private:
    static constexpr std::size_t most = std::size_t{1} << 30;
    mutable std::mutex mutex_;
    std::vector<bool> bits_;
};

Comparison::Comparison(const RepublishContext& republication)
    : republication_(republication), seen_(std::make_unique<Seen>()) {}
Comparison::~Comparison() = default;

struct Comparison::Rows {
    std::vector<ObjectRow> objects;   // compared in this release
    std::set<std::int64_t> replaced;  // by this attempt already
};

Comparison::Rows Comparison::read(const tables::OidRange& range) const {
    const auto& attempt = republication_.attempt;
    return republication_.job.read([&](Transaction& transaction) {
        Rows rows;
        rows.objects = tables::objects_in(transaction, range);
        std::vector<ObjectRow*> objects;
        for (auto& object : rows.objects) objects.push_back(&object);
        tables::resolve_compared_in(transaction, objects, republication_.release(),
                                    republication_.releases);
        std::erase_if(rows.objects, [&](const ObjectRow& object) {
            return object.compared_in != attempt.version ||
                   republication_.job.build->skips(object.object.class_name);
        });
        const auto replaced =
            tables::replaced_oids(transaction, attempt.version, attempt.to, range);
        rows.replaced.insert(replaced.begin(), replaced.end());
        return rows;
    });
}

// Outcomes on their way to the store.
class Comparison::Collector {
   public:
    Collector(const RepublishContext& republication, Seen& seen)
        : republication_(republication), seen_(seen) {}

    Counters counters;

    Result<void> add(const ObjectRow& row, Result<history::Recomputed> answer, bool first_pass) {
        if (!answer) return note_failed(row, answer.error());
        using history::Effect;
        if (!answer->replacement) {
            if (first_pass) counters.count_unchanged();
            seen_.insert(row.oid);
            return {};
        }
        ++counters.looked_at;
        if (answer->effect == Effect::vanished)
            ++counters.vanished;
        else if (answer->effect == Effect::withdrawn)
            ++counters.withdrawn;
        else
            ++counters.changed;
        bytes_ += answer->replacement->tree ? answer->replacement->tree->size() : 0;
        all_.push_back(std::move(*answer->replacement));
        const bool is_full = all_.size() >= batch_limits.objects || bytes_ >= batch_limits.bytes;
        return is_full ? flush() : Result<void>();
    }

    Result<void> flush() {
        auto written = write(republication_, all_);
        if (written)
            for (const auto& replacement : all_) seen_.insert(replacement.object.oid);
        all_.clear();
        bytes_ = 0;
        return written;
    }

   private:
    // The object stays as it is and is listed as failed, so that the others need not wait.
    Result<void> note_failed(const ObjectRow& row, const base::Error& error) {
        if (error.kind != base::ErrorKind::malformed &&
            error.kind != base::ErrorKind::too_large && error.kind != base::ErrorKind::absent)
            return tl::unexpected(error);
        counters.count(history::failed(row.object, error));
        store::perform(republication_.pool(), Access::write, [&](Transaction& transaction) {
            const tables::FailedObject one{republication_.release(), row.object, error.text};
            tables::list_failed(transaction, std::span(&one, 1));
        });
        seen_.insert(row.oid);
        return {};
    }

    const RepublishContext& republication_;
    Seen& seen_;
    std::vector<Replacement> all_;
    std::size_t bytes_ = 0;
};

Result<Comparison::Verdict> Comparison::judge(const ObjectRow& row, Presence presence) const {
    const auto& build = *republication_.job.build;
    const auto& replaced = republication_.replaced;
    const auto now = build.find(row.object);
    if (!now) return tl::unexpected(now.error());
    if (now->has_value() != (presence == Presence::in_build)) return Verdict::other_presence;
    if (!replaced) return Verdict::differs;
    const auto then = replaced->find(row.object);
    if (!then) return tl::unexpected(then.error());
    if (*then != *now) return Verdict::differs;
    if (!*now) return Verdict::same;
    const auto before = replaced->digest_of(**now), after = build.digest_of(**now);
    if (!before) return tl::unexpected(before.error());
    if (!after) return tl::unexpected(after.error());
    return *before == *after ? Verdict::same : Verdict::differs;
}

Result<Counters> Comparison::run(const tables::OidRange& range, Presence presence,
                                 bool first_pass, const KeepGoing& keep_going) {
    const auto rows = read(range);
    const history::BuildView view{republication_.job.context, *republication_.job.build,
                                  republication_.job.previous.get()};
    Collector collector(republication_, *seen_);
    std::vector<ObjectRow> differing;
    const auto compare = [&]() -> Result<void> {
        auto answers = history::recompute(view, republication_.releases, differing);
        for (std::size_t i = 0; i < answers.size(); ++i)
            if (auto done = collector.add(differing[i], std::move(answers[i]), first_pass); !done)
                return done;
        differing.clear();
        return {};
    };
    for (const auto& object : rows.objects) {
        if (rows.replaced.contains(object.oid) || seen_->contains(object.oid)) continue;
        if (!keep_going()) break;
        const auto verdict = judge(object, presence);
        if (!verdict) return tl::unexpected(verdict.error());
        if (*verdict == Verdict::other_presence) continue;
        if (*verdict == Verdict::same) {
            if (first_pass) collector.counters.count_unchanged();
            seen_->insert(object.oid);
            continue;
        }
        differing.push_back(object);
        if (differing.size() < batch_limits.objects) continue;
        if (auto done = compare(); !done) return tl::unexpected(done.error());
    }
    if (auto done = compare(); !done) return tl::unexpected(done.error());
    if (auto done = collector.flush(); !done) return tl::unexpected(done.error());
    return std::move(collector.counters);
}

Result<void> move_rows(const RepublishContext& republication, const tables::OidRange& range,
                       const KeepGoing& keep_going) {
    constexpr std::int64_t oids_at_once = 256;
    const auto& attempt = republication.attempt;
    auto rest = range;
    while (keep_going()) {
        const auto oids = republication.job.read(tables::replaced_oids, attempt.version,
                                                 attempt.to, rest, oids_at_once);
        if (oids.empty()) break;
        const auto moved = write_in_time(
            republication.pool(), std::span(oids), [](Transaction&) { return Result<void>(); },
            [&](Transaction& transaction, std::int64_t oid) {
                tables::move_into_place(transaction, oid,
                                        republication.job.context.settings.keep_trees,
                                        republication.releases);
                return Result<void>();
            });
        if (!moved) return moved;
        rest.after = oids.back();
    }
    return {};
}

void list_skipped(const RepublishContext& republication, const tables::OidRange& range) {
    std::vector<tables::FailedObject> skipped;
    for (auto& row : republication.job.read(
             [&](Transaction& transaction) { return tables::objects_in(transaction, range); }))
        if (row.ace_version == republication.release().version &&
            republication.job.build->skips(row.object.class_name))
            skipped.push_back({republication.release(), std::move(row.object),
                               std::string(tables::skipped_when_replaced)});
    if (skipped.empty()) return;
    store::perform(republication.pool(), Access::write, tables::list_failed, skipped);
}

Result<Counters> add_objects(const RepublishContext& republication, std::uint64_t from,
                             std::uint64_t to, const std::set<std::string>& classes,
                             const KeepGoing& keep_going) {
    Progress progress;  // the job counts parts
    auto batches = collector(republication, progress);
    republication.job.build->each(from, to, [&](const source::Listed& listed) {
        if (!classes.contains("") && !classes.contains(std::string(listed.class_name)))
            return true;
        auto name = listed.id();
        if (was_in_build(republication, name)) return true;
        return batches.add(std::move(name), listed.bytes, keep_going);
    });
    return batches.end(keep_going);
}

Result<Counters> retry_failed(const RepublishContext& republication,
                              const KeepGoing& keep_going) {
    const auto names = republication.job.read([&](Transaction& transaction) {
        return tables::failed_objects(transaction, republication.attempt.version, {});
    });
    Progress progress;
    auto batches = collector(republication, progress);
    for (const auto& name : names)
        if (!batches.add(ObjectName(name), 0, keep_going)) break;
    return batches.end(keep_going);
}

}  // namespace release
