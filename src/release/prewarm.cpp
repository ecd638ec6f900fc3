// SPDX-License-Identifier: MIT
#include "release/warm.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "base/digest.hpp"
#include "release/finished.hpp"
#include "release/gathering.hpp"
#include "release/stage.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using store::Value;

// Rows of `objects` looked at in one part, by oid.
constexpr std::int64_t part_rows = 200'000;
// Objects of a batch take at most so many bytes in the build, or are one.
constexpr std::uint64_t batch_bytes = 4 << 20;

// The newest release in which all that the job is about was compared, by its index.
struct Base {
    source::Build index;
    std::set<ObjectName> apart;      // but for these: failed then, or compared since
    std::vector<std::string> later;  // releases between it and the job's
};

class Job {
   public:
    Job(const Warming& warming, Progress& progress, const std::stop_token& stop)
        : warming_(warming), progress_(progress), stop_(stop),
          kept_(warming.desk.pool, {warming.previous, warming.build}, warming.kept) {}

    Result<Warmed> run() {
        if (const auto* objects = std::get_if<Objects>(&warming_.what)) return run_list(*objects);
        releases_ = read_releases();
        if (is_finished()) return try_failed_again();
        base_ = find_base();
        const auto objects = run_stage(objects_stage());
        if (!objects || !*objects) return ended(objects);
        const auto gone = run_stage(gone_stage());
        if (!gone || !*gone) return ended(gone);
        return finish();
    }

   private:
    struct Steps {
        std::string task;
        std::int64_t parts;
        std::function<Result<Tally>(std::int64_t, const GoOn&)> work;
    };

    [[nodiscard]] const base::Release& current() const { return warming_.build->release(); }
    [[nodiscard]] store::Pool& pool() const { return warming_.desk.pool; }

    // Empty: every class.
    [[nodiscard]] std::string class_name() const {
        const auto* of_class = std::get_if<OfClass>(&warming_.what);
        return of_class == nullptr ? std::string() : of_class->class_name;
    }
    [[nodiscard]] bool is_meant(std::string_view class_of_object) const {
        const auto only = class_name();
        return only.empty() || class_of_object == only;
    }

