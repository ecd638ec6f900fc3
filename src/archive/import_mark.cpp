// SPDX-License-Identifier: MIT
#include "store/import_mark.hpp"

#include <optional>
#include <random>

#include "store/archive_tables.hpp"
#include "store/dialect.hpp"

namespace store {
namespace {

using base::Result;

constexpr std::int64_t rows_of_one_step = 4000;

const std::string name_of_mark{import_mark_name};

auto refuse(std::string text) { return base::fail(base::Kind::refused, std::move(text)); }

// Two imports begin far apart: neither counts so far that it meets the other.
std::int64_t any_ticket() {
    std::random_device random;
    return static_cast<std::int64_t>(random() >> 1U) << 32U;
}

std::optional<std::int64_t> mark_in(Transaction& transaction) {
    const auto rows = transaction.query("SELECT value FROM meta WHERE name = ?" +
                                            std::string(for_update(transaction.engine())),
                                        {name_of_mark});
    if (rows.empty()) return std::nullopt;
    return rows.front().integer(0);
}

// The name of a table other than `meta` that has rows; empty: none has.
std::string table_with_rows(Transaction& transaction) {
    for (const auto& table : archive_tables()) {
        const std::string name(table.name);
        if (name == "meta") continue;
        if (!transaction.query("SELECT 1 FROM " + name + " LIMIT 1").empty()) return name;
    }
    return {};
}

enum class Found { nothing, leftovers };

Result<Found> set_in(Transaction& transaction, std::int64_t ticket, Leftovers leftovers) {
    const auto mark = mark_in(transaction);
    if (mark == ticket) return Found::nothing;  // set before its commit was in doubt
    if (mark && leftovers == Leftovers::refuse)
        return refuse("an import into this store was broken off, or goes on now: "
                      "varve import --again FILE clears what it left and begins anew");
    if (mark) {
        transaction.execute("UPDATE meta SET value = ? WHERE name = ?", {ticket, name_of_mark});
        return Found::leftovers;
    }
    if (const auto table = table_with_rows(transaction); !table.empty())
        return refuse("the store is not empty (table " + table +
                      " has rows): import into a new one, made by varve init");
    transaction.execute("INSERT INTO meta (name, value) VALUES (?, ?)", {name_of_mark, ticket});
    return Found::nothing;
}

}  // namespace

bool import_is_unfinished(Connection& connection) {
    const std::vector<Value> values{name_of_mark};
    return !connection.query("SELECT value FROM meta WHERE name = ?", values).empty();
}

ImportMark::ImportMark(Pool& pool) : pool_(pool), ticket_(any_ticket()) {}

Result<void> ImportMark::set(Leftovers leftovers) {
    const auto found = perform(pool_, Access::write, [&](Transaction& transaction) {
        return set_in(transaction, ticket_, leftovers);
    });
    if (!found) return tl::unexpected(found.error());
    // Also after a commit in doubt, of which nobody knows what it had found.
    return leftovers == Leftovers::clear ? clear_rows() : Result<void>();
}

ImportMark::Turn ImportMark::turn_of(Transaction& transaction, std::int64_t ticket) {
    const auto moved =
        transaction.execute("UPDATE meta SET value = ? WHERE name = ? AND value = ?",
                            {ticket + 1, name_of_mark, ticket});
    if (moved == 1) return Turn::now;
    return mark_in(transaction) == ticket + 1 ? Turn::done_before : Turn::lost;
}

tl::unexpected<base::Error> ImportMark::taken_over() {
    return base::fail(base::Kind::conflict,
                      "another varve import has taken over this store, or finished there");
}

Result<void> ImportMark::clear_rows() {
    const auto tables = archive_tables();
    for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
        if (table->name == "meta") continue;
        for (std::int64_t gone = 1; gone > 0;) {
            const auto done = step([&](Transaction& transaction) {
                gone = transaction.execute(
                    delete_some_sql(transaction.engine(), table->name, table->keys),
                    {rows_of_one_step});
            });
            if (!done) return done;
        }
    }
    return {};
}

// Where no mark is, the commit in doubt did it: nobody else removes one that is not theirs.
Result<void> ImportMark::remove() {
    const bool gone = perform(pool_, Access::write, [&](Transaction& transaction) {
        const auto removed = transaction.execute("DELETE FROM meta WHERE name = ? AND value = ?",
                                                 {name_of_mark, ticket_});
        return removed == 1 || !mark_in(transaction);
    });
    return gone ? Result<void>() : Result<void>(taken_over());
}

}  // namespace store
