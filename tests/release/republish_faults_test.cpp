// A release that is published again, while others read and record, and while the job dies.
// SPDX-License-Identifier: MIT
#include <functional>
#include <set>

#include "query/row_reading.hpp"
#include "query/tree_at.hpp"
#include "release/republished_builds.hpp"
#include "support/contents.hpp"
#include "support/faulty_connection.hpp"

using namespace release_tests;

namespace {

// Calls `after` behind each statement that was carried out; what that throws the caller gets.
enum class Statement { query, execute, begin, commit };
using After = std::function<void(Statement)>;
class WatchedConnection final : public store::Connection {
   public:
    WatchedConnection(std::unique_ptr<store::Connection> real, After after)
        : real_(std::move(real)), after_(std::move(after)) {}
    [[nodiscard]] store::Engine engine() const override { return real_->engine(); }
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        auto rows = real_->query(sql, values);
        after_(Statement::query);
        return rows;
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        const auto count = real_->execute(sql, values);
        after_(Statement::execute);
        return count;
    }
    void begin(store::Access access) override {
        real_->begin(access);
        after_(Statement::begin);
    }
    void commit() override {
        real_->commit();
        after_(Statement::commit);
    }
    void rollback() noexcept override { real_->rollback(); }
    [[nodiscard]] bool is_broken() const noexcept override { return real_->is_broken(); }

   private:
    std::unique_ptr<store::Connection> real_;
    After after_;
};
store::Connect watched(store::Connect real, After after) {
    return [real = std::move(real), after = std::move(after)] {
        return std::make_unique<WatchedConnection>(real(), after);
    };
}

const std::vector<std::string> recorded{"same",    "differs",  "restamped",  "none_left",
                                        "new_row", "gone_now", "back_again", "created",
                                        "dropped", "renamed",  "name_1"};

// All that readers learn of the objects that are recorded, at one moment.
std::string seen_by_readers(JobSite& site, const SmallBuild& build,
                            const std::vector<std::string>& names = recorded) {
    return store::perform(site.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto releases =
            history::known_releases(transaction, site.settings, &build, nullptr);
        std::string all;
        for (const auto& name : names) {
            auto row = tables::find_object(transaction, {"Gene", name}).value();
            tables::settle(transaction, row, build.release(), releases);
            all += name + ' ' + row.label + ' ' + row.signature + ' ' +
                   base::format_date(row.last_modified) + ' ' + row.compared_in + '\n';
            const auto rows =
                query::load_rows(transaction, row, build.release(), {}, releases).value();
            all += std::to_string(rows.recorded);
            for (const auto& each : rows.rows)
                all += ' ' + each.release.version + '/' + std::to_string(each.revision) + ' ' +
                       std::string(tables::name_of(each.kind)) + ' ' + each.label + ' ' +
                       tables::to_json(each.notes) + '\n';
        }
        return all;
    });
}

void publish_first(const store::Connect& connect, const Builds& builds) {
    JobSite site(connect);
    site.prewarm(builds.before);
    site.prewarm(builds.first, &builds.before);
}

}  // namespace

TEST_CASE("readers see all the old rows or all the new ones, whenever they look") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const Builds builds;
    publish_first(fresh.connect(), builds);
    JobSite reader(fresh.connect());
    const auto old_rows = seen_by_readers(reader, builds.first);
    std::vector<std::string> seen{old_rows};
    int looks = 0;
    JobSite site(watched(fresh.connect(), [&](Statement) {
        ++looks;
        auto now = seen_by_readers(reader, builds.first);
        if (now != seen.back()) seen.push_back(std::move(now));
    }));
    site.republish(builds.again, &builds.before, &builds.first);
    CHECK(looks > 100);
    REQUIRE(seen.size() == 2);
    CHECK(seen.back() == seen_by_readers(reader, builds.again));
}

TEST_CASE("a job that dies at whatever statement goes on to the same end") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const auto last_words = [&](const store::Connect& connect) {
        JobSite site(connect);
        const auto done = site.try_republish(builds.again, &builds.before, &builds.first);
        if (!done) CHECK(done.error().kind == base::Kind::refused);  // it had ended
        CHECK(site.query("SELECT oid FROM replacements").empty());
        CHECK(site.query("SELECT version FROM releases WHERE replacing <> 0").empty());
        CHECK(site.query("SELECT task FROM leases WHERE task = 'WS188 replacing'").empty());
        return site.contents();
    };
    const support::FreshStore calm(engine);
    publish_first(calm.connect(), builds);
    const auto expected = last_words(calm.connect());
    const int step = engine == store::Engine::sqlite ? 3 : 17;
    bool ended = false;
    for (int at = 1; !ended; at += step) {
        INFO("statement " << at);
        const support::FreshStore fresh(engine);
        publish_first(fresh.connect(), builds);
        int statements = 0;
        {
            JobSite site(watched(fresh.connect(), [&](Statement) {
                if (++statements >= at) throw store::Failure("killed (by the test)", {}, 0);
            }));
            ended = site.try_republish(builds.again, &builds.before, &builds.first).has_value();
        }
        CHECK(last_words(fresh.connect()) == expected);
    }
}

