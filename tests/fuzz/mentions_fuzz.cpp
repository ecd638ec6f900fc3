// Any bytes as a rule of [mentions] and a text: the first line is the rule, the rest the text. Words lie whole in the
// text, and nothing of a longer word is one.
// SPDX-License-Identifier: MIT
#include <set>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "fuzz/fuzz.hpp"
#include "harvest/mentions.hpp"

namespace {

bool is_part_of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Whether a word is somewhere in the text without an ASCII letter, digit or underscore beside it.
bool stands_alone(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_part_of_word(text[at - 1])) &&
            (end == text.size() || !is_part_of_word(text[end])))
            return true;
    }
    return false;
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto line = bytes.find('\n');
    if (line == bytes.npos) return;
    const std::vector<harvest::MentionRule> one{
        {"Gene", base::legal_text(std::string(bytes.substr(0, line)))}};
    const auto text = base::legal_text(std::string(bytes.substr(line + 1)));
    const auto rules = harvest::MentionRules::compile(one);
    if (!rules) return;
    const auto words = rules->words_in(text);
    require(words.size() <= harvest::most_words_of_entry);
    require(std::set(words.begin(), words.end()).size() == words.size());
    for (const auto& word : words) {
        require(tree::can_be_tracked(word.class_name, word.name));
        require_text(word.name);
        require(stands_alone(text, word.name));
    }
}
