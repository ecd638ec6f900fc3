// harvest/hub_requests.hpp -- the queue of the table feed_hubs: which hubs are to be asked for a subscription now.
// All functions throw store::Failure. Times are those of the store's clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "harvest/claims.hpp"
#include "store/pool.hpp"

namespace harvest {

struct ClaimedHubRequest {
    std::int64_t feed = 0;
    std::int64_t claim = 0;  // of the base URL
    std::string base_url;    // of the hub
    std::string hub_url, topic, token, secret;
    std::int64_t requests = 0;  // since the hub has confirmed last
    std::string until;          // the row's due_at, which no other claim has
};

// Returns whether there may be something to claim. Costs an index look-up, and no lock.
[[nodiscard]] bool is_hub_request_due(store::Transaction& transaction, base::Seconds now);
// Claims requests that are due, those that wait longest first, at most one of each base URL, which is claimed too. The
// hub may confirm from now on. Rows of feeds that are gone or disabled are deleted.
[[nodiscard]] std::vector<ClaimedHubRequest> claim_hub_requests(store::Transaction& transaction,
                                                                const ClaimTerms& terms,
                                                                base::Seconds now);
// Ends a claim, whatever the hub has answered: it may confirm or not in any case. Until it does, requests follow after
// pauses of 10 minutes, an hour, 6 hours, a day, and then a week: it counts as dead.
//   returns  false if the claim had ended, or the hub has confirmed meanwhile
bool finish_hub_request(store::Transaction& transaction, const ClaimedHubRequest& request,
                        base::Seconds now);
// Gives a claim back: the request is due again at once.
void give_back(store::Transaction& transaction, const ClaimedHubRequest& request,
               base::Seconds now);

}  // namespace harvest
