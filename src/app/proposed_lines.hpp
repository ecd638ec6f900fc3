// app/proposed_lines.hpp -- proposals for the configuration as lines to paste into it.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "app/config.hpp"
#include "base/release.hpp"
#include "release/proposals.hpp"

namespace app {

// Returns sections of varve.conf, with comments that say why and what each line would change. Nothing in it
// can harm a terminal. A class that has a line in the section already gets a line to put in its place. Leaves out, and
// counts, what a line cannot say: class and tags with `,`, `>` or `=` in them, for example.
//   before, after  the releases that were compared
[[nodiscard]] std::string proposed_lines(const release::Proposals& proposals,
                                         const Config& config, const base::Release& before,
                                         const base::Release& after);

}  // namespace app
