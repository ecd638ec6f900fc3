// source/database_files.hpp -- what tells from outside that an AceDB database was saved. For
// tace, whose process goes on to read what it found at its start.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace source::acedb {

// Text that differs once the database in the folder was saved, or another one lies there: inode,
// size and time of its block files. A few stats. What can't be looked at counts as not there.
[[nodiscard]] std::string database_stamp(const std::string& folder);

}  // namespace source::acedb
