// tree/object.hpp -- one object of the database: a tree of nodes below its name.
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
    std::string class_name;  // 1 ... 64 bytes
    std::string name;        // 1 ... 512 bytes
    auto operator<=>(const ObjectName&) const = default;
};

// The longest class and name (bytes) that the program tracks, as wide as the columns of the store.
inline constexpr std::size_t longest_class = 64;
inline constexpr std::size_t longest_name = 512;

// What a cell contains. Tags, numbers and dates are written bare, references and texts in quotes.
enum class Kind : unsigned char { tag, integer, real, date, text, reference, comment, member };
// integer    32-bit in AceDB; text as written
// real       text as written ("7.923100")
// date       text as written, with the known parts only ("1992-03")
// reference  class_name and text: class and name of another object; only a models file tells
// member     one line of a KeySet: a reference whose class is in the data itself

// How a cell is written, which decides equality (rule C1): a models file tells `Text` from `?Text`,
// but content must be equal without one too.
enum class Notation : unsigned char { bare, quoted, comment, member };

struct Cell {
    Kind kind = Kind::tag;
    std::string text;
    std::string class_name;  // reference and member only
    bool operator==(const Cell&) const = default;
};

// Returns whether a cell of this kind is a value: neither tag nor comment.
[[nodiscard]] constexpr bool is_value(Kind kind) {
    return kind != Kind::tag && kind != Kind::comment;
}

[[nodiscard]] constexpr Notation notation_of(Kind kind) {
    switch (kind) {
        case Kind::text:
        case Kind::reference: return Notation::quoted;
        case Kind::comment: return Notation::comment;
        case Kind::member: return Notation::member;
        case Kind::tag:
        case Kind::integer:
        case Kind::real:
        case Kind::date: break;
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

// Returns the text by which cells of one notation are compared: numbers by their value (rule C1),
// members with their class, all others as written.
[[nodiscard]] std::string key_of(const Cell& cell);

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
