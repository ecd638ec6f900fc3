// support/ace_commands.hpp -- the commands of the test server: replies in pieces.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/ace_server.hpp"

namespace support {

// A reply can be divided between two of its pieces, which are objects.
struct AceReply {
    std::vector<std::string> pieces;
    bool failed = false;
    bool quits = false;
};

[[nodiscard]] const AceContents::Object& object_at(const AceContents& contents,
                                                   std::size_t entry);
// A command and its client.
struct AceAsked {
    const AceContents& contents;
    const AceServerSettings& settings;
    std::vector<std::size_t>& active;
    std::vector<std::string> words;
    bool has_parameter;
};

[[nodiscard]] std::string active_objects(const AceAsked& asked);
[[nodiscard]] AceReply answer_status(AceAsked& asked);

// `find` changes `active`, the list of active objects.
[[nodiscard]] AceReply ace_reply(const AceContents& contents, const AceServerSettings& settings,
                                 std::vector<std::size_t>& active, std::string_view command);

// Divides a command into words as AceDB does: `//` ends it, quotes and backslashes are resolved.
struct AceWords {
    std::vector<std::string> words;
    bool has_parameter = false;  // an unescaped %: AceDB looks for a parameter to put there
};
[[nodiscard]] AceWords words_of(std::string_view command);

// Returns -1, 0 or 1 with numbers in names compared as numbers (e9 before e10), in any case.
[[nodiscard]] int compare_names(std::string_view a, std::string_view b);
// Matches `*` with any bytes and `?` with any one, without regard to case.
[[nodiscard]] bool matches(std::string_view name, std::string_view pattern);

// Returns the name with AceDB's backslashes, in quotes.
[[nodiscard]] std::string ace_quoted(std::string_view name);
// Returns the text after a quote mark up to the next one, and moves `at` behind that.
[[nodiscard]] std::string ace_unquoted(std::string_view bytes, std::size_t& at);

}  // namespace support
