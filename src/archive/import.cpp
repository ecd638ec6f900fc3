// SPDX-License-Identifier: MIT
#include "store/archive.hpp"
#include "store/archive_line.hpp"
#include "store/archive_tables.hpp"
#include "store/dialect.hpp"
#include "store/import_mark.hpp"
#include "store/line_reader.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <algorithm>

namespace store {
namespace {

using base::Kind;
using base::Result;

// Of one transaction; a cluster certifies each as a whole.
constexpr std::size_t most_rows = 4000;
constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr std::uint64_t most_meta_rows = 1000;  // they wait in memory for the end

auto malformed(std::string text) { return base::fail(Kind::malformed, std::move(text)); }

// The statement is refused for what its values are, and would be again.
bool is_refusal(const Failure& failure) {
    const auto& meaning = failure.meaning();
    return !meaning.transient && !meaning.in_doubt && !meaning.lost_connection && !meaning.full;
}

Insert insert_into(const TableShape& shape) {
    Insert insert{.table = shape.table->name, .columns = {}, .keys = {}};
    for (const auto& column : shape.columns) insert.columns.emplace_back(column.name);
    return insert;
}

// Rows of one table that wait to be written by one transaction.
struct Batch {
    std::vector<Value> values;     // row after row
    std::uint64_t first_line = 0;  // of its rows, which stand on lines that follow each other
    std::size_t rows = 0;
    std::size_t bytes = 0;  // of the lines

    [[nodiscard]] bool is_full() const { return rows >= most_rows || bytes >= most_bytes; }
};

class Importer {
   public:
    Importer(Pool& pool, const ReadBytes& read, std::vector<TableShape> shapes)
        : pool_(pool), shapes_(std::move(shapes)), counts_(shapes_.size()),
          lines_(read, longest_archive_line, LineParser::padding), parser_(shapes_), mark_(pool) {
    }

    Result<RowCounts> run(Leftovers leftovers) {
        if (const auto first = read_header(); !first) return tl::unexpected(first.error());
        if (const auto set = mark_.set(leftovers); !set) return tl::unexpected(set.error());
        auto done = read_rows();
        if (done) done = finish();
        if (!done) return give_up(done.error());
        return row_counts();
    }

   private:
    Result<void> read_header() {
        const auto line = next();
        if (!line) return tl::unexpected(line.error());
        const auto* header = std::get_if<HeaderLine>(&*line);
        if (header == nullptr) return malformed("line 1: no export of Varve's begins so");
        if (header->schema == newest_schema()) return {};
        return base::fail(Kind::refused,
                          "an export of schema " + std::to_string(header->schema) +
                              ", and this program knows schema " +
                              std::to_string(newest_schema()) +
                              ": import it with the version of Varve that wrote it");
    }

    // The next line, which must be there.
    Result<ArchiveLine> next() {
        const auto line = lines_.next();
        if (!line) return tl::unexpected(line.error());
        if (!*line)
            return malformed("the export is cut off: it ends behind line " +
                             std::to_string(lines_.number()) + ", without its last line");
        auto parsed = parser_.parse(**line);
        if (!parsed) return base::fail_at(this_line(), parsed.error());
        line_bytes_ = (*line)->size();
        return parsed;
    }

    [[nodiscard]] std::string this_line() const {
        return "line " + std::to_string(lines_.number());
    }

    Result<void> read_rows() {
        for (;;) {
            auto line = next();
            if (!line) return tl::unexpected(line.error());
            if (const auto* end = std::get_if<EndLine>(&*line)) return read_end(*end);
            auto* row = std::get_if<RowLine>(&*line);
            if (row == nullptr) return malformed(this_line() + ": a second first line");
            if (auto taken = take(std::move(*row)); !taken) return taken;
        }
    }

    Result<void> take(RowLine row) {
        if (row.table < table_)
            return malformed(this_line() + ": a row of " + name_of(row.table) + " behind " +
                             name_of(table_));
        if (row.table > table_ || batch_.is_full())
            if (auto written = write_batch(); !written) return written;
        table_ = row.table;
        if (is_meta(table_))
            if (auto fits = check_meta(row); !fits) return fits;
        if (batch_.rows++ == 0) batch_.first_line = lines_.number();
        batch_.bytes += line_bytes_;
        std::ranges::move(row.values, std::back_inserter(batch_.values));
        ++counts_[table_];
        return {};
    }

    // The rows of `meta` are written by the last step alone: they are the batch that stays.
    Result<void> check_meta(const RowLine& row) {
        const auto& shape = shapes_[row.table];
        const auto& name = std::get<std::string>(row.values[shape.place_of("name").value()]);
        const auto number = std::get<std::int64_t>(row.values[shape.place_of("value").value()]);
        if (counts_[row.table] >= most_meta_rows)
            return malformed(this_line() + ": too many rows of meta");
        if (name == import_mark_name) return malformed(this_line() + ": the mark of an import");
        if (name == "schema" && number != newest_schema())
            return malformed(this_line() + ": another schema than the first line's");
        has_schema_ = has_schema_ || name == "schema";
        return {};
    }

