// app/notify.hpp -- tells a program and a web server that a release has been recorded: `[notify]`.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "app/config.hpp"

namespace app {

// Runs the command with the text on its standard input, and posts the text to the URL; each once.
//   json     docs/protocols.md, "A webhook"
//   returns  a sentence for each of the two that failed, without the URL, which may be a secret
//   blocks   up to 60 s for each
//   signals  ignores SIGPIPE from then on
[[nodiscard]] std::vector<std::string> notify(const NotifyConfig& config,
                                              const std::string& json);

}  // namespace app
