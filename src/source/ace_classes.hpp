// source/ace_classes.hpp -- the classes that AceDB itself defines: how their objects are written,
// and who may write them. Case is ignored. Pure.
// Source: AceDB 4.9.62.
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
};

// Returns the class of this name, or nullptr for one that AceDB does not define.
[[nodiscard]] const AceClass* find_ace_class(std::string_view name);

[[nodiscard]] Form form_of(std::string_view class_name);

// True for kernel classes, which AceDB's own dump leaves out, and for UserSession.
[[nodiscard]] bool is_kernel_class(std::string_view class_name);

}  // namespace source
