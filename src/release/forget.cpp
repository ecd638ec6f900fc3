// SPDX-License-Identifier: MIT
#include "release/forget.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/object_search.hpp"
#include "tables/releases.hpp"
#include "tree/outline.hpp"

namespace release {
namespace {

using base::ErrorKind;
using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using tables::Deleted;
using tables::ObjectRow;
using tables::Record;
using tables::Releases;
using tables::RowKind;
using tables::RowSummary;
using Oids = std::span<const std::int64_t>;

// Objects between two looks at the clock.
constexpr std::size_t oids_at_once = 16;
// Ids that one statement looks through.
constexpr std::int64_t oids_of_slice = 4096;

// -- what would be deleted

// Releases that are forgotten: one and all later ones.
struct Forgotten {
    std::string first;
    Releases releases;  // all that were recorded when it began
    tables::Versions versions = {};

    [[nodiscard]] bool contains(const std::string& version) const {
        return !releases.is_later(first, version);
    }
    // Whether the build is one of them, or is no more.
    [[nodiscard]] bool has_build(std::int64_t number) const {
        const auto version = releases.version_of(number);
        return number != 0 && (version.empty() || contains(version));
    }
    // Takes out of a record what is of these releases. Sorts what is left, the newest first.
    Record take_from(Record& record) const {
        Record taken;
        taken.trees = take_from(record.trees);
        taken.rows = take_from(record.rows);
        // What the first sight of an object read from its timestamps is taken with that.
        const auto is_seen = [](const RowSummary& row) {
            return row.kind != RowKind::reconstructed;
        };
        if (record.trees.empty() && std::ranges::none_of(record.rows, is_seen))
            std::ranges::move(std::exchange(record.rows, {}), std::back_inserter(taken.rows));
        return taken;
    }
    template <class T>
    std::vector<T> take_from(std::vector<T>& list) const {
        std::ranges::sort(list, [&](const T& a, const T& b) {
            return releases.is_later(a.version, b.version);
        });
        const auto left =
            std::ranges::find_if(list, [&](const T& each) { return !contains(each.version); });
        std::vector<T> taken(list.begin(), left);
        list.erase(list.begin(), left);
        return taken;
    }
};

// Returns them, unless something is in the way.
Result<Forgotten> forgotten_with(Transaction& transaction, const WholeRelease& what) {
    Forgotten forgotten{what.version, tables::load_releases(transaction)};
    const auto& releases = forgotten.releases;
    if (releases.find(what.version) == nullptr)
        return base::fail(ErrorKind::absent, "no release " + what.version + " is recorded");
    const auto begun = tables::forgetting(transaction);
    if (!begun.empty() && releases.is_later(what.version, begun))
        return base::fail(ErrorKind::conflict,
                          begun +
                              " and all later releases are being forgotten; if nothing does so "
                              "now, first run: varve forget release " +
                              begun + " --with-later");
    for (const auto& release : releases.all())
        if (forgotten.contains(release.version)) forgotten.versions.push_back(release.version);
    if (forgotten.versions.size() == 1 || what.with_later) return forgotten;
    return base::fail(ErrorKind::conflict,
                      forgotten.versions.back() + " is recorded after " + what.version +
                          ", and says what changed since then; to forget the later releases too, "
                          "add --with-later");
}

// Whether rows say what an object had, and no tree is left of that.
bool lacks_tree(const Record& left) {
    return left.trees.empty() && std::ranges::any_of(left.rows, [](const RowSummary& row) {
               return row.kind != RowKind::reconstructed && row.kind != RowKind::withdrawn;
           });
}

Deleted deleted_of(const Record& left, const Record& gone) {
    return {left.has_nothing() ? 1U : 0U, gone.rows.size(), gone.trees.size()};
}

Result<Deleted> count(Transaction& transaction, const WholeRelease& what) {
    const auto forgotten = forgotten_with(transaction, what);
    if (!forgotten) return tl::unexpected(forgotten.error());
    Deleted all;
    const auto highest = tables::highest_oid(transaction);
    for (std::int64_t from = 0; from < highest; from += oids_of_slice) {
        const auto oids = tables::objects_touched_by(transaction, forgotten->versions, from,
                                                     from + oids_of_slice);
        for (auto& record : tables::read_records(transaction, oids)) {
            const auto gone = forgotten->take_from(record);
            if (lacks_tree(record))
                return base::fail(ErrorKind::conflict,
                                  "[history] keep_trees has kept no tree that " +
                                      record.object.object.class_name + " " +
                                      record.object.object.name + " had before " + what.version +
                                      ": forget fewer releases, or from an earlier one on");
            all.add(deleted_of(record, gone));
        }
    }
    return all;
}

Result<void> check_nobody_records(Transaction& transaction) {
    const auto until = active_until(transaction);
    if (!until) return {};
    return base::fail(ErrorKind::conflict,
                      "a release job is running and would record the deleted data again; stop it "
                      "first. If it was killed, this can be done after " +
                          *until + ", when its lease has expired");
}

Result<Deleted> count(Transaction& transaction, const WholeClass& what) {
    const auto counted = [&] {
        return tables::count_objects(transaction, {what.class_name, {}});
    };
    if (tables::has_objects_of(transaction, what.class_name))
        return check_nobody_records(transaction).map(counted);
    auto text = "no object of a class " + what.class_name + " is recorded";
    for (const auto& class_name : tables::recorded_classes(transaction))
        if (base::equal_ignoring_case(class_name, what.class_name))
            text += "; did you mean " + class_name + "?";
    return base::fail(ErrorKind::absent, std::move(text));
}

Result<Deleted> count(Transaction& transaction, const ObjectName& name) {
    const auto counted = [&] { return tables::count_objects(transaction, name); };
    const auto rows = tables::objects_named(transaction, std::span(&name, 1));
    const auto* found = rows.find(name);
    if (found != nullptr && found->object == name)
        return check_nobody_records(transaction).map(counted);
    auto text = "no object " + name.class_name + " " + name.name + " is recorded";
    if (found != nullptr)
        text += "; did you mean " + found->object.class_name + " " + found->object.name + "?";
    return base::fail(ErrorKind::absent, std::move(text));
}

// -- the run

class ForgetRun {
   public:
    ForgetRun(const ForgetJob& job, Progress& progress, const std::stop_token& stop)
        : job_(job), progress_(progress), stop_(stop) {}

