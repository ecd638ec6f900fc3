// A re-publication while others read and record, and while the job dies.
// SPDX-License-Identifier: MIT
#include <set>

#include "query/object_history.hpp"
#include "query/tree_at.hpp"
#include "release/republished_builds.hpp"
#include "support/contents.hpp"
#include "support/faulty_connection.hpp"
#include "support/recording.hpp"
#include "support/watched_connection.hpp"
#include "tables/compared_in.hpp"

using namespace release_tests;

namespace {

using support::Statement;
using support::watched;

const std::vector<std::string> recorded{"same",    "differs",  "restamped",  "none_left",
                                        "new_row", "gone_now", "back_again", "created",
                                        "dropped", "renamed",  "name_1"};

// Returns everything that readers get about the recorded objects at one moment.
std::string seen_by_readers(JobSite& site, const SmallBuild& build,
                            const std::vector<std::string>& names = recorded) {
    return store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto releases =
            history::known_releases(transaction, site.settings, &build, nullptr);
        std::string all;
        for (const auto& name : names) {
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
    const support::FreshStore fresh(GENERATE(support::engines()));
    const Builds builds;
    publish_first(fresh.connect(), builds);
    JobSite reader(fresh.connect());
    const auto old_rows = seen_by_readers(reader, builds.first);
    std::vector<std::string> seen{old_rows};
    int looks = 0;
    JobSite site(watched(fresh.connect(), [&](Statement, std::string_view) {
        ++looks;
        auto now = seen_by_readers(reader, builds.first);
        if (now != seen.back()) seen.push_back(std::move(now));
    }));
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(looks > 100);
    REQUIRE(seen.size() == 2);
    CHECK(seen.back() == seen_by_readers(reader, builds.again));
}

TEST_CASE("A job that dies at any statement continues to the same result") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const auto last_words = [&](const store::Connect& connect) {
        JobSite site(connect);
        const auto done = site.try_republish(builds.again, &builds.before, &builds.first);
        if (!done) CHECK(done.error().kind == base::ErrorKind::refused);  // it was finished
        CHECK(site.query("SELECT oid FROM replacements").empty());
        CHECK(site.query("SELECT version FROM releases WHERE replacing <> 0").empty());
        CHECK(site.query("SELECT task FROM leases WHERE task = 'WS188 replacing'").empty());
        return site.contents();
    };
    const Published published(engine, builds);
    const auto calm = support::FreshStore::copy_of(published);
    const auto expected = last_words(calm.connect());
    // Dies behind a statement; with 0 it does not die.
    const auto die_at = [&](int at) {
        const auto fresh = support::FreshStore::copy_of(published);
        support::Statements statements;
        bool is_writing = false;
        {
            JobSite site(watched(fresh.connect(), [&](Statement statement, std::string_view) {
                statements.count(statement == Statement::commit && is_writing);
                if (statement != Statement::query && statement != Statement::execute)
                    is_writing = statement == Statement::begin_write;
                if (at > 0 && statements.all >= at)
                    throw store::Failure("killed (by the test)", {}, 0);
            }));
            (void)site.try_republish(builds.again, &builds.before, &builds.first);
        }
        INFO("statement " << at);
        CHECK(last_words(fresh.connect()) == expected);
        return statements;
    };
    for (const int at : support::strikes_in(die_at(0))) die_at(at);
}

TEST_CASE("A transient failure of any statement does not change the result of a re-publication") {
    using support::Fault;
    const auto fault =
        GENERATE(Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit);
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const Published published(engine, builds);
    const auto expected = republished_alone(published, builds);
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const auto fresh = support::FreshStore::copy_of(published);
        JobSite site(support::faulty(fresh.connect(), plan), support::no_waiting());
        site.republish(builds.again, &builds.before, &builds.first);
        CHECK(site.contents() == expected);
    });
}