    [[nodiscard]] tables::Releases read_releases() const {
        return store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return history::known_releases(transaction, warming_.desk.settings,
                                           warming_.build.get(), warming_.previous.get());
        });
    }

    [[nodiscard]] bool is_finished() const {
        return std::ranges::count(warmed_in(pool(), class_name()), current().version) > 0;
    }

    [[nodiscard]] std::optional<Base> find_base() {
        std::optional<Base> best;
        // What replaces rows of a release and is not in its place yet stands in no row.
        if (!releases_.replacing().empty()) return best;
        for (const auto& version : warmed_in(pool(), class_name())) {
            if (!releases_.is_later(current().version, version)) continue;
            if (best && !releases_.is_later(version, best->index->release().version)) continue;
            if (auto index = kept_.of(version)) best = Base{std::move(index), {}, {}};
        }
        if (!best) return best;
        const auto& version = best->index->release().version;
        for (auto& name : failed_in(pool(), version, class_name()))
            best->apart.insert(std::move(name));
        for (const auto& release : releases_.up_to(current()))
            if (releases_.is_later(release.version, version) &&
                release.version != current().version)
                best->later.push_back(release.version);
        for (auto& name : compared_in(pool(), best->later, class_name()))
            best->apart.insert(std::move(name));
        return best;
    }

    // Jobs of one name have the same parts.
    [[nodiscard]] std::string task(const std::string& what, const std::string& parts) const {
        const auto digest = base::md5_hex(warming_.build->digest() + ' ' + class_name() + ' ' +
                                          parts + ' ' + std::to_string(warming_.part_objects));
        return current().version + ' ' + what + ' ' + digest;
    }

    Result<bool> run_stage(const Steps& steps) {
        tasks_.push_back(steps.task);
        Stage stage;
        stage.terms.task = steps.task;
        stage.terms.clock = warming_.desk.clock;
        stage.terms.length = warming_.lease;
        stage.parts = steps.parts;
        stage.threads = warming_.threads;
        stage.work = steps.work;
        if (warming_.is_gone) stage.terms.is_gone = warming_.is_gone;
        if (warming_.worker_name) stage.terms.name = warming_.worker_name;
        return release::run(pool(), stage, stop_);
    }

    // -- the objects of the build

    Steps objects_stage() {
        auto parts =
            std::make_shared<source::Parts>(warming_.build->parts(warming_.part_objects));
        for (const auto& count : warming_.build->class_counts())
            if (is_meant(count.class_name)) progress_.all += count.objects;
        return {task("objects", parts->order + ' ' + base_name()),
                static_cast<std::int64_t>(parts->size()),
                [this, parts](std::int64_t part, const GoOn& go_on) {
                    const auto i = static_cast<std::size_t>(part);
                    return warm_part(parts->places[i], parts->places[i + 1], go_on);
                }};
    }

    [[nodiscard]] std::string base_name() const { return base_ ? base_->index->digest() : ""; }

    Result<Tally> warm_part(std::uint64_t from, std::uint64_t to, const GoOn& go_on) {
        auto batches = gathering(history::NoteUnchanged::no);
        warming_.build->each(from, to, [&](const source::Listed& listed) {
            if (!is_meant(listed.class_name)) return true;
            batches.count_bytes(listed.bytes);
            auto name = listed.id();
            if (is_as_in_base(listed, name)) {
                batches.count_unchanged();
                return batches.pass(go_on);
            }
            return batches.add(std::move(name), listed.bytes, go_on);
        });
        return batches.end(go_on);
    }

    [[nodiscard]] bool is_as_in_base(const source::Listed& listed, const ObjectName& name) const {
        if (!base_ || base_->apart.contains(name)) return false;
        const auto known = base_->index->digest_of(name);
        return known && *known && **known == listed.digest;
    }

    // -- what is recorded and not in the build any more

    Steps gone_stage() {
        auto parts = std::make_shared<source::Parts>();
        std::int64_t listed = 0;
        if (base_) {
            // Of most of them nothing is to be done but a look-up.
            *parts = base_->index->parts(warming_.part_objects * 10);
            listed = static_cast<std::int64_t>(parts->size());
        }
        const auto rows = highest_oid() / part_rows + 1;
        for (const auto& count : warming_.build->class_counts())
            if (base_ && is_meant(count.class_name)) progress_.all += count.objects;
        return {task("gone", parts->order + ' ' + base_name()), listed + rows,
                [this, parts, listed](std::int64_t part, const GoOn& go_on) {
                    if (part >= listed) return look_at_rows(part - listed, go_on);
                    const auto i = static_cast<std::size_t>(part);
                    return look_at_base(parts->places[i], parts->places[i + 1], go_on);
                }};
    }

    [[nodiscard]] std::int64_t highest_oid() const {
        const auto rows = store::perform(pool(), Access::read, [](Transaction& transaction) {
            return transaction.query("SELECT MAX(oid) FROM objects");
        });
        return rows.at(0).is_null(0) ? 0 : rows.at(0).integer(0);
    }

    // Objects that the release of the base had.
    Result<Tally> look_at_base(std::uint64_t from, std::uint64_t to, const GoOn& go_on) {
        auto batches = gathering(history::NoteUnchanged::no);
        base_->index->each(from, to, [&](const source::Listed& listed) {
            if (!is_meant(listed.class_name)) return true;
            auto name = listed.id();
            const auto there = warming_.build->digest_of(name);
            if (there && *there) return batches.pass(go_on);
            return batches.add(std::move(name), listed.bytes, go_on);
        });
        return batches.end(go_on);
    }

    // Objects that were asked for since, or all where there is no base.
    Result<Tally> look_at_rows(std::int64_t slice, const GoOn& go_on) {
        auto batches = gathering(history::NoteUnchanged::no);
        auto names = rows_of(slice);
        // Neither the base's list nor its releases tell of these.
        if (base_ && slice == 0)
            for (auto& name : failed_in(pool(), base_->index->release().version, class_name()))
                names.push_back(std::move(name));
        for (auto& name : names) {
            const auto found = warming_.build->find(name);
            if (!found) return tl::unexpected(found.error());
            if (!*found && !batches.add(std::move(name), batch_bytes / 256, go_on)) break;
        }
        return batches.end(go_on);
    }

    [[nodiscard]] std::vector<ObjectName> rows_of(std::int64_t slice) const {
        std::string sql = "SELECT class, name FROM objects WHERE oid > ? AND oid <= ? AND"
                          " ace_version <> ? AND (signature <> '' OR label = '')";
        std::vector<Value> values{Value{slice * part_rows}, Value{(slice + 1) * part_rows},
                                  Value{current().version}};
        if (base_) {
            if (base_->later.empty()) return {};
            sql += " AND ace_version IN (?";
            values.emplace_back(base_->later.front());
            for (std::size_t i = 1; i < base_->later.size(); ++i) {
                sql += ", ?";
                values.emplace_back(base_->later[i]);
            }
            sql += ')';
        }
        const auto rows = store::perform(pool(), Access::read, [&](Transaction& transaction) {
            return transaction.query(sql, values);
        });
        std::vector<ObjectName> names;
        for (const auto& row : rows)
            if (is_meant(row.text(0))) names.push_back({row.text(0), row.text(1)});
        return names;
    }

    // -- a list of objects

    Result<Warmed> run_list(const Objects& objects) {
        progress_.all += objects.size();
        std::string all;
        for (const auto& object : objects) all += object.class_name + '\t' + object.name + '\n';
        // Small parts: objects that people ask for may be the large ones.
        constexpr std::size_t together = 1000;
        const auto parts = (objects.size() + together - 1) / together;
        const auto done =
            run_stage({task("list", base::md5_hex(all)), static_cast<std::int64_t>(parts),
                       [&](std::int64_t part, const GoOn& go_on) -> Result<Tally> {
                           const auto begin = static_cast<std::size_t>(part) * together;
                           const auto end = std::min(begin + together, objects.size());
                           auto batches = gathering(history::NoteUnchanged::yes);
                           batches.expect_all();
                           for (auto i = begin; i < end; ++i)
                               if (!batches.add(ObjectName(objects[i]), batch_bytes / 16, go_on))
                                   break;
                           return batches.end(go_on);
                       }});
        if (!done) return tl::unexpected(done.error());
        // All of it was done by earlier runs: what failed may be readable by now.
        if (*done && progress_.done == 0) return run_failed(failed_among(objects));
        return Warmed{tallied(), {}, *done, false};
    }

    [[nodiscard]] Objects failed_among(const Objects& objects) const {
        const std::set<ObjectName> listed(objects.begin(), objects.end());
        Objects names;
        for (auto& name : failed_in(pool(), current().version, class_name()))
            if (listed.contains(name)) names.push_back(std::move(name));
        return names;
    }

    // The build is finished; what could not be read may be readable by now.
    Result<Warmed> try_failed_again() {
        return run_failed(failed_in(pool(), current().version, class_name()));
    }
    Result<Warmed> run_failed(const Objects& objects) {
        auto batches = gathering(history::NoteUnchanged::yes);
        const auto go_on = [this] { return !stop_.stop_requested(); };
        for (const auto& object : objects)
            if (!batches.add(ObjectName(object), batch_bytes / 16, go_on)) break;
        auto tally = batches.end(go_on);
        if (!tally) return tl::unexpected(tally.error());
        return Warmed{std::move(*tally), {}, !stop_.stop_requested(), true};
    }

    // -- batches

    Gathering gathering(history::NoteUnchanged note_unchanged) {
        history::BatchSettings settings;
        settings.note_unchanged = note_unchanged;
        settings.same_bytes = [this](const ObjectName& name, const std::string& version) {
            return is_as_in(name, version);
        };
        return {warming_.desk,
                *warming_.build,
                warming_.previous.get(),
                std::move(settings),
                {warming_.batch_objects, batch_bytes},
                progress_.done};
    }

    [[nodiscard]] bool is_as_in(const ObjectName& name, const std::string& version) {
        const auto index = kept_.of(version);
        if (!index) return false;
        const auto before = index->digest_of(name), now = warming_.build->digest_of(name);
        return before && now && *before && *before == *now;
    }

    // -- the end

    [[nodiscard]] Tally tallied() const {
        Tally all;
        for (const auto& task : tasks_) {
            const auto results =
                store::perform(pool(), Access::read, [&](Transaction& transaction) {
                    return results_of(transaction, task);
                });
            for (const auto& result : results)
                if (const auto tally = tally_from_json(result)) all.add(*tally);
        }
        return all;
    }

    Result<Warmed> ended(const Result<bool>& done) const {
        if (!done) return tl::unexpected(done.error());
        return Warmed{tallied(), {}, false, false};
    }

    // Objects that a request found in a release between the base and this one, after their part
    // was done. Their part has counted them.
    Result<Tally> catch_up() {
        auto batches = gathering(history::NoteUnchanged::yes);
        const auto go_on = [this] { return !stop_.stop_requested(); };
        if (base_)
            for (auto& name : compared_in(pool(), base_->later, class_name()))
                if (!batches.add(std::move(name), batch_bytes / 256, go_on)) break;
        return batches.end(go_on);
    }

    Result<Warmed> finish() {
        const auto late = catch_up();
        if (!late) return tl::unexpected(late.error());
        Warmed warmed{tallied(), {}, !stop_.stop_requested(), false};
        if (!warmed.finished) return warmed;
        const auto changed = places_changed(pool(), current().version, class_name());
        if (!changed) return tl::unexpected(changed.error());
        warmed.mass_changes =
            mass_changes_in(*changed, warming_.build->class_counts(), warming_.mass_change);
        const auto noted = store::perform(pool(), Access::write, [&](Transaction& transaction) {
            return note_end(transaction, *warming_.build, warming_.desk.clock(),
                            {class_name(), warmed.tally.looked_at, warmed.mass_changes});
        });
        if (!noted) return tl::unexpected(noted.error());
        return warmed;
    }

    const Warming& warming_;
    Progress& progress_;
    const std::stop_token& stop_;
    Kept kept_;
    tables::Releases releases_;
    std::optional<Base> base_;
    std::vector<std::string> tasks_;
};

}  // namespace

Objects most_requested(store::Pool& pool, std::size_t most) {
    Objects objects;
    const auto rows = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return transaction.query("SELECT class, name FROM objects WHERE hits > 0"
                                 " ORDER BY hits DESC, oid LIMIT ?",
                                 {Value{static_cast<std::int64_t>(most)}});
    });
    for (const auto& row : rows) objects.push_back({row.text(0), row.text(1)});
    return objects;
}

Result<Warmed> warm(const Warming& warming, Progress& progress, const std::stop_token& stop) {
    try {
        return Job(warming, progress, stop).run();
    } catch (const store::Failure& failure) {
        return base::fail(base::Kind::unavailable,
                          std::string("the store failed: ") + failure.what());
    } catch (const std::exception& error) {
        // On a thread of the caller's that nobody else watches.
        return base::fail(base::Kind::unavailable, error.what());
    }
}

}  // namespace release
