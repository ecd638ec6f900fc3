// Many objects at once: the outcome is that of one after the other.
// SPDX-License-Identifier: MIT
#include "history/batch.hpp"

#include <map>
#include <set>

#include "source/dump.hpp"
#include "support/catch.hpp"
#include "support/contents.hpp"
#include "support/faulty_connection.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using namespace tables;
using namespace history;
using support::SmallBuild;
using support::tag;
using support::text;

namespace {

using Names = std::vector<ObjectName>;

struct Office {
    explicit Office(store::Connect connect, store::RetryPolicy retry_policy = {})
        : pool(std::move(connect), 4, std::move(retry_policy)) {}

    std::vector<Brought> bring(const source::Source& build, const source::Source* previous,
                               const Names& names, const BatchSettings& how = {}) {
        auto done =
            bring_up_to_date({pool, settings, clock, renames}, build, previous, names, how);
        if (!done) FAIL(done.error().text);
        return *done;
    }
    void refresh(const source::Source& build, const source::Source* previous,
                 const Names& names) {
        for (const auto& name : names) {
            const auto done =
                history::refresh({pool, settings, clock, renames}, build, previous, name);
            if (!done && done.error().kind != base::Kind::absent) FAIL(done.error().text);
        }
    }
    std::string contents() { return support::contents_of(pool); }

    store::Pool pool;
    Settings settings;
    base::Clock clock = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    CreatedObjects renames;
};

Names names_of(const source::Source& build) {
    Names names;
    source::each_object(build, [&](const source::Listed& listed) {
        names.push_back(listed.id());
        return true;
    });
    return names;
}

std::map<Fate, int> counted(const std::vector<Brought>& brought) {
    std::map<Fate, int> counts;
    for (const auto& one : brought) ++counts[one.fate];
    return counts;
}

const support::Nodes one{tag("Remark", {text("one")})}, two{tag("Remark", {text("two")})};

// Three objects before; then one is the same, one changed, one gone, one new.
struct OldBuild : SmallBuild {
    OldBuild() : SmallBuild("WS186", "2008-02-01") {
        with("Gene", "same", one).with("Gene", "changed", one).with("Gene", "gone", two);
    }
};
struct NewBuild : SmallBuild {
    NewBuild() : SmallBuild("WS187", "2008-02-15") {
        with("Gene", "same", one).with("Gene", "changed", two);
        with("Gene", "new", {tag("Remark", {text("three")})});
    }
};
const Names all{{"Gene", "same"}, {"Gene", "changed"}, {"Gene", "gone"}, {"Gene", "new"}};

}  // namespace

TEST_CASE("the sample builds in batches leave what they leave one by one") {
    const auto engine = GENERATE(support::engines());
    const support::FreshStore first(engine), second(engine);
    const support::TempDir indexes;
    Office batches(first.connect()), singly(second.connect());
    std::set<ObjectName> seen;
    source::Build previous;
    for (const std::string version : {"WS186", "WS187", "WS188"}) {
        const auto build =
            source::open_dump({"examples/builds/" + version, indexes.path().string(), 64});
        REQUIRE(build);
        for (auto& name : names_of(**build)) seen.insert(std::move(name));
        const Names names(seen.begin(), seen.end());
        singly.refresh(**build, previous.get(), names);
        for (std::size_t at = 0; at < names.size(); at += 100) {
            const Names some(names.begin() + static_cast<std::ptrdiff_t>(at),
                             names.begin() +
                                 static_cast<std::ptrdiff_t>(std::min(at + 100, names.size())));
            batches.bring(**build, previous.get(), some);
        }
        previous = *build;
    }
    CHECK(batches.contents() == singly.contents());
}

TEST_CASE("a batch tells what became of each object") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Office office(fresh.connect());
    const OldBuild old_build;
    const NewBuild new_build;
    auto brought = office.bring(old_build, nullptr, all);
    CHECK(counted(brought) == std::map<Fate, int>{{Fate::added, 3}, {Fate::absent, 1}});
    brought = office.bring(new_build, &old_build, all);
    REQUIRE(brought.size() == 4);
    CHECK(brought[0].fate == Fate::unchanged);
    CHECK(brought[1].fate == Fate::changed);
    CHECK(brought[2].fate == Fate::vanished);
    CHECK(brought[3].fate == Fate::added);
    brought = office.bring(new_build, &old_build, all);
    CHECK(counted(brought) == std::map<Fate, int>{{Fate::compared, 4}});
    // Three looked at, and the new one once more: is it the other under a new name (C9)?
    CHECK(new_build.loads() == 4);
}

