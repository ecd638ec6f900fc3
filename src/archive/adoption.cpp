// SPDX-License-Identifier: MIT
#include "archive/adoption.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <simdjson.h>
#include <unordered_map>

#include "base/json.hpp"
#include "base/release.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "store/dialect.hpp"
#include "store/pool.hpp"
#include "store/row_counts.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"
#include "store/words.hpp"

namespace archive {
namespace {

using base::Result;
using store::Access;
using store::Connection;
using store::Row;
using store::Transaction;
using store::Value;

constexpr std::size_t most_reasons = 100;
constexpr std::int64_t rows_at_once = 500;
constexpr std::size_t longest_class = 64, longest_name = 512;  // characters, as in the schema
constexpr std::string_view default_date = "2007-01-01";

template <std::size_t n>
bool has_all(const std::vector<std::string>& columns,
             const std::array<std::string_view, n>& wanted) {
    return std::ranges::all_of(wanted, [&](std::string_view name) {
        return std::ranges::find(columns, name) != columns.end();
    });
}

// Returns bytes of the first system as text: they are UTF-8 or windows-1252.
std::optional<std::string> text_of(const Row& row, std::size_t column) {
    if (row.is_null(column)) return std::nullopt;
    return base::legal_text(row.blob(column));
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string notes_of(const std::string& html) {
    std::string notes;
    base::JsonWriter(notes).begin_object().field("adopted", html).end_object();
    return notes;
}

// The HTML of notes that notes_of wrote.
std::string html_of(const std::string& notes) {
    simdjson::dom::parser parser;
    return std::string(parser.parse(notes)["adopted"].get_string().value());
}

std::string joined(const std::string& first, const std::string& second) {
    if (first.empty() || second.empty()) return first + second;
    return first + "<br>" + second;
}

// Returns why an object cannot be adopted; nullptr when it can.
const char* why_unfit(const std::optional<std::string>& type,
                      const std::optional<std::string>& name) {
    if (!type || type->empty() || !name || name->empty()) return "no class or no name";
    if (characters_in(*type) > longest_class || characters_in(*name) > longest_name)
        return "class or name too long";
    return nullptr;
}

// Copies objects and history in one transaction, and counts into `done`.
class Adoption {
   public:
    Adoption(Connection& connection, base::Seconds now, Initialised& done)
        : connection_(connection), transaction_(connection, Access::write),
          recorded_at_(base::format_rfc3339(now)), done_(done) {}

    void run() {
        if (!store::adoption_is_unfinished(connection_))
            return;  // done by somebody else meanwhile
        copy_objects();
        if (!columns_of(connection_, "first_history").empty()) copy_history();
        for (const auto& [version, date] : releases_)
            store::insert_unless_there(transaction_,
                                       {"releases", {"version", "released_on"}, {"version"}},
                                       std::array<Value, 2>{version, date});
        for (const auto& version : store::counted_versions(transaction_))
            store::count_again(transaction_, version);
        transaction_.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation'");
        transaction_.execute("INSERT INTO meta (name, value) VALUES ('adopted', ?)",
                             {static_cast<std::int64_t>(done_.adopted_rows)});
        transaction_.commit();
    }

   private:
    void leave_behind(const char* table, std::int64_t id, std::string_view why) {
        ++done_.left_behind;
        if (done_.reasons.size() >= most_reasons) return;
        done_.reasons.push_back(std::string(table) + " " + std::to_string(id) + ": " +
                                std::string(why));
    }

    [[nodiscard]] std::string bytes(std::string_view column) const {
        return store::as_bytes(connection_.engine(), column);
    }

    // Reads the newest first: of several rows with one name, that one is kept.
    void copy_objects() {
        const std::string sql = "SELECT oid, " + bytes("class") + ", " + bytes("name") + ", " +
                                bytes("last_modification_date") + ", " + bytes("ace_version") +
                                " FROM first_objects WHERE oid < ? ORDER BY oid DESC LIMIT ?";
        std::int64_t below = std::numeric_limits<std::int64_t>::max();
        for (;;) {
            const auto rows = transaction_.query(sql, {below, rows_at_once});
            if (rows.empty()) return;
            for (const auto& row : rows) copy_object(row);
            below = rows.back().integer(0);
        }
    }

    void copy_object(const Row& row) {
        const auto oid = row.integer(0);
        const auto type = text_of(row, 1), name = text_of(row, 2);
        if (const auto* why = why_unfit(type, name); why != nullptr) {
            leave_behind("first_objects", oid, why);
            return;
        }
        const auto there = transaction_.query(
            "SELECT oid FROM objects WHERE class = ? AND name = ?", {*type, *name});
        if (!there.empty()) {
            kept_[oid] = there.front().integer(0);
            return;
        }
        insert_object(oid, *type, *name, row);
    }

    // Leaves the signature empty, because the old one is of another algorithm: the first comparison
    // looks for timestamps later than last_modification_date.
    void insert_object(std::int64_t oid, const std::string& type, const std::string& name,
                       const Row& row) {
        const auto date = text_of(row, 3).value_or("");
        const auto version = text_of(row, 4).value_or("");
        transaction_.execute(
            "INSERT INTO objects (oid, class, name, name_key, last_modification_date,"
            " ace_version) VALUES (?, ?, ?, ?, ?, ?)",
            {oid, type, name, base::fold_ascii(name),
             base::parse_date(date) ? date : std::string(default_date),
             base::is_version(version) ? version : std::string()});
        store::add_words(transaction_, std::array{store::SearchedObject{type, {name, {}, {}}}});
        kept_[oid] = oid;
        ++done_.adopted_objects;
    }

    void copy_history() {
        const std::string sql = "SELECT sid, oid, " + bytes("version") + ", " + bytes("date") +
                                ", " + bytes("notes") +
                                " FROM first_history WHERE sid > ? ORDER BY sid LIMIT ?";
        std::int64_t above = std::numeric_limits<std::int64_t>::min();
        for (;;) {
            const auto rows = transaction_.query(sql, {above, rows_at_once});
            if (rows.empty()) return;
            for (const auto& row : rows) copy_row(row);
            above = rows.back().integer(0);
        }
    }

    void copy_row(const Row& row) {
        const auto sid = row.integer(0);
        const auto version = text_of(row, 2).value_or("");
        const auto date = text_of(row, 3).value_or("");
        const auto object = row.is_null(1) ? kept_.end() : kept_.find(row.integer(1));
        const auto* why = object == kept_.end()        ? "no object"
                          : !base::is_version(version) ? "no version"
                          : !base::parse_date(date)    ? "no date"
                                                       : nullptr;
        if (why != nullptr) {
            leave_behind("first_history", sid, why);
            return;
        }
        record(object->second, version, date, text_of(row, 4).value_or(""));
        auto& released_on = releases_[version];
        released_on = std::max(released_on, date);
        ++done_.adopted_rows;
    }

    void record(std::int64_t oid, const std::string& version, const std::string& date,
                const std::string& html) {
        const auto there = transaction_.query(
            "SELECT sid, notes FROM history WHERE oid = ? AND version = ?", {oid, version});
        const auto notes =
            notes_of(there.empty() ? html : joined(html_of(there.front().text(1)), html));
        if (there.empty())
            transaction_.execute(
                "INSERT INTO history (oid, version, date, recorded_at, kind, label, notes, class,"
                " name) SELECT oid, ?, ?, ?, 'adopted', '', ?, class, name"
                " FROM objects WHERE oid = ?",
                {version, date, recorded_at_, notes, oid});
        else
            transaction_.execute("UPDATE history SET notes = ? WHERE sid = ?",
                                 {notes, there.front().integer(0)});
    }

    Connection& connection_;
    Transaction transaction_;
    std::string recorded_at_;
    Initialised& done_;
    std::unordered_map<std::int64_t, std::int64_t> kept_;  // oid of any duplicate -> the kept
    std::map<std::string, std::string> releases_;          // version -> date
};

bool is_first_system(const std::string& table, const std::vector<std::string>& columns) {
    constexpr std::array<std::string_view, 5> of_objects{"oid", "name", "class",
                                                         "last_modification_date", "ace_version"};
    constexpr std::array<std::string_view, 5> of_history{"sid", "oid", "version", "date",
                                                         "notes"};
    if (table == "objects") return has_all(columns, of_objects);
    return table == "history" && has_all(columns, of_history);
}

// Renames the old tables when all tables that are in the way of ours are such ones; otherwise
// leaves them for store::initialise to refuse.
//   error  refused: a table has the new name already
Result<void> rename_first_system(Connection& connection) {
    const auto foreign = store::foreign_tables(connection);
    if (store::schema_of(connection).value_or(0) > store::newest_schema()) return {};
    for (const auto& table : foreign) {
        if (!is_first_system(table, columns_of(connection, table))) return {};
        if (!columns_of(connection, "first_" + table).empty())
            return base::fail(base::ErrorKind::refused, "table first_" + table +
                                                            " is in the way of adopting " +
                                                            table + ": rename or drop it");
    }
    for (const auto& table : foreign)
        connection.execute("ALTER TABLE " + table + " RENAME TO first_" + table);
    return {};
}

}  // namespace

Result<Initialised> initialise(Connection& connection, base::Seconds now) {
    if (const auto renamed = rename_first_system(connection); !renamed)
        return tl::unexpected(renamed.error());
    const bool must_adopt = store::adoption_is_unfinished(connection);
    const auto upgraded = store::initialise(connection);
    if (!upgraded) return tl::unexpected(upgraded.error());
    Initialised done;
    done.from = upgraded->from;
    done.to = upgraded->to;
    done.has_adopted = must_adopt;
    if (must_adopt) Adoption(connection, now, done).run();
    return done;
}

}  // namespace archive
