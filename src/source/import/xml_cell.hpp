// source/xml_cell.hpp -- the cell that an element with `class` and `value` stands for.
//   class  "#txt", "#int", "#float", "#date", "#Comment" as AcePerl names AceDB's types; "#dna",
//          "#peptide", "#scalar" are texts; "#Text" or "Gene": a reference of that class
//   value  AcePerl's dates become AceDB's: `15 Mar 1992 10:22:00` is 1992-03-15_10:22:00. Those
//          of less precision are padded there: `01 JAN 1992 00:00:00` (in capitals) is 1992 again
//          and midnight is no time of day, but `01 Mar 1992 00:00:00` can't be told from a first
//          of March: 1992-03 becomes 1992-03-01. Numbers are %d and %g: 1.2e-07 where a dump has
//          0.000000. What is no number or date stays as it is written.
// Pure. Source: acedb dumps, `show -j`; AcePerl 1.92.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "tree/object.hpp"

namespace source::import {

//   needs    legal text (base/utf8)
//   returns  without class_name where "#" is followed by nothing, or the class is empty
[[nodiscard]] tree::Cell xml_cell(std::string_view class_name, std::string_view value);

}  // namespace source::import
