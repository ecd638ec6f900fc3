// SPDX-License-Identifier: MIT
#include "base/words.hpp"

#include <algorithm>
#include <stdexcept>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <utf8.h>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace base {
namespace {

constexpr std::size_t longest_key = 512;

constexpr bool is_ascii_letter(char32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Blanks, punctuation and signs such as + or an arrow.
bool is_separator(char32_t c) {
    if (c < 0x80) return !is_ascii_letter(c) && !(c >= '0' && c <= '9');
    constexpr std::uint32_t mask = U_GC_Z_MASK | U_GC_P_MASK | U_GC_CC_MASK | U_GC_CF_MASK |
                                   U_GC_SM_MASK | U_GC_SC_MASK | U_GC_SK_MASK;
    return c == 0xFFFD || (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

constexpr bool is_joint(char32_t c) { return c == '-' || c == '.' || c == ':' || c == '_'; }

std::string normalized(const icu::Normalizer2* form, UErrorCode status, std::string_view text) {
    std::string result;
    icu::StringByteSink<std::string> sink(&result);
    if (U_SUCCESS(status))
        form->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())),
                            sink, nullptr, status);
    if (U_FAILURE(status)) throw std::runtime_error(std::string("ICU: ") + u_errorName(status));
    return result;
}

// Removes accents and other marks of U+0300 to U+036F.
void remove_marks(std::string& text) {
    const auto is_mark = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(text[at]);
        return first == 0xCC ||
               (first == 0xCD && static_cast<unsigned char>(text[at + 1]) <= 0xAF);
    };
    std::size_t size = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (is_mark(at))
            at += 2;
        else
            text[size++] = text[at++];
    }
    text.resize(size);
}

// Returns the text without case, width and accents.
std::string folded(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return fold_ascii(text);
    const auto legal =
        utf8::is_valid(text.begin(), text.end()) ? std::string(text) : legal_text(text);
    auto status = U_ZERO_ERROR;
    const auto* same_case = icu::Normalizer2::getNFKCCasefoldInstance(status);
    auto result = decomposed(normalized(same_case, status, legal));
    remove_marks(result);
    return composed(result);
}

enum class Part { of_word, joint, separator };
enum class Behind { nothing, perhaps_a_digit };
// Calls what is given for each character of a folded text: with the bytes of it, and what it is.
//   behind  the text
template <class F>
void for_each_character(std::string_view text, Behind behind, F&& fn) {
    const auto* at = text.data();
    const auto* const end = at + text.size();
    bool in_word = false;
    while (at != end) {
        const auto* const begin = at;
        const auto c = static_cast<unsigned char>(*at) < 0x80
                           ? static_cast<char32_t>(*at++)
                           : static_cast<char32_t>(utf8::unchecked::next(at));
        const bool joins = in_word && is_joint(c) &&
                           (at != end ? is_digit(*at) : behind == Behind::perhaps_a_digit);
        in_word = joins || !is_separator(c);
        fn(std::string_view(begin, at), joins     ? Part::joint
                                        : in_word ? Part::of_word
                                                  : Part::separator);
    }
}

void cut(std::string& text, std::size_t most) { text.resize(cut_at(text, most).size()); }

std::string without_joints(std::string_view text, Behind behind) {
    std::string key;
    for_each_character(folded(text), behind, [&](std::string_view character, Part part) {
        if (part != Part::joint) key += character;
    });
    if (key.empty()) key = legal_text(text);
    cut(key, longest_key);
    return key;
}

// A word that is being read.
struct ReadWord {
    SearchWord word;
    std::string number;  // the part of the key that follows the last colon
    bool has_colon = false;

    void add(std::string_view character, Part part) {
        // Room for one more character than is kept, so that a cut is the same everywhere.
        if (word.text.size() <= longest_word) word.text += character;
        if (part == Part::joint) {
            if (character != ":") return;
            has_colon = true;
            number.clear();
        } else {
            if (word.key.size() <= longest_word) word.key += character;
            if (has_colon && number.size() <= longest_word) number += character;
        }
    }
};

enum class Numbers { with_what_they_number, alone_too };

