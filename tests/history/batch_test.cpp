// A batch of objects is recorded like one object after another.
// SPDX-License-Identifier: MIT
#include "history/recorder.hpp"

#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "support/watched_connection.hpp"

using namespace tables;
using namespace history;
using support::remark;
using support::SmallBuild;

namespace {

using Names = std::vector<ObjectName>;

struct BatchSite : support::RecordingSite {
    using RecordingSite::RecordingSite;

    // Records the objects in one batch.
    std::vector<Recorded> record(const source::Source& build, const source::Source* previous,
                                 const Names& names, LongestWrite longest = {}) {
        auto done = bring_up_to_date(context(), build, previous, names, longest);
        if (!done) FAIL(done.error().text);
        return *done;
    }
};

std::map<Status, int> counted(const std::vector<Recorded>& recorded) {
    std::map<Status, int> counts;
    for (const auto& one : recorded) ++counts[one.status];
    return counts;
}

struct BatchStore {
    BatchStore() : fresh(GENERATE(support::engines())), site(fresh.connect()) {}
    const support::FreshStore fresh;
    BatchSite site;
};

// Three objects before; then one is the same, one changed, one has another name.
struct OldBuild : SmallBuild {
    OldBuild() : SmallBuild("WS186", "2008-02-01") {
        with("Gene", "same", remark("one")).with("Gene", "changed", remark("one"));
        with("Gene", "gone", remark("two"));
    }
};
struct NewBuild : SmallBuild {
    NewBuild() : SmallBuild("WS187", "2008-02-15") {
        with("Gene", "same", remark("one")).with("Gene", "changed", remark("two"));
        with("Gene", "new", remark("two"));
    }
};
const Names all{{"Gene", "same"}, {"Gene", "changed"}, {"Gene", "gone"}, {"Gene", "new"}};

}  // namespace

TEST_CASE_METHOD(BatchStore, "A batch returns what happened to each object") {
    const OldBuild old_build;
    const NewBuild new_build;
    auto recorded = site.record(old_build, nullptr, all);
    CHECK(counted(recorded) == std::map<Status, int>{{Status::added, 3}, {Status::absent, 1}});
    recorded = site.record(new_build, &old_build, all);
    REQUIRE(recorded.size() == 4);
    CHECK(recorded[0].status == Status::unchanged);
    CHECK(recorded[1].status == Status::changed);
    CHECK(recorded[2].status == Status::vanished);
    CHECK(recorded[3].status == Status::added);
    recorded = site.record(new_build, &old_build, all);
    CHECK(counted(recorded) ==
          std::map<Status, int>{{Status::compared, 3}, {Status::unchanged, 1}});
    CHECK(new_build.loads() == 2);
}

TEST_CASE_METHOD(BatchStore, "Nothing has vanished that may be in a part that cannot be read") {
    OldBuild old_build;
    NewBuild new_build;
    new_build.break_unknown();
    site.record(old_build, nullptr, all);
    auto recorded = site.record(new_build, &old_build, all);
    CHECK(recorded[0].status == Status::unchanged);
    CHECK(recorded[2].status == Status::failed);
    CHECK(recorded[2].error ==
          base::Error{base::ErrorKind::malformed, "any object may be there"});
    CHECK(recorded[3].status == Status::added);
    // Nor was something created that the part before may have had.
    SmallBuild next("WS188", "2008-03-22");
    next.with("Gene", "gone", remark("two")).with("Gene", "later", remark("three"));
    recorded = site.record(next, &new_build, {{"Gene", "gone"}, {"Gene", "later"}});
    CHECK(recorded[0].status == Status::unchanged);
    CHECK(recorded[1].status == Status::added);
    CHECK(site.query("SELECT kind FROM history WHERE version = 'WS188'").empty());
}

