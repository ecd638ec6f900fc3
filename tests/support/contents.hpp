// The content of a store as text: equal texts mean equal histories. Ids, times of recording and
// hits are left out, since they depend on the order of requests.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

#include "base/compress.hpp"
#include "store/dialect.hpp"
#include "store/pool.hpp"

namespace support {

// Whether the text includes the release in which an object's own row was compared last. A job
// that has prewarmed the object's class notes it for the whole class instead.
enum class ComparedIn { counts, left_out };

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

inline std::string contents_of(store::Pool& pool, ComparedIn compared_in = ComparedIn::counts) {
    std::string all;
    const auto unpacked = [&](const std::string& frame) {
        return base::decompress(frame, 1 << 26).value();
    };
    const auto add = [&](std::string_view sql, bool packed = false) {
        const auto rows = store::perform(
            pool, store::Access::read, [&](auto& transaction) { return transaction.query(sql); });
        for (const auto& row : rows) {
            const auto last = row.size() - 1;
            for (std::size_t i = 0; i < row.size(); ++i)
                all += packed && i == last ? unpacked(row.blob(i)) : row.text(i) + '|';
            all += '\n';
        }
    };
    add(compared_in == ComparedIn::counts
            ? "SELECT class, name, name_key, label, signature, last_modification_date,"
              " ace_version, label_key FROM objects ORDER BY class, name"
            : "SELECT class, name, name_key, label, signature, last_modification_date,"
              " label_key FROM objects ORDER BY class, name");
    add("SELECT o.class, o.name, h.version, CAST(h.revision AS CHAR), h.since, h.date,"
        " h.signature, h.kind, h.label, h.notes, h.content FROM history h JOIN objects o ON "
        "o.oid = h.oid"
        " ORDER BY o.class, o.name, h.version");
    add("SELECT o.class, o.name, t.version, t.tree FROM trees t JOIN objects o ON o.oid = t.oid"
        " ORDER BY o.class, o.name, t.version",
        true);
    add("SELECT version, released_on, digest FROM releases ORDER BY version");
    check_names(pool);
    return all;
}

}  // namespace support
