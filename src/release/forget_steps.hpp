// release/forget_steps.hpp -- what forgetting a class and a release have in common: rows of
// many objects deleted, in transactions that end in time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "release/forget.hpp"

namespace release {

using Oids = std::span<const std::int64_t>;

// Of one statement. Fewer are filled up with the last one, so that one text serves them all.
inline constexpr std::size_t oids_together = 16;

// `before` with " IN (?, …)" behind it, and its values: `first`, then 1 … oids_together oids.
[[nodiscard]] std::string in_oids(std::string_view before);
[[nodiscard]] std::vector<store::Value> with_oids(std::initializer_list<store::Value> first,
                                                  Oids oids);

// The objects with all that hangs on them; their rows are locked before.
[[nodiscard]] Share delete_objects(store::Transaction& transaction, Oids oids);

// Deletes what some objects, at most oids_together, have; all or, with an error, nothing.
using DeleteSome = std::function<base::Result<Share>(store::Transaction&, Oids)>;

// All of the oids, in as many transactions as it takes. Pages made before are out of date.
//   error  of delete_some; what was deleted until then stays so
[[nodiscard]] base::Result<Share> delete_in_steps(const Forgetting& forgetting, Oids oids,
                                                  const DeleteSome& delete_some);

// What jobs have finished is finished no more: their done parts.
void drop_leases(store::Transaction& transaction);

void add(Share& sum, const Share& share);

// forget() of a release.
[[nodiscard]] base::Result<Share> forget_release(const Forgetting& forgetting,
                                                 const std::string& version);

}  // namespace release
