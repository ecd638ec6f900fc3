// source/ace_command.hpp -- commands that AceDB takes for exactly one thing.
// Pure. Nothing of a class or a name reaches AceDB but printable ASCII in quotes (a class that is
// a plain word: bare). `\ " / %` get a backslash. `* ? ; @ $` are sent as `?`, AceDB's wildcard for
// one character; a run of control characters and bytes from 0x80 on as `*`, its wildcard for any
// number of them: what is one byte there may be three here, as UTF-8. What such a name finds is
// searched for the name itself. So no name is another command; one without any character is sent
// as a lone `?`, and only one without any ASCII matches at large.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tree/object.hpp"

namespace source::acedb {

// `find Class "name"`.
[[nodiscard]] std::string find_command(const tree::ObjectName& name);
// `find Class`: every object of it becomes active.
[[nodiscard]] std::string find_all_command(std::string_view class_name);
// `model Class`.
[[nodiscard]] std::string model_command(std::string_view class_name);

// Every active object; or the one at `position` of the active list, counted from 0.
inline constexpr std::string_view show_command = "show -a -T";
[[nodiscard]] std::string show_one_command(std::size_t position);
inline constexpr std::string_view list_command = "list -a";

// True when the words of find_command() may match other names too: show what was found only
// after a look at the list.
[[nodiscard]] bool is_ambiguous(const tree::ObjectName& name);

// True for one line of printable ASCII: all that a session sends. On a pipe the next line would
// be the next command.
[[nodiscard]] bool is_command(std::string_view text);

}  // namespace source::acedb