TEST_CASE_METHOD(BatchStore,
                 "An object with the same bytes as its compared version is not loaded") {
    const OldBuild old_build;
    const NewBuild new_build;
    site.record(old_build, nullptr, all);
    const auto builds = [&] { return site.query("SELECT name, build FROM objects"); };
    const auto before = builds();
    const auto recorded = site.record(new_build, &old_build, {{"Gene", "same"}});
    CHECK(recorded[0].status == Status::unchanged);
    CHECK(new_build.loads() == 0);
    CHECK(builds() == before);
    site.record(new_build, &old_build, all);
    CHECK(new_build.loads() == 2);
}

TEST_CASE_METHOD(BatchStore, "An unreadable build stops a batch") {
    OldBuild build;
    build.break_with({base::ErrorKind::unavailable, "the folder has gone"});
    const auto done = bring_up_to_date(site.context(), build, nullptr, all);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::ErrorKind::unavailable);
}

TEST_CASE("A transaction for which nobody waits goes on, and ends when somebody does") {
    // Says who waits, as SQLite's files do, and counts transactions.
    struct Awaited : support::ForwardingConnection {
        Awaited(std::unique_ptr<store::Connection> real, bool is_awaited, int& commits)
            : ForwardingConnection(std::move(real)), is_awaited_(is_awaited), commits_(commits) {}
        [[nodiscard]] bool may_be_awaited() override { return is_awaited_; }
        void commit() override {
            ForwardingConnection::commit();
            ++commits_;
        }
        bool is_awaited_;
        int& commits_;
    };
    const auto is_awaited = GENERATE(false, true);
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    int commits = 0;
    BatchSite site(
        [&] { return std::make_unique<Awaited>(fresh.connect()(), is_awaited, commits); });
    SmallBuild build("WS186", "2008-02-01");
    Names names;
    for (int i = 0; i < 200; ++i) {
        names.push_back({"Gene", "gene" + std::to_string(i)});
        build.with("Gene", names.back().name, remark("one"));
    }
    REQUIRE(site.number_build(build, Publication::first));
    commits = 0;
    const LongestWrite longest{std::chrono::milliseconds(0), std::chrono::hours(1)};
    CHECK(counted(site.record(build, nullptr, names, longest)) ==
          std::map<Status, int>{{Status::added, 200}});
    const auto reading = 2;
    CHECK(commits == reading + (is_awaited ? 4 : 1));  // of at most 64 objects each
}

TEST_CASE(
    "What a request records during a batch costs few other objects a transaction of their own") {
    struct Request {
        int commit;  // behind which it comes
        const char* name;
    };
    const auto asked = GENERATE(values<Request>({{2, "gene500"}, {4, "new"}}));
    const support::FreshStore fresh(GENERATE(support::engines())), other(fresh.engine());
    SmallBuild old_build("WS186", "2008-02-01"), new_build("WS187", "2008-02-15");
    Names names;
    for (int i = 0; i < 1000; ++i) {
        names.push_back({"Gene", "gene" + std::to_string(i)});
        old_build.with("Gene", names.back().name, remark("one"));
        new_build.with("Gene", names.back().name, remark("three"));
    }
    names.push_back({"Gene", "gone"});
    old_build.with("Gene", "gone", remark("two"));
    new_build.with("Gene", "new", remark("two"));

    BatchSite calm(other.connect()), request(fresh.connect());
    calm.record(old_build, nullptr, names);
    calm.ask(new_build, &old_build, {"Gene", asked.name});
    calm.record(new_build, &old_build, names);
    request.record(old_build, nullptr, names);
    REQUIRE(request.number_build(new_build, Publication::first));
    int commits = 0;
    BatchSite site(support::watched(fresh.connect(), [&](support::Statement statement, auto) {
        if (statement == support::Statement::commit && ++commits == asked.commit)
            request.ask(new_build, &old_build, {"Gene", asked.name});
    }));
    auto counts =
        counted(site.record(new_build, &old_build, names, {.awaited = std::chrono::hours(1)}));
    CHECK(counts[Status::changed] >= 999);  // what the request recorded is its own
    CHECK(counts[Status::vanished] == 1);
    CHECK(counts[Status::failed] == 0);
    CHECK(commits < 100);
    CHECK(site.contents() == calm.contents());
}
