// source/ace_classes.hpp -- the classes that AceDB itself defines: how their objects are written,
// and whether they are dumped. Case is ignored. Pure.
// Source: AceDB 4.9.62, sysClassOptions(), dumpClassPossible() and parseArrayInit().
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace source {

// How the body of an object is written; the class decides.
enum class Form { tree, long_text, sequence, key_set, lines };

[[nodiscard]] Form form_of(std::string_view class_name);

// False for the classes of AceDB's kernel that its own dump leaves out, and for UserSession, which
// says who loaded what: their objects have no history.
[[nodiscard]] bool is_tracked_class(std::string_view class_name);

}  // namespace source
