// The content of a store as text: equal texts mean equal histories. Ids, times of recording, hits and what is
// noted of the last comparison are left out, since they depend on who asked, and in which order.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

#include "base/compress.hpp"
#include "store/dialect.hpp"
#include "store/pool.hpp"

namespace support {

// Throws where a row is not found under the name of its object.
inline void check_names(store::Pool& pool) {
    store::perform(pool, store::Access::read, [](auto& transaction) {
        if (!transaction
                 .query("SELECT h.sid FROM history h JOIN objects o ON o.oid = h.oid WHERE"
                        " h.class <> o.class OR h.name <> o.name")
                 .empty())
            throw std::logic_error("a row has not the name of its object");
    });
}

inline std::string contents_of(store::Pool& pool) {
    std::string all;
    const auto unpacked = [&](const store::Row& row, std::size_t i) {
        return row.is_null(i) ? "not there" : base::decompress(row.blob(i), 1 << 26).value();
    };
    const auto add = [&](std::string_view sql, bool packed = false) {
        const auto rows = store::perform(
            pool, store::Access::read, [&](auto& transaction) { return transaction.query(sql); });
        for (const auto& row : rows) {
            const auto last = row.size() - 1;
            for (std::size_t i = 0; i < row.size(); ++i)
                all += packed && i == last ? unpacked(row, i) : row.text(i) + '|';
            all += '\n';
        }
    };
    add("SELECT class, name, name_key, label, signature, last_modification_date, label_key"
        " FROM objects ORDER BY class, name");
    add("SELECT o.class, o.name, h.version, CAST(h.revision AS CHAR), h.since, h.date,"
        " h.signature, h.kind, h.label, h.notes, h.content FROM history h JOIN objects o ON "
        "o.oid = h.oid"
        " ORDER BY o.class, o.name, h.version");
    add("SELECT o.class, o.name, t.version, t.since, t.tree FROM trees t"
        " JOIN objects o ON o.oid = t.oid ORDER BY o.class, o.name, t.version",
        true);
    add("SELECT version, released_on FROM releases ORDER BY version");
    add("SELECT version, digest FROM builds ORDER BY number, digest");
    check_names(pool);
    return all;
}

}  // namespace support
