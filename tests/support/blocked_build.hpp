// A build in memory in which the load of one object waits until the test lets it go.
// SPDX-License-Identifier: MIT
#pragma once

#include <latch>
#include <thread>
#include <utility>

#include "support/small_build.hpp"

namespace support {

class BlockedBuild final : public SmallBuild {
   public:
    explicit BlockedBuild(tree::ObjectName blocked)
        : SmallBuild("WS2", "2008-02-01"), blocked_(std::move(blocked)) {}

    void wait_until_blocked() const { reached_.wait(); }
    void unblock() const { let_go_.count_down(); }

    [[nodiscard]] base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (name == blocked_) {
            reached_.count_down();
            let_go_.wait();
        }
        return SmallBuild::load(name);
    }

   private:
    tree::ObjectName blocked_;
    mutable std::latch reached_{1}, let_go_{1};
};

}  // namespace support
