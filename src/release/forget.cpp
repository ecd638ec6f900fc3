// SPDX-License-Identifier: MIT
#include "release/forget.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tables/mentions.hpp"
#include "tables/object_search.hpp"
#include "tables/objects.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"
#include "tree/outline.hpp"

namespace release {
namespace {

using base::ErrorKind;
using base::Release;
using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using tables::Deleted;
using tables::ObjectRow;
using tables::Releases;
using Oids = std::span<const std::int64_t>;

// Objects between two looks at the clock.
constexpr std::size_t oids_at_once = 16;

// -- what would be deleted

tl::unexpected<base::Error> not_recorded(const WholeRelease& what) {
    return base::fail(ErrorKind::absent, "no release " + what.version + " is recorded");
}

// Returns the releases that go, the newest first.
Result<std::vector<Release>> releases_of(Transaction& transaction, const WholeRelease& what) {
    const auto recorded = tables::load_releases(transaction);
    if (recorded.find(what.version) == nullptr) return not_recorded(what);
    auto going = recorded.all();
    std::erase_if(going, [&](const Release& each) {
        return recorded.is_later(what.version, each.version);
    });
    std::ranges::reverse(going);
    if (going.size() == 1 || what.with_later) return going;
    return base::fail(ErrorKind::conflict,
                      going.front().version + " is recorded after " + what.version +
                          ", and says what changed since then; to forget the later releases too, "
                          "add --with-later");
}

Deleted count(store::Pool& pool, const WholeRelease& what) {
    const auto read = [&](const auto&... count) {
        return store::perform(pool, Access::read, count...);
    };
    std::vector<std::string> versions;
    for (const auto& release : read(releases_of, what).value_or(std::vector<Release>()))
        versions.push_back(release.version);
    Deleted all{0, read(tables::count_history, versions), 0};
    const auto slice = static_cast<std::int64_t>(JobOptions().part_objects);
    const auto highest = read(tables::highest_oid);
    for (std::int64_t from = 0; from < highest; from += slice)
        all.add(read(tables::count_only_in, versions, tables::OidRange{from, from + slice}));
    return all;
}

Deleted count(store::Pool& pool, const WholeClass& what) {
    return store::perform(pool, Access::read, tables::count_class, what.class_name);
}

Deleted count(store::Pool& pool, const ObjectName& name) {
    return store::perform(pool, Access::read, tables::count_object, name);
}

Result<void> check_is_known(Transaction& transaction, const WholeRelease& what) {
    return releases_of(transaction, what).map([](const auto&) {});
}

Result<void> check_is_known(Transaction& transaction, const WholeClass& what) {
    // An interrupted earlier run may have left only traces.
    if (tables::has_traces_of_class(transaction, what.class_name)) return {};
    auto text = "no object of a class " + what.class_name + " is recorded";
    for (const auto& class_name : tables::recorded_classes(transaction))
        if (base::equal_ignoring_case(class_name, what.class_name))
            text += "; did you mean " + class_name + "?";
    return base::fail(ErrorKind::absent, std::move(text));
}

Result<void> check_is_known(Transaction& transaction, const ObjectName& name) {
    const auto rows = tables::objects_named(transaction, std::span(&name, 1));
    const auto* found = rows.find(name);
    if (found != nullptr && found->object == name) return {};
    auto text = "no object " + name.class_name + " " + name.name + " is recorded";
    if (found != nullptr)
        text += "; did you mean " + found->object.class_name + " " + found->object.name + "?";
    return base::fail(ErrorKind::absent, std::move(text));
}

Result<void> check_nobody_records(Transaction& transaction) {
    if (const auto until = active_until(transaction))
        return base::fail(ErrorKind::conflict,
                          "a release job is running and would record the deleted data again; "
                          "stop it first. If it was killed, this can be done after " +
                              *until + ", when its lease has expired");
    const auto replacing = tables::replacing_release(transaction);
    if (!replacing) return {};
    return base::fail(ErrorKind::conflict, *replacing +
                                               " was published again, and its re-publication is "
                                               "not finished; wait for that job, or run it "
                                               "again");
}

// -- steps

class ForgetRun {
   public:
    ForgetRun(const ForgetJob& job, Progress& progress, const std::stop_token& stop)
        : job_(job), progress_(progress), runner_(job.context.pool, job.options, stop) {}

