// store/words.hpp -- the table words: by which words the objects of the store are found. It follows
// from the names of the objects alone, so it can be made again from them.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "base/words.hpp"
#include "store/pool.hpp"

namespace store {

struct CalledObject {
    std::string_view class_name;
    base::Called called;
};

// Adds the words of these objects; those that are there stay.
//   throws  Failure
//   cost    an insert for each word beside the name
void add_words(Transaction& transaction, std::span<const CalledObject> objects);

// Replaces the words that an object had by those that it has.
//   needs  the same class and name
//   cost   a statement for each word that it has no longer, and the inserts
void change_words(Transaction& transaction, const CalledObject& before, const CalledObject& now);

// Removes the words of objects that are deleted.
//   cost  a statement for each word
void remove_words(Transaction& transaction, std::span<const CalledObject> objects);

}  // namespace store
