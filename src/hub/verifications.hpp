// hub/verifications.hpp -- the queue of what subscribers asked for and are to confirm (columns asked_… and
// verify_… of the table subscriptions).
// A hub claims a verification for a while and then writes what came of it. If it dies, another one sends the
// verification again. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "hub/protocol.hpp"
#include "hub/topic.hpp"
#include "store/pool.hpp"

namespace hub {

// How long a claim lasts: longer than the request, and as long as it may wait for its turn.
inline constexpr std::chrono::seconds verification_claim{120};

struct ClaimedVerification {
    std::int64_t subscription = 0, number = 0, claim = 0;
    std::int64_t tries = 0;  // that have failed before this one
    std::string callback = {};
    Verification verification = {};  // without a challenge
    Topic topic = {};
    std::string reader;        // the digest of the token
    bool is_first = true;      // nobody else is subscribed to the topic
    base::Seconds asked_at{};  // when the claim was made: the lease begins here
};

// Claims verifications that are due, those that wait longest first.
//   claim    any number that no other claim has, above 0
[[nodiscard]] std::vector<ClaimedVerification> claim_verifications(
    store::Transaction& transaction, std::int64_t claim, std::size_t most, base::Seconds now);

// Returns whether there may be something to claim. Costs an index look-up, and no lock.
[[nodiscard]] bool is_verification_due(store::Transaction& transaction, base::Seconds now);

enum class Verified : unsigned char {
    confirmed,
    refused,  // the subscriber does not want it, or answers wrongly
    failed,   // it can't be reached now; asked again some times
};

// Writes what came of a verification. A later request of the subscriber for the same subscription makes it
// void.
//   position  where the topic's news begin if nobody else is subscribed to it; empty if is_first is false
//   returns   false if it was void, or had been written by another hub
bool finish_verification(store::Transaction& transaction, const ClaimedVerification& verification,
                         Verified outcome, const std::string& position, base::Seconds now);

// Gives the claim back, because the verification can't be sent now. It does not count as a try, and is due again
// at `until`.
void postpone_verification(store::Transaction& transaction,
                           const ClaimedVerification& verification, base::Seconds until);

}  // namespace hub
