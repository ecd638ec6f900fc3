// hub/protocol.hpp -- the requests that the hub sends to subscribers.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "hub/subscription_request.hpp"
#include "net/url.hpp"

namespace hub {

// What a subscriber is asked to confirm.
struct Verification {
    Mode mode = Mode::subscribe;
    std::string topic_url;  // as the subscriber wrote it
    std::string challenge;  // of new_challenge()
    std::chrono::seconds lease{0};
};

// Returns 256 random bits, in letters and digits that mean nothing in a URL.
//   throws  std::runtime_error when OpenSSL has no random bytes
[[nodiscard]] std::string new_challenge();

// Return the callback with the parameters of a request behind its own query, which stays as it was.
// The result may be longer than net::longest_url.
//   callback  accepted by net::parse_url()
//   source    WebSub sections 5.3 and 5.2. The lease is also there when the mode is unsubscribe, because older
//             subscribers want it
[[nodiscard]] net::Url verification_url(const net::Url& callback,
                                        const Verification& verification);
[[nodiscard]] net::Url denial_url(const net::Url& callback, std::string_view topic_url,
                                  std::string_view reason);

// Returns the value of the field Link of a delivery: hub and self in one field.
//   source  WebSub section 7
[[nodiscard]] std::string link_field(std::string_view hub_url, std::string_view topic_url);

// Returns the value of the field X-Hub-Signature: "sha256=" and lower-case hex digits.
//   secret  1 … longest_secret bytes
//   source  WebSub section 7.1; RFC 2104
[[nodiscard]] std::string signature_field(SignatureMethod method, std::string_view secret,
                                          std::string_view body);

}  // namespace hub
