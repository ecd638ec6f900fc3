// The SQL texts that ran on SQLite. Most tests run on SQLite alone; a test that runs after all
// others in each program that has a store prepares each of these texts on MariaDB.
// Only stores that are made with our schema keep theirs.
// SPDX-License-Identifier: MIT
#pragma once

#include "store/pool.hpp"

namespace support {

// Returns connections like those of `real` that also keep each text that succeeded, for the test.
//   threads  any
[[nodiscard]] store::Connect keeping_texts(store::Connect real);

}  // namespace support