    template <class F, class... Arguments>
    auto read(F&& read, const Arguments&... arguments) const {
        return store::perform(job_.context.pool, Access::read, std::forward<F>(read),
                              arguments...);
    }
    template <class F>
    auto write(F&& write) const {
        return store::perform(job_.context.pool, Access::write, std::forward<F>(write));
    }

    Result<JobResult> run(const WholeRelease& what) {
        const auto releases = read(releases_of, what);
        if (!releases) return tl::unexpected(releases.error());
        // First of all, so that nothing calls objects compared that no longer are.
        write([&](Transaction& transaction) {
            for (const auto& release : *releases)
                tables::delete_prewarmed_release(transaction, release.version);
            delete_leases(transaction);
        });
        if (const auto done = sweep(*releases, "first"); !done || !*done) return ended(done);
        write([&](Transaction& transaction) {
            for (const auto& release : *releases)
                tables::delete_release(transaction, release.version);
        });
        // Where one of them is the current release, requests have recorded rows behind the first sweep.
        // Later requests find no release, and record it again.
        return ended(sweep(*releases, "second"));
    }

    Result<JobResult> run(const WholeClass& what) {
        forget_jobs_of(what.class_name);
        const auto done = run_alone(what.class_name, [&](const KeepGoing& keep_going) {
            return delete_class(what.class_name, keep_going);
        });
        if (!done || !*done) return ended(done);
        write([&](Transaction& transaction) {
            tables::delete_notes_on_class(transaction, what.class_name);
        });
        return ended(done);
    }

    Result<JobResult> run(const ObjectName& name) {
        forget_jobs_of(name.class_name);
        return ended(run_alone(name.class_name + '\t' + name.name, [&](const KeepGoing&) {
            Counters counters;
            counters.deleted = write([&](Transaction& transaction) {
                tables::delete_failed(transaction, {}, name);
                const auto oids = tables::oids_named(transaction, name);
                tables::delete_mentions(transaction, oids);
                return tables::delete_objects(transaction, oids);
            });
            return Result<Counters>(counters);
        }));
    }

   private:
    Result<JobResult> ended(const Result<bool>& done) const {
        if (!done) return tl::unexpected(done.error());
        return JobResult{runner_.counted(), {}, *done, false};
    }

    // The class no longer counts as prewarmed, and nor do all classes together.
    void forget_jobs_of(const std::string& class_name) const {
        write([&](Transaction& transaction) {
            tables::delete_prewarmed_class(transaction, class_name);
            delete_leases(transaction);
        });
    }

    // Runs a step of one part.
    Result<bool> run_alone(const std::string& what,
                           const std::function<Result<Counters>(const KeepGoing&)>& work) {
        return runner_.run({"forget " + base::md5_hex(what), 1,
                            [&](std::int64_t, const KeepGoing& go) { return work(go); }});
    }

    Result<Counters> delete_class(const std::string& class_name, const KeepGoing& keep_going) {
        progress_.all = count(job_.context.pool, WholeClass{class_name}).objects;
        Counters counters;
        std::string last_name;  // no name is empty
        while (keep_going()) {
            const auto page = read([&](Transaction& transaction) {
                return tables::objects_behind(transaction, {class_name, last_name}, 4096);
            });
            if (page.oids.empty()) break;
            const auto deleted =
                delete_in_time(page.oids, [](Transaction& transaction, Oids oids) {
                    tables::delete_mentions(transaction, oids);
                    return Result<Deleted>(tables::delete_objects(transaction, oids));
                });
            if (!deleted) return tl::unexpected(deleted.error());
            counters.deleted.add(*deleted);
            progress_.done += page.oids.size();
            last_name = page.last_name;
        }
        return counters;
    }

