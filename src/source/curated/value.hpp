// source/curated/value.hpp -- numbers and dates as AceDB stores and dumps them.
// Pure, C locale. Source: AceDB 4.9.62. Numbers are rounded or cut where AceDB does so, since a
// dump of the same data has no more digits.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"

namespace source::curated {

// Returns the stored form of an Int: decimal, optionally after blanks and a sign; silently cut to
// 32 bits ("99999999999" -> "1215752191"). nullopt: not an integer.
[[nodiscard]] std::optional<std::string> stored_integer(std::string_view word);

// Returns the stored form of a Float: rounded to 7 significant digits, then to 32 bits, and
// written with 6 decimals ("52.2053" -> "52.205299", "1.2e-07" -> "0.000000"). nullopt: not a
// number, or beyond 1e40.
[[nodiscard]] std::optional<std::string> stored_real(std::string_view word);

// Returns the stored form of a DateType: `[YY]YY[-MM[-DD[_hh[:mm[:ss]]]]]`, the parts in one
// digit or two, `now` and `today`. Years of two digits are completed (51 ... 99: 19xx, else
// 20xx), the time of day is kept from 1991 on, a day that its month does not have becomes one of
// the next month, and a year out of range becomes another one, as in AceDB ("1889" -> "1997").
// nullopt: not a date.
//   today  the value of `now` and `today`, without a time of day
[[nodiscard]] std::optional<std::string> stored_date(std::string_view word, base::Date today);

}  // namespace source::curated
