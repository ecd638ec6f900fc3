// SPDX-License-Identifier: MIT
#include "source/acedb/protocol.hpp"

#include <algorithm>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace acedb = source::acedb;

namespace {

// Returns the words into which AceDB divides a command; nullopt where a byte has a special
// meaning for it.
std::optional<std::vector<std::string>> words_of(std::string_view command) {
    std::vector<std::string> words(1);
    bool is_quoted = false;
    for (std::size_t at = 0; at < command.size(); ++at) {
        char c = command[at];
        if (c < 0x20 || c >= 0x7f) return std::nullopt;
        if (c == '\\') {
            if (++at == command.size() || command[at] == 'n') return std::nullopt;
            words.back() += command[at];
            continue;
        }
        if (c == '%' || c == '/' || c == ';' || c == '@' || c == '$') return std::nullopt;
        if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ' ' && !is_quoted)
            words.emplace_back();
        else
            words.back() += c;
    }
    if (is_quoted) return std::nullopt;
    return words;
}

std::string any_text() {
    const auto bytes = *rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                                       rc::gen::container<std::string>(rc::gen::elementOf(
                                           std::string("\\\"/%;@$*?\n\t a\x80"))));
    return bytes;
}

}  // namespace

TEST_CASE("Special characters of AceDB in a name make it a pattern, which finds no name by its "
          "spelling") {
    CHECK(acedb::find_command({"Text", "a \"b\" 50% c/d \\ e; f@g $h"}) ==
          R"(find Text "a ?b? 50? c?d ? e? f?g ?h*")");
    CHECK(acedb::find_command({"Text", "a*b?c\nd\t\te\x7f\xc3\xa9"}) ==
          "find Text \"a?b?c?*d?*e?*\"");
    for (const auto* blank : {"", " ", "  "})
        CHECK(acedb::find_command({"Text", blank}) == R"(find Text "?*")");
    for (const auto* name : {"", "a*", "?", "e;", "f@g", "$h", "two\nlines", "caf\xc3\xa9",
                             "\x7f", "\"q\"", "50%", "c/d", "\\"})
        CHECK(acedb::is_pattern(name));
    const std::string literal = "azAZ09 _.:()+,=<>#&'|{}[]`~^!-";
    CHECK_FALSE(acedb::is_pattern(literal));
    CHECK(acedb::find_command({"Text", literal}) == "find Text \"" + literal + "\"");
    CHECK(acedb::find_command({"Gene x", "y"}) == "find \"Gene x\" \"y\"");
    CHECK(acedb::find_all_command("Ge\"ne\n") == "find \"Ge?ne?*\"");
    CHECK(acedb::model_command("") == "model \"\"");
}

TEST_CASE("Any class and name are only two words of one command") {
    CHECK(rc::check([] {
        const tree::ObjectName name{any_text(), any_text()};
        const auto command = acedb::find_command(name);
        RC_ASSERT(acedb::is_command(command));
        const auto words = words_of(command);
        RC_ASSERT(words.has_value());
        RC_ASSERT(words->size() == 3U);
        RC_ASSERT(words->at(0) == "find");
        RC_ASSERT(words->at(2) == name.name || acedb::is_pattern(name.name));
        RC_ASSERT(acedb::is_command(acedb::model_command(name.class_name)));
    }));
}

TEST_CASE("A command is one line of printable ASCII") {
    CHECK(acedb::is_command("status"));
    for (const std::string text : {"", "a\nb", "a\n", "a\tb", "caf\xc3\xa9", "\x7f"})
        CHECK_FALSE(acedb::is_command(text));
    CHECK_FALSE(acedb::is_command(std::string_view("a\0b", 3)));
}
