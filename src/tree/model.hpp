// tree/model.hpp -- the class models of a database (models.wrm): which quoted cells refer to
// which class, what is UNIQUE, which hash model a subtree follows.
// Immutable once parsed: safe from any thread. Parsing never fails on a line it does not know;
// it skips the line, since a model serves links and replacements only, never equality.
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

// A place in a model: what may stand there and below it.
struct ModelNode {
    enum class What : std::uint8_t { tag, reference, text, integer, real, date, hash };
    What what = What::tag;
    bool unique = false;                  // at most one child may stand below this place
    bool repeat = false;                  // REPEAT: this cell may go on to the right of itself
    std::string name;                     // tag: as spelled; reference and hash: the class
    std::vector<std::uint32_t> children;  // places in Models
};

class Models {
   public:
    using Place = std::uint32_t;
    static constexpr Place unknown = 0;  // below it every cell is judged by its shape alone

    Models();

    // Models of the whole text of a models.wrm. Any bytes, names made legal (base/utf8); bounded
    // by their size.
    [[nodiscard]] static Models parse(std::string_view text);

    // The root place of a class ("Gene", any case), or unknown.
    [[nodiscard]] Place of_class(std::string_view class_name) const;

    // The place of a cell below `parent`, following #hash models; unknown where none fits.
    // Tags match without regard to case.
    [[nodiscard]] Place below(Place parent, Notation notation, std::string_view text) const;

    // What the model says of the cell at `place`: kind, and class of a reference.
    // A bare or quoted cell at an unknown place is judged by its shape.
    [[nodiscard]] Cell cell_at(Place place, Notation notation, std::string text) const;

    // The places from below `parent` down to the tag of this name, itself last, with nothing but
    // tags between; case ignored, the nearest where several are of that name. The tags of a hash
    // that hangs at `parent` itself count as its own, those of one further down do not: AceDB's
    // dumper and parser never leave out the tag or value that carries a hash. Empty: there is
    // none.
    //   cost  O(tags on the way) expected
    [[nodiscard]] std::vector<Place> way_to(Place parent, std::string_view tag) const;

    // What stands at a place. needs  place != unknown
    [[nodiscard]] const ModelNode& at(Place place) const { return nodes_[place]; }

    // At most one child may stand below this place.
    [[nodiscard]] bool is_unique(Place place) const;

    // The class as the models spell it ("gene" -> "Gene"); the text itself when unknown.
    [[nodiscard]] std::string_view spelling_of_class(std::string_view class_name) const;

    [[nodiscard]] std::size_t class_count() const { return roots_.size(); }

   private:
    friend class ModelParser;
    struct Sought {
        Notation notation;
        Kind shape;  // of `text` by itself
        std::string_view text;
    };
    // Among the children of `parent` alone, hashes not followed.
    [[nodiscard]] Place among_children(Place parent, const Sought& sought) const;
    // Appends the roots of the hashes among the children of `parent` that are not yet there.
    void append_hashes(Place parent, std::vector<Place>& roots) const;
    // The tags from below `top`, a place of the model of `root`, down to `tag`; empty: it is not
    // below, or something else than tags stands between.
    [[nodiscard]] std::vector<Place> climb(Place tag, Place top) const;
    [[nodiscard]] std::vector<Place> nearest(Place root, Place top, const std::string& tag) const;

    std::vector<ModelNode> nodes_;                  // nodes_[0] is the unknown place
    std::vector<Place> parents_;                    // of each of nodes_; of a root: unknown
    std::unordered_map<std::string, Place> roots_;  // by folded class name
    // By root and folded name, "12 cgc_name": tags of that model, the first few.
    std::unordered_map<std::string, std::vector<Place>> tags_;
};

}  // namespace tree
