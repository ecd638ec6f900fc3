// compare/headline.hpp -- what changes say in a few words: "Status Live → Dead, 3 more changes".
// Pure. Safe from any thread. Nothing here escapes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "compare/field_change.hpp"

namespace compare {

// Stands between what was and what came in its place.
inline constexpr std::string_view became = " \xE2\x86\x92 ";  // U+2192

// Returns a tag as people read it: "GO_term" as "GO term". Here and in text_of(), marks that turn the
// direction of text are left out (base::without_directions).
[[nodiscard]] std::string words_of_tag(std::string_view tag);
// Returns words as they stand inside of a sentence: the first letter small unless the word is an
// abbreviation ("Other name" as "other name", "GO term" as it is).
[[nodiscard]] std::string inside_sentence(std::string words);
// Returns words with a capital at their beginning. Only ASCII letters change.
[[nodiscard]] std::string begins_sentence(std::string words);

// Returns "2 GO terms", or "child of: 2" where the words have no plain plural. English.
[[nodiscard]] std::string counted(std::size_t number, const std::string& words);

// Returns what people call what a cell says, on one line: the label of an object, words of a tag.
// Not shortened.
[[nodiscard]] std::string text_of(const tree::Cell& cell, std::span<const Reference> references);

// Returns the leading changes in a line of about 100 bytes and how many there are besides: "2 GO
// terms added, 1 removed, 2 minor changes". Empty without changes. The line of an object of which all
// changes are echoes says what they follow from.
//   fields  of all changes of an object, as field_changes() returns them
[[nodiscard]] std::string headline_of(std::span<const FieldChange> fields,
                                      std::span<const Reference> references);

}  // namespace compare
