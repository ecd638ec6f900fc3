// Dates, times and timestamps of any bytes: what is accepted is written as a text that is read as
// the same value.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-date_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/date.hpp"
#include "tree/stamp.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
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
    return 0;
}
