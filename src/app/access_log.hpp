// app/access_log.hpp -- a line for each request: logfmt, one write(2) a line, no tokens in it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "base/log.hpp"
#include "serve/http.hpp"

namespace app {

// The parameters of a query but those named token, however they are spelled: as they came, at
// most 1,000 bytes. Pure.
[[nodiscard]] std::string without_token(std::string_view query);

// "2008-02-15T09:15:20Z client=… method=… path=… query=… status=200 bytes=… us=…". Pure.
//   took  from the request's arrival to its answer, the sending of it aside
[[nodiscard]] std::string access_line(base::Seconds now, const serve::Request& request,
                                      const serve::Response& response,
                                      std::chrono::microseconds took);

}  // namespace app
