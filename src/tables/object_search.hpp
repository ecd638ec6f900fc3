// tables/object_search.hpp -- objects found by what their names and labels are or begin with, and
// the classes that have objects. Labels are compared by base::search_key(), names without regard to
// ASCII case unless a function says otherwise. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "tables/objects.hpp"

namespace tables {

enum class SearchKey { label, name };

// Finds objects whose key is the text.
//   class_name  as it is spelled; empty: any class
//   returns     at most `most`; the first ones by class, sorted by class and name
//   cost        a range of an index
[[nodiscard]] std::vector<ObjectRow> objects_with_key(store::Transaction& transaction,
                                                      SearchKey key, std::string_view text,
                                                      const std::string& class_name,
                                                      std::size_t most);

// Finds objects whose key begins with the text (that of a label with base::search_prefix()).
//   returns  at most `most`, in the order of keys
//   cost     a range of an index. With a class, at most 2,000 keys are read (0.5 ms on SQLite),
//            because other classes may have millions; later ones are not found
[[nodiscard]] std::vector<ObjectRow> objects_with_key_prefix(store::Transaction& transaction,
                                                             SearchKey key,
                                                             std::string_view prefix,
                                                             const std::string& class_name,
                                                             std::size_t most);

// Finds objects of a class whose name begins with the text in exactly this case.
//   returns  at most `most`, by name
//   cost     a range of an index
[[nodiscard]] std::vector<ObjectRow> objects_with_name_prefix(store::Transaction& transaction,
                                                              const std::string& class_name,
                                                              std::string_view prefix,
                                                              std::size_t most);

struct FoundByWord {
    std::vector<ObjectRow> objects;  // each once
    std::size_t rows = 0;            // that were read; an object may have several
};
// Finds objects of which a word begins with the prefix; where the name begins with the
// word, only objects_with_key_prefix() may find them.
//   prefix      the key of a word (base::words_of())
//   class_name  as it is spelled; empty: any class
//   most        rows of the table words
//   returns     the first ones by word, class and name, in no order
//   cost        a range of an index, and a look-up for each object. With a class, those that have
//               exactly this word, and those among 2,000 rows that have a longer one
[[nodiscard]] FoundByWord objects_with_word(store::Transaction& transaction,
                                            const std::string& prefix,
                                            const std::string& class_name, std::size_t most);

// Returns how many rows the functions read that find objects by the beginning of a word, name or
// label, at most `most`. An object may count several times.
//   cost  up to four ranges of indexes, as far as they are needed to count so many
[[nodiscard]] std::size_t count_word(store::Transaction& transaction,
                                     const base::SearchWord& word, std::size_t most);

// Returns the classes that have objects, sorted.
//   cost  an index look-up for each class
[[nodiscard]] std::vector<std::string> recorded_classes(store::Transaction& transaction);

// The values of a text column that begin with a prefix: first <= value AND value < behind. Both
// are UTF-8 when the prefix is.
struct TextRange {
    std::string first, behind;
};
[[nodiscard]] TextRange range_of_prefix(std::string_view prefix);

}  // namespace tables
