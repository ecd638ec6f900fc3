// SPDX-License-Identifier: MIT
#include "tables/objects.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/log.hpp"
#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

// Rows of one statement that writes: few texts of SQL serve any number of rows.
constexpr std::array<std::size_t, 4> list_sizes{1, 4, 16, 64};

const store::Insert an_object{"objects",
                              {"class", "name", "name_key", "label", "signature",
                               "last_modification_date", "build", "bytes", "held", "label_key",
                               "other_names"},
                              {}};

// Returns the column label_key: base::search_key() of the label; empty where it
// is the name, which has a key of its own.
std::string label_key_of(const ObjectRow& row) {
    return row.label == row.object.name ? "" : base::search_key(row.label);
}

// Returns a last_modification_date as a row has it; instead of one that is no date, which is logged,
// the day of objects that have none.
base::Date last_modified_of(const ObjectName& object, const std::string& text) {
    using namespace std::chrono;
    // What the table has for an object without a date (sql/objects_history.sql).
    constexpr base::Date without_a_date = sys_days(year(2007) / 1 / 1);
    if (const auto date = base::parse_date(text)) return *date;
    base::log::error("the date of an object is not readable",
                     {{"class", object.class_name}, {"name", object.name}, {"date", text}});
    return without_a_date;
}

void append(std::vector<Value>& values, const ObjectRow& row) {
    values.insert(values.end(),
                  {Value{row.object.class_name}, Value{row.object.name},
                   Value{base::fold_ascii(row.object.name)}, Value{row.label},
                   Value{row.signature}, Value{base::format_date(row.last_modified)},
                   Value{row.build}, Value{row.bytes}, Value{row.held}, Value{label_key_of(row)},
                   Value{row.other_names}});
}

// Inserts that many rows in one statement and returns their oids.
std::vector<std::int64_t> insert_returning(Transaction& transaction,
                                           std::span<const ObjectRow* const> rows) {
    std::vector<Value> values;
    values.reserve(rows.size() * an_object.columns.size());
    for (const auto* row : rows) append(values, *row);
    const auto written = transaction.query(
        store::insert_sql(an_object, rows.size()) + " RETURNING oid, name", values);
    std::vector<std::int64_t> oids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (written.at(i).text(1) != rows[i]->object.name)
            throw std::logic_error("RETURNING gave its rows in another order");
        oids.push_back(written[i].integer(0));
    }
    return oids;
}

// SQLite collects the rows of RETURNING in a table of its own, which takes a fifth of the time
// of the insert; the last id is at hand.
std::vector<std::int64_t> insert_one_by_one(Transaction& transaction,
                                            std::span<const ObjectRow* const> rows) {
    static const auto sql = store::insert_sql(an_object);
    std::vector<std::int64_t> oids;
    std::vector<Value> values;
    for (const auto* row : rows) {
        values.clear();
        append(values, *row);
        transaction.execute(sql, values);
        oids.push_back(transaction.query("SELECT last_insert_rowid()").at(0).integer(0));
    }
    return oids;
}

SearchedObject called(const ObjectRow& row) {
    return {row.object.class_name, {row.object.name, row.label, row.other_names}};
}

void append_words(std::vector<Value>& values, const SearchedObject& object,
                  const std::vector<std::string>& words) {
    for (const auto& each : words)
        values.insert(values.end(), {Value{each}, Value{std::string(object.class_name)},
                                     Value{std::string(object.texts.name)}});
}

std::vector<std::string> words_of_label(const SearchedObject& object) {
    return base::words_of(base::SearchTexts{{}, object.texts.label, {}});
}

void insert_words(Transaction& transaction, const std::vector<Value>& values) {
    static const store::Insert a_word{
        "words", {"word", "class", "name"}, {"word", "class", "name"}};
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

// Adds the words that an object has now. Those that it had stay, and its former label gets all of its
// words: readers of an earlier release, while a later one is recorded already, look for them.
void change_words(Transaction& transaction, const ObjectRow& before, const ObjectRow& now) {
    if (now.label == before.label && now.other_names == before.other_names) return;
    const auto old_object = called(before), new_object = called(now);
    const auto old_words = base::words_beside_name(old_object.texts);
    std::vector<Value> added;
    append_words(added, new_object,
                 without(base::words_beside_name(new_object.texts), old_words));
    // The index of labels has the new label only.
    if (before.label != now.label)
        append_words(added, old_object, without(words_of_label(old_object), old_words));
    insert_words(transaction, added);
}

constexpr std::string_view as_read =
    " WHERE oid = ? AND build = ? AND bytes = ? AND signature = ?";

}  // namespace

const std::string_view select_objects =
    "SELECT o.oid, o.class, o.name, o.label, o.signature, o.last_modification_date, o.build,"
    " o.bytes, o.held, o.other_names FROM ";

