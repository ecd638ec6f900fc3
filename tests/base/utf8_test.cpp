// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <rapidcheck.h>
#include <utf8.h>

#include "support/catch.hpp"

using base::is_legal_text;
using base::legal_text;

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

TEST_CASE("Text is legal if it is UTF-8 of characters that XML allows, wherever they stand") {
    const auto is_allowed = [](std::string_view text) {
        if (!utf8::is_valid(text.begin(), text.end())) return false;
        for (auto at = text.begin(); at != text.end();) {
            const auto c = utf8::unchecked::next(at);
            if (c == 0xFFFE || c == 0xFFFF) return false;
            if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') return false;
        }
        return true;
    };
    const auto compare = [&](const std::string& bytes, std::size_t plain) {
        const auto text = std::string(plain, 'x') + bytes + "yz";
        if (is_legal_text(text) != is_allowed(text)) FAIL("differs: " << text);
    };
    // Every first byte with each border of the second and of those that follow.
    const std::string borders{'\x00', 'A',    '\x7F', '\x80', '\x8F', '\x90', '\x9F',
                              '\xA0', '\xBD', '\xBE', '\xBF', '\xC0', '\xFF'};
    for (unsigned first = 0; first < 256; ++first)
        for (const char second : borders)
            for (const char third : borders)
                for (const char fourth : {'\x7F', '\x80', '\xBF', '\xC0'})
                    compare({static_cast<char>(first), second, third, fourth}, first % 9);
    // What ends in the middle.
    for (const std::string whole : {"\xC3\xA9", "\xE2\x86\x92", "\xF0\x9F\x90\x9B"})
        for (std::size_t size = 0; size <= whole.size(); ++size)
            CHECK(is_legal_text("eight..." + whole.substr(0, size)) ==
                  (size == 0 || size == whole.size()));
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

TEST_CASE("What turns direction is isolated from what surrounds it, once") {
    using base::isolated;
    for (const std::string plain : {"", "a", "\u2013", "\xE2\x80", "\xD7", "\u0660"})
        CHECK(isolated(plain) == plain);
    for (const std::string_view from_right : {"\u05D0 b", "1 \u0645", "\u07C0", "\U0001E900"}) {
        const auto once = "\u2068" + std::string(from_right) + "\u2069";
        CHECK(isolated(from_right) == once);
        CHECK(isolated("a " + once + " \u2192 " + once) == "a " + once + " \u2192 " + once);
        CHECK(isolated(once + "\u2069") == "\u2068" + once + "\u2069");
        CHECK(isolated("\u2068" + once) == "\u2068\u2068" + once + "\u2069\u2069");
    }
    CHECK(isolated("a\u202Eb") == "\u2068a\u202Eb\u202C\u2069");
    CHECK(isolated("\u202Aa\u202Bb\u202Cc") == "\u2068\u202Aa\u202Bb\u202Cc\u202C\u2069");
    CHECK(isolated("a\u2067b") == "\u2068a\u2067b\u2069\u2069");
    CHECK(isolated("a\u2067b\u2069") == "\u2068a\u2067b\u2069\u2069");
    CHECK(isolated("\u2066\u202Ea\u2069b") == "\u2068\u2066\u202Ea\u2069b\u2069");
    CHECK(isolated("\u202Ea\u2066\u202Cb") == "\u2068\u202Ea\u2066b\u2069\u202C\u2069");
    // What ends nothing of this text must not end what surrounds it.
    CHECK(isolated("\u2069\u202Ca\u061C\u200F") == "\u2068a\u061C\u200F\u2069");
}

TEST_CASE("A text is cut between characters, and bytes that are no UTF-8 where they are") {
    CHECK(base::cut_at("a\xC3\xA9z", 2) == "a");
    CHECK(base::cut_at("a\xC3\xA9z", 3) == "a\xC3\xA9");
    CHECK(base::cut_at("ab", 9) == "ab");
    CHECK(base::cut_at("a\xF0\x9F\xA7\xACz", 4) == "a");
    CHECK(base::cut_at(std::string(10, '\x88'), 6).size() == 6);
}
