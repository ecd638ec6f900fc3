// source/written_line.hpp -- a line of a curators' object: what it asks to be done to the tree.
// The models decide alone, the tree is not looked at: so a paragraph is understood as a whole
// before anything of it is done. One thread at a time.
// Source: AceDB 4.9.62. The first tag is any tag of the class's model; a word behind is what the
// first place to the right allows, and a tag there may again be any of the same model or hash.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "source/curated/lines.hpp"
#include "source/curated/tree.hpp"
#include "tree/model.hpp"

namespace source::curated {

// One step of a cursor through a tree.
struct Step {
    enum class What : std::uint8_t {
        begin,    // a line: the cursor stands on the object, which is its home
        add,      // goes to the child `cell`, which is made where there is none
        go_home,  // goes back to its home
        stay,     // this is its home now: the value that carries a hash
        stamp,    // cell.text is the stamp of where it stands
        replace,  // `cell` takes the place of where it stands
        prune,    // removes where it stands (-D), at the end of a line
    };
    What what = What::begin;
    Siblings siblings = Siblings::many;
    Content cell;
};

class LineParser {
   public:
    LineParser(const tree::Models& models, Texts& texts, Names& keys, base::Date today);

    // Appends what the line asks for.
    //   place    of the object's class; unknown: words keep their notation, nothing is judged
    //   returns  why AceDB would refuse the paragraph; nullopt: it would not
    [[nodiscard]] std::optional<std::string> read(WordReader words, tree::Models::Position place,
                                                  std::vector<Step>& steps);

   private:
    using Place = tree::Models::Position;
    using Wrong = std::optional<std::string>;
    using What = Step::What;
    enum class Target { right, here };

    Wrong read_tag(const Word& word);
    Wrong read_word(const Word& word, WordReader& words);
    Wrong read_option(char option, WordReader& words);
    Wrong read_comment(WordReader& words);
    Wrong read_stamp(WordReader& words);
    Wrong read_cell(const Word& word, Target target);
    Wrong read_free(const Word& word, Target target);
    Wrong read_value(const Word& word, Place place, Target target);
    Wrong add_value(Content cell, Target target);
    Wrong enter_hash(Place place);
    Wrong add(const Content& cell, Siblings siblings);
    void step(What what, Content cell = {}, Siblings siblings = Siblings::many);
    [[nodiscard]] Place right_of(Place place) const;
    [[nodiscard]] Siblings siblings_below(Place place) const;
    [[nodiscard]] std::string shown(const std::string& word) const;

    const tree::Models& models_;
    Texts& texts_;
    Names& keys_;
    base::Date today_;

    std::vector<Step>* steps_ = nullptr;
    std::string tag_;          // the last one, for complaints
    bool is_judged_ = false;   // the class has a model
    Place home_ = 0, at_ = 0;  // of the models
    tree::Kind kind_{};        // of the cell where the cursor stands
    std::size_t depth_ = 0, home_depth_ = 0;
};

}  // namespace source::curated
