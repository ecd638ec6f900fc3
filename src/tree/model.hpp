// tree/model.hpp -- the class models of a database (models.wrm): which quoted cells refer to
// which class, what is UNIQUE, which hash model a subtree follows.
// Immutable once parsed: safe from any thread. Parsing skips lines that it does not know, because
// models serve only links and replacements, never equality.
// Source: AceDB 4.9 models as WormBase writes them (3,969 lines, columns by blanks and TABs of 8).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/object.hpp"

namespace tree {

// A position in a model: what may be there and below it.
struct ModelNode {
    enum class Type : std::uint8_t { tag, reference, text, integer, real, date, hash };
    Type type = Type::tag;
    bool unique = false;  // at most one child may be below this position
    bool repeat = false;  // REPEAT: another cell of this kind may follow to its right
    bool xref =
        false;  // XREF: AceDB writes such a reference itself when the other object names this one
    std::string name;                     // of a tag; of a reference or hash: the class
    std::vector<std::uint32_t> children;  // positions in Models
};

class Models {
   public:
    using Position = std::uint32_t;
    static constexpr Position unknown = 0;  // below it the shape of a cell decides

    Models();

    // Parses the whole text of a models.wrm. Accepts any bytes and makes names legal (base/utf8).
    [[nodiscard]] static Models parse(std::string_view text);

    // Returns the root position of a class ("Gene", any case), or unknown.
    [[nodiscard]] Position of_class(std::string_view class_name) const;

    // Returns the position of a cell below `parent`, following #hash models; unknown when none fits.
    // Tags match in either case.
    [[nodiscard]] Position below(Position parent, Notation notation, std::string_view text) const;

    // Returns the cell with the kind that the model gives it, and the class of a reference. At an
    // unknown position the shape of the text decides.
    [[nodiscard]] Cell cell_at(Position position, Notation notation, std::string text) const;

    // Returns the positions from below `parent` down to the nearest tag of this name (in either
    // case), that tag last, with only tags between; empty when there is none. The tags of a hash at
    // `parent` itself count, those of a hash further down do not: AceDB's dumper and parser never
    // omit the tag or value that has a hash.
    //   cost  O(tags on the path) expected
    [[nodiscard]] std::vector<Position> path_to(Position parent, std::string_view tag) const;

    // Returns how many tags of this name (in either case) the model of a class has, without those of hashes; at most 16.
    //   root  of_class()
    //   cost  a look-up
    [[nodiscard]] std::size_t count_tags(Position root, std::string_view tag) const;

    // Returns what is at a position. Requires position != unknown.
    [[nodiscard]] const ModelNode& at(Position position) const { return nodes_[position]; }

    // Returns whether at most one child may be below this position.
    [[nodiscard]] bool is_unique(Position position) const;

    // Returns the class as the models spell it ("gene" -> "Gene"); the text itself when unknown.
    [[nodiscard]] std::string_view spelling_of_class(std::string_view class_name) const;

    // Return the tags of all models, or of a class ("Gene", any case) and of the hashes in it, in no order, some
    // more than once; none for a class that is unknown. Views live as long as the models.
    //   cost  O(nodes of these models)
    [[nodiscard]] std::vector<std::string_view> tags() const;
    [[nodiscard]] std::vector<std::string_view> tags_of_class(std::string_view class_name) const;

    [[nodiscard]] std::size_t class_count() const { return roots_.size(); }

   private:
    friend class ModelParser;
    struct SearchKey {
        Notation notation;
        CellKind shape;  // of `text` by itself
        std::string_view text;
    };
    // Searches only the children of `parent`, without following hashes.
    [[nodiscard]] Position among_children(Position parent, const SearchKey& key) const;
    // Appends the roots of hashes among the children of `parent`, unless they are there already.
    void append_hashes(Position parent, std::vector<Position>& roots) const;
    // Returns the tags from below `top`, a position of the model of `root`, down to `tag`; empty
    // when it is not below, or when there are other nodes than tags between.
    [[nodiscard]] std::vector<Position> climb(Position tag, Position top) const;
    [[nodiscard]] std::vector<Position> nearest(Position root, Position top,
                                                const std::string& tag) const;

    std::vector<ModelNode> nodes_;                     // nodes_[0] is the unknown position
    std::vector<Position> parents_;                    // of each of nodes_; of a root: unknown
    std::unordered_map<std::string, Position> roots_;  // by class name in lower case
    // The first few tags of a model, by root and name in lower case: "12 cgc_name".
    std::unordered_map<std::string, std::vector<Position>> tags_;
};

}  // namespace tree
