// query/name_range.hpp -- the range of a key column that begins with a text. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace query {

// first <= key AND key < behind. Both are UTF-8 where `text` is, as MariaDB wants it.
struct NameRange {
    std::string first, behind;
};

// By its last character, which no name has.
[[nodiscard]] inline NameRange beginning_with(std::string_view text) {
    constexpr std::string_view last_of_all = "\xF4\x8F\xBF\xBF";  // U+10FFFF
    return {std::string(text), std::string(text) + std::string(last_of_all)};
}
// Of name_key and label_key.
[[nodiscard]] inline NameRange names_beginning_with(std::string_view text) {
    return beginning_with(base::fold_ascii(text));
}

}  // namespace query
