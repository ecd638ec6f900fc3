// harvest/hub_links.hpp -- finds the hub that a feed names.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "feed/feed.hpp"
#include "harvest/push.hpp"
#include "net/request.hpp"

namespace harvest {

// Returns the first hub and the `self` link: each from the Link fields of the answer, else from the document.
//   url     that the feed was fetched from
//   source  WebSub section 4; RFC 8288 section 3
[[nodiscard]] HubLinks hub_links_of(std::span<const net::Field> fields, const feed::Feed& feed,
                                    const std::string& url);

}  // namespace harvest
