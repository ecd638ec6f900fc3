// compare/field_change.hpp -- changes as people read them: by field, the values of one field together.
// Pure. Safe from any thread. Everything here points into the changes, which outlive it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/change.hpp"
#include "compare/tag_paths.hpp"
#include "tree/object.hpp"

namespace compare {

// An object that changes name, as it was in the release that made them.
struct Reference {
    // By that release. Absent: neither its build nor the one before has such an object.
    enum class Fate : unsigned char { stays, created, vanished, absent };

    tree::ObjectName object;
    std::string label;  // what people called it; empty: its name
    Fate fate = Fate::stays;
    bool operator==(const Reference&) const = default;
};
// "created"; empty: it stays.
[[nodiscard]] constexpr std::string_view name_of(Reference::Fate fate) {
    switch (fate) {
        case Reference::Fate::created: return "created";
        case Reference::Fate::vanished: return "vanished";
        case Reference::Fate::absent: return "absent";
        case Reference::Fate::stays: break;
    }
    return {};
}
// Sorted by object, each once. Objects that have no label of their own and stay are left out.
using References = std::vector<Reference>;

// Returns what is known of the object that a cell names; nullptr: nothing, or it names none.
[[nodiscard]] const Reference* reference_of(std::span<const Reference> references,
                                            const tree::Cell& cell);

// Returns the objects that cells name, sorted, each once: the first `most` that are found.
//   cost  O(nodes) until `most` are found
[[nodiscard]] std::vector<tree::ObjectName> objects_named_in(const std::vector<Change>& changes,
                                                             std::size_t most);

// One value of a field: a value, or a tag without anything below it.
struct FieldValue {
    std::size_t number = 0;              // of its change, from 1
    const tree::Node* before = nullptr;  // nullptr: added
    const tree::Node* after = nullptr;   // nullptr: removed
    std::size_t left_out = 0;            // bytes that the row lacks of the change

    // What there is now, or what there was.
    [[nodiscard]] const tree::Node& node() const { return after ? *after : *before; }
};

// What one release did to a field: the same to each of its values.
struct FieldChange {
    Rank rank = Rank::ordinary;
    Op op = Op::added;
    std::vector<const tree::Cell*> path;  // from the first tag down to the parent of the values
    // Where in the path the tags begin that tell these values from others (ClassRules::first_telling_tag()).
    std::size_t telling = 0;
    std::vector<FieldValue> values;  // at least one; one where something was replaced

    // The innermost tag above the values; nullptr: none (texts, members of a KeySet).
    [[nodiscard]] const tree::Cell* field() const;
    // The tag at the top; empty: none.
    [[nodiscard]] std::string_view first_tag() const;
};

// Returns the fields of some changes, the most important rank first, otherwise in the order of the
// changes. A tag that was added or removed with others below it is as many fields as there are tags
// with values. A reference that was removed is an echo where its object vanished; one that was replaced
// where one vanished and the other was created; and one that was added where the release created the
// object, nothing is below it, and it came by itself because that object names this one
// (ClassRules::is_cross_reference). Important changes are no echoes.
//   changes     of an object of the class of the rules
//   leaves_out  returns whether the change of this number, from 1, is left out; empty: none is
//   cost        O(nodes of the changes)
using LeavesOut = std::function<bool(const Change&, std::size_t number)>;
[[nodiscard]] std::vector<FieldChange> field_changes(std::span<const Change> changes,
                                                     const ClassRules& rules,
                                                     std::span<const Reference> references,
                                                     const LeavesOut& leaves_out = {});

}  // namespace compare
