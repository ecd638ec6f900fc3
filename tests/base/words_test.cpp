// How texts are divided into words.
// SPDX-License-Identifier: MIT
#include "base/words.hpp"

#include <algorithm>

#include "support/catch.hpp"

using base::words_of;
using Words = std::vector<std::string>;

TEST_CASE("A text is divided at blanks and punctuation, and numbers stay with what they number") {
    CHECK(words_of("phosphatidylinositol-4,5-bisphosphate binding") ==
          Words{"phosphatidylinositol-4", "5", "bisphosphate", "binding"});
    CHECK(words_of("unc-26 JC8.10 GO:0004439 Y65B4BR.1 WBPhenotype:0001213") ==
          Words{"unc-26", "jc8.10", "go:0004439", "y65b4br.1", "wbphenotype:0001213"});
    CHECK(words_of("(unc-26)e205; lin- -7 a.b 3'-end") ==
          Words{"unc-26", "e205", "lin", "7", "a", "b", "3", "end"});
    CHECK(words_of("one ONE One").size() == 1);
    CHECK(words_of("").empty());
    CHECK(words_of(" -.\"'*()\t\n").empty());
}

TEST_CASE("Letters of Latin, Greek and Cyrillic have no case in words") {
    CHECK(words_of("\xC3\x89LAN \xC5\xBBUK \xCE\x92-catenin \xD0\x96\xD0\x81") ==
          Words{"\xC3\xA9lan", "\xC5\xBCuk", "\xCE\xB2", "catenin", "\xD0\xB6\xD1\x91"});
    CHECK(words_of("\xCE\xA3\xCE\x9F\xCE\xA6\xCE\x9F\xCE\xA3") ==
          words_of("\xCF\x83\xCE\xBF\xCF\x86\xCE\xBF\xCF\x82"));
}

TEST_CASE("Words of a hostile text are few, short and legal") {
    const std::string long_word(10'000, 'x');
    CHECK(words_of(long_word) == Words{std::string(64, 'x')});
    std::string accented;
    for (int i = 0; i < 100; ++i) accented += "\xC3\xA9";
    CHECK(words_of("a" + accented).at(0).size() == 63);
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "w" + std::to_string(i) + " ";
    CHECK(words_of(many).size() == base::most_words);
    CHECK(words_of(many, 8).size() == 8);
    CHECK(words_of(std::string("a\0b", 3)) == Words{"a", "b"});
    CHECK(words_of("caf\xE9 x") == Words{"caf\xC3\xA9", "x"});
    CHECK(words_of("\xE2\x80\xAE"
                   "abc\xE2\x80\xAC \xF0\x9F\xA7\xAC") == Words{"abc", "\xF0\x9F\xA7\xAC"});
    CHECK(words_of("\" * NEAR AND OR NOT -x ( ^ : {").front() == "near");
}

TEST_CASE("What begins a text begins its words too") {
    const std::string text = "Phosphatidylinositol-4,5 GO:0004439, \xC3\x89lan JC8.10 (b)";
    const auto words = words_of(text);
    for (std::size_t size = 1; size <= text.size(); ++size) {
        INFO(text.substr(0, size));
        if (size < text.size() && (text[size] & 0xC0) == 0x80) continue;
        for (const auto& asked : words_of(text.substr(0, size)))
            CHECK(std::ranges::any_of(words,
                                      [&](const auto& each) { return each.starts_with(asked); }));
    }
}

TEST_CASE(
    "The table of words lacks the word that the name begins with, and has all others once") {
    CHECK(words_beside_name({"WBGene00006763", "unc-26", "JC8.10\nunc-26"}) == Words{"jc8.10"});
    CHECK(words_beside_name({"WBGene00006763", "UNC-26 x", ""}) == Words{"unc-26", "x"});
    CHECK(words_beside_name({"WBGene00006763", "unc", ""}) == Words{"unc"});
    CHECK(words_beside_name({"WBGene00006763", "WBGene00006763", ""}).empty());
    CHECK(words_beside_name({"Sylvia Martinelli", "", ""}) == Words{"martinelli"});
    CHECK(words_beside_name({"\xC3\x89lan", "", ""}) == Words{"\xC3\xA9lan"});
}
