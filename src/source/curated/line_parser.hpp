// source/curated/line_parser.hpp -- what a line of a curators' object asks to do to its tree.
// The models alone decide; the parser does not look at the tree. So a whole paragraph is parsed
// before anything is changed. One thread at a time.
// Source: AceDB 4.9.62. The first tag is any tag of the class's model. A word after it is what
// the model allows to its right, and a tag there may again be any of the same model or hash.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "source/curated/forest.hpp"
#include "source/curated/lines.hpp"
#include "tree/model.hpp"

namespace source::curated {

// A command to a cursor in a tree.
struct Command {
    enum class Action : std::uint8_t {
        begin,     // starts a line: the cursor goes to the object, which is its home
        add,       // goes to the child `content`, which is added if it is new
        go_home,   // goes back to its home
        set_home,  // the cursor's node is its home now: the value that carries a hash
        stamp,     // content.text is the stamp of the cursor's node
        replace,   // `content` replaces that of the cursor's node
        prune,     // removes the cursor's node (-D), at the end of a line
    };
    Action action = Action::begin;
    Siblings siblings = Siblings::many;
    Content content;
};

// Why AceDB would reject a line or paragraph; nullopt: it would not.
using Rejected = std::optional<std::string>;

class LineParser {
   public:
    LineParser(const tree::Models& models, Texts& texts, Names& keys, base::Date today);

    // Appends what the line asks for.
    //   place    of the class's model; unknown: words keep their notation, nothing is judged
    //   returns  why AceDB would reject the paragraph; nullopt: it would not
    [[nodiscard]] Rejected parse(WordReader words, tree::Models::Position place,
                                 std::vector<Command>& commands);

   private:
    using Position = tree::Models::Position;
    using Action = Command::Action;
    enum class Target { right, here };

    Rejected read_tag(const Word& word);
    Rejected read_word(const Word& word, WordReader& words);
    Rejected read_option(char option, WordReader& words);
    Rejected read_comment(WordReader& words);
    Rejected read_stamp(WordReader& words);
    Rejected read_cell(const Word& word, Target target);
    Rejected read_free(const Word& word, Target target);
    Rejected read_value(const Word& word, Position place, Target target);
    Rejected add_value(Content cell, Target target);
    Rejected enter_hash(Position place);
    Rejected add(const Content& cell, Siblings siblings);
    void command(Action action, Content content = {}, Siblings siblings = Siblings::many);
    [[nodiscard]] Position right_of(Position place) const;
    [[nodiscard]] Siblings siblings_below(Position place) const;

    const tree::Models& models_;
    Texts& texts_;
    Names& keys_;
    base::Date today_;

    std::vector<Command>* commands_ = nullptr;
    std::string tag_;             // the last one, for rejections
    bool is_judged_ = false;      // the class has a model
    Position home_ = 0, at_ = 0;  // of the cursor, in the models
    tree::CellKind kind_{};       // of the cursor's node
    std::size_t depth_ = 0, home_depth_ = 0;
};

}  // namespace source::curated
