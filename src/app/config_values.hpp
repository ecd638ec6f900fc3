// app/config_values.hpp -- what the values of varve.conf mean, one function for a kind of value.
// Pure. Each fails with what is wrong with the value; the caller adds file, section and key.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "tree/object.hpp"

namespace app {

// An error of kind refused.
[[nodiscard]] tl::unexpected<base::Error> wrong(std::string text);

[[nodiscard]] base::Result<std::int64_t> number_of(std::string_view value, std::int64_t least,
                                                   std::int64_t most);
// "yes" or "no".
[[nodiscard]] base::Result<bool> truth_of(std::string_view value);

// Words between separators, blanks around them off, empty ones left out.
[[nodiscard]] std::vector<std::string> words_of(std::string_view list, char separator);

// "Identity>Name>Public_name, Identity>Name>CGC_name": at least one path, no empty tag in it.
using Paths = std::vector<std::vector<std::string>>;
[[nodiscard]] base::Result<Paths> paths_of(std::string_view value);

// An http or https address with no placeholder but {name} {class} {class_lower}; or nothing.
[[nodiscard]] base::Result<std::string> address_template_of(std::string value);
// Without query, fragment and blanks; the slashes at its end are taken off.
[[nodiscard]] base::Result<std::string> base_url_of(std::string url);
// RFC 4151 section 2.1: an authority name (domain or mail address), a comma, a date.
[[nodiscard]] base::Result<std::string> authority_of(std::string value);
// "Person:WBPerson1983", split at the first colon.
[[nodiscard]] base::Result<tree::ObjectName> object_of(std::string_view value);
[[nodiscard]] base::Result<base::Date> date_of(std::string_view value);
[[nodiscard]] base::Result<base::log::Level> level_of(std::string_view value);
// The version of a release: "WS188".
[[nodiscard]] base::Result<std::string> version_of(std::string_view value);
// One word of printable ASCII: a host, a user.
[[nodiscard]] base::Result<std::string> word_of(std::string_view value);

}  // namespace app
