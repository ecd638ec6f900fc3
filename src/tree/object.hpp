// tree/object.hpp -- one object of the database: a tree of nodes below its name, and what its cells
// say: which bare words are numbers or dates, and when two cells are equal.
// Plain values. Source: AceDB 4.9.62 (ARCHITECTURE.md, "What an object is").
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tree {

// Class and name, e.g. Gene WBGene00006763. Bytes are legal text (base/utf8).
struct ObjectName {
    std::string class_name;  // 1 ... 64 bytes, no colon
    std::string name;        // 1 ... 512 bytes
    // Returns what people call the object: its label, or its name when it has none.
    [[nodiscard]] std::string label_or_name(const std::string& label) const {
        return label.empty() ? name : label;
    }
    auto operator<=>(const ObjectName&) const = default;
};

// The longest class and name (bytes) that the program tracks, as wide as the columns of the store.
inline constexpr std::size_t longest_class = 64;
inline constexpr std::size_t longest_name = 512;
// True for the name of a class that is neither empty nor too long and has no colon: CLASS:NAME is
// divided at the first one. AceDB has no such classes, but files of other programs may.
[[nodiscard]] constexpr bool can_be_tracked(std::string_view class_name) {
    return !class_name.empty() && class_name.size() <= longest_class &&
           class_name.find(':') == std::string_view::npos;
}
// True for such a class and a name that is neither empty nor too long.
[[nodiscard]] constexpr bool can_be_tracked(std::string_view class_name, std::string_view name) {
    return can_be_tracked(class_name) && !name.empty() && name.size() <= longest_name;
}

// What a cell contains. Tags, numbers and dates are written bare, references and texts in quotes.
enum class CellKind : unsigned char {
    tag,
    integer,
    real,
    date,
    text,
    reference,
    comment,
    member
};
// integer    32-bit in AceDB; text as written
// real       text as written ("7.923100")
// date       text as written, with the known parts only ("1992-03")
// reference  class_name and text: class and name of another object; only a models file tells
// member     one line of a KeySet: a reference whose class is in the data itself

// How a cell is written, which decides equality (rule C1): a models file tells `Text` from `?Text`,
// but content must be equal without one too.
enum class Notation : unsigned char { bare, quoted, comment, member };

struct Cell {
    CellKind kind = CellKind::tag;
    std::string text;
    std::string class_name;  // reference and member only
    bool operator==(const Cell&) const = default;
};

// Returns whether a cell of this kind is a value: neither tag nor comment.
[[nodiscard]] constexpr bool is_value(CellKind kind) {
    return kind != CellKind::tag && kind != CellKind::comment;
}

[[nodiscard]] constexpr Notation notation_of(CellKind kind) {
    switch (kind) {
        case CellKind::text:
        case CellKind::reference: return Notation::quoted;
        case CellKind::comment: return Notation::comment;
        case CellKind::member: return Notation::member;
        case CellKind::tag:
        case CellKind::integer:
        case CellKind::real:
        case CellKind::date: break;
    }
    return Notation::bare;
}

struct Node {
    Cell cell;
    std::string stamp;  // as written (tree/stamp.hpp); empty: none
    std::vector<Node> children;
    bool operator==(const Node&) const = default;
};

struct Object {
    ObjectName id;
    std::string stamp;  // of the creation of the key; empty: none
    std::vector<Node> nodes;
    bool operator==(const Object&) const = default;
};

// Nodes nest at most this deep; readers refuse more, because trees are walked by recursion.
inline constexpr std::size_t deepest_node = 2000;

// Returns the kind of a bare word by its shape: integer `-?D+`, real `-?D+.D+` or with an exponent,
// date `YYYY-MM[-DD[_hh[:mm[:ss]]]]`, else a tag (also `2_point`). A year alone is an integer.
[[nodiscard]] CellKind kind_of_bare_word(std::string_view word);

// Returns whether kind_of_bare_word gives integer or real.
[[nodiscard]] bool is_number(std::string_view word);

// Returns the same spelling for all words that are equal as decimal numbers ("007", "7.000" -> "7";
// "-0.0" -> "0"; "1.50e2" -> "150"). Exact: no rounding at any length.
// Requires is_number(word).
//   returns  plain decimal; "<digits>e<exponent>" where that would take over 400 characters
[[nodiscard]] std::string canonical_number(std::string_view word);

// Returns whether canonical_number(word) == word, without a copy.
[[nodiscard]] bool is_canonical_number(std::string_view word);

// Returns the text by which cells of one notation are compared: numbers by their value (rule C1),
// members with their class, all others as written.
[[nodiscard]] std::string key_of(const Cell& cell);

// Returns a text that is the same for cells of the same content, and for no others.
[[nodiscard]] std::string content_key(const Cell& cell);

// Returns whether notation and text are equal by rule C1: bare numbers compare as numbers, and kinds
// and classes from a models file do not count.
[[nodiscard]] bool same_content(const Cell& a, const Cell& b);

// Merges siblings of equal content at every depth: the first remains with its timestamp and gets
// the children of both. A column of AceDB is a set.
//   cost  O(nodes) expected
void merge_duplicates(std::vector<Node>& siblings);

// Returns the number of nodes at every depth.
[[nodiscard]] std::size_t count_nodes(const std::vector<Node>& nodes);

}  // namespace tree