    template <class F, class... Arguments>
    auto read(F&& read, const Arguments&... arguments) const {
        return store::perform(job_.context.pool, Access::read, read, arguments...);
    }
    template <class F, class... Arguments>
    auto write(F&& write, const Arguments&... arguments) const {
        return store::perform(job_.context.pool, Access::write, write, arguments...);
    }

    Result<JobResult> run(const WholeRelease& what) {
        if (const auto may = count_forgettable(job_.context.pool, what); !may)
            return tl::unexpected(may.error());
        const auto forgotten = begin(what);
        if (!forgotten) return tl::unexpected(forgotten.error());
        while (!result_.finished) {
            if (const auto swept = sweep(*forgotten); !swept)
                return tl::unexpected(swept.error());
            if (stop_.stop_requested()) break;
            const auto has_ended = end(*forgotten);
            if (!has_ended) return tl::unexpected(has_ended.error());
            result_.finished = *has_ended;
        }
        return result_;
    }

    Result<JobResult> run(const WholeClass& what) {
        write(delete_leases);
        write(tables::delete_mass_changes_of_class, what.class_name);
        progress_.all = read(tables::count_objects, ObjectName{what.class_name, {}}).objects;
        while (!stop_.stop_requested() && !result_.finished) {
            const auto some = read([&](Transaction& transaction) {
                return tables::oids_of(transaction, ObjectName{what.class_name, {}});
            });
            const auto done =
                in_short_transactions(some, [](Transaction& transaction, Oids oids) {
                    return Result<Deleted>(tables::delete_objects(transaction, oids));
                });
            if (!done) return tl::unexpected(done.error());
            progress_.done += some.size();
            result_.finished = some.empty();
        }
        return result_;
    }

    Result<JobResult> run(const ObjectName& name) {
        result_.counters.deleted = write([&](Transaction& transaction) {
            delete_leases(transaction);
            return tables::delete_objects(transaction, tables::oids_of(transaction, name));
        });
        result_.finished = true;
        return result_;
    }

