// query/pasted_names.hpp -- a list of names that a reader pasted or took from a file, and the objects
// that these names mean. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"

namespace query {

// A line of the list in its cells: what tabs separate. One cell at least, none is blank.
using PastedLine = std::vector<std::string>;
// Returns the lines of a text of any bytes that has something on them: without comments ("#" or "//"
// at the beginning of a line), blanks at the ends, quotation marks around a cell and a byte order
// mark. Lines end with LF, CR LF or CR. Pure.
[[nodiscard]] std::vector<PastedLine> pasted_lines(std::string_view text);

// A name as it was pasted, with the objects that it may mean.
struct PastedName {
    std::string text;  // "Hodgkin", or with the class that was chosen for it: "Person:Hodgkin"
    std::vector<Named> objects;  // none, or several: the reader has to say which
    bool operator==(const PastedName&) const = default;
};

struct PastedObjects {
    std::vector<ObjectName> objects;  // in the order of the text, each once
    std::vector<PastedName> unclear;  // names that mean none, or several; each once
    std::size_t left_out = 0;  // names that were not looked at, or not everywhere: too many
};

inline constexpr std::size_t most_pasted_names = 1000;  // that are looked up
inline constexpr std::size_t most_meanings = 20;        // of a name
inline constexpr std::size_t most_build_lookups = 10'000;

// Finds the objects. What stands on a line is taken as a whole where that is a name: "CLASS:NAME",
// "CLASS NAME", or a name or label by itself, in any spelling, or base::tidied() of it is. Otherwise it
// is divided at tabs, then at commas and semicolons, then at blanks. Of a table (several lines with the
// same number of tabs) only the columns count in which half of the first names mean something.
//   class_name  the class of names by themselves; empty: any. Objects of helper classes
//               ([classes] helpers) are left out where there are others
//   throws      store::Failure; Busy
//   cost        for each name some look-ups by index in the store, and in the build one for each
//               class, most_lookups in all; after these, a name that the store has not is left out
[[nodiscard]] PastedObjects objects_of_pasted(const ReadContext& context,
                                              const std::vector<PastedLine>& lines,
                                              const std::string& class_name,
                                              std::size_t most_lookups = most_build_lookups);

// Returns what names mean, one after the other, each taken as a whole. For names that were unclear.
[[nodiscard]] std::vector<PastedName> meanings_of(const ReadContext& context,
                                                  const std::vector<std::string>& names);

}  // namespace query
