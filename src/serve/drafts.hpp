// serve/drafts.hpp -- pages whose entity tag is made of their bytes: all but feeds.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/date.hpp"
#include "history/ledger.hpp"
#include "serve/http.hpp"
#include "serve/representation.hpp"
#include "serve/workings.hpp"

namespace serve {

struct Draft {
    std::string body;
    base::Seconds last_modified{};  // 0: not known
    bool passing = false;           // something was out of reach
};

struct Placing {
    std::string key;                        // canonical address
    std::optional<history::Moment> moment;  // nullopt: it depends on none
    Sending sending;
    PageCache::Meanwhile meanwhile = PageCache::Meanwhile::wait;
};

// The page from the cache, or made.
[[nodiscard]] Answered<Response> answer_draft(Workings& workings, const Request& request,
                                              const Placing& placing,
                                              const std::function<Answered<Draft>()>& make);

}  // namespace serve
