// tables/rows.hpp -- a row of the table history as a plain value, and its notes as JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "compare/change.hpp"
#include "tree/object.hpp"

namespace tables {

using base::Release;
using tree::ObjectName;

enum class RowKind : unsigned char {
    changed,        // compared with the tree known before
    created,        // the kept index of the previous build did not have it
    vanished,       // was recorded, is not in this release
    reappeared,     // had vanished; compared with the empty tree
    reconstructed,  // first sight: read from timestamps (rule C4), since is empty
    withdrawn,      // a re-spun release has no changes left here
    adopted,        // of the first system; html instead of changes
};
[[nodiscard]] std::string_view name_of(RowKind kind);
[[nodiscard]] std::optional<RowKind> kind_named(std::string_view name);

// What the column `notes` holds, as JSON (docs/schema.md).
struct Notes {
    std::vector<compare::Change> changes;
    std::string adopted_html;  // kind adopted only: HTML of the first system, never shown raw
    std::optional<ObjectName> renamed_to, renamed_from;  // rule C9
    std::string previous;  // version of the release just before, as known when recorded
    bool operator==(const Notes&) const = default;
};
[[nodiscard]] std::string to_json(const Notes& notes);
[[nodiscard]] std::string changes_to_json(const std::vector<compare::Change>& changes);
[[nodiscard]] base::Result<Notes> notes_from_json(std::string_view text);

// One row of the table: what one release did to one object. One item of a feed.
struct Row {
    std::int64_t oid = 0;
    ObjectName object;  // the spelling first recorded: ids are made of it, for ever
    Release release;    // in which the change was found
    int of_day = 0;     // so many known releases of the same date come before that one
    int revision = 0;   // > 0: the release was published again with other content
    std::string since;  // version that was compared with; empty: none (kind tells)
    base::Seconds recorded_at{};
    std::string signature;  // of the object in this release; empty: vanished
    RowKind kind = RowKind::changed;
    std::string label;  // what people called the object then; never empty
    Notes notes;        // notes.previous other than since: releases were skipped
    bool operator==(const Row&) const = default;
};

// A place that a release changed in most objects of a class, as a change of the models does.
struct MassChange {
    std::string version;
    std::string class_name;
    std::string place;          // compare::place_of, never empty
    std::uint64_t objects = 0;  // that changed there
    std::uint64_t of = 0;       // that the class has in that release
    bool operator==(const MassChange&) const = default;
};

}  // namespace tables
