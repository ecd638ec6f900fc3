// A store of a test, with a pool of connections to it.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

namespace support {

struct PooledStore {
    explicit PooledStore(store::Engine engine)
        : fresh(std::in_place, engine), pool(fresh->connect(), 4, no_waiting()) {}
    // Of a store that others have, too.
    explicit PooledStore(store::Connect connect) : pool(std::move(connect), 4, no_waiting()) {}

    template <class F>
    auto write(F fn) {
        return store::perform(pool, store::Access::write, fn);
    }
    // Returns fn(transaction, arguments…).
    template <class Result, class... Parameters>
    Result call(Result (*fn)(store::Transaction&, Parameters...),
                std::type_identity_t<Parameters>... arguments) {
        return write(
            [&](store::Transaction& transaction) { return fn(transaction, arguments...); });
    }
    void execute(const std::string& sql) {
        write([&](store::Transaction& transaction) { transaction.execute(sql); });
    }
    store::Rows query(const std::string& sql) {
        return write([&](store::Transaction& transaction) { return transaction.query(sql); });
    }
    // Returns the only value of a query.
    std::string value(const std::string& sql) {
        const auto rows = query("SELECT CAST((" + sql + ") AS CHAR)");
        return rows.at(0).is_null(0) ? "NULL" : rows.at(0).text(0);
    }

    std::optional<FreshStore> fresh;  // before the pool, which is closed first
    store::Pool pool;
};

}  // namespace support
