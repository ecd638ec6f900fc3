// source/live_models.hpp -- the models of a running AceDB, class by class.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/database.hpp"

namespace source::acedb {

// The models of these classes, and of every #hash that one of them names, as a models.wrm has
// them. What has no model is left out.
//   error  as Database::with_session; malformed when there is no end of hashes
[[nodiscard]] base::Result<std::string> ask_models(Database& database,
                                                   const std::string& identity,
                                                   const std::vector<std::string>& classes);

// The words behind `#` in the text of a model, comments aside; each once. Pure.
[[nodiscard]] std::vector<std::string> hashes_in(std::string_view model);

}  // namespace source::acedb
