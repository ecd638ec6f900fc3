// render/field_html.hpp -- what feed items and pages say alike of a field that changed.
// Pure. Safe from any thread. Everything that is appended is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "render/change_document.hpp"
#include "render/html.hpp"
#include "render/site.hpp"

namespace render {

// Returns the words of the first tag of a group; empty if they say no more than its only line.
[[nodiscard]] std::string heading_of(const FieldDocument::Group& group);

// True for a tag at the top of the object with nothing above or below it: it is the field itself.
[[nodiscard]] bool is_bare_tag(const compare::FieldChange& field);

// Returns what the field is called inside of a sentence: "GO term"; of values in no tag "text" or
// "member".
[[nodiscard]] std::string words_of(const compare::FieldChange& field);

// Appends the value that the field says something about, if there is one: " of GO term <a
// href="…">nucleus</a> (GO:0005634)".
//   most  cells of it; of more, the last ones
void append_owner(std::string& html, const compare::FieldChange& field, const Site& site,
                  std::span<const compare::Reference> references, Ids ids = Ids::in_brackets,
                  std::size_t most = std::numeric_limits<std::size_t>::max());

// Returns how many bytes the row lacks of the values.
[[nodiscard]] std::size_t left_out_of(const compare::FieldChange& field);

// Returns whether the same timestamp stands at all values.
[[nodiscard]] bool has_one_stamp(const compare::FieldChange& field);

// Returns whether what differs between the two values of a field that was replaced is shown word by
// word: whole texts, one of them long or both equal but for white space.
[[nodiscard]] bool is_rewording(const compare::FieldValue& value);

}  // namespace render
