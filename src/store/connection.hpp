// store/connection.hpp -- the one seam between Varve and a database engine.
// SQL is written once, with ? for every value; what dialects differ in stands in
// store/dialect.hpp. One connection belongs to one thread at a time.
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
// "2008-02-15T09:15:20Z". A number that is no integer is read as text.
using Value = std::variant<std::monostate, std::int64_t, std::string, Blob>;

class Row {
   public:
    explicit Row(std::vector<Value> values) : values_(std::move(values)) {}
    [[nodiscard]] bool is_null(std::size_t column) const;
    [[nodiscard]] std::int64_t integer(std::size_t column) const;     // NULL: logic_error
    [[nodiscard]] const std::string& text(std::size_t column) const;  // NULL: the empty text
    [[nodiscard]] const std::string& blob(std::size_t column) const;
    [[nodiscard]] const Value& value(std::size_t column) const { return values_.at(column); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    bool operator==(const Row&) const = default;

   private:
    std::vector<Value> values_;
};
using Rows = std::vector<Row>;

enum class Engine { sqlite, mysql };

// Reading sees one state from its first query to the end, and a write in it fails. Writing
// excludes other writers: of the whole file (SQLite, BEGIN IMMEDIATE), or of the rows that it
// writes or reads with for_update() (MariaDB, which shows it what others commit meanwhile).
enum class Access { read, write };

// A database that failed. Callers ask what it means, never which code it was.
class Failure : public std::runtime_error {
   public:
    struct Meaning {
        bool transient = false;        // the same transaction may succeed when run again
        bool in_doubt = false;         // COMMIT was sent and its outcome is unknown
        bool lost_connection = false;  // this connection is of no use any more
        bool duplicate = false;        // a UNIQUE key is taken: somebody was first
        bool orphan = false;           // the row it points to is not there; not any more, where
                                       // this transaction wrote it: Galera takes it back for
                                       // another node's before it says so
        bool full = false;             // disk full, quota, read-only, no right to do so, file
                                       // missing or damaged: an operator must act
    };
    Failure(const std::string& what, Meaning meaning, int code, std::string sqlstate = {});
    [[nodiscard]] const Meaning& meaning() const { return meaning_; }
    [[nodiscard]] int code() const { return code_; }
    [[nodiscard]] const std::string& sqlstate() const { return sqlstate_; }

   private:
    Meaning meaning_;
    int code_;
    std::string sqlstate_;
};

// Every function throws Failure; logic_error when the number of values is wrong or the SQL is
// more than one statement. Values are bound, never pasted. Statements are prepared once a
// connection and kept, so pass SQL from a small set of texts.
class Connection {
   public:
    virtual ~Connection() = default;
    [[nodiscard]] virtual Engine engine() const = 0;

    [[nodiscard]] virtual Rows query(std::string_view sql,
                                     std::span<const Value> values = {}) = 0;

    // Rows that matched (UPDATE, DELETE) or were written (INSERT; of an upsert the count says
    // nothing, and "insert unless it is there" is a function of store/dialect.hpp).
    virtual std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) = 0;

    virtual void begin(Access access) = 0;
    virtual void commit() = 0;             // lost while it ran: Failure, in_doubt
    virtual void rollback() noexcept = 0;  // never fails; a broken connection is marked so
    [[nodiscard]] virtual bool is_broken() const noexcept = 0;
};

}  // namespace store
