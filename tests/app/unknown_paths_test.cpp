// SPDX-License-Identifier: MIT
#include "app/unknown_paths.hpp"

#include "app/suggestion.hpp"
#include "support/catch.hpp"
#include "support/small_build.hpp"

using app::UnknownPath;
using support::tag;
using support::text;

namespace {

struct Genes : support::SmallBuild {
    Genes() : SmallBuild("WS188", "2008-03-22") {
        for (int i = 0; i < 300; ++i)
            with("Gene", "g" + std::to_string(1000 + i),
                 {tag("Identity", {tag("Name", {tag("CGC_name", {text("unc-1")})})}),
                  tag("Remark", {text("x")})});
        with("Paper", "p1", {tag("Title", {text("t")})});
    }
};

std::vector<UnknownPath> unknown(const source::Source& build, const app::Config& config) {
    auto paths = app::unknown_paths(build, config);
    REQUIRE(paths);
    return std::move(*paths);
}

}  // namespace

TEST_CASE("A class in the configuration that the build does not have is unknown") {
    app::Config config;
    config.history.names = {{"Gen", {{"Identity", "Name", "CGC_name"}}}};
    config.history.ranking.helper_classes = {"Author", "paper"};
    config.site.successor_of_class["Gene"] = {{"Remark"}};
    CHECK(unknown(Genes(), config) ==
          std::vector<UnknownPath>{
              {"[names] Gen", "there is no class Gen in WS188; did you mean Gene?"},
              {"[classes] helpers", "there is no class Author in WS188"}});
    Genes skipping;
    skipping.skipping("Author").skipping("Gen");
    CHECK(unknown(skipping, config).empty());
}

TEST_CASE("A class in the configuration that cannot be tracked is named") {
    app::Config config;
    config.history.names = {{"GO:term", {{"Name"}}}};
    config.history.ranking.helper_classes = {"GO:name"};
    Genes skipping;
    skipping.skipping("GO:term").skipping("GO:name");
    const auto paths = unknown(skipping, config);
    REQUIRE(paths.size() == 2);
    for (const auto& each : paths)
        CHECK(each.remark ==
              "classes of this name are not tracked: it has a colon, or is longer than 64 bytes");
}

TEST_CASE("A curator in the configuration whom the build does not have is unknown") {
    app::Config config;
    config.history.curators = {{"anna", {"Gene", "g1000"}},
                               {"bob", {"gene", "G1001"}},
                               {"carl", {"Gene", "x"}},
                               {"dora", {"Person", "p1"}}};
    CHECK(unknown(Genes(), config) ==
          std::vector<UnknownPath>{{"[curators] carl", "Gene x is not in WS188"},
                                   {"[curators] dora", "there is no class Person in WS188"}});
    Genes skipping;
    skipping.skipping("Person").skipping("Gene");
    CHECK(unknown(skipping, config).empty());
}

TEST_CASE("A path in the configuration that no object of a sample has is unknown") {
    app::Config config;
    config.history.names = {{"gene", {{"identity", "Name", "CGC_name"}, {"CGC_name"}}}};
    config.history.ranking.important = {{"Gene", {{"CGC_name"}, {"Identity", "CGC_name"}}}};
    config.history.ranking.minor = {{"*", {{"Title"}, {"Titel"}}}};
    config.history.ignored = {{"Gene", {{"Title"}, {"Identity", "Nmae"}}}};
    CHECK(unknown(Genes(), config) ==
          std::vector<UnknownPath>{
              {"[names] gene", "no object has CGC_name (150 looked at)"},
              {"[important] Gene", "no object has Identity>CGC_name (150 looked at)"},
              {"[minor] *", "no object has Titel (151 looked at); did you mean Title?"},
              {"[ignore] Gene", "no object has Title (150 looked at)"},
              {"[ignore] Gene",
               "no object has Identity>Nmae (150 looked at); did you mean Name?"}});
}

TEST_CASE("A path that the models have is known, whether an object has it or not") {
    Genes build;
    build.with_models("?Gene Identity Name Public_name UNIQUE Text\n"
                      "      History Merged_into UNIQUE ?Gene #Evidence\n"
                      "?Strain Genotype Text\n"
                      "#Evidence Curator_confirmed Text\n");
    app::Config config;
    config.history.names = {{"Gene", {{"Identity", "Name", "Public_name"}}},
                            {"Strain", {{"Genotype"}}}};
    config.history.ignored = {{"*", {{"curator_confirmed"}}}};
    config.site.successor_of_class["Gene"] = {{"History", "Merged_into"}, {"Merged_in"}};
    CHECK(unknown(build, config) ==
          std::vector<UnknownPath>{
              {"[successor] Gene",
               "no object has Merged_in (150 looked at); did you mean Merged_into?"}});
    config.history.names = {{"Strain", {{"Genotpye"}}}};
    config.site.successor_of_class.clear();
    CHECK(
        unknown(build, config) ==
        std::vector<UnknownPath>{
            {"[names] Strain", "no object has Genotpye (0 looked at); did you mean Genotype?"}});
}

TEST_CASE("A misspelled word suggests the nearest candidate in its own spelling") {
    CHECK(app::did_you_mean("GENES", {"Protein", "Gene"}) == "; did you mean Gene?");
    CHECK(app::did_you_mean("Paper", {"Protein", "Gene"}).empty());
}
