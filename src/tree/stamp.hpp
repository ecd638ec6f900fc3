// tree/stamp.hpp -- what an AceDB timestamp says.
// Pure. Source: `YYYY-MM-DD_hh:mm:ss[.N]_user`; .N tells sessions of one second apart and is no
// fraction; the user may hold '_' itself. Any other text is legal in AceDB: opaque.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"

namespace tree {

struct Stamp {
    base::Seconds at;     // local time of the curators' machine, no zone: kept as written
    std::string_view by;  // views into the text that was parsed
    bool operator==(const Stamp&) const = default;
};

// nullopt: opaque or empty.
[[nodiscard]] std::optional<Stamp> parse_stamp(std::string_view text);

// The text whose parse gives `at` and `by` (without .N, which tells nothing to people).
[[nodiscard]] std::string stamp_text(base::Seconds at, std::string_view by);

}  // namespace tree
