// store/words.hpp -- the table words: by which words the objects of the store are found. It follows
// from the names of the objects alone, so it can be made again from them.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "base/words.hpp"
#include "store/pool.hpp"

namespace store {

struct SearchedObject {
    std::string_view class_name;
    base::SearchTexts texts;
};

// Adds the words of these objects; those that are there stay.
//   throws  Failure
//   cost    an insert for each word beside the name
void add_words(Transaction& transaction, std::span<const SearchedObject> objects);

// Adds the words that an object has now. Those that it had stay, and its former label gets all of its
// words: readers of an earlier release, while a later one is recorded already, look for them.
//   needs  the same class and name
//   cost   the inserts
void change_words(Transaction& transaction, const SearchedObject& before,
                  const SearchedObject& now);

// Removes the words of objects that are deleted. Each may be there several times, with what it was
// called before.
//   cost  a statement for each word
void remove_words(Transaction& transaction, std::span<const SearchedObject> objects);

}  // namespace store