TEST_CASE("What a request records during the job is replaced like all the rest") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    // The last one has no row in the first publication; that it was compared is noted.
    using Names = std::vector<std::string>;
    const auto asked = GENERATE(Names{"differs", "none_left", "gone_now", "created", "new_row"},
                                Names{"new_row"});
    const std::vector<std::string> changed{"differs", "none_left", "gone_now"};
    const auto digest_of_release = [](JobSite& site) {
        return site.query("SELECT digest FROM releases WHERE version = 'WS188'").at(0).text(0);
    };
    const auto end_of = [&](JobSite& site) {
        for (const auto& name : asked) site.ask(builds.again, &builds.before, {"Gene", name});
        std::string all;
        for (const auto& [name, row] : site.rows())
            if (!row.starts_with("withdrawn")) all += name + row.substr(row.find("WS187")) + '\n';
        return all;
    };
    const support::FreshStore published(engine);
    {
        JobSite site(published.connect());
        site.prewarm(builds.before);
        site.ask(builds.first, &builds.before, {"Gene", "same"});
    }
    const auto calm = support::FreshStore::copy_of(published);
    JobSite before(calm.connect());
    for (const auto& name : asked) before.ask(builds.first, &builds.before, {"Gene", name});
    before.republish(builds.again, &builds.before, &builds.first);
    const auto expected = end_of(before);
    const int step = engine == store::Engine::sqlite ? 1 : 3;
    bool asked_in_time = true;
    for (int at = 1; asked_in_time; at += step) {
        INFO("transaction " << at);
        const auto fresh = support::FreshStore::copy_of(published);
        JobSite requests(fresh.connect());
        int commits = 0;
        std::string when_in_force;
        JobSite site(watched(fresh.connect(), [&](Statement statement, std::string_view) {
            // SQLite allows one writer, so requests come between two transactions of the job.
            if (statement != Statement::commit) return;
            if (when_in_force.empty() && digest_of_release(requests) == builds.again.digest())
                when_in_force = seen_by_readers(requests, builds.first, changed);
            if (++commits != at) return;
            for (const auto& name : asked)
                (void)support::record(requests.context(), builds.first, &builds.before,
                                      {"Gene", name});
        }));
        site.republish(builds.again, &builds.before, &builds.first);
        CHECK(when_in_force == seen_by_readers(requests, builds.first, changed));
        CHECK(end_of(requests) == expected);
        asked_in_time = commits >= at;
    }
}

TEST_CASE("A job with other content removes what an earlier interrupted job left") {
    const auto engine = GENERATE(support::engines());
    const int at = GENERATE(60, 150, 220);
    const Builds builds;
    Again third;
    third.with("Gene", "differs", remark("four")).with("Gene", "third", remark("third"));
    third.with("Gene", "new_row", remark("one"));  // as in the first
    const support::FreshStore fresh(engine);
    publish_first(fresh.connect(), builds);
    int statements = 0;
    {
        JobSite site(watched(fresh.connect(), [&](Statement, std::string_view) {
            if (++statements >= at) throw store::Failure("killed (by the test)", {}, 0);
        }));
        REQUIRE_FALSE(site.try_republish(builds.again, &builds.before, &builds.first));
    }
    JobSite site(fresh.connect());
    site.republish(third, &builds.before, &builds.first);
    CHECK(site.rows().at("differs").find("four") != std::string::npos);
    CHECK_FALSE(site.rows().contains("new_row"));
    CHECK(site.rows().contains("third"));
    CHECK(site.rows().contains("added"));
    CHECK(site.query("SELECT oid FROM replacements").empty());
}

TEST_CASE("The rows of an interrupted job without a lease are computed again") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const support::FreshStore fresh(engine);
    publish_first(fresh.connect(), builds);
    JobSite site(fresh.connect());
    {
        JobSite dying(watched(fresh.connect(), [&](Statement statement, std::string_view) {
            if (statement == Statement::commit &&
                site.query("SELECT oid FROM replacements").size() > 5)
                throw store::Failure("killed (by the test)", {}, 0);
        }));
        REQUIRE_FALSE(dying.try_republish(builds.again, &builds.before, &builds.first));
    }
    store::perform(site.pool, store::Access::write, [](store::Transaction& transaction) {
        transaction.execute("DELETE FROM leases");
        transaction.execute("UPDATE replacements SET notes = 'stale'");
    });
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(site.rows().at("differs").find("three") != std::string::npos);
}

TEST_CASE("A pending replacement is applied before a later release changes the object") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const Builds builds;
    publish_first(fresh.connect(), builds);
    SmallBuild next("WS189", "2008-05-01");
    next.with("Gene", "differs", remark("four"));
    JobSite reader(fresh.connect());
    const auto is_replacing = [&] {
        return !reader.query("SELECT version FROM releases WHERE replacing <> 0").empty();
    };
    {
        JobSite site(watched(fresh.connect(), [&](Statement statement, std::string_view) {
            if (statement == Statement::commit && is_replacing())
                throw store::Failure("killed (by the test)", {}, 0);
        }));
        REQUIRE_FALSE(site.try_republish(builds.again, &builds.before, &builds.first));
    }
    REQUIRE(is_replacing());
    reader.ask(next, &builds.again, {"Gene", "differs"});
    CHECK(reader.rows("WS188").at("differs").find("three") != std::string::npos);
    const auto row = reader.rows("WS189").at("differs");
    CHECK(row.starts_with("changed 0 WS188"));
    CHECK(row.find("\"before\":[{\"text\":\"three\"}]") != std::string::npos);
    // The tree of that release is the new one, too.
    const auto object = store::perform(reader.pool, store::Access::read, [](auto& transaction) {
        return support::row_of(transaction, {"Gene", "none_left"}).value();
    });
    const auto tree = query::tree_at(reader.pool, reader.settings, object, "WS188");
    REQUIRE(tree);
    CHECK(tree->nodes == remark("one"));
    // The newer release does not prevent the end of the job.
    reader.republish(builds.again, &builds.before, &builds.first);
    CHECK_FALSE(is_replacing());
    CHECK(reader.rows("WS189").at("differs") == row);
}
