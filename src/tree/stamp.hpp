// tree/stamp.hpp -- AceDB timestamps.
// Pure. Source: `YYYY-MM-DD_hh:mm:ss[.N]_user`; .N numbers the sessions of
// one second and is not a fraction; the user can contain '_'. AceDB accepts any other text: opaque.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"

namespace tree {

struct Stamp {
    base::Seconds at;     // local time of the curators' machine, without a zone
    std::string_view by;  // views into the text that was parsed
    bool operator==(const Stamp&) const = default;
};

// Parses a timestamp; nullopt when it is opaque or empty.
[[nodiscard]] std::optional<Stamp> parse_stamp(std::string_view text);

// Returns the text that parses to `at` and `by`, without .N.
[[nodiscard]] std::string stamp_text(base::Seconds at, std::string_view by);

}  // namespace tree
