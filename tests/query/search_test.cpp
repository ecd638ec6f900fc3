// Objects found by their names and by what people call them; two releases of one compared.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "compare/compare.hpp"
#include "process.hpp"
#include "store/dialect.hpp"

using namespace history;
using namespace processes;
using support::tag;
using support::text;

namespace {

// Genes with their labels, and what else has names.
Shared build_of_names(const std::string& version, const std::string& day) {
    const auto build = std::make_shared<support::SmallBuild>(version, day);
    for (const auto& [name, label] : {std::pair{"WBGene01", "unc-26"},
                                      {"WBGene02", "UNC-2"},
                                      {"WBGene03", "lin-7"},
                                      {"WBGene04", "100%_\\x"},
                                      {"WBGene05", "100 more"}})
        build->with("Gene", name, {tag("Name", {text(label)})});
    build->with("Paper", "unc-26", {});
    build->with("Paper", "Unc-70", {});
    return build;
}

const std::vector<ObjectName> recorded_names{{"Gene", "WBGene01"},
                                             {"Gene", "WBGene02"},
                                             {"Gene", "WBGene04"},
                                             {"Gene", "WBGene05"},
                                             {"Paper", "Unc-70"}};

std::vector<std::string> found(Process& process, const std::string& class_name,
                               const std::string& text, std::size_t most = 10) {
    std::vector<std::string> names;
    for (const auto& named : find_named(process.service.read_context(), class_name, text, most))
        names.push_back(named.object.class_name + ' ' + named.object.name + " = " + named.label);
    return names;
}

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("An object is found by its name, by what people call it, and by how they begin") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    static_cast<void>(process.list(recorded_names));
    // Exact matches come first, then prefixes; of the build only the object with exactly this name.
    CHECK(found(process, "", "UNC-26") ==
          Found{"Gene WBGene01 = unc-26", "Paper unc-26 = unc-26"});
    CHECK(found(process, "Gene", "unc-2") ==
          Found{"Gene WBGene02 = UNC-2", "Gene WBGene01 = unc-26"});
    CHECK(found(process, "", "unc") ==
          Found{"Gene WBGene02 = UNC-2", "Gene WBGene01 = unc-26", "Paper Unc-70 = Unc-70"});
    CHECK(found(process, "Paper", "unc-7") == Found{"Paper Unc-70 = Unc-70"});
    CHECK(found(process, "Gene", "wbgene0") ==
          Found{"Gene WBGene01 = unc-26", "Gene WBGene02 = UNC-2", "Gene WBGene04 = 100%_\\x",
                "Gene WBGene05 = 100 more"});
    CHECK(found(process, "", "wbgene0", 2).size() == 2);
    // Of the build alone: by its whole name, called what it says.
    CHECK(found(process, "", "wbgene03") == Found{"Gene WBGene03 = lin-7"});
    CHECK(found(process, "", "lin-7").empty());
    CHECK(query::count_store(process.pool).objects == 5);
}

TEST_CASE("An object with that label comes before one with that name") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    const auto build = build_of_names("WS1", "2008-01-01");
    build->with("Cell", "unc-26", {});
    process.put(build);
    static_cast<void>(process.list({{"Gene", "WBGene01"}, {"Cell", "unc-26"}}));
    CHECK(found(process, "", "unc-26") ==
          Found{"Gene WBGene01 = unc-26", "Cell unc-26 = unc-26", "Paper unc-26 = unc-26"});
}

TEST_CASE("A class is looked for without regard to ASCII case, recorded or in the build") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    static_cast<void>(process.list(recorded_names));
    const Found both{"Gene WBGene02 = UNC-2", "Gene WBGene01 = unc-26"};
    CHECK(found(process, "gene", "unc") == both);
    CHECK(found(process, "PAPER", "unc-26") == Found{"Paper unc-26 = unc-26"});
    process.put("WS2", "2008-02-01", {{{"Protein", "p"}, "1"}});
    CHECK(found(process, "gene", "unc") == both);
    CHECK(found(process, "Genes", "unc").empty());
}

