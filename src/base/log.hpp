// base/log.hpp -- the log: one line per event in logfmt (time, level, message, key=value pairs).
// Safe from any thread: a line is written with one write(2).
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace base::log {

enum class Level { debug, info, warning, error };

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Writes one line. `what` is a short constant text; what varies goes into `fields`.
void write(Level level, std::string_view what, Fields fields = {});
inline void debug(std::string_view what, Fields f = {}) { write(Level::debug, what, f); }
inline void info(std::string_view what, Fields f = {}) { write(Level::info, what, f); }
inline void warning(std::string_view what, Fields f = {}) { write(Level::warning, what, f); }
inline void error(std::string_view what, Fields f = {}) { write(Level::error, what, f); }

// Returns "BEGIN key=value …" with a line end; values are quoted where needed.
[[nodiscard]] std::string line_of(std::string_view begin, Fields fields);

// Sets where lines go, and the lowest level that is written. May be called at any time.
//   descriptor  must stay open as long as lines go there; the default is 2, stderr
void send_to(int descriptor, Level least);

}  // namespace base::log
