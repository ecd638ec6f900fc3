// source/tace_session.hpp -- a conversation with `tace DBDIR`, a child of this process, over
// pipes. The child ends with the session; it is waited for, and none of its descriptors stay.
// Source: AceDB 4.9.62: a prompt `acedb> ` without LF behind each reply, which ends in
// `// N Active Objects`.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "source/acedb/session.hpp"

namespace source::acedb {

struct TaceSettings {
    std::string program = "tace";      // a path, or a name looked for in PATH
    std::string folder;                // of the database: wspec, database/
    std::chrono::seconds timeout{30};  // to the first prompt, and for each reply, whole
};

// Started, and its first prompt read.
//   error  unavailable: no such program or database (with what it printed), or it died; silence
[[nodiscard]] base::Result<SessionPtr> open_tace_session(const TaceSettings& command);

}  // namespace source::acedb
