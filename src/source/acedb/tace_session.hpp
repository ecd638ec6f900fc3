// source/acedb/tace_session.hpp -- a conversation with `tace DBDIR`, a child process, over pipes.
// The child ends with the session, which waits for it and closes all of its descriptors.
// Source: AceDB 4.9.62: a prompt `acedb> ` without LF follows each reply, which ends in
// `// N Active Objects`.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "source/acedb/session.hpp"

namespace source::acedb {

struct TaceSettings {
    std::string program = "tace";  // a path, or a name looked for in PATH
    std::string folder;            // of the database: wspec, database/
    // Until the first prompt, and for each reply as a whole.
    std::chrono::milliseconds timeout = std::chrono::seconds(30);
    // For the child to end when its input is closed, and again after SIGTERM; then SIGKILL.
    std::chrono::milliseconds time_to_end = std::chrono::seconds(1);
};

// Starts the program and reads up to its first prompt.
//   error  unavailable: no such program or database (with what it printed), or it died; silence
[[nodiscard]] base::Result<SessionPtr> open_tace_session(const TaceSettings& command);

// Returns text that differs once the database in the folder was saved, or was replaced by another
// one: inode, size and time of its block files. Files that can't be looked at count as missing. A
// process of tace needs it, since it keeps reading the database that it found at its start.
[[nodiscard]] std::string change_mark_of(const std::string& folder);

}  // namespace source::acedb
