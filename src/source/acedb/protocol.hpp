// source/acedb/protocol.hpp -- commands that AceDB understands in exactly one way, and what its
// replies say. Pure; replies may be any bytes.
// Only printable ASCII of a class or a name reaches AceDB, in quotes (a class that is a plain
// word: bare). A name with any of `\ " / % * ? ; @ $`, with other bytes, or of blanks alone becomes a
// pattern: `?`, AceDB's wildcard for one character, in place of each of these, `?*` for a run of control
// characters and bytes from 0x80 on, since one byte there may be three here, as UTF-8; and `*` at its
// end, since AceDB prefers the object whose name is spelled like the pattern. The caller searches
// what such a command finds for the name itself. So no name is another command.
// Source: replies recorded from AceDB 4.9.62 (tests/data/wire).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/source.hpp"
#include "tree/object.hpp"

namespace source::acedb {

// ---- Commands ----

// `find Class "name"`, or a pattern.
[[nodiscard]] std::string find_command(const tree::ObjectName& name);
// True for a name that is sent as a pattern: look at the list before you show what it found.
[[nodiscard]] bool is_pattern(std::string_view name);
// `find Class`: activates all its objects.
[[nodiscard]] std::string find_all_command(std::string_view class_name);
// `model Class`.
[[nodiscard]] std::string model_command(std::string_view class_name);

// Show every active object, or the one at `position` of the active list, counted from 0.
inline constexpr std::string_view show_command = "show -a -T";
[[nodiscard]] std::string show_one_command(std::size_t position);
inline constexpr std::string_view list_command = "list -a";

// True for one line of printable ASCII, which is all that a session sends. On a pipe a second
// line would be another command.
[[nodiscard]] bool is_command(std::string_view text);

// ---- Replies ----

// True when the reply ends in the line `// N Active Objects`, as every whole one does.
[[nodiscard]] bool is_whole(std::string_view reply);

// The reply to `status`.
struct Status {
    std::string name;       // of the database: "WS188"; empty: none is set
    std::string directory;  // on its own machine
    // Differs when the database is another, or was saved since: name, release, directory,
    // session, last save.
    std::string identity;
};
//   error  malformed
[[nodiscard]] base::Result<Status> parse_status(std::string_view reply);

// Returns N of `// Found N objects …`, the reply to `find`.
//   error  malformed
[[nodiscard]] base::Result<std::uint64_t> parse_found(std::string_view reply);

// Returns N of the last line, `// N Active Objects`: a list of them has at least that many names.
//   error  malformed
[[nodiscard]] base::Result<std::uint64_t> parse_active(std::string_view reply);

// Returns class and number of each line of the reply to `classes`.
//   error  malformed
[[nodiscard]] base::Result<std::vector<ClassCount>> parse_classes(std::string_view reply);

// Returns the names in a reply to `list -a`, of all classes, unescaped, in its order.
//   error  malformed
[[nodiscard]] base::Result<std::vector<tree::ObjectName>> parse_list(std::string_view reply);

// Returns what the database says in addition to its data, for an error text: the first line with
// content, printable ASCII, at most 200 characters; empty when there is none.
[[nodiscard]] std::string words_of(std::string_view reply);

// Returns the models in a reply to `model`, without what AceDB adds.
[[nodiscard]] std::string_view model_text(std::string_view reply);

// Returns the bytes of each object in a reply to `show -a -T`, as a dump has them: header to the
// LF of the last line (a LongText's terminator included), without the blank line after it.
//   error  malformed: the reply ends inside an object, or lacks `// N objects dumped`
[[nodiscard]] base::Result<std::vector<std::string_view>> parse_shown(std::string_view reply);

}  // namespace source::acedb
