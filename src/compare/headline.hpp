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

// What a field is called inside of a sentence: its tag, and those above that tell it from others of the class: "name" and
// "currencies EUR". Both empty: no tag is above the values.
struct TagWords {
    std::string above, tag;
};
[[nodiscard]] TagWords tags_of(const FieldChange& change);

// Returns what people call what a cell says, on one line: the label of an object, words of a tag.
// Not shortened.
[[nodiscard]] std::string text_of(const tree::Cell& cell, std::span<const Reference> references);

// What changes say in a line or two.
struct Headline {
    // The leading ones in about 100 bytes, and how many there are besides: "GO term: 2 added, 1 removed, 2 minor
    // changes". Of an object of which all changes are echoes, what they follow from.
    std::string title;
    // Changes and values that the title only counts, in about 300 bytes; empty: it names all, or they are echoes.
    std::string more;
    // Of the most important change; echo: nothing is the object's own, because all of it follows from other objects, or
    // happened to most objects of the class.
    Rank rank = Rank::ordinary;
    bool is_shared = false;  // of these: it happened to most objects of the class
    std::string field =
        {};  // the tag that the title begins with, as words_of_tag() has it; empty: none
    bool operator==(const Headline&) const = default;
};
// Returns the first thing that is known of an object that came: its definition or description, else a text, else a
// value; the beginning as title, and more where that is cut. Two empty lines if nothing is.
//   label  what people call it, which says nothing new
//   cost   O(nodes)
[[nodiscard]] Headline introduction_of(std::span<const Change> changes, std::string_view label,
                                       std::span<const Reference> references);

// Returns what several objects of a class are called: "genes", "objects of class RNAi".
[[nodiscard]] std::string several(std::string_view class_name);

// Returns what fields say; two empty lines without any.
//   fields    as field_changes() returns them
//   unlisted  further changes, of which nothing else is known
[[nodiscard]] Headline headline_of(std::span<const FieldChange> fields,
                                   std::span<const Reference> references,
                                   std::size_t unlisted = 0);

}  // namespace compare
