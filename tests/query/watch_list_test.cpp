// Several objects asked for together, and which rows a page shows.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "process.hpp"
#include "query/histories.hpp"

using namespace tables;
using namespace history;
using namespace query;
using namespace processes;
using support::tag;
using support::text;

namespace {

PageRequest archive(std::size_t before) {
    PageRequest request;
    request.before = before;
    return request;
}

// So many objects with so many changes each, recorded.
std::vector<ObjectName> record_many(Process& process, int objects, int releases) {
    std::vector<ObjectName> names;
    for (int i = 0; i < objects; ++i) names.push_back({"Gene", "g" + std::to_string(1000 + i)});
    for (int release = 0; release <= releases; ++release) {
        std::vector<std::pair<ObjectName, std::string>> remarks;
        for (const auto& name : names) remarks.emplace_back(name, std::to_string(release));
        process.put("WS" + std::to_string(release),
                    base::format_date(base::Date{std::chrono::year{2008} / 1 / 1} +
                                      std::chrono::days(release)),
                    remarks);
        (void)process.list(names);
    }
    return names;
}

std::vector<ObjectName> objects_of(const WatchList& list) {
    std::vector<ObjectName> objects;
    for (const auto& named : list.objects) objects.push_back(named.object);
    return objects;
}

}  // namespace

TEST_CASE("A watch list is the histories of its objects, merged") {
    Server process;
    fill(process);
    const auto list = process.list({c, a, b});
    CHECK(objects_of(list) == std::vector{a, b, c});
    CHECK(names_of(list.rows) == std::vector<std::string>{"WS189 Gene a", "WS189 Paper c",
                                                          "WS187 Gene a", "WS187 Gene b",
                                                          "WS187 Paper c", "WS186 Gene a",
                                                          "WS186 Paper c"});
    CHECK(list.recorded == 7);
    CHECK(list.current.version == "WS189");
    CHECK(list.last_modified == *base::parse_date("2008-04-01"));
    std::vector<Row> alone;
    for (const auto& object : {a, b, c})
        for (const auto& row : process.history(object).rows) alone.push_back(row);
    std::ranges::stable_sort(alone, [](const Row& x, const Row& y) {
        return x.release != y.release ? y.release < x.release : x.object < y.object;
    });
    CHECK(list.rows == alone);
}

TEST_CASE("A watch list brings its objects up to date, and reads them together after that") {
    Server process;
    fill(process);
    const auto before = process.service.computations();
    const auto next = std::make_shared<support::SmallBuild>("WS190", "2008-05-01");
    next->with("Gene", "a", {tag("Remark", {text("6")})});
    next->with("Gene", "b", {tag("Remark", {text("3")})});
    process.put(next);
    CHECK(names_of(process.list({a, b}).rows).front() == "WS190 Gene a");
    // The other one is as it was.
    CHECK(next->loads() == 1);
    CHECK(process.service.computations() == before + 1);
    CHECK(process.list({a, b, c}).recorded == 8);
    CHECK(process.list({b, a}).recorded == 5);
    CHECK(next->loads() == 1);
}

TEST_CASE("Objects of a watch list are known by any spelling, counted once, or skipped") {
    Server process;
    fill(process);
    const auto list = process.list({{"gene", "A"}, a, {"Gene", "unknown"}, {"Paper", "C"}});
    CHECK(objects_of(list) == std::vector{a, c});
    CHECK(list.recorded == 6);
    const auto unknown = process.service.watch_list({{"Gene", "unknown"}, {"No", "class"}}, {});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == base::ErrorKind::absent);
    CHECK(process.service.watch_list({a}, {50, "WS1"}).error().kind == base::ErrorKind::refused);
}

TEST_CASE("An object known from a newer release only is not on a watch list") {
    Server process;
    process.put("WS186", "2008-02-01", {{a, "0"}});
    process.put("WS187", "2008-02-15", {{a, "1"}, {b, "1"}});
    (void)process.list({a, b});
    process.put("WS186", "2008-02-01", {{a, "0"}});
    CHECK(objects_of(process.list({a, b})) == std::vector{a});
    CHECK(process.service.watch_list({b}, {}).error().kind == base::ErrorKind::absent);
}

TEST_CASE("Without a build a watch list is as it was recorded last") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process before(fresh.connect());
    fill(before);
    Process process(fresh.connect());
    process.current.look();
    const auto answer = process.service.watch_list({a, b, {"Gene", "unknown"}}, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(answer->list.recorded == 4);
    CHECK(process.service.watch_list({{"Gene", "unknown"}}, {}).error().kind ==
          base::ErrorKind::unavailable);
}

