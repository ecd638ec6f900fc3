// history/loading.hpp -- what is recorded of objects, read as histories and watch lists.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "history/refresh.hpp"

namespace history {

// How is read. All outlive it.
struct Loading {
    store::Transaction& transaction;
    const Settings& settings;
    const source::Build& build;  // nullptr: none is at hand
    const Releases& releases;
    bool has_mass_changes = true;  // false: none are looked for
};
// People are not filled in. Both throw store::Failure.

//   identity  with a row, settled
//   error     absent: known from a newer release only; malformed: damaged notes or trees;
//             refused: a window since an unknown release
[[nodiscard]] base::Result<History> load_history(const Loading& loading, const Identity& identity,
                                                 const Window& window);

// Objects that are known from a newer release only are left out.
//   identities  with rows, settled; each object once
//   error       absent: nothing is left; else as above
[[nodiscard]] base::Result<WatchList> load_list(const Loading& loading,
                                                std::span<const Identity> identities,
                                                const Window& window);

}  // namespace history
