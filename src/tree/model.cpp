// SPDX-License-Identifier: MIT
#include "tree/model.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tree/number.hpp"

namespace tree {
namespace {

using What = ModelNode::What;

// A hash may hold a hash (`#A #B`); of a place no more than so many are searched.
constexpr std::size_t most_hashes = 64;
// AceDB refuses a model that names a tag twice; of such a one no more than so many are sought.
constexpr std::size_t most_namesakes = 16;

// The key of a tag among all models.
std::string tag_key(std::uint32_t root, std::string_view folded) {
    return std::to_string(root) + ' ' + std::string(folded);
}

struct Word {
    std::string_view text;
    std::size_t column = 0;
    [[nodiscard]] std::size_t end() const { return column + text.size(); }
};

// The words of a line with their columns (a TAB goes to the next multiple of 8), up to `//`.
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
        node.what = word.front() == '?' ? What::reference : What::hash;
        node.name = base::legal_text(word.substr(1));
        return node;
    }
    if (word == "Text")
        node.what = What::text;
    else if (word == "Int")
        node.what = What::integer;
    else if (word == "Float")
        node.what = What::real;
    else if (word == "DateType")
        node.what = What::date;
    else
        node.name = base::legal_text(word);
    return node;
}

Kind shape_of(Notation notation, std::string_view text) {
    switch (notation) {
        case Notation::quoted: return Kind::text;
        case Notation::comment: return Kind::comment;
        case Notation::member: return Kind::member;
        case Notation::bare: break;
    }
    return kind_of_bare_word(text);
}

// What a model's number or date may make of a bare word: a year alone is an integer by its
// shape, and a Float is written `2` at times.
Kind kind_by_model(What what, Kind shape) {
    if (what == What::date && shape == Kind::integer) return Kind::date;
    if (what == What::real && shape == Kind::integer) return Kind::real;
    return shape;
}

bool may_hold(What what, Notation notation, Kind shape) {
    if (notation == Notation::quoted) return what == What::text || what == What::reference;
    if (notation != Notation::bare || shape == Kind::tag) return false;
    switch (what) {
        case What::integer: return shape == Kind::integer;
        case What::real: return shape == Kind::integer || shape == Kind::real;
        case What::date: return shape == Kind::integer || shape == Kind::date;
        default: return false;
    }
}

}  // namespace

// Reads a models file line by line; the places of the words to the left of the present one
// are kept with their columns, since a line goes on below the word that stands left of it.
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
        Models::Place place;
        std::size_t end;  // column just right of the word
    };

    void begin_class(const Word& word) {
        const auto name = base::legal_text(word.text.substr(1));
        open_.clear();
        auto& root = models_.roots_[base::fold_ascii(name)];
        if (root == Models::unknown) {
            root = static_cast<Models::Place>(models_.nodes_.size());
            models_.nodes_.push_back({What::tag, false, false, name, {}});
            models_.parents_.push_back(Models::unknown);
        }
        open_.push_back({root, word.end()});
    }

    // The first word of a line stands below the nearest word that ends left of it. The class
    // itself is never left: some names are longer than the indentation below them.
    void go_left_of(const Word& word) {
        while (open_.size() > 1 && word.column < open_.back().end) open_.pop_back();
    }

    void add(const std::vector<Word>& words, std::size_t from) {
        for (std::size_t i = from; i < words.size(); ++i) {
            auto& current = models_.nodes_[open_.back().place];
            if (words[i].text == "UNIQUE")
                current.unique = true;
            else if (words[i].text == "REPEAT")
                current.repeat = true;
            else if (words[i].text == "XREF")
                ++i;  // and the tag in the other class
            else
                open_.push_back({child(open_.back().place, words[i].text), words[i].end()});
        }
    }

    // The same word twice below one place is one place.
    Models::Place child(Models::Place parent, std::string_view word) {
        const auto next = static_cast<Models::Place>(models_.nodes_.size());
        const auto key = std::to_string(parent) + ' ' + std::string(word);
        const auto [known, is_new] = children_.try_emplace(key, next);
        if (!is_new) return known->second;
        models_.nodes_.push_back(node_of(word));
        models_.nodes_[parent].children.push_back(next);
        models_.parents_.push_back(parent);
        if (models_.nodes_[next].what == What::tag) note_tag(next);
        return next;
    }

    void note_tag(Models::Place place) {
        const auto folded = base::fold_ascii(models_.nodes_[place].name);
        auto& tags = models_.tags_[tag_key(open_.front().place, folded)];
        if (tags.size() < most_namesakes) tags.push_back(place);
    }

    Models& models_;
    std::vector<Open> open_;
    std::unordered_map<std::string, Models::Place> children_;  // by "parent word"
};

