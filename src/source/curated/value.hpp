// source/ace_value.hpp -- words that AceDB takes for numbers and dates, as it stores and dumps
// them.
// Pure, C locale. Source: AceDB 4.9.62; a number is rounded or cut where AceDB does so, since a
// dump of the same data says no more.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"

namespace source::curated {

// Int: decimal, with blanks or a sign in front at most; cut to 32 bits without a word
// ("99999999999" -> "1215752191"). nullopt: no integer.
[[nodiscard]] std::optional<std::string> stored_integer(std::string_view word);

// Float: rounded to 7 significant digits, then to 32 bits, and written with 6 decimals
// ("52.2053" -> "52.205299", "1.2e-07" -> "0.000000"). nullopt: no number, or beyond 1e40.
[[nodiscard]] std::optional<std::string> stored_real(std::string_view word);

// DateType: `[YY]YY[-MM[-DD[_hh[:mm[:ss]]]]]`, the parts in one digit or two, `now` and `today`.
// Years of two digits are completed (51 ... 99: 19xx, else 20xx), the time of day is kept from
// 1991 on, a day that its month does not have becomes one of the next month, and a year out of
// range is garbled as AceDB does it ("1889" -> "1997"). nullopt: no date.
//   today  what `now` and `today` stand for, both without a time of day
[[nodiscard]] std::optional<std::string> stored_date(std::string_view word, base::Date today);

}  // namespace source::curated
