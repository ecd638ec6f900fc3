// feed/date.hpp -- times as feeds write them.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/date.hpp"

namespace feed {

// Parses a time of RFC 822 and 2822 (days with one digit, no seconds, years of two digits, named and military
// zones, a wrong day of the week), of W3CDTF and RFC 3339 (also a date alone, or with a blank for the T),
// of asctime, and the common mistakes of all three; with names of months in some 45 languages, and with places for zones
// (Europe/Berlin). A time without a zone is UTC; of one in a zone that nobody knows, only the day counts.
//   returns  nullopt: it cannot be read, no calendar has it, or it is not between 1990 and 2100
[[nodiscard]] std::optional<base::Seconds> parse_time(std::string_view text);

}  // namespace feed
