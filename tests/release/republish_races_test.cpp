// A re-publication and another process that writes at the same time: between any two statements,
// on MariaDB inside of transactions too.
// SPDX-License-Identifier: MIT
#include <optional>

#include "query/object_history.hpp"
#include "query/tree_at.hpp"
#include "release/interleaving.hpp"
#include "release/republished_builds.hpp"
#include "support/recording.hpp"
#include "tables/replacements.hpp"

using namespace release_tests;

namespace {

// Publishes again, and dies as soon as the new rows are in force.
void republish_until_in_force(const store::Connect& connect, const Builds& builds) {
    JobSite looking(connect);
    republish_until(connect, builds, [&] { return is_replacing(looking); });
}

// The rows of the release, whatever their revision; withdrawn ones are none.
std::string rows_that_count(JobSite& site) {
    std::string all;
    for (const auto& [name, row] : site.rows())
        if (!row.starts_with("withdrawn")) all += name + row.substr(row.find("WS187")) + '\n';
    return all;
}

std::string digest_of_release(JobSite& site) {
    return site.query("SELECT digest FROM releases WHERE version = 'WS188'").at(0).text(0);
}

}  // namespace

TEST_CASE("Of two who move a replacement into place one does it") {
    const auto engine = GENERATE(support::both_engines());
    const Builds builds;
    const Published published(engine, builds);
    republish_until_in_force(published.connect(), builds);
    const auto move = [&](const store::Connect& connect) {
        JobSite site(connect);
        const auto releases =
            store::perform(site.pool, store::Access::read, tables::load_releases);
        const auto oid = site.number("SELECT oid FROM objects WHERE name = 'differs'");
        store::perform(site.pool, store::Access::write, [&](auto& transaction) {
            tables::move_into_place(transaction, oid, 0, releases);
        });
    };
    const auto calm = support::FreshStore::copy_of(published);
    move(calm.connect());
    const auto expected = JobSite(calm.connect()).contents();
    interleave([&](int at) {
        const auto fresh = support::FreshStore::copy_of(published);
        Interleaving both(fresh, at, [&] { move(fresh.connect()); });
        move(both.connect());
        both.join();
        CHECK(JobSite(fresh.connect()).contents() == expected);
        return both.statements();
    });
}

TEST_CASE(
    "What a request to the old build writes before, between or after is replaced or refused") {
    const auto engine = GENERATE(support::both_engines());
    const Builds builds;
    const auto* const asked = GENERATE("differs", "new_row");
    const bool is_request_slow = GENERATE(true, false);  // or the job is
    const support::FreshStore recorded(engine);
    {
        JobSite site(recorded.connect());
        site.prewarm(builds.before);
        site.ask(builds.first, &builds.before, {"Gene", "same"});
    }
    const auto request = [&](const store::Connect& connect) {
        JobSite site(connect);
        (void)support::record(site.context(), builds.first, &builds.before, {"Gene", asked});
    };
    const auto republish = [&](const store::Connect& connect) {
        JobSite(connect).republish(builds.again, &builds.before, &builds.first);
    };
    const auto end_of = [&](JobSite site) {
        site.ask(builds.again, &builds.before, {"Gene", asked});
        check_is_ended(site);
        return rows_that_count(site);
    };
    const auto calm = support::FreshStore::copy_of(recorded);
    request(calm.connect());
    republish(calm.connect());
    const auto expected = end_of(JobSite(calm.connect()));
    interleave([&](int at) {
        INFO(asked);
        const auto fresh = support::FreshStore::copy_of(recorded);
        Interleaving both(fresh, at, [&] {
            is_request_slow ? republish(fresh.connect()) : request(fresh.connect());
        });
        is_request_slow ? request(both.connect()) : republish(both.connect());
        both.join();
        CHECK(end_of(JobSite(fresh.connect())) == expected);
        return both.statements();
    });
}

TEST_CASE("A request to a later release is compared with the rows in force, or comes first") {
    const auto engine = GENERATE(support::both_engines());
    const Builds builds;
    const bool is_killed = GENERATE(false, true);
    // As in the first publication, or in neither.
    const auto* const words = is_killed ? "four" : "two";
    SmallBuild next("WS189", "2008-05-01");
    next.with("Gene", "differs", remark(words));
    const Published published(engine, builds);
    const auto record_next = [&](JobSite& site) {
        return support::record(site.context(), next, nullptr, {"Gene", "differs"});
    };
    const auto calm = support::FreshStore::copy_of(published);
    JobSite after(calm.connect());
    after.republish(builds.again, &builds.before, &builds.first);
    REQUIRE(record_next(after));
    const auto republished_first = after.contents();
    const auto other = support::FreshStore::copy_of(published);
    JobSite before(other.connect());
    REQUIRE(record_next(before));
    const auto refused = before.contents();
    int first = 0, later = 0;
    interleave([&](int at) {
        INFO(words << (is_killed ? ", killed" : ""));
        const auto fresh = support::FreshStore::copy_of(published);
        Interleaving both(fresh, at, [&] {
            if (is_killed) return republish_until_in_force(fresh.connect(), builds);
            JobSite job(fresh.connect());
            (void)job.try_republish(builds.again, &builds.before, &builds.first);
        });
        JobSite slow(both.connect());
        REQUIRE(record_next(slow));
        both.join();
        JobSite site(fresh.connect());
        (void)site.try_republish(builds.again, &builds.before, &builds.first);
        check_is_ended(site);
        const bool is_first = digest_of_release(site) != builds.again.digest();
        ++(is_first ? first : later);
        CHECK(site.contents() == (is_first ? refused : republished_first));
        return both.statements();
    });
    CHECK(first > 0);
    CHECK(later > 0);
}

