// SPDX-License-Identifier: MIT
#include "base/words.hpp"

#include <algorithm>
#include <iterator>
#include <utf8.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace base {
namespace {

constexpr bool is_between(char32_t c, char32_t first, char32_t last) {
    return first <= c && c <= last;
}

// Blanks and punctuation; not the letters among them (U+00AA, U+00B5, U+00BA).
constexpr bool is_separator(char32_t c) {
    if (c < 0x80)
        return !is_between(c, '0', '9') && !is_between(c, 'a', 'z') && !is_between(c, 'A', 'Z');
    if (c <= 0xBF) return c != 0xAA && c != 0xB5 && c != 0xBA;
    return c == 0xD7 || c == 0xF7 || is_between(c, 0x2000, 0x206F) ||
           is_between(c, 0x2190, 0x23FF) || is_between(c, 0x3000, 0x303F) ||
           is_between(c, 0xFE00, 0xFE0F) || c == 0xFEFF || c == 0xFFFD;
}

// Pairs of letters that follow each other, the capital first.
constexpr bool is_capital_of_pair(char32_t c) {
    if (is_between(c, 0x139, 0x148) || is_between(c, 0x179, 0x17E)) return c % 2 == 1;
    return c % 2 == 0 && (is_between(c, 0x100, 0x137) || is_between(c, 0x14A, 0x177) ||
                          is_between(c, 0x1E00, 0x1E95) || is_between(c, 0x1EA0, 0x1EFF) ||
                          is_between(c, 0x460, 0x481) || is_between(c, 0x48A, 0x4BF));
}

// In lower case; both forms of the Greek sigma are one.
constexpr char32_t folded(char32_t c) {
    if (c < 0x80) return is_between(c, 'A', 'Z') ? c + 0x20 : c;
    if (is_between(c, 0xC0, 0xDE)) return c + 0x20;
    if (c == 0x130) return 'i';
    if (c == 0x178) return 0xFF;
    if (c == 0x386) return 0x3AC;
    if (is_between(c, 0x388, 0x38A)) return c + 0x25;
    if (c == 0x38C) return 0x3CC;
    if (c == 0x38E || c == 0x38F) return c + 0x3F;
    if (is_between(c, 0x391, 0x3AB) || is_between(c, 0x410, 0x42F)) return c + 0x20;
    if (c == 0x3C2) return 0x3C3;
    if (is_between(c, 0x400, 0x40F)) return c + 0x50;
    return is_capital_of_pair(c) ? c + 1 : c;
}

void append_word(std::string& word, char32_t c) {
    if (c < 0x80)
        word += static_cast<char>(folded(c));
    else
        utf8::append(static_cast<std::uint32_t>(folded(c)), std::back_inserter(word));
}

// Adds the words of legal text until there are `most`.
void append_words(std::vector<std::string>& words, std::string_view text, std::size_t most) {
    const auto* at = text.data();
    const auto* const end = at + text.size();
    const auto is_digit_at = [&](const char* here) { return here != end && is_digit(*here); };
    std::string word;
    while (at != end && words.size() < most) {
        const char32_t c = static_cast<unsigned char>(*at) < 0x80
                               ? static_cast<char32_t>(*at++)
                               : static_cast<char32_t>(utf8::unchecked::next(at));
        const bool joins =
            !word.empty() && is_digit_at(at) && (c == '-' || c == '.' || c == ':' || c == '_');
        if (joins || !is_separator(c)) {
            // Room for one more character than is kept, so that a cut is the same everywhere.
            if (word.size() <= longest_word) append_word(word, c);
            if (at != end) continue;
        }
        word.resize(cut_at(word, longest_word).size());
        if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
        word.clear();
    }
}

// Returns false for some texts that are one.
bool is_one_word(std::string_view text) {
    return text.size() <= longest_word && std::ranges::all_of(text, [](char c) {
               return is_digit(c) || is_between(static_cast<char32_t>(c | 0x20), 'a', 'z');
           });
}

bool is_numbered(std::string_view word) { return std::ranges::any_of(word, is_digit); }

}  // namespace

std::vector<std::string> words_of(std::string_view text, std::size_t most) {
    std::vector<std::string> words;
    if (utf8::is_valid(text.begin(), text.end()))
        append_words(words, text, most);
    else
        append_words(words, legal_text(text), most);
    return words;
}

std::vector<std::string> words_of(const SearchTexts& texts) {
    std::string all(texts.label == texts.name ? "" : texts.label);
    all.append("\n").append(texts.name).append("\n").append(texts.other_names);
    return words_of(all, most_words);
}

std::vector<std::string> words_beside_name(const SearchTexts& texts) {
    const bool has_label = !texts.label.empty() && texts.label != texts.name;
    // Most names are ids, and many objects are called by them.
    if (!has_label && texts.other_names.empty() && is_one_word(texts.name)) return {};
    auto words = words_of(texts);
    std::erase_if(words, [&](const std::string& word) {
        const bool begins_name = equal_ignoring_case(texts.name.substr(0, word.size()), word);
        return begins_name ||
               (has_label && is_numbered(word) && equal_ignoring_case(texts.label, word));
    });
    return words;
}

}  // namespace base