TEST_CASE("a statement that fails for a moment changes nothing of what a replacement comes to") {
    using support::Fault;
    const auto fault =
        GENERATE(Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit);
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const support::FreshStore calm(engine);
    publish_first(calm.connect(), builds);
    JobSite undisturbed(calm.connect());
    undisturbed.republish(builds.again, &builds.before, &builds.first);
    const auto expected = support::contents_of(undisturbed.pool);
    const int step = engine == store::Engine::sqlite ? 7 : 29;
    for (int at = 1;; at += step) {
        INFO("statement " << at);
        const support::FreshStore fresh(engine);
        publish_first(fresh.connect(), builds);
        const auto plan = std::make_shared<support::FaultPlan>(fault, at);
        JobSite site(support::faulty(fresh.connect(), plan), support::no_waiting());
        site.republish(builds.again, &builds.before, &builds.first);
        CHECK(site.contents() == expected);
        if (!plan->struck()) break;
    }
}

TEST_CASE("what a request records while the job runs is replaced like all else") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    // The last one has no row in the release as it came first: that it was compared is noted.
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
    const auto publish = [&](const store::Connect& connect) {
        JobSite site(connect);
        site.prewarm(builds.before);
        site.ask(builds.first, &builds.before, {"Gene", "same"});
    };
    const support::FreshStore calm(engine);
    publish(calm.connect());
    JobSite before(calm.connect());
    for (const auto& name : asked) before.ask(builds.first, &builds.before, {"Gene", name});
    before.republish(builds.again, &builds.before, &builds.first);
    const auto expected = end_of(before);
    bool asked_in_time = true;
    for (int at = 1; asked_in_time; ++at) {
        INFO("transaction " << at);
        const support::FreshStore fresh(engine);
        publish(fresh.connect());
        JobSite requests(fresh.connect());
        int commits = 0;
        std::string when_in_force;
        JobSite site(watched(fresh.connect(), [&](Statement statement) {
            // SQLite has one writer: between two transactions of the job.
            if (statement != Statement::commit) return;
            if (when_in_force.empty() && digest_of_release(requests) == builds.again.digest())
                when_in_force = seen_by_readers(requests, builds.first, changed);
            if (++commits != at) return;
            for (const auto& name : asked)
                (void)history::refresh(requests.context(), builds.first, &builds.before,
                                       {"Gene", name});
        }));
        site.republish(builds.again, &builds.before, &builds.first);
        CHECK(when_in_force == seen_by_readers(requests, builds.first, changed));
        CHECK(end_of(requests) == expected);
        asked_in_time = commits >= at;
    }
}

TEST_CASE("an attempt that was broken off is cleared away by the next with another content") {
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
        JobSite site(watched(fresh.connect(), [&](Statement) {
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

TEST_CASE("what an attempt left that nobody tells of any more is computed anew") {
    const auto engine = GENERATE(support::engines());
    const Builds builds;
    const support::FreshStore fresh(engine);
    publish_first(fresh.connect(), builds);
    JobSite site(fresh.connect());
    {
        JobSite dying(watched(fresh.connect(), [&](Statement statement) {
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

TEST_CASE("an object that the release after it changes has its replacement in place first") {
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
        JobSite site(watched(fresh.connect(), [&](Statement statement) {
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
    // As it was then, for those who ask for the tree.
    const auto object = store::perform(reader.pool, store::Access::read, [](auto& transaction) {
        return tables::find_object(transaction, {"Gene", "none_left"}).value();
    });
    const auto tree = query::tree_at(reader.pool, reader.settings, object, "WS188");
    REQUIRE(tree);
    CHECK(tree->nodes == remark("one"));
    // The newer release does not keep the job from its end.
    reader.republish(builds.again, &builds.before, &builds.first);
    CHECK_FALSE(is_replacing());
    CHECK(reader.rows("WS189").at("differs") == row);
}
