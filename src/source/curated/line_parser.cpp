// SPDX-License-Identifier: MIT
#include "source/curated/line_parser.hpp"

#include "base/utf8.hpp"
#include "source/curated/value.hpp"
#include "tree/object.hpp"

namespace source::curated {
namespace {

using tree::CellKind;
using tree::Models;
using NodeType = tree::ModelNode::Type;

// The class under which tags are kept among the names where no model says how they are spelled.
constexpr std::string_view tag_class = "Tag";
// Hashes that begin with each other, which AceDB would follow without end.
constexpr int most_hashes = 64;

const char* name_of(NodeType type) {
    switch (type) {
        case NodeType::integer: return "an integer";
        case NodeType::real: return "a number";
        case NodeType::date: return "a date";
        case NodeType::tag:
        case NodeType::reference:
        case NodeType::text:
        case NodeType::hash: break;
    }
    return "a value";
}

}  // namespace

LineParser::LineParser(const tree::Models& models, Texts& texts, Names& keys, base::Date today)
    : models_(models), texts_(texts), keys_(keys), today_(today) {}

Rejected LineParser::parse(WordReader words, Models::Position place,
                           std::vector<Command>& commands) {
    commands_ = &commands;
    is_judged_ = place != Models::unknown;
    home_ = at_ = place;
    depth_ = home_depth_ = 0;
    kind_ = CellKind::tag;
    command(Action::begin);
    auto word = words.next();
    const bool is_removed = word && word->text == "-D";
    if (is_removed) word = words.next();
    if (!word) return "no tag after -D";
    if (auto rejected = read_tag(*word)) return rejected;
    words.skip(':');
    while ((word = words.next()))
        if (auto rejected = read_word(*word, words)) return rejected;
    if (is_removed) command(Action::prune);
    return std::nullopt;
}

Rejected LineParser::read_tag(const Word& word) {
    tag_ = word.text;
    if (!is_judged_) {
        const auto key = keys_.add(tag_class, word.text);
        if (keys_.name_of(key).empty()) return "an empty tag";
        return add({CellKind::tag, texts_.add(keys_.name_of(key)), Models::unknown},
                   Siblings::many);
    }
    const auto way = models_.path_to(home_, word.text);
    if (way.empty()) return "no tag " + shown(word.text) + " in the model";
    command(Action::go_home);
    at_ = home_;
    depth_ = home_depth_;
    for (const auto place : way)
        if (auto rejected = add({CellKind::tag, texts_.add(models_.at(place).name), place},
                                siblings_below(at_)))
            return rejected;
    return std::nullopt;
}

Rejected LineParser::read_word(const Word& word, WordReader& words) {
    const bool is_option = word.text.size() == 2 && word.text.front() == '-';
    const char option = is_option ? word.text.back() : '\0';
    if (option == 'C' || option == 'O' || option == 'R') return read_option(option, words);
    return read_cell(word, Target::right);
}

Rejected LineParser::read_option(char option, WordReader& words) {
    if (option == 'C') return read_comment(words);
    if (option == 'O') return read_stamp(words);
    const auto word = words.next();
    return word ? read_cell(*word, Target::here) : std::nullopt;
}

// Only its stamp may follow a comment.
Rejected LineParser::read_comment(WordReader& words) {
    const auto word = words.next();
    if (!word) return "no comment after -C";
    if (!word->text.empty())
        if (auto rejected =
                add({CellKind::comment, texts_.add(word->text), Models::unknown}, Siblings::many))
            return rejected;
    const auto option = words.next();
    if (!option) return std::nullopt;
    if (option->text != "-O") return "more than a stamp after a comment";
    return read_stamp(words);
}

Rejected LineParser::read_stamp(WordReader& words) {
    const auto word = words.next();
    if (!word) return "no stamp after -O";
    command(Action::stamp,
            {CellKind::text, texts_.add(trimmed_name(word->text)), Models::unknown});
    return std::nullopt;
}

Rejected LineParser::read_cell(const Word& word, Target target) {
    if (kind_ == CellKind::comment) return shown(word.text) + " follows a comment";
    if (!is_judged_) return read_free(word, target);
    if (target == Target::here) return read_value(word, at_, target);
    for (int i = 0; i < most_hashes; ++i) {
        const auto place = right_of(at_);
        if (place == Models::unknown)
            return "tag " + shown(tag_) + ": " + shown(word.text) +
                   " is beyond the end of the model";
        if (models_.at(place).type != NodeType::hash) return read_value(word, place, target);
        if (auto rejected = enter_hash(place)) return rejected;
    }
    return "the hashes of the models form a circle";
}

Rejected LineParser::read_free(const Word& word, Target target) {
    const auto kind = word.is_quoted ? CellKind::text : tree::kind_of_bare_word(word.text);
    if (target == Target::here && kind_ == CellKind::tag) return "-R after a tag";
    return add_value({kind, texts_.add(word.text), Models::unknown}, target);
}

Rejected LineParser::enter_hash(Position place) {
    const auto root = models_.of_class(models_.at(place).name);
    if (root == Models::unknown)
        return "the models lack the hash " + shown(models_.at(place).name);
    command(Action::set_home);
    home_ = at_ = root;
    home_depth_ = depth_;
    return std::nullopt;
}

Rejected LineParser::read_value(const Word& word, Position place, Target target) {
    const auto& node = models_.at(place);
    std::optional<std::string> text;
    CellKind kind = CellKind::text;
    switch (node.type) {
        case NodeType::tag: return read_tag(word);
        case NodeType::hash: return "-R at the beginning of a hash";
        case NodeType::text: return add_value({kind, texts_.add(word.text), place}, target);
        case NodeType::reference:
            if (trimmed_name(word.text).find_first_not_of(" \n\r\v\f") == std::string_view::npos)
                return "tag " + shown(tag_) + ": a blank name";
            return add_value({CellKind::reference,
                              keys_.add(models_.spelling_of_class(node.name), word.text), place},
                             target);
        case NodeType::integer: kind = CellKind::integer, text = stored_integer(word.text); break;
        case NodeType::real: kind = CellKind::real, text = stored_real(word.text); break;
        case NodeType::date: kind = CellKind::date, text = stored_date(word.text, today_); break;
    }
    if (!text)
        return "tag " + shown(tag_) + ": " + shown(word.text) + " is not " + name_of(node.type);
    return add_value({kind, texts_.add(*text), place}, target);
}

Rejected LineParser::add_value(Content cell, Target target) {
    if (target == Target::right) return add(cell, siblings_below(at_));
    command(Action::replace, cell);
    return std::nullopt;
}

Rejected LineParser::add(const Content& cell, Siblings siblings) {
    if (++depth_ > tree::deepest_node)
        return "nodes nest deeper than " + std::to_string(tree::deepest_node) + " levels";
    if (cell.kind == CellKind::tag) tag_ = texts_.at(cell.text);
    command(Action::add, cell, siblings);
    at_ = cell.place;
    kind_ = cell.kind;
    return std::nullopt;
}

void LineParser::command(Action action, Content content, Siblings siblings) {
    commands_->push_back({action, siblings, content});
}

Models::Position LineParser::right_of(Position place) const {
    if (place == Models::unknown) return Models::unknown;
    const auto& node = models_.at(place);
    if (node.repeat && node.type != NodeType::tag) return place;
    return node.children.empty() ? Models::unknown : node.children.front();
}

Siblings LineParser::siblings_below(Position place) const {
    return place != Models::unknown && models_.at(place).unique ? Siblings::one : Siblings::many;
}

}  // namespace source::curated
