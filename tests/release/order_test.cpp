// What a release records does not depend on the order in which its objects are recorded.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <random>
#include <sstream>

#include "release/job_site.hpp"

using namespace release_tests;

namespace {

using Random = std::mt19937;
using Visits = std::vector<int>;  // the builds in which an object is asked for, 0 to 2

support::Nodes words(const std::string& text_of_it) {
    return {tag("Remark", {text(text_of_it)})};
}

// Three releases, and when each object is asked for in them. The job records the rest of the last.
class World {
   public:
    World() {
        for (int i = 0; i < 70; ++i) common_object(i);
        add({"one of many", {"", "common", ""}});
        add({"new name of one of many", {"", "", "common"}});
        changes();
        comes_and_goes();
        several_with_one_content();
        candidates_that_move();
        for (int i = 0; i < 24; ++i) papers(i);
        for (int i = 0; i < 8; ++i) pointer(i);
    }

    const SmallBuild& build(int number) const {
        return builds_.at(static_cast<std::size_t>(number));
    }
    const SmallBuild* before(int number) const {
        return number == 0 ? nullptr : &build(number - 1);
    }
    const std::map<ObjectName, Visits>& visits() const { return visits_; }

   private:
    struct Gene {
        std::string name;
        std::vector<std::string> contents;  // of each build; empty: it is not there
        Visits visits = {1, 2};
    };

    void add(const Gene& gene, const std::string& class_name = "Gene") {
        for (std::size_t i = 0; i < builds_.size(); ++i)
            if (!gene.contents[i].empty())
                builds_.at(i).with(class_name, gene.name, words(gene.contents[i]));
        visits_[{class_name, gene.name}] = gene.visits;
    }

    // Many objects share a content before and after; half of them get another one.
    void common_object(int i) {
        add({"common" + std::to_string(i), {"", "common", i % 2 == 0 ? "common" : "rare"}});
    }
    void changes() {
        add({"same", {"1", "1", "1"}, {0, 1, 2}});
        add({"changed", {"1", "2", "3"}, {0, 1, 2}});
        add({"seldom asked for", {"1", "2", "3"}, {0, 2}});
        add({"first sight", {"1", "1", "1"}, {2}});
        add({"never asked for", {"1", "1", "2"}, {}});
    }
    void comes_and_goes() {
        add({"created", {"", "", "new"}, {2}});
        add({"created and left to the job", {"", "", "newer"}, {}});
        add({"vanished", {"", "gone", ""}});
        add({"vanished and left to the job", {"", "gone too", ""}, {1}});
        add({"reappeared", {"back", "", "back"}, {0, 1, 2}});
        // Renamed, and renamed back.
        add({"away and back", {"name", "", "name"}, {0, 1, 2}});
        add({"meanwhile", {"", "name", ""}});
        // It was missing from a release in which nobody asked for it.
        add({"missing once", {"was", "", "still"}, {0, 2}});
        add({"like the missing one", {"", "still", ""}});
    }
    void several_with_one_content() {
        add({"a", {"", "two of it", ""}}), add({"b", {"", "two of it", ""}});
        add({"c", {"", "", "two of it"}, {2}});
        add({"d", {"", "once", ""}}), add({"e", {"", "once", "changed"}});
        add({"f", {"", "", "once"}, {2}});
        add({"g", {"", "split", ""}});
        add({"h", {"", "", "split"}, {2}}), add({"i", {"", "", "split"}, {2}});
    }
    // What an object had before the last release depends on the one before, which another host may
    // record late.
    void candidates_that_move() {
        add({"stays", {"", "into", ""}}), add({"moves in", {"out", "into", ""}, {0, 1, 2}});
        add({"new into", {"", "", "into"}, {2}});
        add({"remains", {"", "out of", ""}}),
            add({"moves out", {"out of", "out", ""}, {0, 1, 2}});
        add({"new out of", {"", "", "out of"}, {2}});
        add({"seen once", {"", "by one", ""}}), add({"seen late", {"", "by one", ""}});
        add({"new by one", {"", "", "by one"}, {2}});
    }
    // It names other genes in each release, whose labels change, and which come and go.
    void pointer(int i) {
        const ObjectName object{"List", "l" + std::to_string(i)};
        for (int number = 0; number < 3; ++number)
            builds_.at(static_cast<std::size_t>(number))
                .with(object.class_name, object.name,
                      {tag("Gene",
                           {support::reference("Gene", "common" + std::to_string(i)),
                            support::reference("Gene", "common" + std::to_string(9 + i + number)),
                            support::reference("Gene", "one of many"),
                            support::reference("Gene", "new name of one of many")}),
                       tag("Count", {text(std::to_string(number))})});
        visits_[object] = {1, 2};
    }

    // One place changes in most objects of the class.
    void papers(int i) {
        const auto own = std::to_string(i);
        add({"p" + own, {"", "p" + own, "q" + own}}, "Paper");
    }

