// What recording costs where thousands of objects have new names, and what reading and storing cost
// after hundreds of releases: in statements, rows, bytes, loads and look-ups.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <map>
#include <vector>

#include "query/process.hpp"
#include "release/job_site.hpp"
#include "support/faulty_connection.hpp"
#include "support/watched_connection.hpp"

using namespace release_tests;

namespace {

constexpr int renamed_objects = 5'000;
constexpr int releases = 300;

// Knows names in their spelling only, and counts what is asked.
struct CountingBuild : SmallBuild {
    using SmallBuild::SmallBuild;
    [[nodiscard]] base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override {
        ++finds;
        const auto there = digest_of(asked);
        return *there ? std::optional(asked) : std::nullopt;
    }
    mutable std::atomic<int> finds{0};
};

// All objects of a class get new names.
struct Renamed {
    Renamed() : before("WS299", "2024-11-01"), now("WS300", "2024-12-01") {
        for (int i = 0; i < renamed_objects; ++i) {
            const auto own = std::to_string(i);
            before.with("Gene", "old " + own, remark(own));
            now.with("Gene", "new " + own, remark(own));
        }
    }
    CountingBuild before, now;
};

// Releases of a class of objects, each prewarmed. Each changes two objects: always `often`, and in turn
// one of ten others.
class Years {
   public:
    Years(const store::Connect& connect, int objects)
        : site_(connect), connect_(connect), objects_(objects) {}

    void go_on_to(int last) {
        for (; number_ < last; previous_ = current_) {
            ++number_;
            const auto day = *base::parse_date("2000-01-01") + std::chrono::days(30 * number_);
            current_ = std::make_shared<SmallBuild>("WS" + std::to_string(number_),
                                                    base::format_date(day));
            current_->with("Gene", "often", remark(std::to_string(number_)));
            for (int i = 0; i < objects_; ++i) {
                const auto last_change = i < 10 ? (number_ + 9 - i) / 10 : 0;
                current_->with("Gene", std::to_string(i), remark(std::to_string(last_change)));
            }
            site_.prewarm(*current_, previous_.get());
        }
    }
    // What the store holds: rows by table, and bytes of what changed.
    std::map<std::string, std::int64_t> contents() {
        std::map<std::string, std::int64_t> all;
        for (const std::string table : {"releases", "builds", "objects", "history", "trees",
                                        "parts", "mass_changes", "accepted", "meta"})
            all[table] = site_.number("SELECT COUNT(*) FROM " + table);
        all["bytes of rows"] = site_.number("SELECT SUM(LENGTH(notes)) FROM history");
        all["bytes of trees"] = site_.number("SELECT SUM(LENGTH(tree)) FROM trees");
        return all;
    }
    // Returns how many statements each feed takes, of three objects and a class, in a process that
    // has served others before.
    std::vector<int> cost_of_feeds() {
        int statements = 0;
        processes::Process process(
            support::watched(connect_, [&](support::Statement statement, std::string_view) {
                if (statement == support::Statement::query ||
                    statement == support::Statement::execute)
                    ++statements;
            }));
        process.put(current_);
        query::PageRequest newest;
        newest.most = 5;
        const auto read_class = [&] {
            (void)value_of(query::class_history(process.service.read_context(), "Gene", newest));
        };
        (void)process.history({"Gene", "9"}, newest);
        read_class();
        std::vector<int> cost;
        for (const auto* name : {"often", "0", "20"}) {
            statements = 0;
            (void)process.history({"Gene", name}, newest);
            cost.push_back(statements);
        }
        statements = 0;
        read_class();
        cost.push_back(statements);
        return cost;
    }

   private:
    JobSite site_;
    store::Connect connect_;
    int objects_, number_ = 0;
    processes::Shared current_, previous_;
};

}  // namespace

TEST_CASE("The cost of a release grows with its objects, whatever number of them is renamed") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const auto plan = std::make_shared<support::FaultPlan>(support::Fault::lost, 0);
    JobSite site(support::faulty(fresh.connect(), plan));
    for (int i = 1; i < releases; ++i)
        site.settings.known_releases.push_back(
            {"WS" + std::to_string(i),
             *base::parse_date("2000-01-01") + std::chrono::days(30 * i)});
    const Renamed builds;
    site.prewarm(builds.before);
    const auto before_job = plan->seen();
    site.prewarm(builds.now, &builds.before);
    const auto renames = site.renames("WS300");
    CHECK(std::ranges::count(renames, '\n') == 2 * renamed_objects);
    CHECK(plan->seen() - before_job <= 10 * 2 * renamed_objects);
    CHECK(builds.now.finds + builds.before.finds <= 10 * 2 * renamed_objects);
    CHECK(builds.now.loads() <= 2 * renamed_objects);
}

TEST_CASE("The store grows with what changed, and feeds take the same statements for ever") {
    const auto engine = GENERATE(support::engines());
    const int last = engine == store::Engine::sqlite ? releases : 60;
    const int some = last / 3;
    std::vector<std::map<std::string, std::int64_t>> growth;
    std::vector<std::vector<int>> costs;
    for (const int objects : {30, 300}) {
        const support::FreshStore fresh(engine);
        Years years(fresh.connect(), objects);
        years.go_on_to(some);
        const auto before = years.contents();
        const auto early = years.cost_of_feeds();
        years.go_on_to(last);
        growth.push_back(years.contents());
        for (auto& [what, count] : growth.back()) count -= before.at(what);
        CHECK(growth.back().at("history") == 2 * (last - some));
        CHECK(growth.back().at("trees") == 2 * (last - some));
        CHECK(growth.back().at("objects") == 0);
        costs.push_back(years.cost_of_feeds());
        // The feed of an object with few rows is read by two statements less.
        CHECK(costs.back()[0] <= early[0] + 2);
        for (std::size_t i = 1; i < early.size(); ++i) CHECK(costs.back()[i] == early[i]);
    }
    CHECK(growth.front() == growth.back());
    CHECK(costs.front() == costs.back());
}
