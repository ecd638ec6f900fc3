// store/connection.hpp -- the one seam between Varve and a database engine.
// SQL is written once, with ? for every value; store/dialect.hpp holds what differs between the
// engines. A connection belongs to one thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace store {

// Any bytes, NUL included; bound and read as BLOB.
struct Blob {
    std::string bytes;
    bool operator==(const Blob&) const = default;
};

// NULL, integer, text (UTF-8) or blob. Dates and times are text: "2008-02-15",
// "2008-02-15T09:15:20Z". A number that is not an integer is read as text.
using Value = std::variant<std::monostate, std::int64_t, std::string, Blob>;

class Row {
   public:
    explicit Row(std::vector<Value> values) : values_(std::move(values)) {}
    [[nodiscard]] bool is_null(std::size_t column) const;
    [[nodiscard]] std::int64_t integer(std::size_t column) const;     // logic_error for NULL
    [[nodiscard]] const std::string& text(std::size_t column) const;  // empty for NULL
    [[nodiscard]] const std::string& blob(std::size_t column) const;
    [[nodiscard]] const Value& value(std::size_t column) const { return values_.at(column); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    bool operator==(const Row&) const = default;

   private:
    std::vector<Value> values_;
};
using Rows = std::vector<Row>;

enum class Engine { sqlite, mysql };

// A reading transaction sees one state from its first query to its end, and cannot write. A
// writing one excludes other writers: of the whole file (SQLite, BEGIN IMMEDIATE), or of the rows
// that it writes or reads with for_update() (MariaDB; it sees what others commit meanwhile).
enum class Access { read, write };

// What a failure means to the caller. Callers decide on these flags, never on codes.
struct FailureKind {
    bool transient = false;        // the same transaction may succeed when it is run again
    bool in_doubt = false;         // COMMIT was sent and its outcome is unknown
    bool lost_connection = false;  // this connection cannot be used any more
    bool duplicate = false;        // a UNIQUE key is taken: somebody else was first
    // The row that a foreign key refers to is missing, or it would be. This transaction may have
    // written it itself: Galera removes it in favour of another node's before it reports so.
    bool orphan = false;
    // An operator must act: disk full, quota, read-only, no permission, file missing or damaged.
    bool needs_operator = false;
};

class Failure : public std::runtime_error {
   public:
    Failure(const std::string& what, FailureKind kind, int code)
        : std::runtime_error(what), kind_(kind), code_(code) {}
    [[nodiscard]] const FailureKind& kind() const { return kind_; }
    [[nodiscard]] int code() const { return code_; }  // for logs and tests

   private:
    FailureKind kind_;
    int code_;
};

// Every function throws Failure, and logic_error when the number of values is wrong or the SQL
// has more than one statement. Values are bound, never pasted into SQL. A connection prepares a
// statement once and keeps it, so pass SQL from a small set of texts.
class Connection {
   public:
    virtual ~Connection() = default;
    [[nodiscard]] virtual Engine engine() const = 0;

    [[nodiscard]] virtual Rows query(std::string_view sql,
                                     std::span<const Value> values = {}) = 0;

    // Returns the number of rows that matched (UPDATE, DELETE) or were inserted. The count of an
    // upsert means nothing; store/dialect.hpp has insert_unless_there() instead.
    virtual std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) = 0;

    virtual void begin(Access access) = 0;
    virtual void commit() = 0;             // Failure in_doubt when the connection is lost
    virtual void rollback() noexcept = 0;  // marks the connection broken when it fails
    [[nodiscard]] virtual bool is_broken() const noexcept = 0;

    // Returns whether the files of an SQLite store were deleted, moved or replaced since this connection
    // opened them: what it writes is lost then. False for MariaDB.
    [[nodiscard]] virtual bool has_moved() = 0;

    // Returns whether another process may be waiting for the transaction that writes here to end. Always
    // true on MariaDB, where nobody knows who waits for a row.
    [[nodiscard]] virtual bool may_be_awaited() = 0;

    // Checks that the disk of an SQLite store has room for what a request records: a small write may fit
    // into pages that the file has already. Asks for 64 KB and gives them back. Does nothing on MariaDB.
    virtual void require_room() = 0;
};

}  // namespace store
