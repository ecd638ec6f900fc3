// source/ace_classes.hpp -- the classes that AceDB itself defines: how their objects are written,
// and who may write them. Case is ignored. Pure.
// Source: AceDB 4.9.62, sysClassOptions(), dumpClassPossible() and parseArrayInit().
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace source {

// How the body of an object is written; the class decides.
enum class Form { tree, long_text, sequence, key_set, lines };

struct AceClass {
    std::string_view name;
    Form form = Form::tree;
    // Whether curators' files may write objects of the class: like those of any other class, also
    // where no models describe it, or never.
    enum class Writing { as_modelled, without_models, never } writing = Writing::as_modelled;
    // Whether AceDB's `dump` writes its objects. It leaves out what is private to the kernel, what
    // may not be loaded (protected), what cross references make (XREF), and arrays that it has no
    // writer for. Options in wspec/options.wrm (-XREF, -Protected, -Array) can leave out more
    // classes; nothing that a client may ask tells which.
    bool is_dumped = true;
};

// Returns the class of this name, or nullptr for one that AceDB does not define.
[[nodiscard]] const AceClass* find_ace_class(std::string_view name);

[[nodiscard]] Form form_of(std::string_view class_name);

// False for the classes of AceDB's kernel that its own dump leaves out, and for UserSession, which
// says who loaded what: their objects have no history.
[[nodiscard]] bool is_tracked_class(std::string_view class_name);

}  // namespace source
