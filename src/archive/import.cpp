// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <random>

#include "archive/archive.hpp"
#include "archive/format.hpp"
#include "store/dialect.hpp"
#include "store/store.hpp"

namespace archive {
namespace {

using base::ErrorKind;
using base::Result;
using store::Access;
using store::Failure;
using store::Transaction;
using store::Value;

// Limits of one transaction: a Galera cluster certifies each as a whole.
constexpr std::size_t most_rows_written = 4000;
constexpr std::size_t most_bytes_written = std::size_t{4} << 20;
constexpr std::uint64_t most_meta_rows = 1000;  // they stay in memory until the end

auto malformed_line(std::string text) {
    return base::fail(ErrorKind::malformed, std::move(text));
}

// True when the store rejected a statement because of its values, and would reject it again.
bool is_rejection(const Failure& failure) {
    const auto& kind = failure.kind();
    return !kind.transient && !kind.in_doubt && !kind.lost_connection && !kind.needs_operator;
}

store::Insert insert_into(const TableShape& shape) {
    store::Insert insert{.table = shape.table->name, .columns = {}, .keys = {}};
    for (const auto& column : shape.columns) insert.columns.emplace_back(column.name);
    return insert;
}

const std::string mark_name{store::import_mark_name};

// A number far from that of any other import: neither counts up so far that it meets the other.
std::int64_t random_ticket() {
    std::random_device random;
    return static_cast<std::int64_t>(random() >> 1U) << 32U;
}

// The mark of a store that an import is filling: a row of `meta` whose number, the ticket, only
// one import knows. The import increments it in each of its transactions, and so finds out
// whether the transaction was done before (its commit was in doubt), and whether another import
// has taken over the store.
class ImportMark {
   public:
    explicit ImportMark(store::Pool& pool) : pool_(pool), ticket_(random_ticket()) {}

    // Marks an empty store, or takes over the mark of an interrupted import and deletes its rows.
    //   error   refused: the store has rows, or a mark and Leftovers::refuse
    //   throws  Failure
    [[nodiscard]] Result<void> set(Leftovers leftovers) {
        const auto placed = store::perform(pool_, Access::write, [&](Transaction& transaction) {
            return place(transaction, leftovers);
        });
        // Clears after a commit in doubt too: the result of the lost transaction is unknown.
        if (!placed || leftovers == Leftovers::refuse) return placed;
        return clear_rows();
    }

    // Runs fn(Transaction&) as one step of the import: exactly once, even when its commit is in
    // doubt.
    //   error   conflict: another import has taken over
    //   throws  Failure, and whatever fn throws
    template <class F>
    [[nodiscard]] Result<void> step(F fn) {
        const auto before = ticket_;
        const bool is_ours = store::perform(pool_, Access::write, [&](Transaction& transaction) {
            const auto moved =
                transaction.execute("UPDATE meta SET value = ? WHERE name = ? AND value = ?",
                                    {before + 1, mark_name, before});
            if (moved == 1) fn(transaction);
            return moved == 1 || find(transaction) == before + 1;
        });
        if (!is_ours) return taken_over();
        ++ticket_;
        return {};
    }

    // Deletes every row of every table except `meta`, some thousand in a step.
    [[nodiscard]] Result<void> clear_rows() {
        const auto all = tables();
        for (auto table = all.rbegin(); table != all.rend(); ++table) {
            if (table->name == "meta") continue;
            for (std::int64_t deleted = 1; deleted > 0;) {
                const auto done = step([&](Transaction& transaction) {
                    deleted = transaction.execute(
                        store::delete_some_sql(transaction.engine(), table->name, table->keys),
                        {static_cast<std::int64_t>(most_rows_written)});
                });
                if (!done) return done;
            }
        }
        return {};
    }

    // Removes the mark: the last step of an import. A mark that is gone already was removed by
    // this import, in a commit that was in doubt: no import removes that of another.
    [[nodiscard]] Result<void> remove() {
        const bool is_gone = store::perform(pool_, Access::write, [&](Transaction& transaction) {
            const auto removed = transaction.execute(
                "DELETE FROM meta WHERE name = ? AND value = ?", {mark_name, ticket_});
            return removed == 1 || !find(transaction);
        });
        return is_gone ? Result<void>() : taken_over();
    }

   private:
    [[nodiscard]] static std::optional<std::int64_t> find(Transaction& transaction) {
        const auto rows = transaction.query("SELECT value FROM meta WHERE name = ?" +
                                                std::string(for_update(transaction.engine())),
                                            {mark_name});
        if (rows.empty()) return std::nullopt;
        return rows.front().integer(0);
    }

    // Returns the name of a table that has rows, `meta` apart; empty when none has.
    [[nodiscard]] static std::string table_with_rows(Transaction& transaction) {
        for (const auto& table : tables()) {
            const std::string name(table.name);
            if (name == "meta") continue;
            if (!transaction.query("SELECT 1 FROM " + name + " LIMIT 1").empty()) return name;
        }
        return {};
    }

