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
    //   others  the number of loads of other objects that wait_for_others() waits for
    BlockedBuild(tree::ObjectName blocked, int others)
        : SmallBuild("WS2", "2008-02-01"), blocked_(std::move(blocked)), others_(others) {}

    void wait_until_blocked() const { reached_.wait(); }
    void wait_for_others() const { others_.wait(); }
    void unblock() const { let_go_.count_down(); }

    [[nodiscard]] base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (name == blocked_) {
            reached_.count_down();
            let_go_.wait();
        } else if (!others_.try_wait()) {
            others_.count_down();
        }
        return SmallBuild::load(name);
    }

   private:
    tree::ObjectName blocked_;
    mutable std::latch reached_{1}, let_go_{1}, others_;
};

}  // namespace support
