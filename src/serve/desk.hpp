// serve/desk.hpp -- what the routes ask of the rooms behind them: three questions and a note.
// A struct of functions, so that the routes can be tested without store or build.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "history/ledger.hpp"

namespace serve {

// Each function is safe from any thread; contracts are those of history::Ledger.
struct Desk {
    std::function<history::Moment()> moment;
    std::function<base::Result<history::Ledger::Answer>(const history::ObjectName&,
                                                        const history::Window&)>
        history_of;
    std::function<void(const history::ObjectName&)> note_hit;
    // Why the newest build is not served; empty: it is. For operators.
    std::function<std::string()> refused_build;
};

// The desk of a running program. `ledger` and `current` outlive it.
[[nodiscard]] Desk desk_over(history::Ledger& ledger, const history::CurrentBuild& current);

}  // namespace serve
