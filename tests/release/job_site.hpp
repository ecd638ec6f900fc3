// A process that runs jobs over builds in memory, for the tests of jobs.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

#include "history/context.hpp"
#include "release/forget.hpp"
#include "release/prewarm.hpp"
#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

namespace release_tests {

using release::Counters;
using release::ObjectName;
using support::remark;
using support::SmallBuild;
using support::stamped;
using support::tag;
using support::text;
using Kinds = std::map<std::string, std::string>;

// Returns a handle that does not own the build, or nullptr.
inline source::Build held(const SmallBuild* build) {
    if (build == nullptr) return nullptr;
    return {build, [](const source::Source*) {}};
}

template <class T>
T value_of(base::Result<T> result) {
    if (!result) FAIL(result.error().text);
    return std::move(*result);
}

// One process that answers requests and runs jobs.
struct JobSite : support::RecordingSite {
    explicit JobSite(store::Connect connect, store::RetryPolicy retry_policy = {})
        : RecordingSite(std::move(connect), std::move(retry_policy)) {
        settings.names = {{"Gene", {{"Public_name"}}}};
    }

    // -- requests

    // Asks for every object of this build and of those asked for earlier.
    void ask_for_all(const SmallBuild& build, const SmallBuild* previous) {
        const auto names = support::names_in(build);
        seen.insert(names.begin(), names.end());
        for (const auto& name : seen) ask(build, previous, name);
    }

    // -- jobs

    release::ReleaseJob job(const SmallBuild& build, const SmallBuild* previous = nullptr) {
        return {context(), held(&build), held(previous)};
    }
    base::Result<release::JobResult> try_prewarm(
        const release::ReleaseJob& job, const release::Selection& what = release::Everything{}) {
        release::Progress progress;
        return release::prewarm(job, what, progress, {});
    }
    Counters prewarm(const release::ReleaseJob& job,
                     const release::Selection& what = release::Everything{}) {
        const auto done = value_of(try_prewarm(job, what));
        CHECK(done.finished);
        return done.counters;
    }
    Counters prewarm(const SmallBuild& build, const SmallBuild* previous = nullptr) {
        return prewarm(job(build, previous));
    }
    // Publishes the release again, with this build.
    base::Result<release::JobResult> try_republish(const SmallBuild& build,
                                                   const SmallBuild* previous) {
        const auto number = number_build(build, tables::Publication::again);
        if (!number) return tl::unexpected(number.error());
        return try_prewarm(job(build, previous));
    }
    Counters republish(const SmallBuild& build, const SmallBuild* previous) {
        const auto done = value_of(try_republish(build, previous));
        CHECK(done.finished);
        return done.counters;
    }
    base::Result<tables::Deleted> count(const release::Forgettable& what) {
        return release::count_forgettable(pool, what);
    }
    base::Result<release::JobResult> try_forget(
        const release::Forgettable& what,
        std::chrono::milliseconds longest_write = std::chrono::milliseconds(0)) {
        release::Progress progress;
        return release::forget({context(), longest_write}, what, progress, {});
    }
    tables::Deleted forget(const release::Forgettable& what) {
        const auto expected = value_of(count(what));
        const auto done = value_of(try_forget(what));
        CHECK(done.finished);
        CHECK(done.counters.deleted == expected);
        return done.counters.deleted;
    }

    // -- what the store holds

    // Returns the rows of the release by object: "KIND REVISION SINCE" and the notes.
    std::map<std::string, std::string> rows(const std::string& version = "WS188") {
        std::map<std::string, std::string> found;
        for (const auto& row :
             query("SELECT o.name, h.kind, CAST(h.revision AS CHAR), h.since, h.notes, h.version"
                   " FROM history h JOIN objects o ON o.oid = h.oid"))
            if (row.text(5) == version)
                found[row.text(0)] =
                    row.text(1) + ' ' + row.text(2) + ' ' + row.text(3) + ' ' + row.text(4);
        return found;
    }
    // "KIND REVISION SINCE"
    Kinds kinds(const std::string& version = "WS188") {
        auto found = rows(version);
        for (auto& [name, row] : found) row = row.substr(0, row.find(" {"));
        return found;
    }
    // The renames that readers see in a release, a line each: "OLD to NEW" and "NEW from OLD".
    std::string renames(const std::string& version) {
        std::vector<std::int64_t> oids;
        for (const auto& row : query("SELECT oid FROM objects ORDER BY class, name"))
            oids.push_back(row.integer(0));
        return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            auto rows = support::rows_of_release(transaction, oids, version);
            tables::find_renames(transaction, rows);
            std::string found;
            for (const auto& row : rows) {
                if (row.renamed_to)
                    found += row.object.name + " to " + row.renamed_to->name + '\n';
                if (row.renamed_from)
                    found += row.object.name + " from " + row.renamed_from->name + '\n';
            }
            return found;
        });
    }
    std::int64_t number(std::string_view sql) { return query(sql).at(0).integer(0); }
    void execute(std::string_view sql) {
        store::perform(pool, store::Access::write,
                       [&](store::Transaction& transaction) { transaction.execute(sql); });
    }

    std::set<ObjectName> seen;
};

// For TEST_CASE_METHOD: one process over a store of its own.
struct SiteWithStore {
    SiteWithStore() : fresh(GENERATE(support::engines())), site(fresh.connect()) {}
    const support::FreshStore fresh;
    JobSite site;
};

}  // namespace release_tests
