// A connection that calls a test behind each statement. So a test does between any two statements
// of one process what another process does there.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "store/pool.hpp"
#include "support/forwarding_connection.hpp"

namespace support {

enum class Statement { query, execute, begin_read, begin_write, commit };

// What it throws reaches the caller of the statement.
//   sql  of a query or execute; empty for the others
using AfterStatement = std::function<void(Statement, std::string_view sql)>;

class WatchedConnection final : public ForwardingConnection {
   public:
    WatchedConnection(std::unique_ptr<store::Connection> real, AfterStatement after)
        : ForwardingConnection(std::move(real)), after_(std::move(after)) {}
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        auto rows = ForwardingConnection::query(sql, values);
        after_(Statement::query, sql);
        return rows;
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        const auto count = ForwardingConnection::execute(sql, values);
        after_(Statement::execute, sql);
        return count;
    }
    void begin(store::Access access) override {
        ForwardingConnection::begin(access);
        after_(access == store::Access::read ? Statement::begin_read : Statement::begin_write,
               {});
    }
    void commit() override {
        ForwardingConnection::commit();
        after_(Statement::commit, {});
    }

   private:
    AfterStatement after_;
};

inline store::Connect watched(store::Connect real, AfterStatement after) {
    return [real = std::move(real), after = std::move(after)] {
        return std::make_unique<WatchedConnection>(real(), after);
    };
}

}  // namespace support
