// source/written_array.hpp -- the bodies of array classes in curators' files: LongText, DNA,
// Peptide, KeySet and others.
// Source: AceDB 4.9.62. DNA is in lower case, `u` a `t`, gaps (`-`, `x`) a `-`; blanks, digits
// and `*` count for nothing; a Peptide is in upper case and loses the `*` at its end.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "source/curated/lines.hpp"
#include "source/curated/objects.hpp"

namespace source::curated {

struct ArrayBody {
    std::string text;             // of all but key sets
    bool has_text = false;        // a LongText of one empty line has; that of no line has not
    std::vector<Number> members;  // keys
    std::string wrong;            // why AceDB would refuse it; empty: it would not
};

// Reads the lines behind the header, up to the blank line or the terminator that ends them, or up
// to the line that is wrong.
//   fasta  the header was `>name`: the next one ends it, lines with `;` are comments
//   most   bytes
//   error  of LineReader; too_large
enum class Fasta { no, yes };
[[nodiscard]] base::Result<ArrayBody> read_array(LineReader& cards, const ClassInfo& of,
                                                 Fasta fasta, const tree::Models& models,
                                                 Names& keys, std::size_t most);

}  // namespace source::curated