// Adds the words of a text until there are `most`.
void append_words(std::vector<SearchWord>& words, std::string_view text, std::size_t most,
                  Numbers numbers) {
    const auto add = [&](SearchWord word) {
        cut(word.key, longest_word);
        cut(word.text, longest_word);
        if (words.size() < most && !word.key.empty() &&
            std::ranges::find(words, word.key, &SearchWord::key) == words.end())
            words.push_back(std::move(word));
    };
    ReadWord now;
    const auto finish = [&] {
        add(std::move(now.word));
        if (numbers == Numbers::alone_too) add({now.number, now.number});
        now = {};
    };
    for_each_character(folded(text), Behind::nothing, [&](std::string_view character, Part part) {
        if (part != Part::separator)
            now.add(character, part);
        else
            finish();
    });
    finish();
}

bool begins(std::string_view name, std::string_view word) {
    return equal_ignoring_case(name.substr(0, word.size()), word);
}

std::vector<SearchWord> all_words_of(const SearchTexts& texts) {
    std::vector<SearchWord> words, of_name;
    if (texts.label != texts.name)
        append_words(words, texts.label, most_words, Numbers::alone_too);
    append_words(of_name, texts.name, most_words, Numbers::alone_too);
    if (!of_name.empty() && begins(texts.name, of_name.front().text))
        of_name.front().key = of_name.front().text;
    for (auto& word : of_name)
        if (words.size() < most_words && !std::ranges::count(words, word.key, &SearchWord::key))
            words.push_back(std::move(word));
    append_words(words, texts.other_names, most_words, Numbers::alone_too);
    return words;
}

std::vector<std::string> keys_of(const std::vector<SearchWord>& words) {
    std::vector<std::string> keys;
    for (const auto& word : words) keys.push_back(word.key);
    return keys;
}

// Returns false for some texts that are one.
bool is_one_word(std::string_view text) {
    return text.size() <= longest_word && std::ranges::all_of(text, [](char c) {
               return is_digit(c) || is_ascii_letter(static_cast<unsigned char>(c));
           });
}

bool is_numbered(std::string_view word) { return std::ranges::any_of(word, is_digit); }

}  // namespace

std::string composed(std::string_view text) {
    auto status = U_ZERO_ERROR;
    const auto* form = icu::Normalizer2::getNFCInstance(status);
    return normalized(form, status, text);
}

std::string decomposed(std::string_view text) {
    auto status = U_ZERO_ERROR;
    const auto* form = icu::Normalizer2::getNFDInstance(status);
    return normalized(form, status, text);
}

std::string search_key(std::string_view text) { return without_joints(text, Behind::nothing); }

std::string search_prefix(std::string_view text) {
    return without_joints(text, Behind::perhaps_a_digit);
}

std::vector<std::string> tidied(std::string_view text) {
    const auto legal = legal_text(text);
    std::string result;
    bool is_behind_blank = false;
    for (const auto* at = legal.data(); at != legal.data() + legal.size();) {
        const auto* const begin = at;
        const auto c = static_cast<UChar32>(utf8::unchecked::next(at));
        if (u_isUWhiteSpace(c) != 0) {
            is_behind_blank = !result.empty();
        } else if (u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) == 0) {
            if (std::exchange(is_behind_blank, false)) result += ' ';
            const bool is_hyphen = (c >= 0x2010 && c <= 0x2013) || c == 0x2212;
            result += is_hyphen ? "-" : std::string_view(begin, at);
        }
    }
    std::vector<std::string> spellings{result};
    while (result.ends_with('.') || result.ends_with(' ')) result.pop_back();
    if (result != spellings.front()) spellings.push_back(result);
    std::erase_if(spellings, [&](const auto& each) { return each.empty() || each == text; });
    return spellings;
}

std::vector<SearchWord> words_of(std::string_view text, std::size_t most) {
    std::vector<SearchWord> words;
    append_words(words, text, most, Numbers::with_what_they_number);
    return words;
}

std::vector<std::string> words_of(const SearchTexts& texts) {
    return keys_of(all_words_of(texts));
}

std::vector<std::string> words_beside_name(const SearchTexts& texts) {
    const bool has_label = !texts.label.empty() && texts.label != texts.name;
    // Most names are ids, and many objects are called by them.
    if (!has_label && texts.other_names.empty() && is_one_word(texts.name)) return {};
    auto words = all_words_of(texts);
    const auto label_key = has_label ? search_key(texts.label) : std::string();
    std::erase_if(words, [&](const SearchWord& word) {
        return begins(texts.name, word.key) || (is_numbered(word.key) && label_key == word.key);
    });
    return keys_of(words);
}

}  // namespace base
