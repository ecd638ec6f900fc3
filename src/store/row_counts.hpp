// store/row_counts.hpp -- the table row_counts: how many rows of each kind `history` has, by class and
// release. Whoever inserts, deletes or replaces rows adds to it in the same transaction; only an import
// counts the rows itself. All functions throw Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "store/pool.hpp"

namespace store {

// What a transaction does to the counts.
class CountChanges {
   public:
    // A row of this kind came (1) or went (-1). A row that is replaced by one of its kind goes and comes:
    // then the count stays, and shows that something was written.
    void add(std::string_view class_name, std::string_view version, std::string_view kind,
             std::int64_t rows);
    [[nodiscard]] bool empty() const { return changes_.empty(); }

   private:
    friend void change_counts(Transaction& transaction, const CountChanges& changes,
                              const std::string& slot);
    using Key = std::tuple<std::string, std::string, std::string>;  // as the key of the table
    std::map<Key, std::int64_t> changes_;
};

// Adds the changes to the rows of a slot.
//   cost  a statement for 64 classes and kinds on MariaDB, one for each on SQLite
void change_counts(Transaction& transaction, const CountChanges& changes,
                   const std::string& slot);

// Replaces the counts of a release by what counting its rows gives. Nobody may write meanwhile.
//   cost  a walk over its rows in an index
void count_again(Transaction& transaction, const std::string& version);

// Returns the releases that have rows or counts, each once.
//   cost  an index look-up for each
[[nodiscard]] std::vector<std::string> counted_versions(Transaction& transaction);

struct WrongCount {
    std::string class_name, version, kind;
    std::int64_t rows = 0, counted = 0;  // that are there, and that are counted
};
// Compares all counts with the rows, and returns those that differ.
//   cost  a walk over all rows in an index
[[nodiscard]] std::vector<WrongCount> wrong_counts(Transaction& transaction);

}  // namespace store