TEST_CASE("Two processes publish a release again at once, and it is as if one had done it") {
    const auto engine = GENERATE(support::both_engines());
    const Builds builds;
    const Published published(engine, builds);
    const auto expected = republished_alone(published, builds);
    interleave([&](int at) {
        const auto fresh = support::FreshStore::copy_of(published);
        Interleaving both(fresh, at, [&] {
            JobSite job(fresh.connect());
            (void)job.try_republish(builds.again, &builds.before, &builds.first);
        });
        JobSite site(both.connect());
        (void)site.try_republish(builds.again, &builds.before, &builds.first);
        both.join();
        JobSite looking(fresh.connect());
        check_is_ended(looking);
        CHECK(looking.contents() == expected);
        return both.statements();
    });
}

TEST_CASE("A re-publication by another build ends the one that is under way") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    Again third;
    third.with("Gene", "differs", remark("five")).with("Gene", "third", remark("third"));
    third.with("Gene", "new_row", remark("one"));  // as in the first
    const Published published(engine, builds);
    const auto rows_after = [&](const SmallBuild& again) {
        const auto calm = support::FreshStore::copy_of(published);
        JobSite alone(calm.connect());
        alone.republish(again, &builds.before, &builds.first);
        return rows_that_count(alone);
    };
    const auto third_rows = rows_after(third), again_rows = rows_after(builds.again);
    int ended = 0;  // re-publications that gave way to the other build
    interleave([&](int at) {
        const auto fresh = support::FreshStore::copy_of(published);
        std::optional<base::Error> error;
        Interleaving both(fresh, at, [&] {
            JobSite job(fresh.connect());
            const auto done = job.try_republish(third, &builds.before, &builds.first);
            if (!done) error = done.error();
        });
        JobSite first(both.connect());
        const auto done = first.try_republish(builds.again, &builds.before, &builds.first);
        both.join();
        // Whichever of the two gave way can be run again.
        JobSite site(fresh.connect());
        if (error) {
            CHECK(error->kind == base::ErrorKind::conflict);
            site.republish(third, &builds.before, &builds.again);
        }
        if (!done) {
            CHECK(done.error().kind == base::ErrorKind::conflict);
            ++ended;
        }
        check_is_ended(site);
        // It may have begun after the other had ended.
        CHECK(rows_that_count(site) ==
              (digest_of_release(site) == third.digest() ? third_rows : again_rows));
        return both.statements();
    });
    CHECK(ended > 0);
}

TEST_CASE("What a release had is read while its rows are replaced, without a write") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    republish_until_in_force(fresh.connect(), builds);
    const auto trees_in = [&](const store::Connect& connect) {
        JobSite site(connect);
        std::string all;
        for (const auto* name : {"same", "differs", "none_left", "new_row", "gone_now", "dropped",
                                 "created", "back_again", "renamed", "name_1"})
            for (const auto* version : {"WS187", "WS188"}) {
                const auto object = store::perform(site.pool, store::Access::read, [&](auto& t) {
                    return support::row_of(t, {"Gene", name}).value();
                });
                const auto tree = query::tree_at(site.pool, site.settings, object, version);
                all += std::string(name) + ' ' + version + ' ';
                all += tree ? (tree->there ? tree::signature_of(tree->nodes) : "gone")
                            : tree.error().text;
                all += '\n';
            }
        return all;
    };
    JobSite site(fresh.connect());
    REQUIRE(is_replacing(site));
    bool has_written = false;
    const auto during = trees_in(
        support::watched(fresh.connect(), [&](support::Statement statement, std::string_view) {
            has_written = has_written || statement == support::Statement::begin_write ||
                          statement == support::Statement::execute;
        }));
    CHECK_FALSE(has_written);
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(during == trees_in(fresh.connect()));
}

TEST_CASE("A damaged replacement is left out, and the re-publication ends all the same") {
    const Builds builds;
    const Published fresh(GENERATE(support::engines()), builds);
    JobSite site(fresh.connect());
    republish_until_in_force(fresh.connect(), builds);
    site.execute("UPDATE replacements SET notes = '{\"changes\":[{}]}' WHERE oid ="
                 " (SELECT oid FROM objects WHERE name = 'differs')");
    std::vector<tables::UnreadableRow> unreadable;
    store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto note = [&](const tables::UnreadableRow& row) { unreadable.push_back(row); };
        const auto releases = tables::load_releases(transaction);
        const auto object = support::row_of(transaction, {"Gene", "differs"}).value();
        const auto other = support::row_of(transaction, {"Gene", "new_row"}).value();
        CHECK(tables::replaced_rows(transaction, object, releases, note).empty());
        CHECK(tables::replaced_rows(transaction, other, releases, note).size() == 1);
        // Neither the new row nor the one that it replaces.
        const auto rows = query::load_rows(transaction, std::span(&object, 1),
                                           builds.again.release(), {}, releases);
        CHECK(rows->rows.empty());
        CHECK(rows->unreadable == unreadable);
        const auto checked =
            tables::check_replacements(transaction, releases.replacing().at(0), releases, 0, 100);
        CHECK(checked.rows > 1);
        CHECK(checked.unreadable == unreadable);
    });
    REQUIRE(unreadable.size() == 1);
    CHECK(unreadable[0].object == ObjectName{"Gene", "differs"});
    CHECK(unreadable[0].version == "WS188");
    site.republish(builds.again, &builds.before, &builds.first);
    check_is_ended(site);
    const auto checked = store::perform(site.pool, store::Access::read, [](auto& transaction) {
        return tables::check_rows(transaction, std::numeric_limits<std::int64_t>::max(), 100);
    });
    CHECK(checked.unreadable == unreadable);
}
