// base/log.hpp -- one line an event, logfmt: time, level, what, then key=value pairs.
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

// `what` is a short constant sentence; what varies goes into `fields`, quoted where needed.
void write(Level level, std::string_view what, Fields fields = {});
inline void debug(std::string_view what, Fields f = {}) { write(Level::debug, what, f); }
inline void info(std::string_view what, Fields f = {}) { write(Level::info, what, f); }
inline void warning(std::string_view what, Fields f = {}) { write(Level::warning, what, f); }
inline void error(std::string_view what, Fields f = {}) { write(Level::error, what, f); }

// The sink: a file descriptor that stays open for the life of the process (2 = stderr, the
// default), and the least level that is written. Call before threads start.
void send_to(int descriptor, Level least);

}  // namespace base::log