std::vector<ObjectRow> objects_in(const store::Rows& rows) {
    std::vector<ObjectRow> objects;
    for (const auto& row : rows) {
        const ObjectName object{row.text(1), row.text(2)};
        objects.push_back({row.integer(0), object, row.text(3), row.text(4),
                           last_modified_of(object, row.text(5)), row.integer(6), row.integer(7),
                           row.text(8), row.text(9)});
    }
    return objects;
}

ObjectsByName::ObjectsByName(std::vector<ObjectRow> rows) {
    for (auto& row : rows) {
        auto key = base::fold_ascii(row.object.name);
        by_key_.emplace(std::move(key), std::move(row));
    }
}

const ObjectRow* ObjectsByName::find(const ObjectName& asked) const {
    const auto [first, last] = by_key_.equal_range(base::fold_ascii(asked.name));
    const ObjectRow* found = nullptr;
    int matches = 0;
    for (auto at = first; at != last; ++at) {
        if (at->second.object == asked) return &at->second;
        if (!base::equal_ignoring_case(at->second.object.class_name, asked.class_name)) continue;
        found = &at->second;
        ++matches;
    }
    return matches == 1 ? found : nullptr;
}

ObjectsByName objects_named(Transaction& transaction, std::span<const ObjectName> names) {
    std::vector<Value> keys;
    for (const auto& name : names) keys.emplace_back(base::fold_ascii(name.name));
    auto rows = objects_in(query_in(
        transaction, std::string(select_objects) + "objects o WHERE o.name_key IN", {}, keys));
    // A name that is in two lists brings its rows twice.
    std::ranges::sort(rows, {}, &ObjectRow::oid);
    const auto twice = std::ranges::unique(rows, {}, &ObjectRow::oid);
    rows.erase(twice.begin(), twice.end());
    return ObjectsByName(std::move(rows));
}

CheckedObjects check_objects(Transaction& transaction, std::int64_t from, std::size_t most) {
    CheckedObjects checked;
    for (const auto& row : transaction.query(
             "SELECT o.oid, o.class, o.name, o.name_key,"
             " CASE WHEN o.signature = '' OR EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid)"
             " THEN 1 ELSE 0 END, o.build, (SELECT MAX(value) FROM meta WHERE name = 'builds')"
             " FROM objects o WHERE o.oid <= ? ORDER BY o.oid DESC LIMIT ?",
             {Value{from}, Value{static_cast<std::int64_t>(most)}})) {
        ++checked.objects;
        checked.last = row.integer(0);
        const ObjectName object{row.text(1), row.text(2)};
        const auto key = base::fold_ascii(object.name);
        if (row.text(3) != key)
            checked.damaged.push_back({object, "is not found by its name: the column name_key is "
                                               "'" +
                                                   row.text(3) + "' in place of '" + key + "'"});
        if (!row.is_null(6) && row.integer(5) > row.integer(6))
            checked.damaged.push_back(
                {object, "counts as compared with build " + std::to_string(row.integer(5)) +
                             ", which there never was, and would not be compared "
                             "again"});
        if (row.integer(4) == 0)
            checked.damaged.push_back({object, "has no tree in the table trees, so that its next "
                                               "change would be taken for a first sight"});
    }
    return checked;
}

std::int64_t highest_oid(Transaction& transaction) {
    return transaction.query("SELECT COALESCE(MAX(oid), 0) FROM objects").at(0).integer(0);
}

std::map<std::int64_t, ObjectRow> objects_numbered(Transaction& transaction,
                                                   std::span<const std::int64_t> oids,
                                                   std::string_view lock) {
    std::map<std::int64_t, ObjectRow> rows;
    for (auto& row : objects_in(query_in(transaction,
                                         std::string(select_objects) + "objects o WHERE o.oid IN",
                                         {}, values_of(oids), lock)))
        rows.emplace(row.oid, std::move(row));
    return rows;
}

std::vector<ObjectName> most_requested_objects(Transaction& transaction, std::size_t most) {
    std::vector<ObjectName> names;
    for (const auto& row : transaction.query("SELECT class, name FROM objects WHERE hits > 0"
                                             " ORDER BY hits DESC, oid LIMIT ?",
                                             {Value{static_cast<std::int64_t>(most)}}))
        names.push_back({row.text(0), row.text(1)});
    return names;
}

bool has_objects_of(Transaction& transaction, const std::string& class_name) {
    return !transaction
                .query("SELECT oid FROM objects WHERE class = ? LIMIT 1", {Value{class_name}})
                .empty();
}

std::set<std::int64_t> builds_compared_with(Transaction& transaction,
                                            const std::string& class_name, std::size_t most) {
    std::set<std::int64_t> numbers;
    for (const auto& row :
         transaction.query("SELECT build FROM objects WHERE class = ? ORDER BY name LIMIT ?",
                           {Value{class_name}, Value{static_cast<std::int64_t>(most)}}))
        numbers.insert(row.integer(0));
    return numbers;
}