    std::array<SmallBuild, 3> builds_{SmallBuild("WS185", "2008-01-15"),
                                      SmallBuild("WS186", "2008-02-01"),
                                      SmallBuild("WS187", "2008-02-15")};
    std::map<ObjectName, Visits> visits_;
};

// An object that is asked for: of each object in the order of its visits.
struct Visit {
    int build;
    ObjectName name;
};
std::vector<Visit> shuffled_visits(const World& world, Random& random) {
    std::vector<ObjectName> order;
    for (const auto& [name, builds] : world.visits())
        order.insert(order.end(), builds.size(), name);
    std::ranges::shuffle(order, random);
    std::map<ObjectName, std::size_t> made;
    std::vector<Visit> visits;
    for (const auto& name : order)
        visits.push_back({world.visits().at(name)[made[name]++], name});
    return visits;
}

// What somebody may type.
ObjectName other_spelling(ObjectName name) {
    for (auto& letter : name.name)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return name;
}

// Makes visits of one build as one batch, a list for a job, or one request each.
void make_visits(JobSite& site, const World& world, int number, std::vector<ObjectName> names,
                 Random& random) {
    const auto& build = world.build(number);
    const auto* before = world.before(number);
    const auto how = random() % 3;
    if (how == 0) {
        for (const auto& name : names)
            site.ask(build, before, random() % 2 == 0 ? name : other_spelling(name));
    } else if (how == 1) {
        const auto done = history::bring_up_to_date(site.context(), build, before, names);
        if (!done) FAIL(done.error().text);
    } else {
        const auto done = site.try_prewarm(site.job(build, before), std::move(names));
        if (!done) FAIL(done.error().text);
    }
}

void record_in_any_order(JobSite& site, const World& world, Random& random) {
    // A release that nobody recorded is not recorded before a later one.
    for (const int number : {0, 1, 2}) site.serve(world.build(number));
    const auto visits = shuffled_visits(world, random);
    for (std::size_t at = 0; at < visits.size();) {
        const auto some = std::min<std::size_t>(1 + random() % 40, visits.size() - at);
        std::map<int, std::vector<ObjectName>> by_build;
        for (const auto end = at + some; at < end; ++at)
            by_build[visits[at].build].push_back(visits[at].name);
        for (auto& [number, names] : by_build)
            make_visits(site, world, number, std::move(names), random);
    }
    auto job = site.job(world.build(2), world.before(2));
    job.options.part_objects = 1 + random() % 30;
    job.options.batch_objects = 1 + random() % 60;
    site.prewarm(job);
}

std::string recorded(JobSite& site) {
    auto all = site.contents(ComparedIn::left_out);
    for (const auto* table :
         {"SELECT version, class, path, CAST(objects AS CHAR), CAST(of_objects AS CHAR)"
          " FROM mass_changes ORDER BY version, class, path"}) {
        for (const auto& row : site.query(table))
            for (std::size_t i = 0; i < row.size(); ++i) all += row.text(i) + "|";
        all += '\n';
    }
    return all;
}

// The first line that differs.
std::string difference(const std::string& a, const std::string& b) {
    std::istringstream one(a), other(b);
    for (std::string left, right; std::getline(one, left) && std::getline(other, right);)
        if (left != right) return left + "\n" + right;
    return a.size() == b.size() ? "" : "one is longer";
}

}  // namespace

TEST_CASE("Any order of requests and jobs gives the same rows, renames and objects") {
    const World world;
    Random random(7);
    std::string expected;
    for (int order = 0; order < (support::is_nightly() ? 24 : 12); ++order) {
        // Both engines get the same contents.
        const support::FreshStore fresh(order % (support::is_nightly() ? 2 : 4) == 1
                                            ? store::Engine::mysql
                                            : store::Engine::sqlite);
        JobSite site(fresh.connect());
        site.settings.names = {{"Gene", {{"Remark"}}}};
        record_in_any_order(site, world, random);
        const auto now = recorded(site);
        INFO("order " << order << ", other: " << difference(expected, now));
        if (expected.empty()) expected = now;
        REQUIRE(now == expected);
        CHECK(site.renames("WS187") == "away and back from meanwhile\n"
                                       "d to f\n"
                                       "f from d\n"
                                       "like the missing one to missing once\n"
                                       "meanwhile to away and back\n"
                                       "missing once from like the missing one\n"
                                       "new name of one of many from one of many\n"
                                       "new out of from remains\n"
                                       "one of many to new name of one of many\n"
                                       "remains to new out of\n");
    }
}

TEST_CASE("A re-publication finds the same renames, whatever was recorded first") {
    const auto engine = GENERATE(support::engines());
    SmallBuild before("WS186", "2008-02-01"), first("WS187", "2008-02-15"),
        again("WS187", "2008-02-15");
    for (const auto* name : {"changed then gone", "same then gone"})
        before.with("Gene", name, words("two of it"));
    first.with("Gene", "changed then gone", words("else"));
    first.with("Gene", "same then gone", words("two of it"));
    again.with("Gene", "new", words("two of it"));
    before.with("Gene", "alone", words("one of it"));
    first.with("Gene", "alone", words("changed"));
    again.with("Gene", "alone again", words("one of it"));
    before.with("Gene", "gone at once", words("three"));
    again.with("Gene", "new in the second", words("three"));
    auto names = support::names_in(before);
    names.push_back({"Gene", "new"});
    Random random(3);
    for (int order = 0; order < 6; ++order) {
        const support::FreshStore fresh(engine);
        JobSite site(fresh.connect());
        std::ranges::shuffle(names, random);
        for (const auto& name : names) site.ask(before, nullptr, name);
        for (const auto& name : names) site.ask(first, &before, name);
        site.republish(again, &before, &first);
        for (const auto& name : support::names_in(again)) site.ask(again, &before, name);
        CHECK(site.renames("WS187") == "alone to alone again\n"
                                       "alone again from alone\n"
                                       "gone at once to new in the second\n"
                                       "new in the second from gone at once\n");
    }
}
