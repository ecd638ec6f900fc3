// serve/refusal.hpp -- the short pages that tell people why there is no feed, and the one table
// from error kinds to statuses.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.hpp"
#include "history/history.hpp"
#include "render/feed.hpp"
#include "serve/http.hpp"

namespace serve {

// What the client hears of an error met while the history of `asked` was made. The error's own
// text is for the log: it may name files, hosts and SQL. `since` is the release that was named;
// `refused` is what the history says of one that it does not know.
[[nodiscard]] Refusal refusal_of(base::Kind kind, const history::ObjectName& asked,
                                 const std::string& since);

// The page of a refusal: HTML for browsers, plain text for all others. With Retry-After (503),
// Allow (405), Location (301), and a Cache-Control that fits the status.
[[nodiscard]] Response page_of(const Refusal& refusal, const Request& request,
                               const render::Site& look);

}  // namespace serve
