// base/words.hpp -- the words by which people find an object: what is the same to them, how a text is
// divided into words, and which of them the store keeps. Unicode is ICU's, which libxml2 brings.
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

// Returns Unicode's NFC and NFD of a text: each letter with its accents in one character where there is one, or taken apart.
//   text  UTF-8; other bytes stay
[[nodiscard]] std::string composed(std::string_view text);
[[nodiscard]] std::string decomposed(std::string_view text);

// Returns the text as searches compare it: without case, accents and width (Unicode's NFKC_Casefold
// without the marks U+0300 to U+036F), and without what joins a number to its word: a hyphen, full
// stop, colon or underscore between a letter or digit and a digit. So "let-7" and "let7" are the
// same, "Eclair" with an accent or without.
//   text     bytes that are no UTF-8 are read as base::legal_text() does
//   returns  at most 512 bytes; the key of a key is the same. A text of nothing but marks is its own
//            key, since texts begin with an empty one
[[nodiscard]] std::string search_key(std::string_view text);

// Returns the key that those texts begin with that begin with this one: search_key() without a last
// joint, since a digit may follow it. So "unc-" begins "unc-26", whose key is "unc26".
[[nodiscard]] std::string search_prefix(std::string_view text);

// Returns how a name is probably spelled where it was pasted from a page or sentence, in the order in
// which to look for it, after the text itself: first with "-" for hyphens of other kinds (U+2010 to
// U+2013, U+2212), one space for blanks of any kind between words and none at the ends, and without
// characters that nobody sees (such as U+00AD and U+200B); then without the full stops at the end too.
//   text     bytes that are no UTF-8 are read as base::legal_text() does
//   returns  up to two spellings, none of them empty or the text
[[nodiscard]] std::vector<std::string> tidied(std::string_view text);

// A word of a text.
struct SearchWord {
    std::string key;   // search_key() of it
    std::string text;  // the same with its joints: "go:0004439"
    bool operator==(const SearchWord&) const = default;
};
// Returns the words of a text in their order, each once.
//   a word   letters, digits, marks and pictures, of any script; also what joins a number to them
//            ("unc-26", "JC8.10", "GO:0004439")
//   returns  at most `most` words of 1 … 64 bytes
//   cost     one pass over ASCII, some more over other characters
[[nodiscard]] std::vector<SearchWord> words_of(std::string_view text,
                                               std::size_t most = most_words);

// The texts by which an object is found.
struct SearchTexts {
    std::string_view name, label;
    std::string_view other_names;  // one a line
};
// Returns the keys of the words by which an object is found, at most most_words. What a colon joins
// to a word is one too: "0004439". The word that the name begins with keeps its joints ("go:0004439"),
// because the index of names finds it as it is written.
[[nodiscard]] std::vector<std::string> words_of(const SearchTexts& texts);

// Returns those that the store keeps in a table of words: not the word that the name begins with,
// nor a word with a digit that is the whole label ("unc-26"), which the indexes of names and of
// labels find. Words without digits stay, since any number of objects may have them as their label.
[[nodiscard]] std::vector<std::string> words_beside_name(const SearchTexts& texts);

}  // namespace base
