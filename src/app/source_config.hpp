// app/source_config.hpp -- what of [source] depends on its kind: which keys stand there, and the
// password of a server.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "app/config_keys.hpp"
#include "base/result.hpp"

namespace app {

[[nodiscard]] base::Result<SourceKind> source_kind_of(std::string_view value);

// That the keys which the draft has seen fit its kind.
//   error  refused: "[source] path: …", missing, or of another kind
[[nodiscard]] base::Result<void> check_source_keys(const Draft& draft);

// Reads the password that [source] password_file names: the first line of the file.
//   error  unavailable; refused: the line is no password. Never holds what stands there
[[nodiscard]] base::Result<void> read_source_password(Draft& draft);

}  // namespace app
