// How texts are divided into words.
// SPDX-License-Identifier: MIT
#include "base/words.hpp"

#include <algorithm>
#include <random>
#include <utf8.h>

#include "support/catch.hpp"

using Words = std::vector<std::string>;

namespace {

// The keys of the words of a text.
Words keys_in(std::string_view text, std::size_t most = base::most_words) {
    Words keys;
    for (const auto& word : base::words_of(text, most)) keys.push_back(word.key);
    return keys;
}

}  // namespace

TEST_CASE("A text is divided at blanks and punctuation, and numbers stay with what they number") {
    CHECK(keys_in("phosphatidylinositol-4,5-bisphosphate binding") ==
          Words{"phosphatidylinositol4", "5", "bisphosphate", "binding"});
    CHECK(keys_in("unc-26 JC8.10 GO:0004439 Y65B4BR.1 WBPhenotype:0001213") ==
          Words{"unc26", "jc810", "go0004439", "y65b4br1", "wbphenotype0001213"});
    CHECK(keys_in("(unc-26)e205; lin- -7 a.b 3'-end") ==
          Words{"unc26", "e205", "lin", "7", "a", "b", "3", "end"});
    CHECK(keys_in("one ONE One").size() == 1);
    CHECK(keys_in("").empty());
    CHECK(keys_in(" -.\"'*()\t\n").empty());
}

TEST_CASE("Letters have no case, accent or width in words") {
    CHECK(keys_in("\xC3\x89LAN \xC5\xBBUK \xCE\x92-catenin \xD0\x96\xD0\x81") ==
          Words{"elan", "zuk", "\xCE\xB2", "catenin", "\xD0\xB6\xD0\xB5"});
    CHECK(keys_in("e\xCC\x81lan H\xE2\x82\x82O stra\xC3\x9F"
                  "e \xEF\xBC\xA1 \xC4\xB0") == Words{"elan", "h2o", "strasse", "a", "i"});
    CHECK(keys_in("\xCE\xA3\xCE\x9F\xCE\xA6\xCE\x9F\xCE\xA3") ==
          keys_in("\xCF\x83\xCE\xBF\xCF\x86\xCE\xBF\xCF\x82"));
}

TEST_CASE("Words of a hostile text are few, short and legal") {
    const std::string long_word(10'000, 'x');
    CHECK(keys_in(long_word) == Words{std::string(64, 'x')});
    std::string accented;
    for (int i = 0; i < 100; ++i) accented += "\xCE\xB2";
    CHECK(keys_in("a" + accented).at(0).size() == 63);
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "w" + std::to_string(i) + " ";
    CHECK(keys_in(many).size() == base::most_words);
    CHECK(keys_in(many, 8).size() == 8);
    CHECK(keys_in(std::string("a\0b", 3)) == Words{"a", "b"});
    CHECK(keys_in("caf\xE9 x") == Words{"cafe", "x"});
    CHECK(keys_in("\xE2\x80\xAE"
                  "abc\xE2\x80\xAC \xF0\x9F\xA7\xAC") == Words{"abc", "\xF0\x9F\xA7\xAC"});
    CHECK(keys_in("\" * NEAR AND OR NOT -x ( ^ : {").front() == "near");
}

TEST_CASE("What begins a text begins its words too") {
    const std::string text = "Phosphatidylinositol-4,5 GO:0004439, \xC3\x89lan JC8.10 (b)";
    const auto words = keys_in(text);
    for (std::size_t size = 1; size <= text.size(); ++size) {
        INFO(text.substr(0, size));
        if (size < text.size() && (text[size] & 0xC0) == 0x80) continue;
        for (const auto& asked : keys_in(text.substr(0, size)))
            CHECK(std::ranges::any_of(words,
                                      [&](const auto& each) { return each.starts_with(asked); }));
    }
}

TEST_CASE("What begins a text has a key that begins the key of the text") {
    using base::search_prefix;
    const std::string text = "unc-26 (JC8.10) a-b -7 GO:0004439, \xC3\x89lan x-.1 let--7 c_:9";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        INFO(text.substr(0, size));
        if (size < text.size() && (text[size] & 0xC0) == 0x80) continue;
        CHECK(base::search_key(text).starts_with(search_prefix(text.substr(0, size))));
    }
    CHECK(search_prefix("unc-") == "unc");
    CHECK(search_prefix("JC8.") == "jc8");
    CHECK(search_prefix("GO:") == "go");
    CHECK(search_prefix("unc-26") == "unc26");
    // No number is joined to these.
    for (const std::string asked : {"-", "a -", "unc--", "(", "a b", "\xCC\x81"}) {
        INFO(asked);
        CHECK(search_prefix(asked) == asked);
    }
}