TEST_CASE("Of very many objects of one label the first classes of the index are found") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    std::vector<store::Value> values;
    for (int number = 0; number < 500; ++number) {
        const auto name = "n" + std::to_string(999 - number);
        const std::string class_name = number % 5 == 0 ? "CDS" : "Protein";
        values.insert(values.end(), {class_name, name, name, "Same", "same", "WS1"});
    }
    store::perform(process.pool, store::Access::write, [&](store::Transaction& transaction) {
        store::insert_many(
            transaction,
            {"objects", {"class", "name", "name_key", "label", "label_key", "ace_version"}, {}},
            values);
    });
    const auto first = found(process, "", "same", 100);
    REQUIRE(first.size() == 100);
    CHECK(std::ranges::all_of(first, [](const auto& name) { return name.starts_with("CDS "); }));
    CHECK(std::ranges::is_sorted(first));
    CHECK(found(process, "protein", "SAME", 7).size() == 7);
}

TEST_CASE("What only a release that is not published yet has is not found, nor what it says") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    static_cast<void>(process.list(recorded_names));
    const auto next = build_of_names("WS2", "2008-02-01");
    next->with("Gene", "WBGene01", {tag("Name", {text("dab-1")})});
    next->with("Gene", "WBGene09", {tag("Name", {text("unc-9")})});
    const std::vector<ObjectName> prewarmed{
        {"Gene", "WBGene01"}, {"Gene", "WBGene09"}, {"Gene", "WBGene03"}};
    process.put(next);
    static_cast<void>(process.list(prewarmed));
    CHECK(found(process, "", "unc-9") == Found{"Gene WBGene09 = unc-9"});
    CHECK(found(process, "", "WBGene09") == Found{"Gene WBGene09 = unc-9"});
    process.put(build_of_names("WS1", "2008-01-01"));  // as the site is rolled back
    CHECK(found(process, "", "unc-9").empty());
    CHECK(found(process, "", "WBGene09").empty());
    CHECK(found(process, "", "dab-1").empty());
    CHECK(found(process, "", "WBGene01") == Found{"Gene WBGene01 = unc-26"});
    CHECK(found(process, "", "WBGene03") == Found{"Gene WBGene03 = lin-7"});
}

TEST_CASE("What is looked for is text, never a pattern") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    static_cast<void>(process.list(recorded_names));
    CHECK(found(process, "", "100%") == Found{"Gene WBGene04 = 100%_\\x"});
    CHECK(found(process, "", "100%_\\") == Found{"Gene WBGene04 = 100%_\\x"});
    for (const auto* text : {"", "%", "__", "%%", "'", "u", "unc-26'", "\\", "\xC3\xA9\xC3\xA9"})
        CHECK(found(process, "", text).empty());
    CHECK(found(process, "", std::string(600, 'x')).empty());
}

TEST_CASE("An object whose label changed is found by the new one, and a gone one lives on") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    static_cast<void>(process.list(recorded_names));
    const auto next = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    next->with("Gene", "WBGene01", {tag("Name", {text("Dab-1")})});
    process.put(next);
    static_cast<void>(process.list(recorded_names));
    CHECK(found(process, "Gene", "dab-1") == Found{"Gene WBGene01 = Dab-1"});
    CHECK(found(process, "Gene", "unc-26").empty());
    CHECK(found(process, "Gene", "unc-2") == Found{"Gene WBGene02 = UNC-2"});
    next->with("Gene", "WBGene01", {});
    process.put("WS3", "2008-03-01", {{{"Gene", "WBGene01"}, "without a name"}});
    static_cast<void>(process.list(recorded_names));
    CHECK(found(process, "Gene", "dab-1").empty());
    CHECK(found(process, "Gene", "WBGene01") == Found{"Gene WBGene01 = WBGene01"});
}

