// harvest/hub_requests.hpp -- the queue of the table feed_hubs: which hubs must be asked for a subscription now.
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

// Returns whether there may be something to claim. Costs an index look-up and takes no lock.
[[nodiscard]] bool is_hub_request_due(store::Transaction& transaction, base::Seconds now);
// Claims due requests, the longest waiting first, at most one per base URL, which is claimed too. The
// hub may confirm from now on. Rows of feeds that are gone or disabled are deleted.
[[nodiscard]] std::vector<ClaimedHubRequest> claim_hub_requests(store::Transaction& transaction,
                                                                const ClaimTerms& terms,
                                                                base::Seconds now);
// Ends a claim, whatever the hub answered: only its verification counts. Until that comes, the request is repeated
// after 10 minutes, an hour, 6 hours, a day, and then every week: by then the hub counts as dead.
//   returns  false if the claim had ended, or the hub has confirmed meanwhile
bool finish_hub_request(store::Transaction& transaction, const ClaimedHubRequest& request,
                        base::Seconds now);
// Gives a claim back: the request is due again at once.
void give_back(store::Transaction& transaction, const ClaimedHubRequest& request,
               base::Seconds now);

}  // namespace harvest
