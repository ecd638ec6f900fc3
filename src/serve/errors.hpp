// serve/refusal.hpp -- the short pages that tell people why there is nothing for them, and the
// one table from error kinds to statuses.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.hpp"
#include "history/history.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/http.hpp"

namespace serve {

// What was asked for, in the words that its refusals use.
struct Wanted {
    std::string what;       // "Gene unc-26": "The history of … can't be reached just now."
    std::string if_absent;  // the whole sentence of 404
};
[[nodiscard]] Wanted wanted_object(const history::ObjectName& object);
[[nodiscard]] Wanted wanted_class(const std::string& class_name);
[[nodiscard]] Wanted wanted_release(const std::string& version);
[[nodiscard]] Wanted wanted_list();
[[nodiscard]] Wanted wanted_search();

// What the client hears of an error met while `wanted` was made. The error's own text is for the
// log, where it is written: it may name files, hosts and SQL.
//   since  the release that was named: what the history says of one that it does not know is
//          base::Kind::refused
[[nodiscard]] Refusal refusal_of(const base::Error& error, const Wanted& wanted,
                                 const std::string& since = {});

// How a site's refusals look.
struct Look {
    const render::Site& site;
    const render::Templates& templates;
};
// The page of a refusal: HTML for browsers, plain text for all others. With Retry-After (429,
// 503), Allow (405), Location (301), WWW-Authenticate (401), and a Cache-Control that fits the
// status. Pure.
[[nodiscard]] Response page_of(const Refusal& refusal, const Request& request, const Look& look);

}  // namespace serve