std::vector<ObjectState> states_from(Transaction& transaction, const std::string& from,
                                     const std::string& behind, const std::string& class_name,
                                     std::size_t most) {
    std::vector<ObjectState> states;
    const auto add = [&](std::string condition, std::vector<Value> values,
                         const std::string& limit) {
        if (!class_name.empty()) {
            condition += " AND class = ?";
            values.emplace_back(class_name);
        }
        for (const auto& row : transaction.query(
                 "SELECT class, name, build, bytes, CASE WHEN bytes = 0 AND signature = ''"
                 " THEN 1 ELSE 0 END FROM objects WHERE name_key " +
                     condition + limit,
                 values))
            states.push_back({base::fold_ascii(row.text(1)),
                              {row.text(0), row.text(1)},
                              row.integer(2),
                              row.integer(3),
                              row.integer(4) != 0});
    };
    const auto limit = " ORDER BY name_key LIMIT " + std::to_string(most);
    if (behind.empty())
        add(">= ?", {Value{from}}, limit);
    else
        add(">= ? AND name_key < ?", {Value{from}, Value{behind}}, limit);
    if (states.size() < most) return states;
    const auto last = states.back().key;
    std::erase_if(states, [&](const ObjectState& state) { return state.key == last; });
    add("= ?", {Value{last}}, {});
    return states;
}

StoreCounts count_store(Transaction& transaction) {
    const auto count = [&](const char* sql) { return transaction.query(sql).at(0).integer(0); };
    return {count("SELECT COUNT(*) FROM objects"), count("SELECT COUNT(*) FROM history"),
            count("SELECT COUNT(*) FROM watch_lists")};
}

void add_requests(Transaction& transaction, const std::map<ObjectName, std::int64_t>& requests,
                  base::Date day) {
    const Value today{base::format_date(day)};
    for (const auto& [object, count] : requests)
        transaction.execute(
            "UPDATE objects SET hits = hits + ?, last_requested = ? WHERE class = ? AND name = ?",
            {Value{count}, today, Value{object.class_name}, Value{object.name}});
}

std::vector<std::int64_t> insert_objects(Transaction& transaction,
                                         std::span<const ObjectRow* const> rows) {
    if (transaction.engine() == store::Engine::sqlite)
        return insert_one_by_one(transaction, rows);
    std::vector<std::int64_t> oids;
    while (oids.size() < rows.size()) {
        const auto rest = rows.subspan(oids.size());
        auto size = list_sizes.size();
        while (size > 1 && list_sizes[size - 1] > rest.size()) --size;
        const auto written = insert_returning(transaction, rest.first(list_sizes[size - 1]));
        oids.insert(oids.end(), written.begin(), written.end());
    }
    return oids;
}

void add_words(Transaction& transaction, std::span<const ObjectRow* const> rows) {
    std::vector<Value> values;
    for (const auto* row : rows) {
        const auto object = called(*row);
        append_words(values, object, base::words_beside_name(object.texts));
    }
    insert_words(transaction, values);
}

void remove_words(Transaction& transaction, std::span<const SearchedObject> objects) {
    std::vector<Value> values;
    for (const auto& object : objects) {
        append_words(values, object, base::words_beside_name(object.texts));
        append_words(values, object, words_of_label(object));
    }
    for (std::span<const Value> rest = values; !rest.empty(); rest = rest.subspan(3))
        transaction.execute("DELETE FROM words WHERE word = ? AND class = ? AND name = ?",
                            rest.first(3));
}

bool update_object(Transaction& transaction, const ObjectRow& now, const ObjectRow& read) {
    const auto updated = transaction.execute(
        "UPDATE objects SET label = ?, label_key = ?, signature = ?, last_modification_date = ?,"
        " build = ?, bytes = ?, held = ?, other_names = ?" +
            std::string(as_read),
        {Value{now.label}, Value{label_key_of(now)}, Value{now.signature},
         Value{base::format_date(now.last_modified)}, Value{now.build}, Value{now.bytes},
         Value{now.held}, Value{now.other_names}, Value{now.oid}, Value{read.build},
         Value{read.bytes}, Value{read.signature}});
    if (updated != 1) return false;
    change_words(transaction, read, now);
    return true;
}

bool note_compared(Transaction& transaction, const ObjectRow& now, const ObjectRow& read) {
    static const auto sql =
        "UPDATE objects SET build = ?, bytes = ?, held = ?" + std::string(as_read);
    return transaction.execute(sql, {Value{now.build}, Value{now.bytes}, Value{now.held},
                                     Value{now.oid}, Value{read.build}, Value{read.bytes},
                                     Value{read.signature}}) == 1;
}

}  // namespace tables
