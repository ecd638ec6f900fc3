// SPDX-License-Identifier: MIT
#include "serve/desk.hpp"

namespace serve {

Desk desk_over(history::Ledger& ledger, const history::CurrentBuild& current) {
    return Desk{
        .moment = [&] { return ledger.moment(); },
        .history_of =
            [&](const history::ObjectName& object, const history::Window& window) {
                return ledger.history_of(object, window);
            },
        .note_hit = [&](const history::ObjectName& object) { ledger.note_hit(object); },
        .refused_build = [&] { return current.why(); },
    };
}

}  // namespace serve