    // Works on all oids, in as many transactions as it takes.
    //   delete_some  deletes for at most oids_at_once objects, or returns an error and the
    //                transaction has no effect
    template <class DeleteSome>
    Result<Deleted> delete_in_time(Oids oids, DeleteSome&& delete_some) const {
        Deleted all;
        while (!oids.empty()) {
            std::size_t done = 0;
            const auto deleted = write([&](Transaction& transaction) -> Result<Deleted> {
                const auto end = steady_clock::now() + job_.longest_write;
                Deleted in_transaction;
                for (done = 0; done < oids.size() && (done == 0 || steady_clock::now() < end);) {
                    const auto some =
                        oids.subspan(done, std::min(oids_at_once, oids.size() - done));
                    const auto one = delete_some(transaction, some);
                    if (!one) return tl::unexpected(one.error());
                    in_transaction.add(*one);
                    done += some.size();
                }
                return in_transaction;
            });
            if (!deleted) return deleted;
            all.add(*deleted);
            oids = oids.subspan(done);
        }
        return all;
    }

    // -- releases
    // They go together, object by object: an object that a request records in the newest of them
    // meanwhile must not be left with a row that says what changed since another of them.

    using Going = std::vector<Release>;  // the newest first
    static bool is_going(const Going& releases, const std::string& version) {
        return std::ranges::find(releases, version, &Release::version) != releases.end();
    }

    Result<bool> sweep(const Going& releases, const std::string& which) {
        const auto oids_of_part = static_cast<std::int64_t>(job_.options.part_objects);
        const auto parts = read(tables::highest_oid) / oids_of_part + 1;
        progress_.all += static_cast<std::uint64_t>(parts);
        return runner_.run(
            {"forget " + base::md5_hex(releases.back().version) + ' ' + which, parts,
             [this, &releases, oids_of_part](std::int64_t part, const KeepGoing&) {
                 auto counters =
                     take_back_part(releases, {part * oids_of_part, (part + 1) * oids_of_part});
                 ++progress_.done;
                 return counters;
             }});
    }

    Result<Counters> take_back_part(const Going& releases, const tables::OidRange& range) const {
        std::set<std::int64_t> touched;
        for (const auto& release : releases) {
            const auto oids = read(tables::objects_touched_by, release.version, range);
            touched.insert(oids.begin(), oids.end());
        }
        const std::vector<std::int64_t> oids(touched.begin(), touched.end());
        const auto deleted = delete_in_time(oids, [&](Transaction& transaction, Oids some) {
            return take_back(transaction, releases, some);
        });
        if (!deleted) return tl::unexpected(deleted.error());
        Counters counters;
        counters.deleted = *deleted;
        return counters;
    }

    // Read in each transaction, since a new release may become current meanwhile.
    static Releases releases_with(Transaction& transaction, const Going& going) {
        auto releases = tables::load_releases(transaction);
        for (const auto& release : going) releases.add(release);
        return releases;
    }

    Result<Deleted> take_back(Transaction& transaction, const Going& going, Oids oids) const {
        const auto releases = releases_with(transaction, going);
        std::vector<std::int64_t> deleted_oids;
        std::vector<std::pair<ObjectRow, ObjectRow>> moved;  // with the row as it was read
        for (auto& record : tables::lock_records(transaction, oids)) {
            std::ranges::sort(record.trees, [&](const auto& a, const auto& b) {
                return releases.is_later(a, b);
            });
            if (is_only_in(record, going)) {
                deleted_oids.push_back(record.object.oid);
                continue;
            }
            auto object = object_without(transaction, record, going, releases);
            if (!object) return tl::unexpected(object.error());
            if (*object != record.object) moved.emplace_back(std::move(*object), record.object);
        }
        Deleted deleted;
        for (const auto& release : going)
            deleted.add(tables::delete_rows_of_release(transaction, release.version, oids));
        deleted.add(tables::delete_objects(transaction, deleted_oids));
        for (const auto& [object, read] : moved)
            (void)tables::update_object(transaction, object, read);
        return deleted;
    }

    static bool is_only_in(const tables::Record& record, const Going& going) {
        if (record.trees.empty() && record.rows.empty()) return false;
        const auto is_it = [&](const std::string& each) { return is_going(going, each); };
        return std::ranges::all_of(record.trees, is_it) &&
               std::ranges::all_of(record.rows, is_it, &tables::Record::Row::version);
    }