Models::Models() : nodes_(1), parents_(1) {}

Models Models::parse(std::string_view text) {
    Models models;
    ModelParser parser(models);
    for (const auto line : base::split(text, '\n')) parser.read(line);
    return models;
}

Models::Place Models::of_class(std::string_view class_name) const {
    const auto root = roots_.find(base::fold_ascii(class_name));
    return root == roots_.end() ? unknown : root->second;
}

Models::Place Models::below(Place parent, Notation notation, std::string_view text) const {
    if (parent == unknown) return unknown;
    const auto shape = shape_of(notation, text);
    const auto& node = nodes_[parent];
    if (node.repeat && may_hold(node.what, notation, shape)) return parent;
    const Sought sought{notation, shape, text};
    if (const auto place = among_children(parent, sought); place != unknown) return place;
    std::vector<Place> hashes;
    append_hashes(parent, hashes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (const auto place = among_children(hashes[i], sought); place != unknown) return place;
        append_hashes(hashes[i], hashes);
    }
    return unknown;
}

Models::Place Models::among_children(Place parent, const Sought& sought) const {
    for (const auto place : nodes_[parent].children) {
        const auto& node = nodes_[place];
        if (node.what != What::tag) {
            if (may_hold(node.what, sought.notation, sought.shape)) return place;
        } else if (sought.notation == Notation::bare &&
                   base::equal_ignoring_case(node.name, sought.text)) {
            return place;
        }
    }
    return unknown;
}

void Models::append_hashes(Place parent, std::vector<Place>& roots) const {
    for (const auto place : nodes_[parent].children) {
        if (nodes_[place].what != What::hash || roots.size() == most_hashes) continue;
        const auto root = of_class(nodes_[place].name);
        if (root == unknown || std::find(roots.begin(), roots.end(), root) != roots.end())
            continue;
        roots.push_back(root);
    }
}

std::vector<Models::Place> Models::way_to(Place parent, std::string_view tag) const {
    if (parent == unknown) return {};
    auto root = parent;
    while (parents_[root] != unknown) root = parents_[root];
    const auto folded = base::fold_ascii(tag);
    auto way = nearest(root, parent, folded);
    std::vector<Place> hashes;
    append_hashes(parent, hashes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        append_hashes(hashes[i], hashes);
        auto other = nearest(hashes[i], hashes[i], folded);
        if (!other.empty() && (way.empty() || other.size() < way.size())) way = std::move(other);
    }
    return way;
}

std::vector<Models::Place> Models::nearest(Place root, Place top, const std::string& tag) const {
    std::vector<Place> way;
    const auto tags = tags_.find(tag_key(root, tag));
    if (tags == tags_.end()) return way;
    for (const auto place : tags->second) {
        auto other = climb(place, top);
        if (!other.empty() && (way.empty() || other.size() < way.size())) way = std::move(other);
    }
    return way;
}

std::vector<Models::Place> Models::climb(Place tag, Place top) const {
    std::vector<Place> way;
    for (auto at = tag; at != top; at = parents_[at]) {
        if (at == unknown || nodes_[at].what != What::tag) return {};
        way.push_back(at);
    }
    std::reverse(way.begin(), way.end());
    return way;
}

Cell Models::cell_at(Place place, Notation notation, std::string text) const {
    const auto shape = shape_of(notation, text);
    if (place == unknown) return {shape, std::move(text), {}};
    const auto& node = nodes_[place];
    if (notation == Notation::quoted && node.what == What::reference)
        return {Kind::reference, std::move(text), std::string(spelling_of_class(node.name))};
    return {kind_by_model(node.what, shape), std::move(text), {}};
}

bool Models::is_unique(Place place) const {
    const auto& node = nodes_[place];
    if (node.unique) return true;
    // `Float #Position_confidence` with `#Position_confidence UNIQUE Exact ...`
    if (node.children.size() != 1 || nodes_[node.children[0]].what != What::hash) return false;
    return nodes_[of_class(nodes_[node.children[0]].name)].unique;
}

std::string_view Models::spelling_of_class(std::string_view class_name) const {
    const auto root = of_class(class_name);
    return root == unknown ? class_name : std::string_view(nodes_[root].name);
}

}  // namespace tree