TEST_CASE(
    "The table of words lacks the word that the name begins with, and has all others once") {
    CHECK(base::words_beside_name({"WBGene00006763", "unc-26", "JC8.10\nunc-26"}) ==
          Words{"jc810"});
    CHECK(base::words_beside_name({"WBGene00006763", "UNC-26 x", ""}) == Words{"unc26", "x"});
    CHECK(base::words_beside_name({"GO:0004439", "", ""}) == Words{"0004439"});
    CHECK(base::words_beside_name({"WBGene00006763", "unc", ""}) == Words{"unc"});
    CHECK(base::words_beside_name({"WBGene00006763", "WBGene00006763", ""}).empty());
    CHECK(base::words_beside_name({"Sylvia Martinelli", "", ""}) == Words{"martinelli"});
    CHECK(base::words_beside_name({"\xC3\x89lan", "", ""}) == Words{"elan"});
}

TEST_CASE("The number behind a colon is a whole word, however long what stands before it is") {
    for (const std::size_t size : {55U, 60U, 63U, 64U, 65U, 200U}) {
        INFO(size);
        CHECK(base::words_of(base::SearchTexts{"x", std::string(size, 'a') + ":0004439", ""})
                  .at(1) == "0004439");
    }
}

TEST_CASE("A name that was pasted from a page or sentence is tidied") {
    using base::tidied;
    using Spellings = std::vector<std::string>;
    for (const std::string pasted :
         {"unc\u201026", "unc\u201126", "unc\u201226", "unc\u201326", "unc\u221226", " unc-26\t",
          "\u00A0unc-26\u3000", "unc-26.", "u\u00ADnc-2\u200B6\u202E", "\uFEFFunc-26\r\n"}) {
        INFO(pasted);
        CHECK(tidied(pasted) == Spellings{"unc-26"});
    }
    CHECK(tidied("unc-26").empty());
    CHECK(tidied("unc-26 . ") == Spellings{"unc-26 .", "unc-26"});
    CHECK(tidied("Sp.\u00A0") == Spellings{"Sp.", "Sp"});
    CHECK(tidied("Harris  et al.\u00A0\u00A02000,\na review") ==
          Spellings{"Harris et al. 2000, a review"});
    CHECK(tidied("K07A11.2.") == Spellings{"K07A11.2"});
    CHECK(tidied(".a").empty());
    CHECK(tidied("\xE9") == Spellings{"\u00E9"});
    CHECK(tidied(" \u202E. ") == Spellings{"."});
}

TEST_CASE("What people type alike has the same key, which is a key itself") {
    using base::search_key;
    CHECK(search_key("let-7") == search_key("LET7"));
    CHECK(search_key("GO:0004439, JC8.10") == "go0004439, jc810");
    CHECK(search_key("-7 lin- 7 a-b (x)-1") == "-7 lin- 7 a-b (x)-1");
    CHECK(search_key("\xC3\x89"
                     "clair") == search_key("eclair"));
    CHECK(search_key(std::string(3, '\xFF')).size() == 3);
    CHECK(search_key(std::string(10'000, 'x')).size() == 512);
    CHECK(search_key("\xE2\x80\xAE") == "\xE2\x80\xAE");
    CHECK(search_key("").empty());
    std::mt19937 random{1};
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (int length = 0; length < 6; ++length)
            utf8::append(random() % 3 == 0   ? U"a1-.:_ "[random() % 7]
                         : random() % 2 == 0 ? char32_t(0xA0 + random() % 0x3000)
                                             : char32_t(0xA000 + random() % 0x3700),
                         text);
        const auto key = search_key(text);
        INFO(text);
        CHECK(search_key(key) == key);
        for (const auto& word : keys_in(text)) CHECK(search_key(word) == word);
    }
}
