// history/republication.hpp -- what a release that was published again with other content makes of
// objects: their rows of that release computed anew, from the trees of the release before.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "history/build_view.hpp"
#include "tables/replacements.hpp"

namespace history {

// Withdrawn: the release has no change left in this object.
enum class Effect : unsigned char { none, changed, vanished, withdrawn };

struct Recomputed {
    Effect effect = Effect::none;
    std::optional<tables::Replacement> replacement;  // nullopt: nothing has to be written
};

// Computes what is to replace the rows that were recorded of these objects, and writes nothing.
// Gives the same answer again once the replacements are in place. Safe from any thread.
//   view      the release as it is published again
//   releases  known ones, that of the view included
//   objects   compared in this release already, their compared_in resolved
//   returns   one for each object, in their order; an error is what reading that object met
//   throws    store::Failure
//   memory    the trees of all the objects at once
[[nodiscard]] std::vector<base::Result<Recomputed>> recompute(
    const BuildView& view, const tables::Releases& releases,
    std::span<const tables::ObjectRow> objects);

}  // namespace history