    [[nodiscard]] Result<void> place(Transaction& transaction, Leftovers leftovers) const {
        const auto found = find(transaction);
        if (found == ticket_) return {};  // placed before, in a commit that was in doubt
        if (found && leftovers == Leftovers::refuse)
            return base::fail(ErrorKind::refused,
                              "an import into this store was interrupted, or is running now: "
                              "varve import --again FILE deletes its rows and starts over");
        if (found) {
            transaction.execute("UPDATE meta SET value = ? WHERE name = ?", {ticket_, mark_name});
            return {};
        }
        if (const auto table = table_with_rows(transaction); !table.empty())
            return base::fail(ErrorKind::refused,
                              "the store is not empty (table " + table +
                                  " has rows): import into a new one, made by varve init");
        transaction.execute("INSERT INTO meta (name, value) VALUES (?, ?)", {mark_name, ticket_});
        return {};
    }

    static Result<void> taken_over() {
        return base::fail(ErrorKind::conflict,
                          "another varve import has taken over this store, or finished there");
    }

    store::Pool& pool_;
    std::int64_t ticket_;  // the value of the mark after the last step
};

// Rows of one table that one transaction will write.
struct Batch {
    std::vector<Value> values;     // row after row
    std::uint64_t first_line = 0;  // the rows come from consecutive lines
    std::size_t rows = 0;
    std::size_t bytes = 0;  // of the lines

    [[nodiscard]] bool is_full() const {
        return rows >= most_rows_written || bytes >= most_bytes_written;
    }
};

class Importer {
   public:
    Importer(store::Pool& pool, const ReadBytes& read, const FaultOf& fault_of,
             std::vector<TableShape> shapes)
        : pool_(pool), fault_of_(fault_of), shapes_(std::move(shapes)),
          lines_(read, longest_line, LineParser::padding), parser_(shapes_), mark_(pool) {
        for (const auto& shape : shapes_) counts_.push_back({shape.table->name});
    }

    Result<RowCounts> run(Leftovers leftovers) {
        if (const auto first = read_header(); !first) return tl::unexpected(first.error());
        if (const auto set = mark_.set(leftovers); !set) return tl::unexpected(set.error());
        auto done = read_rows();
        if (done) done = finish();
        if (!done) return give_up(done.error());
        return counts_;
    }

   private:
    Result<void> read_header() {
        const auto line = next();
        if (!line) return tl::unexpected(line.error());
        const auto* header = std::get_if<HeaderLine>(&*line);
        if (header == nullptr)
            return malformed_line("line 1: this is not an export written by varve");
        if (header->schema == store::schema_number) return {};
        return base::fail(ErrorKind::refused,
                          "the export has schema " + std::to_string(header->schema) +
                              ", this program reads schema " +
                              std::to_string(store::schema_number) +
                              ": import it with the version of Varve that wrote it");
    }

    // Returns the next line, which must exist.
    Result<Line> next() {
        const auto line = lines_.next();
        if (!line) return tl::unexpected(line.error());
        if (!*line)
            return malformed_line("the export is truncated: it ends after line " +
                                  std::to_string(lines_.number()) + ", without its last line");
        auto parsed = parser_.parse(**line);
        if (!parsed) return base::fail_at(this_line(), parsed.error());
        line_bytes_ = (*line)->size();
        return parsed;
    }

    [[nodiscard]] std::string this_line() const {
        return "line " + std::to_string(lines_.number());
    }
    [[nodiscard]] tl::unexpected<base::Error> in_this_line(const std::string& text) const {
        return malformed_line(this_line() + ": " + text);
    }

    Result<void> read_rows() {
        for (;;) {
            auto line = next();
            if (!line) return tl::unexpected(line.error());
            if (const auto* end = std::get_if<EndLine>(&*line)) return read_end(*end);
            auto* row = std::get_if<RowLine>(&*line);
            if (row == nullptr) return in_this_line("a second header line");
            if (auto taken = take(std::move(*row)); !taken) return taken;
        }
    }

    Result<void> take(RowLine row) {
        if (row.table < table_)
            return in_this_line("a row of " + name_of(row.table) + " after rows of " +
                                name_of(table_));
        if (row.table > table_ || batch_.is_full())
            if (auto written = write_batch(); !written) return written;
        table_ = row.table;
        if (auto readable = check_texts(row); !readable) return readable;
        if (is_meta(table_))
            if (auto fits = check_meta(row); !fits) return fits;
        if (batch_.rows++ == 0) batch_.first_line = lines_.number();
        batch_.bytes += line_bytes_;
        std::ranges::move(row.values, std::back_inserter(batch_.values));
        ++counts_[table_].rows;
        return {};
    }

    // What cannot be read would be missing from feeds, and nobody would know since when.
    [[nodiscard]] Result<void> check_texts(const RowLine& row) const {
        if (!fault_of_) return {};
        for (std::size_t at = 0; at < row.values.size(); ++at) {
            const auto* text = std::get_if<std::string>(&row.values[at]);
            if (text == nullptr) continue;
            const auto& column = shapes_[row.table].columns[at].name;
            if (const auto fault = fault_of_(name_of(row.table), column, *text); !fault.empty())
                return in_this_line(name_of(row.table) + ": column " + column + " " + fault);
        }
        return {};
    }

