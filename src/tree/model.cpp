// SPDX-License-Identifier: MIT
#include "tree/model.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace tree {
namespace {

using Type = ModelNode::Type;

// A hash can contain a hash (`#A #B`); this many are searched at a position.
constexpr std::size_t most_hashes = 64;
// AceDB rejects a model that names a tag twice; this many of them are searched.
constexpr std::size_t most_namesakes = 16;

// Returns the key of a tag among all models.
std::string tag_key(std::uint32_t root, std::string_view folded) {
    return std::to_string(root) + ' ' + std::string(folded);
}

struct Word {
    std::string_view text;
    std::size_t column = 0;
    [[nodiscard]] std::size_t end() const { return column + text.size(); }
};

// Returns the words of a line with their columns (a TAB advances to a multiple of 8), up to `//`.
std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    line = line.substr(0, line.find("//"));
    std::size_t column = 0;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '\t') {
            column = (column / 8 + 1) * 8;
            ++at;
            continue;
        }
        if (line[at] == ' ' || line[at] == '\r') {
            ++column, ++at;
            continue;
        }
        const auto end = std::min(line.find_first_of(" \t\r", at), line.size());
        words.push_back({line.substr(at, end - at), column});
        column += end - at;
        at = end;
    }
    return words;
}

ModelNode node_of(std::string_view word) {
    ModelNode node;
    if (word.front() == '?' || word.front() == '#') {
        node.type = word.front() == '?' ? Type::reference : Type::hash;
        node.name = base::legal_text(word.substr(1));
        return node;
    }
    if (word == "Text")
        node.type = Type::text;
    else if (word == "Int")
        node.type = Type::integer;
    else if (word == "Float")
        node.type = Type::real;
    else if (word == "DateType")
        node.type = Type::date;
    else
        node.name = base::legal_text(word);
    return node;
}

CellKind shape_of(Notation notation, std::string_view text) {
    switch (notation) {
        case Notation::quoted: return CellKind::text;
        case Notation::comment: return CellKind::comment;
        case Notation::member: return CellKind::member;
        case Notation::bare: break;
    }
    return kind_of_bare_word(text);
}

// Returns the kind of a bare word where the model has a number or date: by its shape a year alone is
// an integer, and so is a Float that is written `2`.
CellKind kind_by_model(Type type, CellKind shape) {
    if (type == Type::date && shape == CellKind::integer) return CellKind::date;
    if (type == Type::real && shape == CellKind::integer) return CellKind::real;
    return shape;
}

bool may_hold(Type type, Notation notation, CellKind shape) {
    if (notation == Notation::quoted) return type == Type::text || type == Type::reference;
    if (notation != Notation::bare || shape == CellKind::tag) return false;
    switch (type) {
        case Type::integer: return shape == CellKind::integer;
        case Type::real: return shape == CellKind::integer || shape == CellKind::real;
        case Type::date: return shape == CellKind::integer || shape == CellKind::date;
        default: return false;
    }
}

}  // namespace

// Reads a models file line by line. It keeps the positions of the words to the left of the current
// one with their columns, because a line continues below the word to the left of it.
class ModelParser {
   public:
    explicit ModelParser(Models& models) : models_(models) {}

    void read(std::string_view line) {
        const auto words = words_of(line);
        if (words.empty()) return;
        const auto& first = words.front();
        const bool is_class = first.column == 0 && first.text.size() > 1 &&
                              (first.text.front() == '?' || first.text.front() == '#');
        if (is_class) begin_class(first);
        if (open_.empty()) return;  // words before the first class
        if (!is_class) go_left_of(first);
        add(words, is_class ? 1 : 0);
    }

   private:
    struct Open {
        Models::Position position;
        std::size_t end;  // column just right of the word
    };

    void begin_class(const Word& word) {
        const auto name = base::legal_text(word.text.substr(1));
        open_.clear();
        auto& root = models_.roots_[base::fold_ascii(name)];
        if (root == Models::unknown) {
            root = static_cast<Models::Position>(models_.nodes_.size());
            models_.nodes_.push_back({.name = name, .children = {}});
            models_.parents_.push_back(Models::unknown);
        }
        open_.push_back({root, word.end()});
    }

    // Finds the parent of the first word of a line: the nearest word that ends left of it. The
    // class itself always remains, because some names are longer than the indentation below.
    void go_left_of(const Word& word) {
        while (open_.size() > 1 && word.column < open_.back().end) open_.pop_back();
    }

    void add(const std::vector<Word>& words, std::size_t from) {
        for (std::size_t i = from; i < words.size(); ++i) {
            auto& current = models_.nodes_[open_.back().position];
            if (words[i].text == "UNIQUE")
                current.unique = true;
            else if (words[i].text == "REPEAT")
                current.repeat = true;
            else if (words[i].text == "XREF")
                current.xref = true, ++i;  // and the tag in the other class
            else
                open_.push_back({child(open_.back().position, words[i].text), words[i].end()});
        }
    }

    // Returns the same position for the same word below one parent.
    Models::Position child(Models::Position parent, std::string_view word) {
        const auto next = static_cast<Models::Position>(models_.nodes_.size());
        const auto key = std::to_string(parent) + ' ' + std::string(word);
        const auto [known, is_new] = children_.try_emplace(key, next);
        if (!is_new) return known->second;
        models_.nodes_.push_back(node_of(word));
        models_.nodes_[parent].children.push_back(next);
        models_.parents_.push_back(parent);
        if (models_.nodes_[next].type == Type::tag) note_tag(next);
        return next;
    }

    void note_tag(Models::Position position) {
        const auto folded = base::fold_ascii(models_.nodes_[position].name);
        auto& tags = models_.tags_[tag_key(open_.front().position, folded)];
        if (tags.size() < most_namesakes) tags.push_back(position);
    }

