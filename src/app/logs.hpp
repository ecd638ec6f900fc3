// app/logs.hpp -- the log and the access log of a program, opened as its configuration says and
// anew while it runs.
// SPDX-License-Identifier: MIT
#pragma once

#include "app/config.hpp"
#include "base/log.hpp"
#include "base/result.hpp"

namespace app {

// A server tells what it does; a command that somebody waits for tells only what is wrong.
enum class Speaker : unsigned char { server, command };

// The log in force from now on.
//   error  unavailable: its file can't be written; the log before stays
[[nodiscard]] base::Result<void> open_log(const LogConfig& config, Speaker speaker);

// The same for both logs of a server: when one can't be opened, both stay as they are.
[[nodiscard]] base::Result<void> open_logs(const LogConfig& config, base::LogFile& access);

}  // namespace app
