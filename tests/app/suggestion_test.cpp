// SPDX-License-Identifier: MIT
#include "app/suggestion.hpp"

#include "support/catch.hpp"

using app::did_you_mean;

TEST_CASE("A misspelled word suggests the nearest candidate") {
    const std::vector<std::string> words{"Gene", "Gene_class", "Protein", "threads", "prewarm"};
    for (const auto& [word, meant] : {std::pair{"Gen", "Gene"},
                                      {"gnee", "Gene"},
                                      {"GENES", "Gene"},
                                      {"thread", "threads"},
                                      {"tihread", "threads"},
                                      {"perwarm", "prewarm"},
                                      {"protien", "Protein"},
                                      {"gene_", "Gene"},
                                      {"gene_cl", "Gene_class"},
                                      {"pre", "prewarm"}}) {
        CAPTURE(word);
        CHECK(did_you_mean(word, words) == std::string("; did you mean ") + meant + "?");
    }
}

TEST_CASE("A word that is near to nothing suggests nothing") {
    const std::vector<std::string> words{"Gene", "to", "is"};
    for (const auto& word : {std::string(), std::string("x"), std::string("xy"),
                             std::string("Paper"), std::string("Gexyz"), std::string(65, 'x')}) {
        CAPTURE(word);
        CHECK(did_you_mean(word, words).empty());
    }
    CHECK(did_you_mean("Gene", {}).empty());
}
