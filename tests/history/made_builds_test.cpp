// The builds that bench/make_build makes, read and compared by the product: exactly the changes
// that it lists from release to release are found, node for node.
// SPDX-License-Identifier: MIT
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../../bench/build_release.hpp"
#include "base/text.hpp"
#include "compare/compare.hpp"
#include "source/ace_object.hpp"
#include "source/dumps.hpp"
#include "source/files_build.hpp"
#include "support/small_build.hpp"
#include "tree/outline.hpp"

using tree::ObjectName;

namespace {

using Lines = std::multiset<std::string>;  // "+ [cells]", "- [cells]", "created", ...
using Differences = std::map<ObjectName, Lines>;

// A build of 3,000 objects and its next release with many changes.
class MadeBuilds {
   public:
    MadeBuilds() {
        plan_.objects = 3000;
        plan_.first = {"WS300", "2010-01-01", folder_.path() / "first"};
        plan_.next = {"WS301", "2010-02-01", folder_.path() / "next"};
        plan_.shares = {100000, 200000, 30000, 30000};
        plan_.mass_change = "Author";
        plan_.changes = folder_.path() / "changes.tsv";
        made_ = bench::BuildMaker(plan_).make();
    }
    [[nodiscard]] source::Build open(const bench::Release& release) const {
        source::FilesSettings settings;
        settings.folder = release.folder;
        settings.index_dir = folder_.path() / "index";
        const auto build = source::open_files(settings);
        INFO((build ? "" : build.error().text));
        REQUIRE(build);
        return *build;
    }
    [[nodiscard]] const bench::Plan& plan() const { return plan_; }
    [[nodiscard]] const std::pair<bench::Made, bench::Made>& made() const { return made_; }

    // Returns the content of the list: only the names of objects with other timestamps.
    [[nodiscard]] Differences listed() const {
        std::ifstream in(plan_.changes);
        REQUIRE(in);
        Differences differences;
        for (std::string line; std::getline(in, line);) {
            const auto parts = base::split(line, '\t');
            REQUIRE(parts.size() == 5);
            auto& lines = differences[{std::string(parts[1]), std::string(parts[2])}];
            if (parts[4].empty())
                lines.insert(std::string(parts[0]));
            else
                lines.insert(std::string(parts[3]) + ' ' +
                             nlohmann::json::parse(parts[4]).dump());
        }
        return differences;
    }

   private:
    support::TempDir folder_;
    bench::Plan plan_;
    std::pair<bench::Made, bench::Made> made_;
};

void unfold(Lines& lines, const std::string& sign, const compare::Change& change,
            const support::Nodes& nodes) {
    std::vector<std::string> path;
    for (const auto& cell : change.path) path.push_back(cell.text);
    for (const auto& cells : support::unfolded(nodes, path))
        lines.insert(sign + " " + nlohmann::json(cells).dump());
}

Lines unfolded(const std::vector<compare::Change>& changes) {
    Lines lines;
    for (const auto& change : changes) {
        unfold(lines, "-", change, change.before);
        unfold(lines, "+", change, change.after);
    }
    return lines;
}

support::Nodes nodes_in(const source::Source& build, const ObjectName& name) {
    const auto object = build.load(name);
    INFO((object ? "" : object.error().text));
    REQUIRE(object);
    return object->nodes;
}

// Returns what happened to one object according to the product.
Lines difference(const source::Source& before, const source::Source& after,
                 const ObjectName& name) {
    const auto was = before.digest_of(name), is = after.digest_of(name);
    REQUIRE((was && is));
    if (*was == *is) return {};
    const auto old_nodes = *was ? nodes_in(before, name) : support::Nodes{};
    const auto new_nodes = *is ? nodes_in(after, name) : support::Nodes{};
    auto lines = unfolded(compare::compare(old_nodes, new_nodes, after.models(),
                                           after.models().of_class(name.class_name)));
    if (!*was) lines.insert("created");
    if (!*is) lines.insert("vanished");
    const bool same = tree::signature_of(old_nodes) == tree::signature_of(new_nodes);
    if (*was && *is && same) lines.insert("restamped");
    return lines;
}

}  // namespace

TEST_CASE("A made release differs from the previous one exactly as its list says") {
    const MadeBuilds builds;
    const auto first = builds.open(builds.plan().first), next = builds.open(*builds.plan().next);
    const auto old_names = support::names_in(*first), new_names = support::names_in(*next);
    CHECK(old_names.size() == builds.made().first.objects);
    CHECK(new_names.size() == builds.made().second.objects);
    std::set<ObjectName> names(old_names.begin(), old_names.end());
    names.insert(new_names.begin(), new_names.end());
    Differences found;
    for (const auto& name : names) {
        auto lines = difference(*first, *next, name);
        if (!lines.empty()) found[name] = std::move(lines);
    }
    const auto listed = builds.listed();
    CHECK(found.size() == listed.size());
    for (const auto& [name, lines] : listed) {
        INFO(name.class_name << ' ' << name.name);
        CHECK(found[name] == lines);
    }

    std::map<std::string, int> objects;
    for (const auto& [name, lines] : listed)
        for (const auto what : {"created", "vanished", "restamped"})
            if (lines.contains(what)) ++objects[what];
    CHECK(objects["created"] > 60);
    CHECK(objects["vanished"] > 50);
    CHECK(objects["restamped"] > 400);
    CHECK(listed.size() > 1000);
}

TEST_CASE("A mass change adds one path to more than half of a class") {
    const MadeBuilds builds;
    int authors = 0;
    for (const auto& [name, lines] : builds.listed())
        if (name.class_name == "Author" && lines.contains(R"(+ ["Checked","2010-02-01"])"))
            ++authors;
    CHECK(authors > 60);  // of 120
}

TEST_CASE("Made dumps are written as AceDB writes them") {
    const MadeBuilds builds;
    for (const auto& release : {builds.plan().first, *builds.plan().next})
        for (const auto& bytes : dumps::objects_in(release.folder / "dump.ace")) {
            const auto object = source::parse_object(bytes, tree::Models());
            INFO(bytes);
            REQUIRE(object);
            if (!bench::is_array(object->id.class_name)) CHECK(dumps::written(*object) == bytes);
        }
}

TEST_CASE("The same plan makes the same bytes, and another seed makes others") {
    const MadeBuilds one, other;
    CHECK(dumps::read(one.plan().first.folder / "dump.ace") ==
          dumps::read(other.plan().first.folder / "dump.ace"));
    CHECK(dumps::read(one.plan().next->folder / "dump.ace") ==
          dumps::read(other.plan().next->folder / "dump.ace"));
    CHECK(dumps::read(one.plan().changes) == dumps::read(other.plan().changes));

    auto seeded = one.plan();
    seeded.seed = 2;
    bench::BuildMaker(seeded).make();
    CHECK(dumps::read(one.plan().first.folder / "dump.ace") !=
          dumps::read(other.plan().first.folder / "dump.ace"));
}
