// base/date.hpp -- days and seconds, and their text formats.
// Pure: callers pass the clock. UTC throughout; AceDB's local times are kept as written.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace base {

using Date = std::chrono::sys_days;
using Seconds = std::chrono::sys_seconds;

// Returns the current time. Passed to whoever needs it, so that a test can stop it.
using Clock = std::function<Seconds()>;
[[nodiscard]] Seconds system_clock_now();

// Parses "2008-02-15"; nullopt for other formats and for days that do not exist.
[[nodiscard]] std::optional<Date> parse_date(std::string_view text);
//   throws  std::out_of_range outside of the years 0 … 9999
[[nodiscard]] std::string format_date(Date day);

// "2008-02-15T09:15:20" plus "Z" (RFC 3339 section 5.6).
[[nodiscard]] std::string format_rfc3339(Seconds time);
// The same of a time that may be absent: then another text.
[[nodiscard]] std::string rfc3339_or(const std::optional<Seconds>& time,
                                     std::string_view otherwise = {});
// Parses the same format; the "Z" may be missing (local times of curators).
[[nodiscard]] std::optional<Seconds> parse_rfc3339(std::string_view text);

// "Fri, 15 Feb 2008 00:00:00 GMT": RFC 9110 section 5.6.7 (IMF-fixdate), which is also what
// RSS's pubDate wants (RFC 822 with a four-digit year).
[[nodiscard]] std::string format_http_date(Seconds time);
// Parses IMF-fixdate, and the two obsolete formats that a recipient must accept (RFC 850, asctime).
[[nodiscard]] std::optional<Seconds> parse_http_date(std::string_view text);

}  // namespace base
