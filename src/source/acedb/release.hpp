// source/live_release.hpp -- which release a running AceDB holds: what the operator says, else
// what the database says of itself.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/acedb/build.hpp"
#include "source/acedb/reply.hpp"

namespace source::acedb {

//   error  refused: no version, or no date of it, is known; says what to write where
[[nodiscard]] base::Result<base::Release> live_release(const BuildSettings& settings,
                                                       const Status& status);

}  // namespace source::acedb
