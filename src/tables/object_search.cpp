// SPDX-License-Identifier: MIT
#include "tables/object_search.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/text.hpp"
#include "store/dialect.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

constexpr std::int64_t most_keys = 2'000;

std::string column_of(SearchKey key) {
    return key == SearchKey::label ? "label_key" : "name_key";
}

// Returns what a question for a key says besides: SQLite's index of labels has only objects that have one.
std::string condition_of(std::string_view column) {
    return column == "label_key" ? " AND label_key <> ''" : "";
}

Value limit(std::size_t most) { return Value{static_cast<std::int64_t>(most)}; }

}  // namespace

std::vector<ObjectRow> objects_with_key(Transaction& transaction, SearchKey key,
                                        std::string_view text, const std::string& class_name,
                                        std::size_t most) {
    const auto column = column_of(key);
    std::vector<Value> values{
        Value{key == SearchKey::label ? base::search_key(text) : base::fold_ascii(text)}};
    auto sql =
        std::string(select_objects) + "objects o WHERE " + column + " = ?" + condition_of(column);
    if (!class_name.empty()) {
        sql += " AND class = ?";
        values.emplace_back(class_name);
    }
    values.push_back(limit(most));
    // In the order of the index, because hundreds of thousands may have the same label. MariaDB
    // sorts them all if a column is named that is the same in all of them.
    auto found = objects_in(transaction.query(
        sql + (class_name.empty() ? " ORDER BY class" : "") + " LIMIT ?", values));
    std::ranges::sort(found, {}, &ObjectRow::object);
    return found;
}

std::vector<ObjectRow> objects_with_key_prefix(Transaction& transaction, SearchKey key,
                                               std::string_view prefix,
                                               const std::string& class_name, std::size_t most) {
    const auto column = column_of(key);
    const auto range = range_of_prefix(key == SearchKey::label ? base::search_prefix(prefix)
                                                               : base::fold_ascii(prefix));
    const Value first{range.first}, behind{range.behind};
    const std::string keys = "WHERE " + column + " >= ? AND " + column + " < ?" +
                             condition_of(column) + " ORDER BY " + column + ", class LIMIT ?";
    if (class_name.empty())
        return objects_in(transaction.query(std::string(select_objects) + "objects o " + keys,
                                            {first, behind, limit(most)}));
    // The class is compared within the index, before any object is read.
    return objects_in(transaction.query(
        std::string(select_objects) + "(SELECT oid, class, " + column + " FROM objects " + keys +
            ") k" + std::string(store::read_first(transaction.engine())) +
            "objects o ON o.oid = k.oid WHERE k.class = ? ORDER BY k." + column + " LIMIT ?",
        {first, behind, Value{most_keys}, Value{class_name}, limit(most)}));
}

std::vector<ObjectRow> objects_with_name_prefix(Transaction& transaction,
                                                const std::string& class_name,
                                                std::string_view prefix, std::size_t most) {
    const auto range = range_of_prefix(prefix);
    return objects_in(transaction.query(
        std::string(select_objects) +
            "objects o WHERE class = ? AND name >= ? AND name < ? ORDER BY class, name LIMIT ?",
        {Value{class_name}, Value{range.first}, Value{range.behind}, limit(most)}));
}

FoundByWord objects_with_word(Transaction& transaction, const std::string& prefix,
                              const std::string& class_name, std::size_t most) {
    const auto range = range_of_prefix(prefix);
    const auto find = [&](const std::string& words, const std::string& behind,
                          const std::vector<Value>& values) {
        return objects_in(
            transaction.query(std::string(select_objects) + words + " k" +
                                  std::string(store::read_first(transaction.engine())) +
                                  "objects o ON o.class = k.class AND o.name = k.name" + behind,
                              values));
    };
    std::vector<ObjectRow> found;
    // Straight from the table where the index alone decides: MariaDB copies a subquery first.
    if (class_name.empty()) {
        found = find("words",
                     " WHERE k.word >= ? AND k.word < ? ORDER BY k.word, k.class, k.name LIMIT ?",
                     {Value{range.first}, Value{range.behind}, limit(most)});
    } else {
        // MariaDB would sort all of them by word and class, which are the same.
        found = find("words", " WHERE k.word = ? AND k.class = ? ORDER BY k.name LIMIT ?",
                     {Value{prefix}, Value{class_name}, limit(most)});
        if (found.size() < most)
            std::ranges::move(find("(SELECT word, class, name FROM words WHERE word > ? AND"
                                   " word < ? ORDER BY word, class, name LIMIT ?)",
                                   " WHERE k.class = ? ORDER BY k.word, k.name LIMIT ?",
                                   {Value{range.first}, Value{range.behind}, Value{most_keys},
                                    Value{class_name}, limit(most - found.size())}),
                              std::back_inserter(found));
    }
    const auto rows = found.size();
    std::ranges::sort(found, {}, &ObjectRow::oid);
    const auto twice = std::ranges::unique(found, {}, &ObjectRow::oid);
    found.erase(twice.begin(), twice.end());
    return {std::move(found), rows};
}

std::size_t count_word(Transaction& transaction, const base::SearchWord& word, std::size_t most) {
    struct Keys {
        std::string_view table, column, prefix;
    };
    std::vector<Keys> keys{{"words", "word", word.key},
                           {"objects", "label_key", word.key},
                           {"objects", "name_key", word.text}};
    if (word.key != word.text) keys.push_back({"objects", "name_key", word.key});
    std::size_t rows = 0;
    for (const auto& [table, column, prefix] : keys) {
        if (rows >= most) break;
        const auto range = range_of_prefix(prefix);
        const auto counted =
            transaction.query(fmt::format("SELECT COUNT(*) FROM (SELECT 1 FROM {0} WHERE {1} >= "
                                          "? AND {1} < ?{2} LIMIT ?) k",
                                          table, column, condition_of(column)),
                              {Value{range.first}, Value{range.behind}, limit(most - rows)});
        rows += static_cast<std::size_t>(counted.at(0).integer(0));
    }
    return rows;
}

// From class to class by the index: a DISTINCT would walk over all objects.
std::vector<std::string> recorded_classes(Transaction& transaction) {
    std::vector<std::string> classes;
    for (;;) {
        const auto rows =
            transaction.query("SELECT class FROM objects WHERE class > ? ORDER BY class LIMIT 1",
                              {Value{classes.empty() ? "" : classes.back()}});
        if (rows.empty()) return classes;
        classes.push_back(rows.front().text(0));
    }
}

TextRange range_of_prefix(std::string_view prefix) {
    constexpr std::string_view last_of_all = "\xF4\x8F\xBF\xBF";  // U+10FFFF, which no name has
    return {std::string(prefix), std::string(prefix) + std::string(last_of_all)};
}

}  // namespace tables
