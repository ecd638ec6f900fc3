// app/check_source.hpp -- the part of `varve check` that looks at the source and its build.
// SPDX-License-Identifier: MIT
#pragma once

#include "app/checklist.hpp"
#include "app/config.hpp"

namespace app {

// A running database is asked what it is; the build is opened, and judged if the store can be
// asked.
void check_source(Checklist& list, const Config& config, bool store_is_fine);

}  // namespace app
