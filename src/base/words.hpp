// base/words.hpp -- the words by which people find an object: how a text is divided into them, and
// which of them the store keeps.
// Pure, no locale. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// A longer word is cut, in a query too. An object has no more words than that: the first ones of
// its label, its name and its other names, in this order.
inline constexpr std::size_t longest_word = 64, most_words = 100;

// Returns the words of a text in their order, each once.
//   a word   letters, digits and characters that are neither blank nor punctuation, of any
//            script; also a hyphen, full stop, colon or underscore before a digit ("unc-26",
//            "JC8.10", "GO:0004439"). Letters of Latin, Greek and Cyrillic are in lower case
//   text     bytes that are no UTF-8 are read as base::legal_text() does
//   returns  at most `most` words of 1 … 64 bytes
//   cost     one pass
[[nodiscard]] std::vector<std::string> words_of(std::string_view text,
                                                std::size_t most = most_words);

// The texts by which an object is found.
struct SearchTexts {
    std::string_view name, label;
    std::string_view other_names;  // one a line
};
// Returns the words by which an object is found, at most most_words.
[[nodiscard]] std::vector<std::string> words_of(const SearchTexts& texts);

// Returns those that the store keeps in a table of words: not the word that the name begins with,
// nor a word with a digit that is the whole label ("unc-26"), which the indexes of names and of
// labels find. Words without digits stay, since any number of objects may have them as their label.
[[nodiscard]] std::vector<std::string> words_beside_name(const SearchTexts& texts);

}  // namespace base