TEST_CASE("The difference of two releases is what its changes say, in either direction") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    fill(process);
    const ObjectName a{"Gene", "a"}, c{"Paper", "c"};
    const auto between = [&](const ObjectName& object, const char* from, const char* to) {
        return difference(process.service.read_context(), object, from, to);
    };
    const auto rows = process.history(a).rows;  // WS189, WS187, WS186
    const auto one = between(a, "WS186", "WS187");
    REQUIRE(one);
    CHECK(one->changes == rows[1].notes.changes);
    CHECK((one->from.version == "WS186" && one->to.version == "WS187"));
    CHECK((one->was_there && one->is_there));
    CHECK(one->object == a);
    CHECK(one->label == "a");
    CHECK(between({"gene", "A"}, "WS186", "WS187")->object == a);
    // WS188 changed nothing, so it has the tree of WS187.
    CHECK(between(a, "WS187", "WS188")->changes.empty());
    CHECK(between(a, "WS188", "WS189")->changes == rows[0].notes.changes);
    CHECK(between(a, "WS189", "WS188")->changes == compare::reversed(rows[0].notes.changes));
    const auto gone = between(c, "WS187", "WS189");
    REQUIRE(gone);
    CHECK((gone->was_there && !gone->is_there));
    CHECK(gone->changes == process.history(c).rows.front().notes.changes);
}

TEST_CASE("A difference that is not known names the nearest release, or what is unknown") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    fill(process);
    process.write("INSERT INTO releases (version, released_on) VALUES ('WS180', '2007-01-01')");
    process.write("INSERT INTO releases (version, released_on) VALUES ('WS200', '2009-01-01')");
    const ObjectName a{"Gene", "a"};
    const auto reading = process.service.read_context();
    const auto early = difference(reading, a, "WS180", "WS189");
    REQUIRE_FALSE(early);
    CHECK(early.error().kind == base::ErrorKind::absent);
    CHECK_THAT(early.error().text, Catch::Contains("WS185"));
    for (const auto& [from, to, unknown] : {std::array{"WS186", "WS200", "WS200"},
                                            {"WS1", "WS189", "WS1"},
                                            {"WS1", "WS200", "WS1"}}) {
        const auto unable = difference(reading, a, from, to);
        REQUIRE_FALSE(unable);
        CHECK(unable.error() == query::no_release(unknown).value());
    }
    CHECK(difference(reading, {"Gene", "x"}, "WS186", "WS189").error().kind ==
          base::ErrorKind::absent);
    CHECK(difference(reading, {"Paper", "c"}, "WS189", "WS189").error().kind ==
          base::ErrorKind::absent);
}

TEST_CASE("A difference reveals nothing of a release that is newer than the current one") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    const ObjectName a{"Gene", "a"};
    process.put("WS186", "2008-02-01", {{a, "1"}});
    static_cast<void>(process.history(a));
    process.put("WS187", "2008-02-15", {{a, "1"}});
    process.put("WS188", "2008-02-20", {{a, "2"}});
    static_cast<void>(process.history(a));
    process.put("WS187", "2008-02-15", {{a, "1"}});
    const auto reading = process.service.read_context();
    CHECK(difference(reading, a, "WS186", "WS188").error() == query::no_release("WS188").value());
    const auto known = difference(reading, a, "WS186", "WS187");
    const bool is_equal = known && known->changes.empty();
    CHECK((is_equal || (!known && known.error().text.find("WS188") == std::string::npos)));
}

TEST_CASE("Objects come with their labels, in the order of asking") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    build->with("Gene", "WBGene01", {tag("Name", {text("unc-26")})});
    build->with("Gene", "WBGene02", {tag("Name", {text("lin-7")})});
    build->with("Paper", "WBGene01", {});
    process.put(build);
    static_cast<void>(process.list({{"Gene", "WBGene01"}, {"Paper", "WBGene01"}}));

    // Another spelling, another class with the same name, an unknown object, one that only the build
    // has, and a prefix, which only a search would complete.
    const std::vector<ObjectName> asked{{"gene", "wbgene01"}, {"Paper", "WBGene01"},
                                        {"Gene", "nobody"},   {"Gene", "wbgene02"},
                                        {"Gene", "WBGene0"},  {"Gene", "WBGene01"}};
    CHECK(query::with_labels(process.service.read_context(), asked) ==
          std::vector<query::Named>{{{"Gene", "WBGene01"}, "unc-26"},
                                    {{"Paper", "WBGene01"}, "WBGene01"},
                                    {{"Gene", "nobody"}, "nobody"},
                                    {{"Gene", "WBGene02"}, "lin-7"},
                                    {{"Gene", "WBGene0"}, "WBGene0"},
                                    {{"Gene", "WBGene01"}, "unc-26"}});
    CHECK(query::with_labels(process.service.read_context(), {}).empty());
}
