// SPDX-License-Identifier: MIT
#include "source/ace_classes.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace source {
namespace {

struct AceClass {
    std::string_view name;
    Form form = Form::tree;
    // Whether AceDB's `dump` writes its objects. It leaves out what is private to the kernel, what
    // may not be loaded (protected), what cross references make (XREF), and arrays that it has no
    // writer for. Options in wspec/options.wrm (-XREF, -Protected, -Array) can leave out more
    // classes; nothing that a client may ask tells which.
    bool is_dumped = true;
};

constexpr auto ace_classes = std::to_array<AceClass>({
    {"LongText", Form::long_text},      {"DNA", Form::sequence},
    {"Peptide", Form::sequence},        {"KeySet", Form::key_set},
    {"TableResult", Form::lines},       {"BaseQuality", Form::lines},
    {"BasePosition", Form::lines},      {"BaseCall", Form::lines},
    {"MatchTable", Form::lines},        {"Match_table", Form::lines},
    {"UserSession", Form::tree, false}, {"Text", Form::tree, false},
    {"Keyword", Form::tree, false},     {"Tag", Form::tree, false},
    {"Model", Form::tree, false},       {"Class", Form::tree, false},
    {"System", Form::tree, false},      {"Session", Form::tree, false},
    {"Comment", Form::tree, false},     {"Global", Form::tree, false},
    {"Voc", Form::tree, false},         {"Bat", Form::tree, false},
    {"Calcul", Form::tree, false},      {"Colour", Form::tree, false},
    {"Display", Form::tree, false},     {"MainClasses", Form::tree, false},
    {"Query", Form::tree, false},       {"Constraint", Form::tree, false},
    {"cMap", Form::tree, false},        {"gMap", Form::tree, false},
    {"pMap", Form::tree, false},        {"vMap", Form::tree, false},
});

const AceClass* find_ace_class(std::string_view name) {
    const auto* found =
        std::find_if(ace_classes.begin(), ace_classes.end(), [&](const AceClass& one) {
            return base::equal_ignoring_case(one.name, name);
        });
    return found == ace_classes.end() ? nullptr : found;
}

}  // namespace

Form form_of(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr ? Form::tree : found->form;
}

bool is_tracked_class(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr || found->is_dumped;
}

}  // namespace source
