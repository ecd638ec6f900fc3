// A re-publication while others read and record, and while the job dies.
// SPDX-License-Identifier: MIT
#include "query/object_history.hpp"
#include "release/republished_builds.hpp"
#include "support/contents.hpp"
#include "support/faulty_connection.hpp"
#include "support/recording.hpp"
#include "support/watched_connection.hpp"
#include "tables/prewarmed.hpp"

using namespace release_tests;

namespace {

using support::Fault;

const std::vector<std::string> recorded{"same",    "differs",  "restamped",  "none_left",
                                        "new_row", "gone_now", "back_again", "created",
                                        "dropped", "renamed",  "name_1"};

// Returns everything that readers get about the recorded objects at one moment.
std::string seen_by_readers(JobSite& site, const SmallBuild& build) {
    return store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto releases =
            history::known_releases(transaction, site.settings, &build, nullptr);
        std::string all;
        for (const auto& name : recorded) {
            auto row = support::row_of(transaction, {"Gene", name}).value();
            tables::resolve_compared_in(transaction, std::array{&row}, build.release(), releases);
            all += name + ' ' + row.label + ' ' + row.signature + ' ' +
                   base::format_date(row.last_modified) + ' ' + row.compared_in + '\n';
            const auto rows =
                query::load_rows(transaction, std::span(&row, 1), build.release(), {}, releases)
                    .value();
            all += std::to_string(rows.recorded);
            for (const auto& each : rows.rows)
                all += ' ' + each.release.version + '/' + std::to_string(each.revision) + ' ' +
                       std::string(tables::name_of(each.kind)) + ' ' + each.label + ' ' +
                       tables::to_json(each.notes) + '\n';
        }
        return all;
    });
}

}  // namespace

TEST_CASE("Readers see either all old rows or all new ones") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite reader(fresh.connect());
    const auto old_rows = seen_by_readers(reader, builds.first);
    std::vector<std::string> seen{old_rows};
    int looks = 0;
    JobSite site(support::watched(fresh.connect(), [&](support::Statement, std::string_view) {
        ++looks;
        auto now = seen_by_readers(reader, builds.first);
        if (now != seen.back()) seen.push_back(std::move(now));
    }));
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(looks > 100);
    REQUIRE(seen.size() == 2);
    CHECK(seen.back() == seen_by_readers(reader, builds.again));
}

TEST_CASE("A job that meets a fault or dies of it at any statement ends with the same result") {
    const auto fault =
        GENERATE(Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit);
    const bool dies = GENERATE(false, true);
    const Builds builds;
    const Published published(GENERATE(support::engines()), builds);
    const auto expected = republished_alone(published, builds);
    auto retry_policy = support::no_waiting();
    if (dies) retry_policy.attempts = 1;
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const auto fresh = support::FreshStore::copy_of(published);
        JobSite site(support::faulty(fresh.connect(), plan), retry_policy);
        const auto done = site.try_republish(builds.again, &builds.before, &builds.first);
        JobSite after(fresh.connect());
        if (!dies) {
            CHECK(done);
        } else {
            const auto next = after.try_republish(builds.again, &builds.before, &builds.first);
            if (!next) CHECK(next.error().kind == base::ErrorKind::refused);  // it was finished
        }
        check_is_ended(after);
        CHECK(after.query("SELECT task FROM leases WHERE task = 'WS188 replacing'").empty());
        CHECK(after.contents() == expected);
    });
}

TEST_CASE("The rows of an interrupted job without a lease are computed again") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    republish_until(fresh.connect(), builds,
                    [&] { return site.query("SELECT oid FROM replacements").size() > 5; });
    site.execute("DELETE FROM leases");
    site.execute("UPDATE replacements SET notes = 'stale'");
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(site.rows().at("differs").find("three") != std::string::npos);
}
