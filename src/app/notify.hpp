// app/notify.hpp -- tells a program that a release has been recorded: `[notify] command`.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.hpp"

namespace app {

// Runs a command of the shell once, with the text on its standard input.
//   json     docs/protocols.md, "The summary of a release"
//   blocks   up to 60 s
//   signals  ignores SIGPIPE from then on
[[nodiscard]] base::Result<void> notify(const std::string& command, const std::string& json);

}  // namespace app
