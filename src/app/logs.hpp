// app/logs.hpp -- the log and the access log of the program: opened as the configuration says,
// reopened while it runs, and the lines of the access log.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "app/config.hpp"
#include "base/date.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "serve/http.hpp"

namespace app {

// A server logs what it does; a command that somebody waits for logs only problems.
enum class Speaker : unsigned char { server, command };

// Opens the log of the program.
//   error  unavailable: its file cannot be written; the earlier log stays in use
[[nodiscard]] base::Result<void> open_log(const LogConfig& config, Speaker speaker);

// Opens both logs of a server. When one cannot be opened, both stay as they are.
[[nodiscard]] base::Result<void> open_logs(const LogConfig& config, base::LogFile& access);

// Returns a line in logfmt: "2008-02-15T09:15:20Z client=… method=… path=… query=… status=200
// bytes=… us=…". Pure.
//   took  time from the request to its response, without sending it
[[nodiscard]] std::string access_line(base::Seconds now, const serve::Request& request,
                                      const serve::Response& response,
                                      std::chrono::microseconds took);

}  // namespace app
