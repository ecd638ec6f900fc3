// Dates, times and timestamps of any bytes: what is accepted is written as a text that is read as
// the same value.
// SPDX-License-Identifier: MIT
#include "base/date.hpp"
#include "fuzz/fuzz.hpp"
#include "tree/stamp.hpp"

void fuzz(std::string_view text) {
    if (const auto day = base::parse_date(text)) require(base::format_date(*day) == text);
    if (const auto time = base::parse_rfc3339(text))
        require(base::parse_rfc3339(base::format_rfc3339(*time)) == time);
    if (const auto time = base::parse_http_date(text))
        require(base::parse_http_date(base::format_http_date(*time)) == time);
    if (const auto stamp = tree::parse_stamp(text)) {
        require(!stamp->by.empty() && text.ends_with(stamp->by));
        const auto written = tree::stamp_text(stamp->at, stamp->by);
        require(tree::parse_stamp(written) == stamp);
    }
}
