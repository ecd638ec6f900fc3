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
    {"UserSession", Form::tree, without_models, false},
    {"Text", Form::tree, without_models, false},
    {"Keyword", Form::tree, as_modelled, false},
    {"Tag", Form::tree, never, false},
    {"Model", Form::tree, never, false},
    {"Class", Form::tree, never, false},
    {"System", Form::tree, never, false},
    {"Session", Form::tree, never, false},
    {"Comment", Form::tree, never, false},
    {"Global", Form::tree, never, false},
    {"Voc", Form::tree, as_modelled, false},
    {"Bat", Form::tree, as_modelled, false},
    {"Calcul", Form::tree, as_modelled, false},
    {"Colour", Form::tree, as_modelled, false},
    {"Display", Form::tree, as_modelled, false},
    {"MainClasses", Form::tree, as_modelled, false},
    {"Query", Form::tree, as_modelled, false},
    {"Constraint", Form::tree, as_modelled, false},
    {"cMap", Form::tree, as_modelled, false},
    {"gMap", Form::tree, as_modelled, false},
    {"pMap", Form::tree, as_modelled, false},
    {"vMap", Form::tree, as_modelled, false},
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

bool is_tracked_class(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr || found->is_dumped;
}

}  // namespace source