    // Only the last step writes the rows of `meta`: they stay in the batch until then.
    Result<void> check_meta(const RowLine& row) {
        const auto& shape = shapes_[row.table];
        const auto& name = std::get<std::string>(row.values[shape.index_of("name").value()]);
        const auto number = std::get<std::int64_t>(row.values[shape.index_of("value").value()]);
        if (counts_[row.table].rows >= most_meta_rows)
            return in_this_line("too many rows of meta");
        if (name == store::import_mark_name)
            return in_this_line("this row marks an unfinished import");
        if (name == "schema" && number != store::schema_number)
            return in_this_line("the schema differs from that of the first line");
        has_schema_ = has_schema_ || name == "schema";
        return {};
    }

    Result<void> read_end(const EndLine& end) {
        for (std::size_t table = 0; table < shapes_.size(); ++table)
            if (end.rows[table] != counts_[table].rows)
                return in_this_line("it counts " + std::to_string(end.rows[table]) + " rows of " +
                                    name_of(table) + ", but " +
                                    std::to_string(counts_[table].rows) + " came before it");
        if (!has_schema_) return in_this_line("meta lacks the row of the schema");
        const auto more = lines_.next();
        if (!more) return tl::unexpected(more.error());
        if (*more) return in_this_line("there is more after the last line");
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
            if (!is_rejection(failure)) throw;
            return rejected_line(failure.what());
        }
    }

    void insert(Transaction& transaction, std::span<const Value> values) const {
        store::insert_many(transaction, insert_into(shapes_[table_]), values);
    }

    // Finds the row that the store rejects: inserts row by row, in a transaction that is rolled
    // back.
    Result<void> rejected_line(std::string reason) {
        const std::size_t columns = shapes_[table_].columns.size();
        std::uint64_t line = batch_.first_line;
        const auto connection = pool_.lease();
        Transaction transaction(*connection, Access::write);
        try {
            for (std::size_t row = 0; row < batch_.rows; ++row, ++line)
                insert(transaction,
                       std::span<const Value>(batch_.values).subspan(row * columns, columns));
        } catch (const Failure& failure) {
            if (!is_rejection(failure)) throw;
            reason = failure.what();
        }
        return malformed_line("line " + std::to_string(line) + ": " + name_of(table_) +
                              ": the store rejects it: " + reason);
    }

    // Checks that the store has what was imported and nothing else, writes `meta`, and removes the
    // mark.
    Result<void> finish() {
        if (auto same = compare_counts(); !same) return same;
        try {
            auto written = mark_.step([&](Transaction& transaction) {
                transaction.execute("DELETE FROM meta WHERE name <> ?", {mark_name});
                insert(transaction, batch_.values);
            });
            if (!written) return written;
        } catch (const Failure& failure) {
            if (!is_rejection(failure)) throw;
            return malformed_line(std::string("meta: the store rejects it: ") + failure.what());
        }
        return mark_.remove();
    }

    Result<void> compare_counts() {
        return store::perform(pool_, Access::read, [&](Transaction& transaction) -> Result<void> {
            for (std::size_t table = 0; table < shapes_.size(); ++table) {
                if (is_meta(table)) continue;
                const auto rows = transaction.query("SELECT count(*) FROM " + name_of(table));
                if (static_cast<std::uint64_t>(rows.front().integer(0)) != counts_[table].rows)
                    return base::fail(ErrorKind::conflict,
                                      "another program is writing to this store: " +
                                          name_of(table) + " does not contain the imported rows");
            }
            return {};
        });
    }

    // Deletes what was imported, unless another import has taken over the store.
    tl::unexpected<base::Error> give_up(const base::Error& error) {
        if (error.kind == ErrorKind::conflict) return tl::unexpected(error);
        auto gone = mark_.clear_rows();
        if (gone) gone = mark_.remove();
        return tl::unexpected(gone ? error : gone.error());
    }

    [[nodiscard]] std::string name_of(std::size_t table) const {
        return std::string(shapes_[table].table->name);
    }
    [[nodiscard]] bool is_meta(std::size_t table) const {
        return shapes_[table].table->name == "meta";
    }

    store::Pool& pool_;
    const FaultOf& fault_of_;
    std::vector<TableShape> shapes_;
    RowCounts counts_;  // rows read
    LineReader lines_;
    LineParser parser_;
    ImportMark mark_;
    std::size_t table_ = 0;  // of the current rows, which are in the batch
    Batch batch_;
    std::size_t line_bytes_ = 0;  // of the last line
    bool has_schema_ = false;
};

}  // namespace

Result<RowCounts> import_store(store::Pool& pool, const ReadBytes& read, Leftovers leftovers,
                               const FaultOf& fault_of) {
    std::vector<TableShape> shapes;
    {
        const auto connection = pool.lease();
        if (const auto fits = store::check_tables(*connection); !fits)
            return tl::unexpected(fits.error());
        shapes = shapes_of(*connection);
        store::expect_many_writes(*connection);  // the pool hands out the same one again
    }
    return Importer(pool, read, fault_of, std::move(shapes)).run(leftovers);
}

}  // namespace archive