    // The object as it was before the releases, or as later ones have made it.
    Result<ObjectRow> object_without(Transaction& transaction, const tables::Record& record,
                                     const Going& going, const Releases& releases) const {
        auto object = record.object;
        auto trees = record.trees;
        const bool was_newest = !trees.empty() && is_going(going, trees.front());
        std::erase_if(trees, [&](const auto& version) { return is_going(going, version); });
        const tables::Record::Row* row = nullptr;  // the oldest that goes
        for (const auto& release : going)
            if (const auto* one = record.row_of(release.version)) row = one;
        if (was_newest || is_going(going, object.ace_version))
            object.ace_version = object.compared_in =
                compared_before(row, going, trees, releases);
        if (row != nullptr) object.last_modified = changed_before(record, going);
        if (!was_newest) return object;
        if (!trees.empty()) return as_in(transaction, record, std::move(object), trees.front());
        // Its next comparison is a first sight.
        object.signature.clear();
        object.label.clear();
        object.other_names.clear();
        return object;
    }

    static std::string compared_before(const tables::Record::Row* row, const Going& going,
                                       const std::vector<std::string>& trees,
                                       const Releases& releases) {
        const bool is_known = row != nullptr && !is_going(going, row->since) &&
                              releases.find(row->since) != nullptr;
        if (is_known) return row->since;
        return trees.empty() ? std::string() : trees.front();
    }

    [[nodiscard]] base::Date changed_before(const tables::Record& record,
                                            const Going& going) const {
        std::string newest;
        for (const auto& row : record.rows)
            if (!is_going(going, row.version)) newest = std::max(newest, row.date);
        const auto date = base::parse_date(newest);
        return date ? *date : job_.context.settings.first_seen_since;
    }

    // `object` with the content and the label that the tree of that release has.
    Result<ObjectRow> as_in(Transaction& transaction, const tables::Record& record,
                            ObjectRow object, const std::string& version) const {
        const auto nodes = tables::tree_of(transaction, object.oid, version);
        if (!nodes) return base::fail_at(object.object.name, nodes.error());
        const auto* row = record.row_of(version);
        const bool had_vanished = row != nullptr && row->kind == tables::RowKind::vanished;
        object.signature = had_vanished ? std::string() : tree::signature_of(*nodes);
        // A vanished object has no tree to take a label from, but its row has the label.
        object.label =
            row != nullptr && !row->label.empty()
                ? row->label
                : history::label_of(*nodes, object.object, job_.context.settings.names);
        const auto named = had_vanished ? tree_before(transaction, record, version) : nodes;
        if (!named) return tl::unexpected(named.error());
        object.other_names = history::other_names_of(*named, object.object, object.label,
                                                     job_.context.settings.search);
        return object;
    }

    // The newest tree of an object before a release that is not empty.
    Result<std::vector<tree::Node>> tree_before(Transaction& transaction,
                                                const tables::Record& record,
                                                const std::string& version) const {
        auto at = std::ranges::find(record.trees, version);
        while (at != record.trees.end() && ++at != record.trees.end()) {
            auto nodes = tables::tree_of(transaction, record.object.oid, *at);
            if (!nodes) return base::fail_at(record.object.object.name, nodes.error());
            if (!nodes->empty()) return nodes;
        }
        return std::vector<tree::Node>();
    }

    const ForgetJob& job_;
    Progress& progress_;
    JobRunner runner_;
};

}  // namespace

Result<Deleted> count_forgettable(store::Pool& pool, const Forgettable& what) {
    const auto may = store::perform(pool, Access::read, [&](Transaction& transaction) {
        auto known =
            std::visit([&](const auto& each) { return check_is_known(transaction, each); }, what);
        return known ? check_nobody_records(transaction) : known;
    });
    if (!may) return tl::unexpected(may.error());
    return std::visit([&](const auto& each) { return count(pool, each); }, what);
}

Result<JobResult> forget(const ForgetJob& job, const Forgettable& what, Progress& progress,
                         const std::stop_token& stop) {
    return run_job([&] {
        return std::visit(
            [&](const auto& each) { return ForgetRun(job, progress, stop).run(each); }, what);
    });
}

}  // namespace release