TEST_CASE("An object that can't be read is on the list as it was recorded last") {
    Server process;
    fill(process);
    const auto next = std::make_shared<support::SmallBuild>("WS190", "2008-05-01");
    next->with("Gene", "a", {tag("Remark", {text("6")})});
    next->with("Gene", "b", {tag("Remark", {text("6")})});
    next->break_one_with(b, {base::ErrorKind::malformed, "dump.ace:7: no closing quote"});
    process.put(next);
    const auto answer = process.service.watch_list({a, b}, {});
    REQUIRE(answer);
    CHECK_FALSE(answer->up_to_date);
    CHECK(names_of(answer->list.rows) == std::vector<std::string>{"WS190 Gene a", "WS189 Gene a",
                                                                  "WS187 Gene a", "WS187 Gene b",
                                                                  "WS186 Gene a"});
}

TEST_CASE("The pages of an archive, joined, are all rows from the oldest to the newest") {
    Server process;
    const auto names = record_many(process, 70, 2);  // more than one list of values holds
    PageRequest all;
    all.most = 1000;
    const auto whole = process.list(names, all);
    REQUIRE(whole.rows.size() == 140);
    CHECK(process.list(names).rows.size() == 50);
    std::vector<Row> joined;
    for (std::size_t before = archive_page; before <= 200; before += archive_page) {
        auto page = process.list(names, archive(before));
        CHECK(page.recorded == 140);
        CHECK(page.rows.size() == (before == 150 ? 40 : before == 200 ? 0 : 50));
        joined.insert(joined.begin(), page.rows.begin(), page.rows.end());
    }
    CHECK(joined == whole.rows);
    const auto first = process.history(names[0], archive(50));
    CHECK(first.rows == process.history(names[0]).rows);
    CHECK(process.history(names[0], archive(100)).rows.empty());
}

TEST_CASE("A filter keeps rows with a change that is shown, and counts them alone") {
    Server process;
    const auto put = [&](const std::string& version, const std::string& day,
                         support::Nodes nodes) {
        auto build = std::make_shared<support::SmallBuild>(version, day);
        build->with("Gene", "a", std::move(nodes));
        process.put(std::move(build));
        (void)process.history(a);
    };
    put("WS1", "2008-01-01", {tag("Remark", {text("x")})});
    put("WS2", "2008-01-02", {tag("Remark", {text("y")})});
    put("WS3", "2008-01-03", {tag("Remark", {text("y")}), tag("Name", {text("n")})});
    put("WS4", "2008-01-04", {tag("Remark", {text("y")})});
    const auto versions = [&](ChangeFilter filter, std::size_t most = 50,
                              std::size_t before = 0) {
        const auto found = process.history(a, {most, "", filter, before});
        CHECK(found.filter == filter);
        std::string text = std::to_string(found.recorded) + ":";
        for (const auto& row : found.rows) text += ' ' + row.release.version;
        return text;
    };
    CHECK(versions({}) == "3: WS4 WS3 WS2");
    CHECK(versions({"name", {}}) == "2: WS4 WS3");
    CHECK(versions({"Name", {compare::Op::removed}}) == "1: WS4");
    CHECK(versions({"", {compare::Op::added, compare::Op::replaced}}) == "2: WS3 WS2");
    CHECK(versions({"No_such", {}}) == "0:");
    CHECK(versions({"name", {}}, 1) == "2: WS4");
    CHECK(versions({"name", {}}, 1, 50) == "2: WS4 WS3");
    CHECK(process.list({a}, {50, "WS3", {"name", {}}, 0}).recorded == 1);
    CHECK(process.list({a}, {50, "WS4", {}, 0}).rows.empty());
    CHECK(process.history(a, {50, "WS4", {}, 0}).recorded == 0);
}

TEST_CASE("Curators are called what the current build calls them") {
    Settings settings;
    settings.names = {{"Person", {{"Standard_name"}}}};
    settings.curators = {{"sylvia", {"Person", "WBPerson1983"}},
                         {"gone", {"Person", "WBPerson1"}},
                         {"odd", {"Person", "wbperson2"}}};
    Server process(settings);
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    build->with("Gene", "a", {});
    build->with("Person", "WBPerson1983", {tag("Standard_name", {text("Sylvia Martinelli")})});
    build->with("Person", "WBPerson2", {});
    process.put(build);
    const People people{{"gone", {{"Person", "WBPerson1"}, "WBPerson1"}},
                        {"odd", {{"Person", "WBPerson2"}, "WBPerson2"}},
                        {"sylvia", {{"Person", "WBPerson1983"}, "Sylvia Martinelli"}}};
    CHECK(process.history(a).people == people);
    const auto loads = build->loads();
    CHECK(process.history(a).people == people);
    CHECK(process.list({a}).people == people);
    CHECK(process.context().people == people);
    CHECK(build->loads() == loads);
    CHECK(store::perform(process.pool, store::Access::read, tables::count_store).objects == 1);

    const auto next = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    next->with("Gene", "a", {});
    next->with("Person", "WBPerson1983", {tag("Standard_name", {text("S. Martinelli")})});
    process.put(next);
    CHECK(process.history(a).people.at("sylvia").label == "S. Martinelli");
}
