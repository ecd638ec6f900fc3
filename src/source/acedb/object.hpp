// source/live_object.hpp -- one object asked of a running AceDB.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.hpp"
#include "source/acedb/database.hpp"
#include "tree/object.hpp"

namespace source::acedb {

// The bytes of the object of exactly this spelling, as a dump has them: what `find` finds and
// `show -a -T` shows, and it is looked at that this is the object that was asked for.
//   identity  of the database (Status)
//   error     malformed: the database says that it has it no more, or shows nothing, or what
//             can't be read (never absent: it is listed); too_large above taking.most_bytes;
//             unavailable: not reached, another build, a cut reply, or another object's
//   cost      `find` and `show`; names with bytes that AceDB would take otherwise, a `list` too
[[nodiscard]] base::Result<std::string> ask_object(Database& database,
                                                   const std::string& identity,
                                                   const tree::ObjectName& name,
                                                   const ReplyOptions& taking);

}  // namespace source::acedb
