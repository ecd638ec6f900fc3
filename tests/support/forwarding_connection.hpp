// A connection that passes everything on to a real one; a test overrides what it watches or breaks.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "store/connection.hpp"

namespace support {

class ForwardingConnection : public store::Connection {
   public:
    explicit ForwardingConnection(std::unique_ptr<store::Connection> real)
        : real_(std::move(real)) {}
    [[nodiscard]] store::Engine engine() const override { return real_->engine(); }
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        return real_->query(sql, values);
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        return real_->execute(sql, values);
    }
    void begin(store::Access access) override { real_->begin(access); }
    void commit() override { real_->commit(); }
    void rollback() noexcept override { real_->rollback(); }
    [[nodiscard]] bool is_broken() const noexcept override { return real_->is_broken(); }
    [[nodiscard]] bool has_moved() override { return real_->has_moved(); }
    [[nodiscard]] bool may_be_awaited() override { return real_->may_be_awaited(); }
    void require_room() override { real_->require_room(); }

   protected:
    [[nodiscard]] store::Connection& real() { return *real_; }

   private:
    std::unique_ptr<store::Connection> real_;
};

}  // namespace support