TEST_CASE("an object whose bytes are those it was compared with is not loaded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Office office(fresh.connect());
    const OldBuild old_build;
    const NewBuild new_build;
    office.bring(old_build, nullptr, all);
    std::vector<std::string> asked;
    BatchSettings how;
    how.note_unchanged = NoteUnchanged::no;
    how.same_bytes = [&](const ObjectName& name, const std::string& version) {
        asked.push_back(name.name + " " + version);
        return old_build.digest_of(name) == new_build.digest_of(name);
    };
    const auto brought = office.bring(new_build, &old_build, all, how);
    CHECK(asked == std::vector<std::string>{"same WS186", "changed WS186"});
    CHECK(new_build.loads() == 3);  // the new one twice, see above
    CHECK(brought[0].fate == Fate::unchanged);
    // Its row is as it was: the end of the job notes the class.
    CHECK_THAT(office.contents(),
               Catch::Contains("Gene|same|same|same|" + tree::signature_of(one) +
                               "|2007-01-01|WS186||\n"));
    const auto again = office.bring(new_build, &old_build, {{"Gene", "same"}});
    CHECK(again[0].fate == Fate::unchanged);
    CHECK(office.bring(new_build, &old_build, {{"Gene", "same"}})[0].fate == Fate::compared);
}

TEST_CASE("an object that can't be read is listed with the reason, and the others are recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Office office(fresh.connect());
    OldBuild build;
    build.break_with({base::Kind::malformed, "dump.ace:7: a cell without an end"});
    const auto brought = office.bring(build, nullptr, all);
    CHECK(counted(brought) == std::map<Fate, int>{{Fate::failed, 3}, {Fate::absent, 1}});
    CHECK(brought[0].reason == "dump.ace:7: a cell without an end");
    const auto listed = store::perform(office.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT version, class, name, reason FROM failed ORDER BY name");
    });
    REQUIRE(listed.size() == 3);
    CHECK(listed[0] == store::Row({"WS186", "Gene", "changed", brought[0].reason}));
    // Twice is once.
    office.bring(build, nullptr, all);
}

TEST_CASE("a build that can't be read stops a batch") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Office office(fresh.connect());
    OldBuild build;
    build.break_with({base::Kind::unavailable, "the folder has gone"});
    const Context desk{office.pool, office.settings, office.clock, office.renames};
    const auto done = bring_up_to_date(desk, build, nullptr, all, {});
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::Kind::unavailable);
}

TEST_CASE("a batch leaves the same whichever statement fails, and however") {
    using support::Fault;
    const auto fault =
        GENERATE(Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit);
    const auto engine = GENERATE(support::engines());
    const OldBuild old_build;
    const NewBuild new_build;
    const support::FreshStore calm(engine);
    Office undisturbed(calm.connect());
    undisturbed.bring(old_build, nullptr, all);
    undisturbed.bring(new_build, &old_build, all);
    for (int at = 1;; ++at) {
        const support::FreshStore fresh(engine);
        const auto plan = std::make_shared<support::FaultPlan>(fault, at);
        Office office(support::faulty(fresh.connect(), plan), support::no_waiting());
        office.bring(old_build, nullptr, all);
        const auto brought = office.bring(new_build, &old_build, all);
        INFO("statement " << at);
        CHECK(office.contents() == undisturbed.contents());
        CHECK(brought[1].fate == Fate::changed);
        if (!plan->struck()) break;
    }
}

TEST_CASE("objects that a request records meanwhile are recorded once") {
    const support::FreshStore fresh(GENERATE(support::engines())), other(fresh.engine());
    Office office(fresh.connect()), calm(other.connect());
    const OldBuild old_build;
    const NewBuild new_build;
    calm.bring(old_build, nullptr, all);
    calm.bring(new_build, &old_build, all);
    office.bring(old_build, nullptr, all);
    // Between reading and writing: the batch asks for bytes after it has read the rows.
    BatchSettings how;
    bool done = false;
    how.same_bytes = [&](const ObjectName&, const std::string&) {
        if (!done) office.refresh(new_build, &old_build, all);
        done = true;
        return false;
    };
    office.bring(new_build, &old_build, all, how);
    CHECK(done);
    CHECK(office.contents() == calm.contents());
}
