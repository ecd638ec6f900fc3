// source/curated/forest.hpp -- what curators' files build up line by line: texts and names, each
// held once, and trees of nodes. Names are AceDB's vocabulary: objects are known by a number, so
// that a rename changes all references. Nodes are found, added, replaced and removed in constant
// time, however many siblings they have. All ids count from 1; 0 is none. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/model.hpp"
#include "tree/object.hpp"

namespace source::curated {

using Id = std::uint32_t;

// Texts, made legal (base/utf8). Equal texts have one id; the empty text has 0.
class Texts {
   public:
    Id add(std::string_view bytes);
    // Adds a text without looking for an equal one: for long texts, which don't repeat.
    Id add_long(std::string_view bytes);
    [[nodiscard]] const std::string& at(Id text) const { return texts_[text]; }

    // Roughly the memory that they take.
    [[nodiscard]] std::size_t bytes_held() const { return bytes_; }

   private:
    std::deque<std::string> texts_{1};  // a deque, so that views into it stay
    std::unordered_map<std::string_view, Id> numbers_;
    std::size_t bytes_ = 0;
};

// The names of objects, each in a class. Case is ignored; the first spelling counts.
class Names {
   public:
    explicit Names(Texts& texts) : texts_(texts) {}

    // Returns the id of a name, which is added if it is new. Blanks at its ends are ignored.
    Id add(std::string_view class_name, std::string_view name);
    [[nodiscard]] Id find(std::string_view class_name, std::string_view name) const;

    // Returns what a name means now: itself, or the name whose alias it is.
    //   cost  constant also after long chains of aliases, which are walked once, and again after
    //         a drop_alias()
    [[nodiscard]] Id resolved(Id key) const;
    [[nodiscard]] bool is_alias(Id key) const { return keys_[key].alias_of != 0; }
    [[nodiscard]] const std::string& name_of(Id key) const;
    [[nodiscard]] const std::string& class_of(Id key) const;

    // Gives it another name.
    //   needs  no other id has that name
    void rename(Id key, std::string_view name);
    enum class OldName { drop, keep };
    // Makes `key` an alias of `target`.
    //   needs  resolved(target) != key
    void make_alias(Id key, Id target, OldName old_name);
    // Makes an alias a name of its own again.
    void drop_alias(Id key) {
        keys_[key].alias_of = 0;
        ++drops_;
    }

    [[nodiscard]] std::size_t bytes_held() const { return bytes_; }

   private:
    struct Key {
        Id class_name = 0, name = 0;  // texts
        Id alias_of = 0;
    };
    // Leads to a key further along the chain of aliases. It is valid as long as no alias was
    // dropped since, which might be one that it jumps over.
    struct Shortcut {
        Id to = 0;
        std::uint32_t drops = 0;
    };
    [[nodiscard]] Id next(Id key) const;
    [[nodiscard]] static std::string folded(std::string_view class_name, std::string_view name);
    [[nodiscard]] std::string folded(Id key) const;

    Texts& texts_;
    std::vector<Key> keys_{1};
    mutable std::vector<Shortcut> shortcuts_{1};  // by key
    std::uint32_t drops_ = 0;
    std::unordered_map<std::string, Id> numbers_;  // by folded class and name
    std::size_t bytes_ = 0;
};

// Returns `name` without the blanks at its ends.
[[nodiscard]] std::string_view trimmed_name(std::string_view name);

// What a node holds. `text` is an id of Texts; that of a reference or a member is one of Names.
struct Content {
    tree::CellKind kind = tree::CellKind::tag;
    Id text = 0;
    tree::Models::Position place = tree::Models::unknown;
};

enum class Siblings { many, one };  // `one`: no other siblings than comments

class Forest {
   public:
    Forest();

    // Adds an empty tree for an object whose class has its model at `place`. Returns its root.
    Id begin(tree::Models::Position place);

    // Returns the child of that content, which is added after its siblings if it is new. With
    // Siblings::one it replaces all others but comments.
    Id add(Id parent, const Content& content, Siblings siblings);
    // Gives the node another content. It keeps its children and loses its stamp.
    void replace(Id node, const Content& cell);
    void set_stamp(Id node, Id stamp) { items_[node].stamp = stamp; }
    // Removes the node, all below it, and nodes above it that hold nothing else.
    void prune(Id node);
    // Removes all nodes below.
    void clear(Id parent);

    // Merges two trees into one and returns its root. Where only one sibling is allowed, that of
    // `preferred` stays.
    //   cost  O(nodes of the smaller one) expected, however often trees are merged
    Id merge(Id other, Id preferred, const tree::Models& models);

    [[nodiscard]] bool is_empty(Id root) const { return items_[root].first == 0; }

    // Returns the nodes below, tags in the order of the models. There may be duplicates.
    using CellOf = std::function<tree::Cell(const Content&)>;
    [[nodiscard]] std::vector<tree::Node> nodes_below(Id parent, const Texts& texts,
                                                      const CellOf& cell_of) const;

    [[nodiscard]] std::size_t bytes_held() const;

   private:
    struct Item {
        Content cell;
        Id parent = 0, first = 0, last = 0, previous = 0, next = 0;
        Id stamp = 0;
        Id count = 0;             // of its children
        bool is_indexed = false;  // they are in children_: there are, or were, many
    };
    struct ChildKey {
        Id parent, text;
        tree::CellKind kind;
        bool operator==(const ChildKey&) const = default;
    };
    struct HashChild {
        std::size_t operator()(const ChildKey& key) const;
    };
    [[nodiscard]] ChildKey key_of(Id node) const;
    // Returns the child of that content, or 0.
    [[nodiscard]] Id find(Id parent, const Content& cell) const;
    void index_children(Id parent);
    Id make(Id parent, const Content& cell);
    void unlink(Id node);
    void unindex(Id node);  // removes it from children_
    void remove(Id node);   // with all below it
    void remove_other_children(Id parent);
    [[nodiscard]] bool is_smaller(Id root, Id than) const;
    enum class Preferred { into, from };
    void move_nodes(Id from, Id into, Preferred preferred, const tree::Models& models);
    struct Pair {
        Id from, into;
    };
    void move_children(Pair parents, Preferred preferred, const tree::Models& models,
                       std::vector<Pair>& open);

    std::vector<Item> items_;
    std::vector<Id> free_;
    std::unordered_map<ChildKey, Id, HashChild> children_;
};

}  // namespace source::curated