    Result<void> read_end(const EndLine& end) {
        for (std::size_t table = 0; table < shapes_.size(); ++table)
            if (end.rows[table] != counts_[table])
                return malformed(this_line() + ": " + std::to_string(end.rows[table]) +
                                 " rows of " + name_of(table) + " are told, and " +
                                 std::to_string(counts_[table]) + " stand before");
        if (!has_schema_) return malformed(this_line() + ": meta has no schema");
        const auto more = lines_.next();
        if (!more) return tl::unexpected(more.error());
        if (*more) return malformed(this_line() + ": something stands behind the last line");
        return {};
    }

    Result<void> write_batch() {
        if (batch_.rows == 0 || is_meta(table_)) return {};
        try {
            auto written =
                mark_.step([&](Transaction& transaction) { insert(transaction, batch_.values); });
            batch_ = {};
            return written;
        } catch (const Failure& failure) {
            if (!is_refusal(failure)) throw;
            return refused_line(failure.what());
        }
    }

    void insert(Transaction& transaction, std::span<const Value> values) const {
        insert_many(transaction, insert_into(shapes_[table_]), values);
    }

    // Row by row, in a transaction that is dropped, to tell which one the store refuses.
    Result<void> refused_line(std::string reason) {
        const std::size_t columns = shapes_[table_].columns.size();
        std::uint64_t line = batch_.first_line;
        const auto connection = pool_.lease();
        Transaction transaction(*connection, Access::write);
        try {
            for (std::size_t row = 0; row < batch_.rows; ++row, ++line)
                insert(transaction,
                       std::span<const Value>(batch_.values).subspan(row * columns, columns));
        } catch (const Failure& failure) {
            if (!is_refusal(failure)) throw;
            reason = failure.what();
        }
        return malformed("line " + std::to_string(line) + ": " + name_of(table_) +
                         ": the store refuses it: " + reason);
    }

    // Whether the store has what was imported and nothing else, then `meta`, then no mark.
    Result<void> finish() {
        if (auto same = compare_counts(); !same) return same;
        try {
            auto written = mark_.step([&](Transaction& transaction) {
                transaction.execute("DELETE FROM meta WHERE name <> ?",
                                    {std::string(import_mark_name)});
                insert(transaction, batch_.values);
            });
            if (!written) return written;
        } catch (const Failure& failure) {
            if (!is_refusal(failure)) throw;
            return malformed(std::string("meta: the store refuses it: ") + failure.what());
        }
        return mark_.remove();
    }

    Result<void> compare_counts() {
        return perform(pool_, Access::read, [&](Transaction& transaction) -> Result<void> {
            for (std::size_t table = 0; table < shapes_.size(); ++table) {
                if (is_meta(table)) continue;
                const auto rows = transaction.query("SELECT count(*) FROM " + name_of(table));
                if (static_cast<std::uint64_t>(rows.front().integer(0)) != counts_[table])
                    return base::fail(Kind::conflict,
                                      "something else writes into this store: " + name_of(table) +
                                          " has other rows than were imported");
            }
            return {};
        });
    }

    // What was imported goes again, unless the store is somebody else's by now.
    tl::unexpected<base::Error> give_up(const base::Error& error) {
        if (error.kind == Kind::conflict) return tl::unexpected(error);
        auto gone = mark_.clear_rows();
        if (gone) gone = mark_.remove();
        return tl::unexpected(gone ? error : gone.error());
    }

    [[nodiscard]] RowCounts row_counts() const {
        RowCounts counts;
        for (std::size_t table = 0; table < shapes_.size(); ++table)
            counts.push_back({shapes_[table].table->name, counts_[table]});
        return counts;
    }

    [[nodiscard]] std::string name_of(std::size_t table) const {
        return std::string(shapes_[table].table->name);
    }
    [[nodiscard]] bool is_meta(std::size_t table) const {
        return shapes_[table].table->name == "meta";
    }

    Pool& pool_;
    std::vector<TableShape> shapes_;
    std::vector<std::uint64_t> counts_;  // rows read of each table
    LineReader lines_;
    LineParser parser_;
    ImportMark mark_;
    std::size_t table_ = 0;  // whose rows come now, and are in the batch
    Batch batch_;
    std::size_t line_bytes_ = 0;  // of the last line
    bool has_schema_ = false;
};

}  // namespace

Result<RowCounts> import_store(Pool& pool, const ReadBytes& read, Leftovers leftovers) {
    std::vector<TableShape> shapes;
    {
        const auto connection = pool.lease();
        if (const auto fits = check_tables(*connection); !fits)
            return tl::unexpected(fits.error());
        shapes = shapes_of(*connection);
        expect_many_writes(*connection);  // the pool gives the same one again
    }
    return Importer(pool, read, std::move(shapes)).run(leftovers);
}

}  // namespace store
