// SPDX-License-Identifier: MIT
#include "store/words.hpp"

#include <algorithm>

#include "store/dialect.hpp"

namespace store {
namespace {

void append(std::vector<Value>& values, const SearchedObject& object,
            const std::vector<std::string>& words) {
    for (const auto& each : words)
        values.insert(values.end(), {Value{each}, Value{std::string(object.class_name)},
                                     Value{std::string(object.texts.name)}});
}

std::vector<std::string> words_of_label(const SearchedObject& object) {
    return base::words_of(base::SearchTexts{{}, object.texts.label, {}});
}

void delete_words(Transaction& transaction, std::span<const Value> values) {
    for (; !values.empty(); values = values.subspan(3))
        transaction.execute("DELETE FROM words WHERE word = ? AND class = ? AND name = ?",
                            values.first(3));
}

void insert_words(Transaction& transaction, const std::vector<Value>& values) {
    static const Insert a_word{"words", {"word", "class", "name"}, {"word", "class", "name"}};
    insert_missing(transaction, a_word, values);
}

// Returns those that are not among the others.
std::vector<std::string> without(std::vector<std::string> words,
                                 const std::vector<std::string>& others) {
    std::erase_if(words, [&](const std::string& each) {
        return std::ranges::find(others, each) != others.end();
    });
    return words;
}

}  // namespace

void add_words(Transaction& transaction, std::span<const SearchedObject> objects) {
    std::vector<Value> values;
    for (const auto& object : objects)
        append(values, object, base::words_beside_name(object.texts));
    insert_words(transaction, values);
}

void change_words(Transaction& transaction, const SearchedObject& before,
                  const SearchedObject& now) {
    auto old_words = base::words_beside_name(before.texts);
    std::vector<Value> added;
    append(added, now, without(base::words_beside_name(now.texts), old_words));
    // The index of labels has the new label only.
    if (before.texts.label != now.texts.label)
        append(added, before, without(words_of_label(before), old_words));
    insert_words(transaction, added);
}

void remove_words(Transaction& transaction, std::span<const SearchedObject> objects) {
    std::vector<Value> values;
    for (const auto& object : objects) {
        append(values, object, base::words_beside_name(object.texts));
        append(values, object, words_of_label(object));
    }
    delete_words(transaction, values);
}

}  // namespace store
