// feed/reference.hpp -- relative URLs.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace feed {

// Returns the absolute http or https URL that a reference stands for (RFC 3986 section 5): blanks at its ends are dropped,
// other characters that no URL has are percent-encoded; a host has them as IDNA does (xn--). Empty: it is none, or has another scheme, or the
// result is longer than 2048 bytes. The fragment stays.
//   base  absolute URL; may be empty, and then only absolute references have a result
[[nodiscard]] std::string resolve_reference(const std::string& base, std::string_view reference);

// Returns what to call the target of a URL: the last part of its path, or else its host.
[[nodiscard]] std::string name_of_target(const std::string& url);

}  // namespace feed
