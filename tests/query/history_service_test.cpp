// What a request gets: history up to date, as it is recorded, or an error.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <thread>

#include "history/recorder.hpp"
#include "history/rename_candidates.hpp"
#include "process.hpp"
#include "query/release_contents.hpp"
#include "support/faulty_connection.hpp"

using namespace tables;
using namespace history;
using namespace query;
using namespace processes;
using support::tag;
using support::text;

namespace {

Shared build(const std::string& version, const std::string& day, const std::string& word) {
    auto made = std::make_shared<support::SmallBuild>(version, day);
    made->with("Gene", gene.name, {tag("Name", {text("unc-26")}), tag("Remark", {text(word)})});
    return made;
}

// Writes to one node of a cluster and reads from another one, which does not get the writes.
class SplitConnection final : public support::ForwardingConnection {
   public:
    SplitConnection(std::unique_ptr<store::Connection> written,
                    std::unique_ptr<store::Connection> behind)
        : ForwardingConnection(std::move(behind)), written_(std::move(written)) {}
    std::int64_t execute(std::string_view sql, std::span<const store::Value> values) override {
        return is_writing_ ? written_->execute(sql, values)
                           : ForwardingConnection::execute(sql, values);
    }
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values) override {
        return is_writing_ ? written_->query(sql, values)
                           : ForwardingConnection::query(sql, values);
    }
    void begin(store::Access access) override {
        is_writing_ = access == store::Access::write;
        if (is_writing_) return written_->begin(access);
        ForwardingConnection::begin(access);
    }
    void commit() override {
        if (is_writing_) return written_->commit();
        ForwardingConnection::commit();
    }
    void rollback() noexcept override {
        if (is_writing_) return written_->rollback();
        ForwardingConnection::rollback();
    }

   private:
    std::unique_ptr<store::Connection> written_;
    bool is_writing_ = false;
};

}  // namespace

TEST_CASE("However many ask at once, an object is loaded once") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_names());
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

TEST_CASE("What another process has recorded is in an answer a second later") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process one(fresh.connect(), with_names()), two(fresh.connect(), with_names());
    const auto versions = [&] {
        std::vector<std::string> known;
        two.now += std::chrono::seconds(1);
        ReleaseListCache list;
        for (const auto& [summary, of_day, details] : list.get(two.context()))
            known.push_back(summary.release.version + ' ' + std::to_string(summary.kinds.size()));
        return known;
    };
    // Each release is known as soon as it was current anywhere, before it has a row.
    one.put(build("WS186", "2008-02-01", "one"));
    one.put(build("WS187", "2008-02-15", "one more"));
    for (auto* process : {&one, &two}) process->put(build("WS188", "2008-03-22", "two"));
    CHECK(versions() == std::vector<std::string>{"WS188 0", "WS187 0", "WS186 0"});
    one.record(build("WS186", "2008-02-01", "one"));
    one.record(build("WS187", "2008-02-15", "one more"));
    CHECK(versions() == std::vector<std::string>{"WS188 0", "WS187 1", "WS186 0"});
    CHECK(two.history(gene).rows.size() == 2);
    one.put(build("WS188", "2008-03-22", "two"));
    CHECK(one.history(gene).rows == two.history(gene).rows);
}

TEST_CASE("A request for one of two names of an object shows the other one") {
    const bool for_old = GENERATE(true, false);
    const bool are_many = GENERATE(true, false);
    Server process;
    const ObjectName old_name{"Gene", "old"}, new_name{"Gene", "new"}, unreadable{"Gene", "no"};
    const auto first = std::make_shared<support::SmallBuild>("WS186", "2008-02-01");
    const auto second = std::make_shared<support::SmallBuild>("WS187", "2008-02-15");
    first->with("Gene", "old", support::remark("one"));
    second->with("Gene", "new", support::remark("one"))
        .with("Gene", "no", support::remark("two"));
    second->with("Paper", "new", support::remark("one"));
    second->break_one_with(unreadable, {base::ErrorKind::malformed, "no quote"});
    for (std::size_t i = 2; are_many && i < history::most_rename_candidates; ++i)
        second->with("Gene", "g" + std::to_string(i), support::remark("x"));
    process.record(first);
    process.keep(first);
    process.put(second);
    const auto row = process.history(for_old ? old_name : new_name).rows.at(0);
    CHECK(row.renamed_to == (for_old && !are_many ? std::optional(new_name) : std::nullopt));
    CHECK(row.renamed_from == (!for_old && !are_many ? std::optional(old_name) : std::nullopt));
    const auto loads = are_many ? (for_old ? 0 : 1) : 2;
    CHECK(second->loads() == loads);
    // The others were looked at once in this build.
    CHECK_FALSE(process.service.history_of(unreadable, {}));
    CHECK(second->loads() == loads + 1);
}

TEST_CASE("An object that can't be read is answered from recorded history") {
    Server process(with_names());
    process.record(build("WS186", "2008-02-01", "one"));
    process.record(build("WS187", "2008-02-15", "two"));
    const auto broken = build("WS188", "2008-03-22", "three");
    broken->break_with({base::ErrorKind::malformed, "dump.ace:7: no closing quote"});
    broken->with("Gene", "never-seen", {text("x")});
    process.put(broken);
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(answer->history.rows.size() == 1);
    CHECK(process.service.history_of({"Gene", "never-seen"}, {}).error().kind ==
          base::ErrorKind::malformed);
}

