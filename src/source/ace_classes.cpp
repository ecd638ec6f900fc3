// SPDX-License-Identifier: MIT
#include "source/ace_classes.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace source {
namespace {

using enum AceClass::Writing;

constexpr auto ace_classes = std::to_array<AceClass>({
    {"LongText", Form::long_text, without_models},
    {"DNA", Form::sequence, without_models},
    {"Peptide", Form::sequence, without_models},
    {"KeySet", Form::key_set, without_models},
    {"TableResult", Form::lines, without_models},
    {"BaseQuality", Form::lines, without_models},
    {"BasePosition", Form::lines, without_models},
    {"BaseCall", Form::lines, without_models},
    {"MatchTable", Form::lines, without_models},
    {"Match_table", Form::lines, as_modelled},
    {"UserSession", Form::tree, without_models},
    {"Text", Form::tree, without_models},
    {"Tag", Form::tree, never},
    {"Model", Form::tree, never},
    {"Class", Form::tree, never},
    {"System", Form::tree, never},
    {"Session", Form::tree, never},
    {"Comment", Form::tree, never},
    {"Global", Form::tree, never},
    {"Voc"},
    {"Bat"},
    {"Display"},
    {"MainClasses"},
    {"Query"},
    {"Constraint"},
    {"Jade"},
    {"View"},
});

}  // namespace

const AceClass* find_ace_class(std::string_view name) {
    const auto* found =
        std::find_if(ace_classes.begin(), ace_classes.end(), [&](const AceClass& one) {
            return base::equal_ignoring_case(one.name, name);
        });
    return found == ace_classes.end() ? nullptr : found;
}

Form form_of(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr ? Form::tree : found->form;
}

bool is_kernel_class(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found != nullptr && found->form == Form::tree;
}

}  // namespace source
