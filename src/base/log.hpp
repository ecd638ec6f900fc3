// base/log.hpp -- one line an event, logfmt: time, level, what, then key=value pairs.
// Safe from any thread: a line is written with one write(2).
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace base::log {

enum class Level { debug, info, warning, error };

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// `what` is a short constant sentence; what varies goes into `fields`, quoted where needed.
void write(Level level, std::string_view what, Fields fields = {});
inline void debug(std::string_view what, Fields f = {}) { write(Level::debug, what, f); }
inline void info(std::string_view what, Fields f = {}) { write(Level::info, what, f); }
inline void warning(std::string_view what, Fields f = {}) { write(Level::warning, what, f); }
inline void error(std::string_view what, Fields f = {}) { write(Level::error, what, f); }

// "BEGIN key=value …" and a line end, values quoted where needed.
[[nodiscard]] std::string line_of(std::string_view begin, Fields fields);

// Where lines go, and the least level that is written. Any time: a line that is being written
// meanwhile goes whole to the one or the other.
//   descriptor  stays open for the life of the process; 2, stderr, is the default
void send_to(int descriptor, Level least);
// The same for a file, opened anew at each call (logrotate).
//   error  unavailable: it can't be opened; nothing changes
[[nodiscard]] Result<void> send_to_file(const std::string& path, Level least);

}  // namespace base::log