    Models& models_;
    std::vector<Open> open_;
    std::unordered_map<std::string, Models::Position> children_;  // by "parent word"
};

Models::Models() : nodes_(1), parents_(1) {}

Models Models::parse(std::string_view text) {
    Models models;
    ModelParser parser(models);
    for (const auto line : base::split(text, '\n')) parser.read(line);
    return models;
}

Models::Position Models::of_class(std::string_view class_name) const {
    const auto root = roots_.find(base::fold_ascii(class_name));
    return root == roots_.end() ? unknown : root->second;
}

Models::Position Models::below(Position parent, Notation notation, std::string_view text) const {
    if (parent == unknown) return unknown;
    const auto shape = shape_of(notation, text);
    const auto& node = nodes_[parent];
    if (node.repeat && may_hold(node.type, notation, shape)) return parent;
    const SearchKey key{notation, shape, text};
    if (const auto position = among_children(parent, key); position != unknown) return position;
    std::vector<Position> hashes;
    append_hashes(parent, hashes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (const auto position = among_children(hashes[i], key); position != unknown)
            return position;
        append_hashes(hashes[i], hashes);
    }
    return unknown;
}

Models::Position Models::among_children(Position parent, const SearchKey& key) const {
    for (const auto position : nodes_[parent].children) {
        const auto& node = nodes_[position];
        if (node.type != Type::tag) {
            if (may_hold(node.type, key.notation, key.shape)) return position;
        } else if (key.notation == Notation::bare &&
                   base::equal_ignoring_case(node.name, key.text)) {
            return position;
        }
    }
    return unknown;
}

void Models::append_hashes(Position parent, std::vector<Position>& roots) const {
    for (const auto position : nodes_[parent].children) {
        if (nodes_[position].type != Type::hash || roots.size() == most_hashes) continue;
        const auto root = of_class(nodes_[position].name);
        if (root == unknown || std::find(roots.begin(), roots.end(), root) != roots.end())
            continue;
        roots.push_back(root);
    }
}

std::vector<Models::Position> Models::path_to(Position parent, std::string_view tag) const {
    if (parent == unknown) return {};
    auto root = parent;
    while (parents_[root] != unknown) root = parents_[root];
    const auto folded = base::fold_ascii(tag);
    auto path = nearest(root, parent, folded);
    std::vector<Position> hashes;
    append_hashes(parent, hashes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        append_hashes(hashes[i], hashes);
        auto other = nearest(hashes[i], hashes[i], folded);
        if (!other.empty() && (path.empty() || other.size() < path.size()))
            path = std::move(other);
    }
    return path;
}

std::size_t Models::count_tags(Position root, std::string_view tag) const {
    const auto tags = tags_.find(tag_key(root, base::fold_ascii(tag)));
    return tags == tags_.end() ? 0 : tags->second.size();
}

std::vector<Models::Position> Models::nearest(Position root, Position top,
                                              const std::string& tag) const {
    std::vector<Position> path;
    const auto tags = tags_.find(tag_key(root, tag));
    if (tags == tags_.end()) return path;
    for (const auto position : tags->second) {
        auto other = climb(position, top);
        if (!other.empty() && (path.empty() || other.size() < path.size()))
            path = std::move(other);
    }
    return path;
}

std::vector<Models::Position> Models::climb(Position tag, Position top) const {
    std::vector<Position> path;
    for (auto at = tag; at != top; at = parents_[at]) {
        if (at == unknown || nodes_[at].type != Type::tag) return {};
        path.push_back(at);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

Cell Models::cell_at(Position position, Notation notation, std::string text) const {
    const auto shape = shape_of(notation, text);
    if (position == unknown) return {shape, std::move(text), {}};
    const auto& node = nodes_[position];
    if (notation == Notation::quoted && node.type == Type::reference)
        return {CellKind::reference, std::move(text), std::string(spelling_of_class(node.name))};
    return {kind_by_model(node.type, shape), std::move(text), {}};
}

bool Models::is_unique(Position position) const {
    const auto& node = nodes_[position];
    if (node.unique) return true;
    // `Float #Position_confidence` with `#Position_confidence UNIQUE Exact ...`
    if (node.children.size() != 1 || nodes_[node.children[0]].type != Type::hash) return false;
    return nodes_[of_class(nodes_[node.children[0]].name)].unique;
}

std::string_view Models::spelling_of_class(std::string_view class_name) const {
    const auto root = of_class(class_name);
    return root == unknown ? class_name : std::string_view(nodes_[root].name);
}

std::vector<std::string_view> Models::tags() const {
    std::vector<std::string_view> tags;
    for (Position at = unknown + 1; at < nodes_.size(); ++at) {
        const bool is_root = parents_[at] == unknown;  // named like its class
        if (nodes_[at].type == Type::tag && !is_root) tags.push_back(nodes_[at].name);
    }
    return tags;
}

std::vector<std::string_view> Models::tags_of_class(std::string_view class_name) const {
    std::vector<std::string_view> tags;
    const auto root = of_class(class_name);
    if (root == unknown) return tags;
    std::vector<Position> positions{root};  // each model once, so this ends
    std::vector<Position> roots{root};
    for (std::size_t i = 0; i < positions.size(); ++i) {
        for (const auto child : nodes_[positions[i]].children) {
            const auto& node = nodes_[child];
            if (node.type == Type::tag) tags.push_back(node.name);
            positions.push_back(child);
            if (node.type != Type::hash) continue;
            const auto hash = of_class(node.name);
            if (hash == unknown || std::ranges::find(roots, hash) != roots.end()) continue;
            roots.push_back(hash);
            positions.push_back(hash);
        }
    }
    return tags;
}

}  // namespace tree
