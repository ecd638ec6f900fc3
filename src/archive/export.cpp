// SPDX-License-Identifier: MIT
#include <algorithm>

#include "archive/archive.hpp"
#include "archive/format.hpp"
#include "base/text.hpp"
#include "store/dialect.hpp"
#include "store/store.hpp"

namespace archive {
namespace {

using base::Result;
using store::ColumnType;
using store::Row;
using store::Transaction;
using store::Value;

constexpr std::int64_t most_rows = 1000;      // in one page
constexpr std::int64_t most_bytes = 8 << 20;  // in its long columns
constexpr std::size_t enough_to_write = std::size_t{1} << 20;

Value value_at(const Row& row, std::size_t at, ColumnType type) {
    if (type == ColumnType::integer) return row.integer(at);
    return row.text(at);
}

// Reads the rows of one table in the order of their key, a page at a time. A page has at most
// most_rows rows, and only one row when that alone exceeds most_bytes.
class Pages {
   public:
    Pages(Transaction& transaction, const TableShape& shape)
        : transaction_(transaction), shape_(shape),
          behind_(store::behind_key(transaction.engine(), shape.table->keys)) {
        for (const auto key : shape.table->keys) keys_.push_back(shape.index_of(key).value());
    }

    // Returns the next rows; none at the end.
    store::Rows next() {
        size_ = size_that_fits();
        auto rows = transaction_.query(select_sql(), values(size_));
        if (!rows.empty()) remember(rows.back());
        return rows;
    }

   private:
    // A page may have twice the rows of the previous one, so that long rows are measured rarely.
    [[nodiscard]] std::int64_t size_that_fits() {
        std::int64_t size = std::min(size_ * 2, most_rows);
        if (shape_.table->long_columns.empty()) return most_rows;
        while (size > 1 && bytes_of(size) > most_bytes) size /= 4;
        return std::max<std::int64_t>(size, 1);
    }

    [[nodiscard]] std::int64_t bytes_of(std::int64_t size) {
        const auto rows =
            transaction_.query("SELECT COALESCE(SUM(bytes), 0) FROM (SELECT " + lengths() +
                                   " AS bytes" + from_here() + ") AS page",
                               values(size));
        return rows.front().integer(0);
    }

    [[nodiscard]] std::string lengths() const {
        std::string sum;
        for (const auto column : shape_.table->long_columns)
            sum += (sum.empty() ? "" : " + ") +
                   ("COALESCE(" + store::byte_length(transaction_.engine(), column) + ", 0)");
        return sum;
    }

    [[nodiscard]] std::string select_sql() const {
        std::vector<std::string_view> names;
        for (const auto& column : shape_.columns) names.emplace_back(column.name);
        return "SELECT " + base::join(names, ", ") + from_here();
    }

    [[nodiscard]] std::string from_here() const {
        return " FROM " + std::string(shape_.table->name) +
               (last_.empty() ? "" : " WHERE " + behind_.sql) + " ORDER BY " +
               base::join(shape_.table->keys, ", ") + " LIMIT ?";
    }

    [[nodiscard]] std::vector<Value> values(std::int64_t size) const {
        std::vector<Value> bound;
        if (!last_.empty())
            for (const auto key : behind_.values) bound.push_back(last_[key]);
        bound.emplace_back(size);
        return bound;
    }

    void remember(const Row& row) {
        last_.clear();
        for (const auto at : keys_) last_.push_back(value_at(row, at, shape_.columns[at].type));
    }

    Transaction& transaction_;
    const TableShape& shape_;
    store::BehindKey behind_;
    std::vector<std::size_t> keys_;  // indexes in the shape
    std::vector<Value> last_;        // the key of the last row; empty before the first
    std::int64_t size_ = 8;
};

class Exporter {
   public:
    Exporter(Transaction& transaction, const WriteBytes& write)
        : transaction_(transaction), write_(write) {}

    Result<RowCounts> run(const std::vector<TableShape>& shapes) {
        append_header(lines_, store::schema_number);
        RowCounts counts;
        for (const auto& shape : shapes) {
            const auto rows = write_table(shape);
            if (!rows) return tl::unexpected(rows.error());
            counts.push_back({shape.table->name, *rows});
        }
        append_end(lines_, counts);
        if (const auto done = write_out(); !done) return tl::unexpected(done.error());
        return counts;
    }

   private:
    Result<std::uint64_t> write_table(const TableShape& shape) {
        Pages pages(transaction_, shape);
        std::uint64_t written = 0;
        for (auto rows = pages.next(); !rows.empty(); rows = pages.next()) {
            for (const auto& row : rows)
                if (const auto done = write_row(shape, row); !done)
                    return tl::unexpected(done.error());
            written += rows.size();
        }
        return written;
    }

    Result<void> write_row(const TableShape& shape, const Row& row) {
        const std::size_t before = lines_.size();
        if (const auto done = append_row(lines_, shape, row); !done)
            return base::fail_at(name_of(shape, row), done.error());
        if (lines_.size() - before > longest_line)
            return base::fail(base::ErrorKind::too_large,
                              name_of(shape, row) + ": the row needs a line of more than " +
                                  std::to_string(longest_line) + " bytes");
        return lines_.size() < enough_to_write ? Result<void>() : write_out();
    }

    // For people: "trees, oid 5, version WS187".
    static std::string name_of(const TableShape& shape, const Row& row) {
        std::string name(shape.table->name);
        for (const auto key : shape.table->keys) {
            const auto at = shape.index_of(key).value();
            const bool is_number = shape.columns[at].type == ColumnType::integer;
            name.append(", ").append(key).append(" ");
            name += is_number ? std::to_string(row.integer(at)) : row.text(at);
        }
        return name;
    }

    Result<void> write_out() {
        auto done = write_(lines_);
        lines_.clear();
        return done;
    }

    Transaction& transaction_;
    const WriteBytes& write_;
    std::string lines_;
};

}  // namespace

Result<RowCounts> export_store(store::Connection& connection, const WriteBytes& write) {
    Transaction transaction(connection, store::Access::read);
    if (const auto fits = store::check_schema(connection); !fits)
        return tl::unexpected(fits.error());
    // A store may lack a table although it has the schema's number: somebody dropped the table.
    if (const auto missing = store::missing_parts(connection); !missing.empty())
        return base::fail(base::ErrorKind::refused, "the store lacks " +
                                                        base::join(missing, ", ") +
                                                        ": restore the last backup");
    for (const auto& row :
         transaction.query("SELECT text FROM meta WHERE name = 'forgetting' AND text <> ''"))
        return base::fail(base::ErrorKind::refused,
                          row.text(0) +
                              " is being forgotten: export the store when that has ended; "
                              "if nothing does so now, run: varve forget release " +
                              row.text(0) + " --with-later");
    return Exporter(transaction, write).run(shapes_of(connection));
}

}  // namespace archive