   private:
    // Works on all oids, in as many transactions as it takes.
    //   work  does it for at most oids_at_once objects, or returns an error and the transaction has
    //         no effect
    template <class Work>
    Result<void> in_short_transactions(Oids oids, Work&& work) {
        while (!oids.empty() && !stop_.stop_requested()) {
            std::size_t done = 0;
            const auto deleted = write([&](Transaction& transaction) -> Result<Deleted> {
                const auto end = steady_clock::now() + job_.longest_write;
                Deleted in_transaction;
                for (done = 0; done < oids.size() && (done == 0 || steady_clock::now() < end);) {
                    const auto some =
                        oids.subspan(done, std::min(oids_at_once, oids.size() - done));
                    const auto one = work(transaction, some);
                    if (!one) return one;
                    in_transaction.add(*one);
                    done += some.size();
                }
                return in_transaction;
            });
            if (!deleted) return tl::unexpected(deleted.error());
            result_.counters.deleted.add(*deleted);
            oids = oids.subspan(done);
        }
        return {};
    }

    // -- releases
    // Once it has begun, no build of them has a number, and none gets one: nothing more of them is
    // written. They go together, object by object, so that no row is left that says what changed
    // since a release that is gone.

    [[nodiscard]] Result<Forgotten> begin(const WholeRelease& what) const {
        return write([&](Transaction& transaction) {
            static_cast<void>(tables::lock_builds(transaction));
            auto forgotten = forgotten_with(transaction, what);
            if (!forgotten) return forgotten;
            tables::begin_forgetting(transaction, forgotten->first);
            delete_leases(transaction);
            return forgotten;
        });
    }

    //   returns  whether nothing of the releases is left
    //   error    conflict: another process forgets more
    [[nodiscard]] Result<bool> end(const Forgotten& forgotten) const {
        try {
            return write([&](Transaction& transaction) -> Result<bool> {
                const auto first = tables::lock_builds(transaction);
                if (first.empty()) return true;  // another process has ended it
                if (first != forgotten.first)
                    return base::fail(ErrorKind::conflict, "another process forgets " + first +
                                                               " and all later releases");
                tables::delete_releases(transaction, forgotten.versions);
                tables::end_forgetting(transaction);
                return true;
            });
        } catch (const store::Failure& failure) {
            // On another node of a cluster, a transaction that had read the number of a build was
            // committed behind the sweep.
            if (!failure.kind().orphan) throw;
            return false;
        }
    }

    [[nodiscard]] Result<void> sweep(const Forgotten& forgotten) {
        const auto highest = read(tables::highest_oid);
        progress_.all +=
            static_cast<std::uint64_t>((highest + oids_of_slice - 1) / oids_of_slice);
        for (std::int64_t from = 0; from < highest && !stop_.stop_requested();
             from += oids_of_slice) {
            const auto oids =
                read(tables::objects_touched_by, forgotten.versions, from, from + oids_of_slice);
            const auto done =
                in_short_transactions(oids, [&](Transaction& transaction, Oids some) {
                    return take_back(transaction, forgotten, some);
                });
            if (!done) return done;
            ++progress_.done;
        }
        return {};
    }

    Result<Deleted> take_back(Transaction& transaction, const Forgotten& forgotten,
                              Oids oids) const {
        Deleted deleted;
        if (tables::share_forgetting(transaction) != forgotten.first) return deleted;
        std::vector<std::int64_t> with_nothing_left;
        std::map<std::string, std::vector<std::int64_t>> by_release;
        const auto lock = store::for_update(transaction.engine());
        for (auto& left : tables::read_records(transaction, oids, lock)) {
            const auto& read = left.object;
            const auto gone = forgotten.take_from(left);
            if (gone.has_nothing() && !forgotten.has_build(read.build)) continue;
            deleted.add(deleted_of(left, gone));
            if (left.has_nothing()) {
                with_nothing_left.push_back(read.oid);
                continue;
            }
            for (const auto& each : gone.trees_and_rows())
                by_release[each.version].push_back(read.oid);
            const auto object = restored(transaction, forgotten, left, gone);
            if (!object) return tl::unexpected(object.error());
            static_cast<void>(tables::update_object(transaction, *object, read));
        }
        for (const auto& [version, of_version] : by_release) {
            tables::delete_rows(transaction, version, of_version);
            tables::delete_trees(transaction, version, of_version);
        }
        tables::delete_objects(transaction, with_nothing_left);
        return deleted;
    }

