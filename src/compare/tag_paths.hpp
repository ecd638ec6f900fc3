// compare/tag_paths.hpp -- places in objects, by class, as [ignore], [important] and [minor] of the
// configuration name them, and what they mean for a change.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/change.hpp"
#include "tree/model.hpp"
#include "tree/object.hpp"

namespace compare {

// Class -> paths of tags; ASCII letters match in either case. A path of one tag means that tag
// wherever it is, with everything below; a longer path means the tag that it leads to from the top
// of the object. Class "*" means every class. A class that appears twice has the paths of both.
using TagPaths = std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>>;

// The paths that one class has. The paths outlive it.
class PathMatcher {
   public:
    PathMatcher(const TagPaths& paths, std::string_view class_name);

    [[nodiscard]] bool empty() const { return anywhere_.empty() && from_object_.empty(); }

    // What is left of the longer paths on the way down an object.
    using Ways = std::vector<std::span<const std::string>>;
    // Returns the ways at the top of an object.
    [[nodiscard]] const Ways& start() const { return from_object_; }
    // Returns those that lead through a node with this cell.
    [[nodiscard]] static Ways below(const tree::Cell& cell, const Ways& ways);
    // Returns whether a path ends at a node with this cell.
    //   ways  those at its parent
    [[nodiscard]] bool ends_at(const tree::Cell& cell, const Ways& ways) const;

   private:
    std::vector<std::string_view> anywhere_;
    Ways from_object_;
};

// How much a change means to readers.
enum class Rank : unsigned char {
    important,
    ordinary,
    minor,
    echo  // it follows from the creation, removal or rename of another object (field_change.hpp)
};

// [important], [minor] and [classes] of the configuration.
struct Ranking {
    TagPaths important, minor;
    // Classes whose objects exist only because others name them, such as names and authors: their
    // creation or removal follows from changes of the others.
    std::vector<std::string> helper_classes;

    [[nodiscard]] bool is_helper(std::string_view class_name) const;
};

// What the configuration and the models say of the changes of one class. Both outlive it.
class ClassRules {
   public:
    //   models  nullptr: none are known
    ClassRules(const Ranking& ranking, std::string_view class_name,
               const tree::Models* models = nullptr);

    // Important is what lies at or below an important place, or contains one. Minor is what lies at
    // or below a minor place, or in the evidence for a value (a tag *_evidence): what is said of the
    // value has not changed. Never returns `echo`.
    //   cost  O(path); with important places, O(nodes of the change)
    [[nodiscard]] Rank rank_of(const Change& change) const;

    // Returns where in a path the tags begin that tell its values from all others of the class: the last one if the
    // model of the class has it only once; without a model the first of those that no value is between.
    //   cost  a look-up for each tag
    [[nodiscard]] std::size_t first_telling_tag(std::span<const tree::Cell* const> path) const;

    // Returns whether AceDB itself writes such a reference when the other object names this one.
    //   path  down to the parent of the reference
    [[nodiscard]] bool is_cross_reference(std::span<const tree::Cell* const> path,
                                          const tree::Cell& reference) const;

   private:
    PathMatcher important_, minor_;
    const tree::Models* models_;
    tree::Models::Position root_;  // unknown: no model tells what the class has
};

}  // namespace compare
