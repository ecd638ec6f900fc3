// query/object_history.hpp -- what is recorded of objects, read as histories and watch lists.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "history/refresh.hpp"
#include "query/history_page.hpp"

namespace query {

// How is read. All outlive it.
struct Loading {
    store::Transaction& transaction;
    const history::Settings& settings;
    const source::Build& build;  // nullptr: none is at hand
    const tables::Releases& releases;
    bool has_mass_changes = true;  // false: none are looked for
};
// People are not filled in. Both throw store::Failure.

//   identity  with a row, settled
//   error     absent: known from a newer release only; malformed: damaged notes or trees;
//             refused: a window since an unknown release
[[nodiscard]] base::Result<History> load_history(const Loading& loading,
                                                 const history::Identity& identity,
                                                 const PageRequest& window);

// Objects that are known from a newer release only are left out.
//   identities  with rows, settled; each object once
//   error       absent: nothing is left; else as above
[[nodiscard]] base::Result<WatchList> load_list(const Loading& loading,
                                                std::span<const history::Identity> identities,
                                                const PageRequest& window);

}  // namespace query
