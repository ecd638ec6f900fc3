// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <rapidcheck.h>
#include <utf8.h>

#include "support/catch.hpp"

using base::is_legal_text;
using base::legal_text;

TEST_CASE("Valid UTF-8 is not changed") {
    for (const std::string text :
         {"", "plain", "caf\xC3\xA9", "\xF0\x9F\x90\x9B worm", "a\tb\nc\rd"})
        CHECK(legal_text(text) == text);
}

TEST_CASE("Bytes that are not UTF-8 are read as Windows-1252") {
    CHECK(legal_text("caf\xE9") == "caf\xC3\xA9");
    CHECK(legal_text("\x80 100") == "\xE2\x82\xAC 100");
    CHECK(legal_text("\x81") == "\xEF\xBF\xBD");
}

TEST_CASE("Characters that XML forbids become the replacement character") {
    CHECK(legal_text(std::string("a\0b", 3)) == "a\xEF\xBF\xBD"
                                                "b");
    CHECK(legal_text("\x01") == "\xEF\xBF\xBD");
    CHECK(legal_text("\xEF\xBF\xBE") == "\xEF\xBF\xBD");  // U+FFFE
    CHECK(legal_text("long enough for words \x0B") == "long enough for words \xEF\xBF\xBD");
}

TEST_CASE("Surrogates are not valid in UTF-8") {
    CHECK(utf8::is_valid(legal_text("\xED\xA0\x80")));
    CHECK(is_legal_text(legal_text("\xED\xA0\x80")));
}

TEST_CASE("Any bytes become legal text, and legal text is not changed") {
    CHECK(rc::check([](const std::string& bytes) {
        const auto text = legal_text(bytes);
        RC_ASSERT(is_legal_text(text));
        RC_ASSERT(legal_text(text) == text);
        RC_ASSERT(text.size() <= bytes.size() * 3);
    }));
}

TEST_CASE("Marks that turn the direction of text are left out, and nothing else") {
    for (const std::string mark : {"\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                                   "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"})
        CHECK(base::without_directions(mark + "a" + mark + mark + "\xC3\xA9" + mark) ==
              "a\xC3\xA9");
    for (const std::string other :
         {"\xD8\x9D", "\xE2\x80\x8D", "\xE2\x80\x90", "\xE2\x80\xA9", "\xE2\x80\xAF",
          "\xE2\x81\xA5", "\xE2\x81\xAA", "\xE2\x80", "\xE2", ""})
        CHECK(base::without_directions("a" + other) == "a" + other);
}

TEST_CASE("A text is cut between characters, and bytes that are no UTF-8 where they are") {
    CHECK(base::cut_at("a\xC3\xA9z", 2) == "a");
    CHECK(base::cut_at("a\xC3\xA9z", 3) == "a\xC3\xA9");
    CHECK(base::cut_at("ab", 9) == "ab");
    CHECK(base::cut_at("a\xF0\x9F\xA7\xACz", 4) == "a");
    CHECK(base::cut_at(std::string(10, '\x88'), 6).size() == 6);
}
