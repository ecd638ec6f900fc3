// What a request gets: up to date, as it stands, or why not.
// SPDX-License-Identifier: MIT
#include "query/history_service.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using namespace tables;
using namespace history;
using namespace query;
using support::SmallBuild;
using support::tag;
using support::text;

namespace {

const ObjectName gene{"Gene", "WBGene00006763"};
using Shared = std::shared_ptr<SmallBuild>;

Shared build(const std::string& version, const std::string& day, const std::string& word) {
    auto made = std::make_shared<SmallBuild>(version, day);
    made->with("Gene", gene.name, {tag("Name", {text("unc-26")}), tag("Remark", {text(word)})});
    return made;
}

// A process: its pool can be cut off from the store, its builds are set by hand.
class Process {
   public:
    explicit Process(store::Connect connect)
        : pool(
              [this, connect = std::move(connect)] {
                  if (cut) throw store::Failure("cut off (by the test)", {}, 2002);
                  return connect();
              },
              4),
          current(opener(), pool), service(pool, current, settings(), [this] { return now; }) {}

    void put(Shared next) {
        build_ = std::move(next);
        identity_ += '1';
        current.look();
    }
    void cut_off() {
        cut = true;
        now += std::chrono::seconds{5};
    }

    std::atomic<bool> cut = false;
    base::Seconds now{*base::parse_date("2008-04-01")};
    store::Pool pool;
    CurrentBuild current;
    HistoryService service;

   private:
    static Settings settings() {
        Settings made;
        made.names = {{"Gene", {{"Name"}}}};
        return made;
    }
    BuildOpener opener() {
        return {[this]() -> base::Result<std::string> {
                    if (!build_) return base::fail(base::Kind::unavailable, "no folder");
                    return identity_;
                },
                [this](Wholeness) { return base::Result<source::Build>(build_); },
                [](const base::Release&, const WasServed&) { return source::Build(); }};
    }
    Shared build_;
    std::string identity_;
};

}  // namespace

TEST_CASE("a request brings the object up to date and gets its history") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(process.service.history_of(gene, {}));
    process.put(build("WS187", "2008-02-15", "two"));
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK(answer->up_to_date);
    CHECK(answer->history.current.version == "WS187");
    CHECK(answer->history.label == "unc-26");
    CHECK(answer->history.recorded == 1);
    REQUIRE(answer->history.rows.size() == 1);
    CHECK(answer->history.rows[0].label == "unc-26");
    CHECK_FALSE(answer->history.vanished);
}

TEST_CASE("an object without rows is called what its tree says") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK(process.service.history_of(gene, {})->history.label == "unc-26");
}

TEST_CASE("however many ask at once, an object is loaded once") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    const auto now = build("WS186", "2008-02-01", "one");
    process.put(now);
    std::atomic<int> answered = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back(
                [&] { answered += process.service.history_of(gene, {}) ? 1 : 0; });
    }
    CHECK(answered == 8);
    CHECK(now->loads() == 1);
}

TEST_CASE("two processes record one release of an object once") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process one(fresh.connect()), two(fresh.connect());
    one.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(one.service.history_of(gene, {}));
    for (auto* process : {&one, &two}) process->put(build("WS187", "2008-02-15", "two"));
    std::atomic<int> answered = 0;
    {
        std::vector<std::jthread> threads;
        for (auto* process : {&one, &two, &one, &two})
            threads.emplace_back([&answered, process] {
                answered += process->service.history_of(gene, {}) ? 1 : 0;
            });
    }
    CHECK(answered == 4);
    CHECK(two.service.history_of(gene, {})->history.rows.size() == 1);
}

TEST_CASE("the moment moves on with the build and with every write of history") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(process.service.history_of(gene, {}));
    const auto before = process.service.cache_version();
    CHECK(before.store_reachable);
    CHECK(process.service.cache_version() == before);
    process.put(build("WS187", "2008-02-15", "two"));
    CHECK(process.service.cache_version().version == "WS187");
    REQUIRE(process.service.history_of(gene, {}));
    CHECK(process.service.cache_version().generation > before.generation);
}

TEST_CASE("another process's writes are seen within a second") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process one(fresh.connect()), two(fresh.connect());
    for (auto* process : {&one, &two}) process->put(build("WS186", "2008-02-01", "one"));
    REQUIRE(one.service.history_of(gene, {}));
    const auto before = two.service.cache_version();
    for (auto* process : {&one, &two}) process->put(build("WS187", "2008-02-15", "two"));
    REQUIRE(one.service.history_of(gene, {}));
    two.now += std::chrono::seconds{1};
    CHECK(two.service.cache_version().generation > before.generation);
}

TEST_CASE("an object that can't be read is answered from history as it stands") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(process.service.history_of(gene, {}));
    process.put(build("WS187", "2008-02-15", "two"));
    REQUIRE(process.service.history_of(gene, {}));
    const auto broken = build("WS188", "2008-03-22", "three");
    broken->break_with({base::Kind::malformed, "dump.ace:7: no closing quote"});
    broken->with("Gene", "never-seen", {text("x")});
    process.put(broken);
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(answer->history.rows.size() == 1);
    CHECK(process.service.history_of({"Gene", "never-seen"}, {}).error().kind ==
          base::Kind::malformed);
}

TEST_CASE("without a build history is answered as it stands, and the unknown is unavailable") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process before(fresh.connect());
    before.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(before.service.history_of(gene, {}));
    before.put(build("WS187", "2008-02-15", "two"));
    REQUIRE(before.service.history_of(gene, {}));
    Process process(fresh.connect());
    process.current.look();
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(answer->history.rows.size() == 1);
    CHECK(process.service.history_of({"Gene", "x"}, {}).error().kind == base::Kind::unavailable);
}

TEST_CASE("a store that is away is told as such, never as an empty history") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    Process later(fresh.connect());
    later.put(build("WS186", "2008-02-01", "one"));
    Process away(fresh.connect());
    away.cut_off();
    CHECK(away.service.history_of(gene, {}).error().kind == base::Kind::unavailable);
    CHECK_FALSE(away.service.cache_version().store_reachable);
}

TEST_CASE("an object known from a newer release only is judged by the current build") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    const auto newer = build("WS187", "2008-02-15", "one");
    newer->with("Gene", "born-late", {text("x")});
    process.put(newer);
    REQUIRE(process.service.history_of({"Gene", "born-late"}, {}));
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK(process.service.history_of({"Gene", "born-late"}, {}).error().kind ==
          base::Kind::absent);
}

TEST_CASE("an unknown release to begin after is refused") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK(process.service.history_of(gene, {50, "WS1"}).error().kind == base::Kind::refused);
    CHECK(process.service.history_of(gene, {50, "WS186"}));
}

TEST_CASE("hits are gathered and written together") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.put(build("WS186", "2008-02-01", "one"));
    REQUIRE(process.service.history_of(gene, {}));
    for (int i = 0; i < 3; ++i) process.service.note_hit(gene);
    process.service.flush_hits();
    process.service.note_hit(gene);
    process.service.flush_hits();
    process.service.flush_hits();
    const auto rows = store::perform(process.pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT hits, last_requested FROM objects");
    });
    CHECK(rows.at(0).integer(0) == 4);
    CHECK(rows.at(0).text(1) == "2008-04-01");
}
