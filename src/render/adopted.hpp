// render/adopted.hpp -- the HTML notes of the first system, written again without trusting them.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// Appends what the HTML fragment `foreign` shows: its text, <br>, and <a href="…"> with an http or
// https URL and no other attribute. Other elements of HTML leave only their text, <script> and
// <style> leave nothing. Anything else in angle brackets, like <gene>, is text.
//   returns  nothing; `html` is balanced after it, whatever `foreign` holds
//   cost     O(n)
void append_allowed(std::string& html, std::string_view foreign);

// Appends the notes of an adopted row; without users of timestamps if the site hides curators.
//   most     bytes of the notes: longer ones end with an ellipsis, before a <br> if there is one
//   returns  whether all of them are there
[[nodiscard]] bool append_adopted(std::string& html, const tables::Row& row, std::size_t most,
                                  const Site& site);

// Returns `foreign` with only the day of each timestamp: "(2007-07-30_10:00:00_wormpub)" becomes
// "(2007-07-30)".
//   cost  O(n)
[[nodiscard]] std::string without_users(std::string_view foreign);

}  // namespace render