TEST_CASE("Without a build recorded history is answered, and an unknown object is unavailable") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process before(fresh.connect(), with_names());
    before.record(build("WS186", "2008-02-01", "one"));
    before.record(build("WS187", "2008-02-15", "two"));
    Process process(fresh.connect(), with_names());
    process.current.look();
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(answer->history.rows.size() == 1);
    CHECK(process.service.history_of({"Gene", "x"}, {}).error().kind ==
          base::ErrorKind::unavailable);
}

TEST_CASE("A store that cannot be reached is an error, never an empty history") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build("WS186", "2008-02-01", "one"));
    Process later(fresh.connect(), with_names());
    later.put(build("WS186", "2008-02-01", "one"));
    Process away(fresh.connect(), with_names());
    away.cut_off();
    CHECK(away.service.history_of(gene, {}).error().kind == base::ErrorKind::unavailable);
}

TEST_CASE(
    "Where a later publication of the release is in force, history is answered as it stands") {
    Server process;
    process.record(build("WS186", "2008-02-01", "one"));
    const auto superseded = build("WS187", "2008-02-15", "two");
    process.put(superseded);
    store::perform(process.pool, store::Access::write, [&](store::Transaction& transaction) {
        REQUIRE(tables::number_build(transaction, superseded->release(), "another",
                                     tables::Publication::again, process.now));
    });
    process.now += std::chrono::seconds(1);
    const auto answer = process.service.history_of(gene, {});
    REQUIRE(answer);
    CHECK(answer->up_to_date);
    CHECK(answer->history.rows.empty());
    CHECK(superseded->loads() == 0);
}

TEST_CASE("An object known from a newer release only is judged by the current build") {
    Server process(with_names());
    const auto newer = build("WS187", "2008-02-15", "one");
    newer->with("Gene", "first-seen-late", {text("x")});
    process.put(build("WS186", "2008-02-01", "one"));
    process.put(newer);
    REQUIRE(process.service.history_of({"Gene", "first-seen-late"}, {}));
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK(process.service.history_of({"Gene", "first-seen-late"}, {}).error().kind ==
          base::ErrorKind::absent);
}

TEST_CASE("An unknown release to begin after is refused") {
    Server process(with_names());
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK(process.service.history_of(gene, {50, "WS1"}).error().kind == base::ErrorKind::refused);
    CHECK(process.service.history_of(gene, {50, "WS186"}));
}

TEST_CASE("Hits are collected and written together") {
    Server process(with_names());
    process.record(build("WS186", "2008-02-01", "one"));
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

TEST_CASE(
    "Requests are counted in short transactions, and what was not written is written later") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    support::SmallBuild objects("WS186", "2008-02-01");
    for (int i = 0; i < 1'200; ++i)
        objects.with("Gene", "g" + std::to_string(i), support::remark("x"));
    const auto names = support::names_in(objects);
    const history::Settings settings;
    const base::Clock clock = [&] { return process.now; };
    history::LabelCache labels;
    REQUIRE(bring_up_to_date({process.pool, settings, clock, labels}, objects, nullptr, names));

    auto once = support::no_waiting();
    once.attempts = 1;
    const auto plan = std::make_shared<support::FaultPlan>(support::Fault::lost, 700);
    store::Pool pool(support::faulty(fresh.connect(), plan), 1, once);
    HistoryService service(pool, process.current, settings, clock);
    for (const auto& name : names) service.note_hit(name);
    const auto written = [&] {
        return store::perform(process.pool, store::Access::read, [](auto& transaction) {
            return transaction.query("SELECT hits FROM objects WHERE hits = 1").size();
        });
    };
    CHECK_THROWS_AS(service.flush_hits(), store::Failure);
    CHECK(written() == 500);
    service.flush_hits();
    CHECK(written() == names.size());
}

TEST_CASE("An object of a class that is skipped is not shown as gone") {
    Server process;
    process.put(build("WS186", "2008-02-01", "one"));
    CHECK_FALSE(process.history(gene).vanished);
    auto skipping = std::make_shared<support::SmallBuild>("WS187", "2008-02-15");
    skipping->with("Paper", "p", {text("x")}).skipping("Gene");
    process.put(skipping);
    CHECK_FALSE(process.history(gene).vanished);
    CHECK(process.history(gene).rows.empty());
    CHECK(process.list({gene}).objects.size() == 1);
}

TEST_CASE("A node that does not have what was just written to another one gives no page") {
    const support::FreshStore written(store::Engine::sqlite), behind(store::Engine::sqlite);
    Process process([&] {
        return std::make_unique<SplitConnection>(written.connect()(), behind.connect()());
    });
    process.put(build("WS186", "2008-02-01", "one"));
    const auto answer = process.service.history_of(gene, {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == base::ErrorKind::unavailable);
    const auto listed = process.service.watch_list({gene}, {});
    CHECK_FALSE((listed && listed->up_to_date));
}
