// history/reading_as_of.hpp -- what each reading of the recorded history begins with: the
// releases that are known, and which of them are shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "history/reading.hpp"
#include "history/release_order.hpp"

namespace history {

struct AsOf {
    Releases releases;
    Release current;  // the build's; without a build: the newest that is known
    ReleaseOrder order;

    // Those up to the current one, newest first.
    [[nodiscard]] std::vector<const ReleaseOrder::Place*> shown() const;
};
[[nodiscard]] AsOf as_of_now(store::Transaction& transaction, const Reading& reading);

[[nodiscard]] tl::unexpected<base::Error> no_release(const std::string& version);

}  // namespace history
