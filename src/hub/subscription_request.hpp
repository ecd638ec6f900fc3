// hub/subscription_request.hpp -- what a subscriber asks the hub for, read from the fields of its form.
// The bytes come from strangers, and name a server that requests will be sent to.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/address.hpp"
#include "net/url.hpp"

namespace hub {

inline constexpr std::chrono::seconds shortest_lease = std::chrono::days(1);
inline constexpr std::chrono::seconds default_lease = std::chrono::days(10);
inline constexpr std::chrono::seconds longest_lease = std::chrono::days(30);
inline constexpr std::size_t longest_secret = 199;  // bytes

enum class Mode : unsigned char { subscribe, unsubscribe };
[[nodiscard]] std::string_view name_of(Mode mode);     // "subscribe", "unsubscribe"
[[nodiscard]] Mode mode_named(std::string_view name);  // of name_of()

// How deliveries are signed (WebSub section 7).
enum class SignatureMethod : unsigned char { sha1, sha256 };
[[nodiscard]] std::string_view name_of(SignatureMethod method);     // "sha1", "sha256"
[[nodiscard]] SignatureMethod method_named(std::string_view name);  // of name_of()

struct SubscriptionRequest {
    Mode mode = Mode::subscribe;
    net::Url callback;
    net::Url topic;
    std::string secret = {};  // empty: deliveries are not signed
    SignatureMethod method = SignatureMethod::sha256;
    std::chrono::seconds lease = default_lease;  // shortest_lease to longest_lease
    bool operator==(const SubscriptionRequest&) const = default;
};

// A field of the form, decoded.
struct RequestField {
    std::string name, value;
};

// Reads the fields of a form. Parameters that WebSub does not know are ignored, and an empty one counts as
// one that is missing. Which feed a topic is, the caller finds out.
//   hub.mode, hub.callback, hub.topic  needed, http or https URLs as net::parse_url() accepts them
//   hub.lease_seconds                  a number above 0, moved into shortest_lease … longest_lease, however
//                                      many digits it has; not looked at when unsubscribing
//   hub.secret                         at most longest_secret bytes
//   hub.verify                         of PubSubHubbub 0.3, whose subscribers know no other method than sha1
//   guard    judges a callback whose host is an address; those of a name are judged when it is used
//   error    refused: the mode is "publish", which only the site itself may do; malformed: everything else.
//            The text is a sentence that names the parameter
//   source   WebSub sections 5.1 and 5.1.1
[[nodiscard]] base::Result<SubscriptionRequest> parse_subscription_request(
    std::span<const RequestField> fields, const net::AddressGuard& guard);

}  // namespace hub
