// hub/requests.hpp -- the queue of what subscribers asked for and are to confirm (table hub_requests).
// A request waits until the position of its topic is known (hub/news.hpp), so that nothing is lost that comes between
// asking and confirming. Functions throw store::Failure. Times are those of the store's clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "hub/protocol.hpp"
#include "store/claim.hpp"
#include "store/pool.hpp"

namespace hub {

struct PendingRequest {
    store::QueuedRow row;
    std::int64_t topic = 0;
    std::string callback = {}, callback_digest = {}, host = {};
    Verification verification = {};  // without a challenge
    std::string secret = {};
    SignatureMethod method = SignatureMethod::sha256;
    std::string reader = {};     // the digest of the token
    std::int64_t since = 0;      // the last notification that the subscriber need not get
    std::int64_t tries = 0;      // that have failed
    base::Seconds claimed_at{};  // the lease begins here
};

// Returns requests that are due, those that wait longest first.
//   cost  an index look-up if there are none; those whose topic has no position yet are read each time
[[nodiscard]] std::vector<PendingRequest> due_requests(store::Transaction& transaction,
                                                       std::size_t most, base::Seconds now);
// Claims those of them that are still as they were read.
//   claim    any number that no other claim has, above 0
//   returns  those that are claimed
[[nodiscard]] std::vector<PendingRequest> claim_requests(store::Transaction& transaction,
                                                         const std::vector<PendingRequest>& due,
                                                         std::int64_t claim, base::Seconds now);

enum class Verified : unsigned char {
    confirmed,
    refused,   // the subscriber does not want it, or answers wrongly
    failed,    // it can't be reached now; asked again some times
    not_sent,  // the claim is given back, and does not count as a try
};
// Writes what came of a request.
//   returns  false if the subscriber has asked for something else meanwhile, or another hub has written it
bool finish_request(store::Transaction& transaction, const PendingRequest& request,
                    Verified outcome, std::chrono::seconds pause, base::Seconds now);

}  // namespace hub
