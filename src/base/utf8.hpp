// base/utf8.hpp -- any bytes made into text that XML 1.0 and JSON may carry: the one door.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace base {

// True when `bytes` may pass as it is: valid UTF-8, no C0 control but TAB LF CR, no U+FFFE/FFFF.
// DEL and C1 controls are legal characters of XML 1.0 (section 2.2) and stay.
//   cost  one pass; plain ASCII at memory speed
[[nodiscard]] bool is_legal_text(std::string_view bytes);

// `bytes` as legal text. Valid UTF-8 stays; otherwise the bytes are read as windows-1252 (whose
// five unassigned bytes become U+FFFD); then what XML forbids becomes U+FFFD.
//   returns  at most 3 * size bytes; legal_text(legal_text(x)) == legal_text(x)
[[nodiscard]] std::string legal_text(std::string_view bytes);

}  // namespace base