    // Returns the object as it was, as far as what is left says so.
    [[nodiscard]] Result<ObjectRow> restored(Transaction& transaction, const Forgotten& forgotten,
                                             const Record& left, const Record& gone) const {
        auto object = left.object;
        set_compared(object, forgotten, left.trees_and_rows(), gone.trees_and_rows());
        if (!gone.rows.empty()) object.last_modified = changed_before(left.rows);
        if (gone.trees.empty()) return object;
        return as_in_newest(transaction, left, std::move(object));
    }

    // Makes it compared with the first build of the newest release that is known to have had what
    // it has now.
    static void set_compared(ObjectRow& object, const Forgotten& forgotten,
                             const std::vector<Record::Tree>& left,
                             const std::vector<Record::Tree>& gone) {
        const auto& releases = forgotten.releases;
        const auto is_earlier = [&](const auto& a, const auto& b) {
            return releases.is_later(b.version, a.version);
        };
        const auto newest = *std::ranges::max_element(left, is_earlier);
        auto version = newest.version;
        if (!gone.empty()) {
            const auto& since = std::ranges::min_element(gone, is_earlier)->since;
            const bool is_left = releases.find(since) != nullptr && !forgotten.contains(since);
            if (is_left && !releases.is_later(version, since)) version = since;
        }
        const auto build =
            std::ranges::find(releases.builds(), version, &tables::NumberedBuild::version);
        object.build = build == releases.builds().end() ? 0 : build->number;
        object.bytes = 0;
        object.held = version == newest.version ? newest.since : newest.version;
    }

    [[nodiscard]] base::Date changed_before(std::span<const RowSummary> rows) const {
        std::optional<base::Date> newest;
        for (const auto& row : rows)
            if (row.kind != RowKind::withdrawn) newest = std::max(newest, row.date);
        return newest.value_or(job_.context.settings.first_seen_since);
    }

    // Returns `object` with the content and the names that its newest tree has. Without a tree its newest row was
    // withdrawn, and it was not there.
    Result<ObjectRow> as_in_newest(Transaction& transaction, const Record& left,
                                   ObjectRow object) const {
        const auto& settings = job_.context.settings;
        const auto& newest =
            left.trees.empty() ? left.rows.front().version : left.trees.front().version;
        const auto row = std::ranges::find(left.rows, newest, &RowSummary::version);
        const auto label = row == left.rows.end() ? std::string() : row->label;
        if (!label.empty()) object.label = label;
        object.signature.clear();
        object.other_names.clear();
        for (const auto& [version, since] : left.trees) {
            const auto tree = tables::tree_of(transaction, object.oid, version);
            if (!tree)
                return base::fail_at(object.object.class_name + " " + object.object.name +
                                         ", which has to be forgotten first",
                                     tree.error());
            // An object that is gone keeps the names that it had.
            if (!tree->is_there) continue;
            if (version == newest) object.signature = tree::signature_of(tree->nodes);
            if (label.empty())
                object.label = history::label_of(tree->nodes, object.object, settings.names);
            object.other_names = history::other_names_of(tree->nodes, object.object, object.label,
                                                         settings.search);
            break;
        }
        return object;
    }

    const ForgetJob& job_;
    Progress& progress_;
    const std::stop_token& stop_;
    JobResult result_;
};

}  // namespace

Result<Deleted> count_forgettable(store::Pool& pool, const Forgettable& what) {
    return store::perform(pool, Access::read, [&](Transaction& transaction) {
        return std::visit([&](const auto& each) { return count(transaction, each); }, what);
    });
}

Result<JobResult> forget(const ForgetJob& job, const Forgettable& what, Progress& progress,
                         const std::stop_token& stop) {
    return run_job([&] {
        return std::visit(
            [&](const auto& each) { return ForgetRun(job, progress, stop).run(each); }, what);
    });
}

}  // namespace release
