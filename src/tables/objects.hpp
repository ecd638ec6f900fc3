// tables/objects.hpp -- the table objects. Verbs take many rows at once and run in a transaction of
// the caller's; all of them throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "tables/releases.hpp"
#include "tree/object.hpp"

namespace tables {

using tree::ObjectName;

// A row of the table objects.
struct ObjectRow {
    std::int64_t oid = 0;
    ObjectName object;           // the spelling first recorded
    std::string label;           // what people call it
    std::string signature;       // empty: is_gone()
    base::Date last_modified{};  // date of the last release that changed it
    std::int64_t build = 0;  // the number of the build that it was compared with last; 0: none
    std::int64_t bytes = 0;  // what the index of that build says of it (bytes_of()); 0: unknown
    // The last earlier release in which the content before that build's release held; empty: none.
    std::string held;
    std::string other_names = {};  // one a line
    bool operator==(const ObjectRow&) const = default;

    // Returns true when the build that it was compared with last does not have the object.
    [[nodiscard]] bool is_gone() const { return signature.empty(); }
};

// "SELECT … FROM ", with the columns of the table objects, called o; and the rows of what it selects.
extern const std::string_view select_objects;
[[nodiscard]] std::vector<ObjectRow> objects_in(const store::Rows& rows);

// Rows by name without regard to ASCII case.
class ObjectsByName {
   public:
    explicit ObjectsByName(std::vector<ObjectRow> rows);

    // Returns the row of exactly this name, else the only match without regard to ASCII case;
    // nullptr when there is none.
    [[nodiscard]] const ObjectRow* find(const ObjectName& asked) const;

   private:
    std::multimap<std::string, ObjectRow> by_key_;
};

// Reads the rows whose name is one of these without regard to ASCII case, whatever their class.
//   cost  a query for 64 names
[[nodiscard]] ObjectsByName objects_named(store::Transaction& transaction,
                                          std::span<const ObjectName> names);

// Returns 0 for an empty table.
[[nodiscard]] std::int64_t highest_oid(store::Transaction& transaction);
// Returns rows by oid; those that do not exist are left out.
//   lock  store::for_update() before they are written
//   cost  a query for 64
[[nodiscard]] std::map<std::int64_t, ObjectRow> objects_numbered(
    store::Transaction& transaction, std::span<const std::int64_t> oids,
    std::string_view lock = {});

// Rows of objects that are read as something else, or not at all.
struct CheckedObjects {
    struct Damaged {
        ObjectName object;
        std::string reason;
    };
    std::size_t objects = 0;
    std::int64_t last = 0;  // the oid of the last one
    std::vector<Damaged> damaged;
};
// Checks up to `most` objects with oids up to `from`, the highest first: that their names lead to
// them, and that those with content have a tree.
//   cost  a look-up of a tree for each
[[nodiscard]] CheckedObjects check_objects(store::Transaction& transaction, std::int64_t from,
                                           std::size_t most);

// Most requests first, then the oldest row.
[[nodiscard]] std::vector<ObjectName> most_requested_objects(store::Transaction& transaction,
                                                             std::size_t most);

// Returns true when the class has a row. Its name is compared as it is spelled.
[[nodiscard]] bool has_objects_of(store::Transaction& transaction, const std::string& class_name);

// Returns the numbers of the builds with which the first objects of a class were compared last, at most so many of
// them.
[[nodiscard]] std::set<std::int64_t> builds_compared_with(store::Transaction& transaction,
                                                          const std::string& class_name,
                                                          std::size_t most);

// What a release job reads of all objects, in the order of an index (source/index/index.hpp).
struct ObjectState {
    std::string key;  // the name in lower case
    ObjectName object;
    std::int64_t build = 0, bytes = 0;
    bool is_gone = false;
};
// Returns objects of a class (empty: of all) whose key is `from` or later and, unless that is empty, before `behind`:
// at most `most` of them, and all others with the last of their keys.
[[nodiscard]] std::vector<ObjectState> states_from(store::Transaction& transaction,
                                                   const std::string& from,
                                                   const std::string& behind,
                                                   const std::string& class_name,
                                                   std::size_t most);

struct StoreCounts {
    std::int64_t objects = 0, rows = 0, watch_lists = 0;  // rows of history
};
//   cost  a walk over an index: 0.2 s for 10 million rows on SQLite, 5 s on MariaDB
[[nodiscard]] StoreCounts count_store(store::Transaction& transaction);

// Adds to the number of requests for each object, and notes their day.
void add_requests(store::Transaction& transaction,
                  const std::map<ObjectName, std::int64_t>& requests, base::Date day);

// Inserts new rows and returns their oids in the same order. The same transaction adds their words.
//   throws  Failure (duplicate) when one of them has a row
[[nodiscard]] std::vector<std::int64_t> insert_objects(store::Transaction& transaction,
                                                       std::span<const ObjectRow* const> rows);

// What the table `words` says of an object: by which words it is found. They follow from its texts alone.
struct SearchedObject {
    std::string_view class_name;
    base::SearchTexts texts;
};
// Adds the words by which these objects are found; those that are there stay.
//   cost  an insert for each word beside the name
void add_words(store::Transaction& transaction, std::span<const ObjectRow* const> rows);
// Removes the words of objects that are deleted. Each may be there several times, with what it was
// called before.
//   cost  a statement for each word
void remove_words(store::Transaction& transaction, std::span<const SearchedObject> objects);

// Writes the row, and the words that it changes, if it is still as it was read. Returns false when
// somebody else has written it since.
[[nodiscard]] bool update_object(store::Transaction& transaction, const ObjectRow& now,
                                 const ObjectRow& read);
// Writes build, bytes and held alone; otherwise the same.
[[nodiscard]] bool note_compared(store::Transaction& transaction, const ObjectRow& now,
                                 const ObjectRow& read);

}  // namespace tables
