// query/as_of.hpp -- what each reading of the recorded history begins with: the
// releases that are known, and which of them are shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "query/history_page.hpp"
#include "query/query.hpp"
#include "tables/release_order.hpp"

namespace query {

struct AsOf {
    tables::Releases releases;
    Release current;  // the build's; without a build: the newest that is known
    tables::ReleaseOrder order;

    // Those up to the current one, newest first.
    [[nodiscard]] std::vector<const tables::ReleaseOrder::Place*> shown() const;
};
[[nodiscard]] AsOf as_of_now(store::Transaction& transaction, const ReadContext& reading);

[[nodiscard]] tl::unexpected<base::Error> no_release(const std::string& version);

}  // namespace query
