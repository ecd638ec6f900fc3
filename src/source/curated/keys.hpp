// source/written_keys.hpp -- the names that curators' files write, each held once: AceDB's
// vocabulary, in which objects are known by a number, so that renaming one renames it everywhere.
// Numbers count from 1; 0 is none. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace source::curated {

using Number = std::uint32_t;

// Texts, made legal (base/utf8); equal ones have one number, the empty one has 0.
class Texts {
   public:
    Number add(std::string_view bytes);
    // Without looking whether it is there: for long texts that nobody else has.
    Number add_long(std::string_view bytes);
    [[nodiscard]] const std::string& at(Number text) const { return texts_[text]; }

    // What they take in memory, roughly.
    [[nodiscard]] std::size_t bytes_held() const { return bytes_; }

   private:
    std::deque<std::string> texts_{1};  // a deque, so that views into it stay
    std::unordered_map<std::string_view, Number> numbers_;
    std::size_t bytes_ = 0;
};

// Names of objects, each of a class. Case does not tell them apart, the first spelling stands.
class Names {
   public:
    explicit Names(Texts& texts) : texts_(texts) {}

    // The key of the name, which is made where there is none; blanks at its ends are no part of
    // it.
    Number add(std::string_view class_name, std::string_view name);
    [[nodiscard]] Number find(std::string_view class_name, std::string_view name) const;

    // What a name stands for now: itself, or the one whose alias it is.
    //   cost    next to nothing also behind long chains of aliases, which are walked once and
    //           again after a drop_alias()
    [[nodiscard]] Number resolved(Number key) const;
    [[nodiscard]] bool is_alias(Number key) const { return keys_[key].alias_of != 0; }
    [[nodiscard]] const std::string& name_of(Number key) const;
    [[nodiscard]] const std::string& class_of(Number key) const;

    // Another name for it. needs  nobody has it, unless it is the same but for case
    void rename(Number key, std::string_view name);
    enum class OldName { forget, keep };
    // `key` stands for `target` from now on. needs  resolved(target) != key
    void make_alias(Number key, Number target, OldName old_name);
    // An alias becomes a name of its own again.
    void drop_alias(Number key) {
        keys_[key].alias_of = 0;
        ++drops_;
    }

    [[nodiscard]] std::size_t bytes_held() const { return bytes_; }

   private:
    struct Key {
        Number class_name = 0, name = 0;  // texts
        Number alias_of = 0;
    };
    // To a key further along the chain of aliases. A drop may have been of one that it jumps
    // over, so it holds only as long as there was no other.
    struct Shortcut {
        Number to = 0;
        std::uint32_t drops = 0;
    };
    [[nodiscard]] Number next(Number key) const;
    [[nodiscard]] static std::string folded(std::string_view class_name, std::string_view name);
    [[nodiscard]] std::string folded(Number key) const;

    Texts& texts_;
    std::vector<Key> keys_{1};
    mutable std::vector<Shortcut> shortcuts_{1};  // by key
    std::uint32_t drops_ = 0;
    std::unordered_map<std::string, Number> numbers_;  // by folded class and name
    std::size_t bytes_ = 0;
};

// `name` without the blanks at its ends.
[[nodiscard]] std::string_view trimmed_name(std::string_view name);

}  // namespace source::curated
